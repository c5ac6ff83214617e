import { applyJsonPatch } from '../../../api/json-patch.ts'
import { parseJsonPatch } from '../../../api/parse-json-patch.ts'
import { ApiError } from '../../../api/api-error.ts'
import type { StatusReason } from '../../../api/api-error.ts'
import type { Draft } from '../../core/kind-definition.ts'

/** The server that a webhook is served by. */
export type WebhookTarget = {
  /** `https://host/path?timeout=10s`. */
  readonly url: string
  /** The certificates that it is trusted with. Default: those of the system. */
  readonly caPem?: string
  /** Where to connect, if not to the host of the URL: the endpoint of a service. */
  readonly connect?: { readonly host: string; readonly port: number }
}

/** Sends a review and returns the text of the answer. Rejects if there is no answer with status 200. */
export type CallWebhook = (target: WebhookTarget, body: string, signal: AbortSignal) => Promise<string>

/** What a webhook decided. */
export type WebhookVerdict =
  | { readonly kind: 'allow'; readonly object?: Draft; readonly warnings: readonly string[] }
  | { readonly kind: 'deny'; readonly error: ApiError; readonly warnings: readonly string[] }

type Review = {
  readonly kind?: unknown
  readonly apiVersion?: unknown
  readonly response?: {
    readonly uid?: unknown
    readonly allowed?: unknown
    readonly patch?: unknown
    readonly patchType?: unknown
    readonly warnings?: unknown
    readonly status?: { readonly message?: unknown; readonly reason?: unknown; readonly code?: unknown }
  }
}

/** Reads the answer of a webhook. Throws a plain Error if it is none: the failure policy decides what that means. */
export function readVerdict(
  text: string,
  { uid, webhook, object, apiVersion }: { uid: string; webhook: string; object: Draft | undefined; apiVersion: string },
): WebhookVerdict {
  const review = parseReview(text)
  const { response } = review
  if (review.kind !== 'AdmissionReview' || review.apiVersion !== apiVersion)
    throw new Error(
      `expected webhook response of ${apiVersion}, Kind=AdmissionReview, got ${String(review.apiVersion)}, Kind=${String(review.kind)}`,
    )
  if (!response) throw new Error('webhook response was absent')
  if (response.uid !== uid) throw new Error(`expected response.uid="${uid}", got "${String(response.uid)}"`)
  const warnings = Array.isArray(response.warnings) ? response.warnings.filter((one) => typeof one === 'string') : []
  if (response.allowed !== true) return { kind: 'deny', error: denial(webhook, response.status), warnings }
  if (typeof response.patch !== 'string' || response.patch === '') return { kind: 'allow', warnings }
  if (response.patchType !== 'JSONPatch')
    throw new Error(`webhook returned invalid response.patchType of "${String(response.patchType)}"`)
  if (!object)
    throw new Error(
      `admission webhook "${webhook}" attempted to modify the object, which is not supported for this operation`,
    )
  const patch = parseJsonPatch(JSON.parse(Buffer.from(response.patch, 'base64').toString('utf8')))
  return { kind: 'allow', object: applyJsonPatch(object, patch) as Draft, warnings }
}

function parseReview(text: string): Review {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null) throw new Error('expected webhook response to be an object')
  return value
}

function denial(webhook: string, status: NonNullable<Review['response']>['status'] = {}): ApiError {
  const given = typeof status.code === 'number' ? status.code : 0
  const deniedBy = `admission webhook "${webhook}" denied the request`
  const why = status.message || status.reason
  return new ApiError(
    (typeof status.reason === 'string' ? status.reason : '') as StatusReason,
    typeof why === 'string' ? `${deniedBy}: ${why}` : `${deniedBy} without explanation`,
    { code: given < 400 ? 400 : given },
  )
}
