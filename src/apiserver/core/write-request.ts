import type { AdmissionRequest } from '../admission/admission.ts'
import type { FieldValidation } from './decode-object.ts'
import type { Draft, FieldProblem, KindDefinition } from './kind-definition.ts'
import { metaOf } from './drafts.ts'
import { randomName } from './prepare-metadata.ts'
import { invalid } from './refusals.ts'
import type { ServerParts } from './server-parts.ts'
import type { User } from './user.ts'

/** A write after authorization. */
export type WriteRequest = {
  readonly kind: KindDefinition
  readonly user: User
  /** Empty for a cluster-scoped object. */
  readonly namespace: string
  /** Empty if the body has the name. */
  readonly name: string
  /** Empty for the object itself; otherwise `status` or `scale`. */
  readonly subresource: string
  readonly dryRun: boolean
  readonly fieldValidation: FieldValidation
  /** Texts for the `Warning` header are added here. */
  readonly warnings: string[]
  /** Field paths that occur twice in the body. */
  readonly duplicateFields: readonly string[]
  /** A step of the server itself (a binding, a finalization): it may change fields that clients must not change. */
  readonly isServerStep?: boolean
  /** The manager that owns the written fields. Default: derived from `userAgent`. */
  readonly fieldManager?: string | undefined
  readonly userAgent: string
  /** For an apply: the field owners afterwards. */
  readonly managedFields?: () => object[]
}

/** Rejects with all problems at once. */
export function refuseProblems({ type }: KindDefinition, draft: Draft, problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalid(type, metaOf(draft).name ?? '', problems)
}

type Write = { operation: AdmissionRequest['operation']; object: Draft | undefined; old: Draft | undefined }

/** Runs the mutating or the validating half of admission, without webhooks. */
export function admit(phase: 'mutate' | 'validate', parts: ServerParts, request: WriteRequest, write: Write): void {
  const admissionRequest = admissionRequestOf(parts, request, write)
  for (const plugin of parts.admission) plugin[phase]?.(admissionRequest)
}

/**
 * Whether webhooks have to be asked about a write. A step of the server is not a request of a client, and webhooks for a Scale expect that object,
 * not the scaled one.
 */
export const needsWebhooks = ({ webhooks }: ServerParts, { kind, isServerStep, subresource }: WriteRequest): boolean =>
  !isServerStep && subresource !== 'scale' && webhooks.concerns(kind)

/**
 * Lets the mutating webhooks change an object. If they do, defaults are set again, and the server's own plugins see the result: the current state may
 * have changed meanwhile.
 */
export async function admitMutatingWebhooks(parts: ServerParts, request: WriteRequest, write: Write): Promise<Draft> {
  const before = write.object ?? {}
  const object = (await parts.webhooks.mutate(admissionRequestOf(parts, request, write))) ?? before
  if (object === before) return before
  const { metadata } = before
  // Names and versions belong to the request, not to webhooks.
  const own = Object.fromEntries(
    IDENTITY.map((name) => [name, (metadata as Draft)[name]]).filter(([, value]) => value !== undefined),
  )
  object['metadata'] = { ...(object['metadata'] as Draft), ...own }
  request.kind.applyDefaults?.(object)
  admit('mutate', parts, request, { ...write, object })
  return object
}

const IDENTITY = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'generation']

/** Lets the validating webhooks reject a write. */
export const admitValidatingWebhooks = (parts: ServerParts, request: WriteRequest, write: Write): Promise<void> =>
  parts.webhooks.validate(admissionRequestOf(parts, request, write))

function admissionRequestOf({ store, random }: ServerParts, request: WriteRequest, write: Write): AdmissionRequest {
  const named = write.object ?? write.old
  return {
    ...write,
    kind: request.kind,
    subresource: request.subresource,
    namespace: request.namespace,
    name: request.name || (named ? (metaOf(named).name ?? '') : ''),
    user: request.user,
    dryRun: request.dryRun,
    view: store.decided,
    warnings: request.warnings,
    randomName: (prefix) => randomName(random, prefix),
  }
}
