import type { AdmissionRequest } from '../admission/admission.ts'
import type { DecodedKind, FieldValidation } from './decode-object.ts'
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
  /** For a subresource with a kind of its own: what admission sees in place of the object. */
  readonly shownAs?: ShownAs
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

/** The object of a subresource, such as Scale: a part of the stored object in another form. */
export type ShownAs = {
  readonly kind: DecodedKind
  show(object: Draft): Draft
  /** The object with what its shown form says. */
  take(object: Draft, shown: Draft): Draft
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
  const { object } = admissionRequest
  if (phase === 'mutate' && request.shownAs && write.object && object)
    Object.assign(write.object, request.shownAs.take(write.object, object))
}

/** Whether webhooks have to be asked about a write. A step of the server is not a request of a client. */
export const needsWebhooks = ({ webhooks }: ServerParts, { kind, isServerStep }: WriteRequest): boolean =>
  !isServerStep && webhooks.concerns(kind)

/**
 * Lets the mutating webhooks change an object; undefined if they don't. The caller then prepares the object again, and lets the server's own plugins see
 * it: the current state may have changed meanwhile.
 */
export async function admitMutatingWebhooks(
  parts: ServerParts,
  request: WriteRequest,
  write: Write,
): Promise<Draft | undefined> {
  const asked = admissionRequestOf(parts, request, write)
  const object = await parts.webhooks.mutate(asked)
  if (!write.object || !object || object === asked.object) return undefined
  if (request.shownAs) return request.shownAs.take(write.object, object)
  // What only the server sets belongs to the request, not to webhooks.
  const before = metaOf(write.object)
  const meta = metaOf(object)
  for (const name of SET_BY_SERVER) {
    if (before[name] === undefined) delete meta[name]
    else meta[name] = before[name] as never
  }
  return object
}

const SET_BY_SERVER = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'managedFields',
] as const

/** Lets the validating webhooks reject a write. */
export const admitValidatingWebhooks = (parts: ServerParts, request: WriteRequest, write: Write): Promise<void> =>
  parts.webhooks.validate(admissionRequestOf(parts, request, write))

function admissionRequestOf({ store, random }: ServerParts, request: WriteRequest, write: Write): AdmissionRequest {
  const named = write.object ?? write.old
  const { shownAs } = request
  const shown = (draft: Draft | undefined): Draft | undefined => (draft && shownAs ? shownAs.show(draft) : draft)
  return {
    operation: write.operation,
    object: shown(write.object),
    old: shown(write.old),
    kind: request.kind,
    subresource: request.subresource,
    ...(shownAs && { shownKind: shownAs.kind }),
    namespace: request.namespace,
    name: request.name || (named ? (metaOf(named).name ?? '') : ''),
    user: request.user,
    dryRun: request.dryRun,
    view: store.decided,
    warnings: request.warnings,
    randomName: (prefix) => randomName(random, prefix),
  }
}
