import { validateQualifiedName } from '../../api/names.ts'
import { LEASES } from '../../api/kinds/lease.ts'
import type { Lease } from '../../api/kinds/lease.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { AGE, NAME, text } from './columns.ts'
import { kindTable } from './define-kind.ts'
import { forbidden, invalid, invalidFor, oneOf } from './rules/problems.ts'

const STRATEGIES = ['OldestEmulationVersion']

export const LEASE_KIND = kindTable<Lease>({
  type: LEASES,
  unconditionalUpdate: false,
  createOnUpdate: true,
  columns: [NAME, text('Holder', ({ spec }) => spec?.holderIdentity ?? ''), AGE],

  validate({ spec = {} }) {
    const { leaseDurationSeconds: duration, leaseTransitions: transitions, strategy, preferredHolder } = spec
    return [
      ...(duration !== undefined && duration <= 0
        ? [invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0')]
        : []),
      ...(transitions !== undefined && transitions < 0
        ? [invalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0')]
        : []),
      ...strategyProblems('spec.strategy.strategy', strategy),
      ...(preferredHolder && !strategy
        ? [forbidden('spec.preferredHolder', 'may only be specified if `strategy` is defined')]
        : []),
    ]
  },
})

// A name without a prefix is reserved for Kubernetes.
const strategyProblems = (field: string, strategy: string | undefined): FieldProblem[] =>
  strategy?.includes('/')
    ? invalidFor(field, strategy, validateQualifiedName(strategy))
    : oneOf(field, strategy, STRATEGIES)
