import { ApiError } from '../../../api/api-error.ts'
import { isEqualJson } from '../../../api/equal-json.ts'
import {
  MUTATING_WEBHOOK_CONFIGURATIONS,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../../../api/kinds/admission-registration.ts'
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../../../api/kinds/admission-registration.ts'
import type { ResourceType } from '../../../api/resource-type.ts'
import type { Clock } from '../../../base/clock.ts'
import { createUuid } from '../../../base/random.ts'
import type { Random } from '../../../base/random.ts'
import type { Draft, KindDefinition } from '../../core/kind-definition.ts'
import type { KindRegistry } from '../../core/kind-registry.ts'
import type { Store } from '../../core/store.ts'
import { storageOf } from '../../core/stored-object.ts'
import { WEBHOOK_NAMES } from '../../kinds/rules/expressions.ts'
import type { AdmissionRequest } from '../admission.ts'
import { createExpressions, createMeter, describeRequest } from '../admission-expressions.ts'
import { findMatchedKind, showDraft, takeDraft } from '../matched-request.ts'
import { findWebhookTarget } from './webhook-target.ts'
import { readVerdict } from './webhook-call.ts'
import type { CallWebhook, WebhookVerdict } from './webhook-call.ts'

/** Asks the webhooks of the cluster about writes. The only part of admission that waits for others. */
export interface WebhookAdmission {
  /** Whether a webhook may have to be asked: false for almost all writes, and then nothing waits. */
  concerns(kind: KindDefinition): boolean
  /** The object as the mutating webhooks want it: the same one if they change nothing. */
  mutate(request: AdmissionRequest): Promise<Draft | undefined>
  /** Rejects if a validating webhook denies the write. */
  validate(request: AdmissionRequest): Promise<void>
}

export type WebhookParts = {
  readonly store: Store
  readonly kinds: KindRegistry
  readonly clock: Clock
  readonly random: Random
  /** Default: webhooks cannot be reached. */
  readonly call?: CallWebhook
}

type Webhook = (ValidatingWebhook | MutatingWebhook) & { readonly reinvocationPolicy?: string }
type Configuration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration

// Webhooks cannot lock anyone out of changing them.
const EXEMPT_GROUP = 'admissionregistration.k8s.io'

export function createWebhookAdmission(parts: WebhookParts): WebhookAdmission {
  const { store, kinds } = parts
  const validating = webhooksOf(store, VALIDATING_WEBHOOK_CONFIGURATIONS)
  const mutating = webhooksOf(store, MUTATING_WEBHOOK_CONFIGURATIONS)
  const expressions = createExpressions(WEBHOOK_NAMES)

  /** The kind in which the webhook sees the object, if the request concerns it. */
  const findKind = (webhook: Webhook, request: AdmissionRequest): KindDefinition | undefined => {
    const kind = findMatchedKind({ ...webhook, rules: webhook.rules ?? [] }, request, kinds)
    return kind && meetsConditions(webhook, request, kind) ? kind : undefined
  }
  const meetsConditions = (webhook: Webhook, request: AdmissionRequest, kind: KindDefinition): boolean => {
    const conditions = webhook.matchConditions ?? []
    if (conditions.length === 0) return true
    const values = [request.object ?? null, request.old ?? null, describeRequest(request, kind)]
    const meter = createMeter()
    const results = conditions.map(({ expression }) => expressions.evaluate(expression.trim(), values, meter))
    if (results.some((result) => result.kind === 'value' && result.value === false)) return false
    const failed = results.find((result) => result.kind === 'error')
    if (failed?.kind !== 'error') return true
    if (webhook.failurePolicy === 'Ignore') return false
    throw new ApiError(
      'InternalError',
      `Internal error occurred: failed to evaluate matchConditions of webhook "${webhook.name}": ${failed.why}`,
    )
  }

  const ask = async (webhook: Webhook, request: AdmissionRequest, kind: KindDefinition): Promise<WebhookVerdict> => {
    const shown = (draft: Draft | undefined): Draft | undefined => draft && showDraft(request, draft, kind)
    try {
      const verdict = await review(parts, webhook, request, {
        kind,
        object: shown(request.object),
        old: shown(request.old),
      })
      for (const warning of verdict.warnings) request.warnings.push(warning)
      return verdict
    } catch (reason) {
      if (webhook.failurePolicy === 'Ignore') return { kind: 'allow', warnings: [] }
      const why = reason instanceof Error ? reason.message : String(reason)
      throw new ApiError('InternalError', `Internal error occurred: failed calling webhook "${webhook.name}": ${why}`, {
        cause: reason,
      })
    }
  }

  const mutate = async (request: AdmissionRequest): Promise<Draft | undefined> => {
    let { object } = request
    const called = new Map<Webhook, Draft | undefined>()
    const pass = async (webhooks: readonly Webhook[]): Promise<void> => {
      for (const webhook of webhooks) {
        const current = { ...request, object }
        const kind = findKind(webhook, current)
        if (!kind) continue
        const verdict = await ask(webhook, current, kind)
        if (verdict.kind === 'deny') throw verdict.error
        if (verdict.object) object = takeDraft(request, verdict.object, kind)
        called.set(webhook, object)
      }
    }
    await pass(mutating())
    // Once more for those that want to see what later webhooks changed.
    const outdated = [...called].filter(
      ([webhook, seen]) => webhook.reinvocationPolicy === 'IfNeeded' && !isEqualJson(seen, object),
    )
    await pass(outdated.map(([webhook]) => webhook))
    return object
  }

  const validate = async (request: AdmissionRequest): Promise<void> => {
    const asked = validating().flatMap((webhook) => {
      const kind = findKind(webhook, request)
      return kind ? [ask(webhook, request, kind)] : []
    })
    const results = await Promise.allSettled(asked)
    for (const result of results) {
      if (result.status === 'rejected') throw result.reason
      if (result.value.kind === 'deny') throw result.value.error
    }
  }
  const concerns = ({ type }: KindDefinition): boolean =>
    type.group !== EXEMPT_GROUP && (validating().length > 0 || mutating().length > 0)
  return { concerns, mutate, validate }
}

/** The webhooks of all configurations in the order of their names, read again after a change. */
function webhooksOf<T extends Configuration>(store: Store, type: ResourceType<T>): () => readonly Webhook[] {
  const storage = storageOf(type)
  const read = (): Webhook[] =>
    store.visible.list(storage).flatMap(({ object }) => (object as unknown as T).webhooks ?? [])
  let webhooks = read()
  store.onChange((change) => {
    if (change.storage === storage) webhooks = read()
  })
  return () => webhooks
}

async function review(
  parts: WebhookParts,
  webhook: Webhook,
  request: AdmissionRequest,
  { kind, object, old }: { kind: KindDefinition; object: Draft | undefined; old: Draft | undefined },
): Promise<WebhookVerdict> {
  const { clock, random, store, call } = parts
  if (!call) throw new Error('failed to call webhook: this server has no network')
  const uid = createUuid(random)
  const version = webhook.admissionReviewVersions.find((one) => one === 'v1' || one === 'v1beta1') ?? 'v1'
  const apiVersion = `admission.k8s.io/${version}`
  const body = {
    kind: 'AdmissionReview',
    apiVersion,
    request: { uid, ...describeRequest(request, kind), object: object ?? null, oldObject: old ?? null },
  }
  const timeoutSeconds = webhook.timeoutSeconds ?? 10
  const target = findWebhookTarget(store.visible, webhook.clientConfig, timeoutSeconds)
  const aborting = new AbortController()
  const timer = clock.setTimer(timeoutSeconds * 1000, () => aborting.abort(new Error('context deadline exceeded')))
  try {
    const text = await call(target, JSON.stringify(body), aborting.signal)
    return readVerdict(text, { uid, webhook: webhook.name, object, apiVersion })
  } catch (reason) {
    const why = aborting.signal.aborted
      ? 'context deadline exceeded'
      : reason instanceof Error
        ? reason.message
        : String(reason)
    throw new Error(`failed to call webhook: Post "${target.url}": ${why}`, { cause: reason })
  } finally {
    timer.cancel()
  }
}
