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

/** Runs the mutating or the validating half of admission. */
export function admit(
  phase: 'mutate' | 'validate',
  { store, admission, random }: ServerParts,
  request: WriteRequest,
  write: { operation: AdmissionRequest['operation']; object: Draft | undefined; old: Draft | undefined },
): void {
  const named = write.object ?? write.old
  const admissionRequest: AdmissionRequest = {
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
  for (const plugin of admission) plugin[phase]?.(admissionRequest)
}
