import { ApiError, REASON_CODES } from '../../../api/api-error.ts'
import {
  VALIDATING_ADMISSION_POLICIES,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
} from '../../../api/kinds/admission-registration.ts'
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../../api/kinds/admission-registration.ts'
import type { KindRegistry } from '../../core/kind-registry.ts'
import type { Store } from '../../core/store.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'
import { forbid } from '../forbid.ts'
import { readPolicies } from './policies-of-cluster.ts'
import type { Applied } from './policies-of-cluster.ts'

type One = Applied<ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding>
type Failure = { readonly message: string; readonly reason: string }

const TYPES = { policies: VALIDATING_ADMISSION_POLICIES, bindings: VALIDATING_ADMISSION_POLICY_BINDINGS }

/** Checks writes against the validating policies of the cluster. */
export function createValidatingPolicies(parts: { store: Store; kinds: KindRegistry }): AdmissionPlugin {
  const policies = readPolicies(parts, TYPES)
  return {
    name: 'ValidatingAdmissionPolicy',
    validate(request) {
      for (const applied of policies.appliedTo(request)) {
        const actions = applied.binding.spec?.validationActions ?? []
        for (const failure of failuresOf(applied, request)) {
          const { policy, binding } = applied
          const names = `ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}'`
          if (actions.includes('Deny'))
            throw denial(request, `${names} denied request: ${failure.message}`, failure.reason)
          if (actions.includes('Warn')) request.warnings.push(`Validation failed for ${names}: ${failure.message}`)
        }
      }
    },
  }
}

function failuresOf(applied: One, request: AdmissionRequest): Failure[] {
  const { policy, failure, evaluate } = applied
  const isClosed = policy.spec?.failurePolicy !== 'Ignore'
  if (failure !== undefined) return isClosed ? [{ message: failure, reason: 'Invalid' }] : []
  return (policy.spec?.validations ?? []).flatMap(
    ({ expression, message, messageExpression, reason = 'Invalid' }): Failure[] => {
      const result = evaluate(expression, request.object)
      if (result.kind === 'error')
        return isClosed
          ? [{ message: `expression '${expression}' resulted in error: ${result.why}`, reason: 'Invalid' }]
          : []
      if (result.value === true) return []
      const told = messageExpression ? evaluate(messageExpression, request.object) : undefined
      const text =
        told?.kind === 'value' && typeof told.value === 'string' && told.value.trim() !== ''
          ? told.value.trim()
          : undefined
      return [{ message: text ?? message?.trim() ?? `failed expression: ${expression.trim()}`, reason }]
    },
  )
}

function denial(request: AdmissionRequest, message: string, reason: string): ApiError {
  const { message: text, details } = forbid(request, message)
  const code = (REASON_CODES as Readonly<Record<string, number>>)[reason] ?? 422
  return new ApiError(reason, text, { code, ...(details && { details: { ...details, causes: [{ message }] } }) })
}
