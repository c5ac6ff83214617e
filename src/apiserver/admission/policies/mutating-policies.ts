import { ApiError } from '../../../api/api-error.ts'
import { applyJsonPatch } from '../../../api/json-patch.ts'
import { parseJsonPatch } from '../../../api/parse-json-patch.ts'
import {
  MUTATING_ADMISSION_POLICIES,
  MUTATING_ADMISSION_POLICY_BINDINGS,
} from '../../../api/kinds/admission-registration.ts'
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
} from '../../../api/kinds/admission-registration.ts'
import { mergeApplied } from '../../apply/merge-applied.ts'
import { draftOf } from '../../core/drafts.ts'
import type { Draft } from '../../core/kind-definition.ts'
import type { KindRegistry } from '../../core/kind-registry.ts'
import type { Store } from '../../core/store.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'
import type { Result } from '../admission-expressions.ts'
import { forbid } from '../forbid.ts'
import { convertDraft, showDraft, takeDraft } from '../matched-request.ts'
import { readPolicies } from './policies-of-cluster.ts'
import type { Applied } from './policies-of-cluster.ts'

type One = Applied<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding>

const TYPES = { policies: MUTATING_ADMISSION_POLICIES, bindings: MUTATING_ADMISSION_POLICY_BINDINGS }

/** Changes written objects as the mutating policies of the cluster say, one after the other. */
export function createMutatingPolicies(parts: { store: Store; kinds: KindRegistry }): AdmissionPlugin {
  const policies = readPolicies(parts, TYPES)
  return {
    name: 'MutatingAdmissionPolicy',
    mutate(request) {
      const { object } = request
      if (!object) return
      for (const applied of policies.appliedTo(request)) {
        const changed = mutated(applied, request, object)
        if (!changed) continue
        // In place: others hold the same object.
        for (const name of Object.keys(object)) delete object[name]
        Object.assign(object, changed)
        if (!request.shownKind) request.kind.applyDefaults?.(object)
      }
    },
  }
}

function mutated(applied: One, request: AdmissionRequest, object: Draft): Draft | undefined {
  const { policy, binding, kind, evaluate } = applied
  try {
    if (applied.failure !== undefined) throw new Error(applied.failure)
    let current = showDraft(request, draftOf(object), kind)
    const { schema } = request.shownKind ?? kind
    for (const { patchType, applyConfiguration, jsonPatch } of policy.spec?.mutations ?? []) {
      const seen = request.shownKind ? current : convertDraft(current, kind, request.kind)
      current =
        patchType === 'JSONPatch'
          ? (applyJsonPatch(current, parseJsonPatch(valueOf(evaluate(jsonPatch?.expression ?? '', seen)))) as Draft)
          : (mergeApplied(schema, current, valueOf(evaluate(applyConfiguration?.expression ?? '', seen))) as Draft)
    }
    return takeDraft(request, current, kind)
  } catch (reason) {
    if (policy.spec?.failurePolicy === 'Ignore') return undefined
    const why = reason instanceof Error ? reason.message : String(reason)
    const text = `policy '${policy.metadata.name}' with binding '${binding.metadata.name}' denied request: ${why}`
    if (reason instanceof ApiError || reason instanceof Error) throw forbid(request, text)
    throw reason
  }
}

function valueOf(result: Result): unknown {
  if (result.kind === 'error') throw new Error(result.why)
  return result.value
}
