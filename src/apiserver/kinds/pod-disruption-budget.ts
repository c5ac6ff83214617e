import { POD_DISRUPTION_BUDGETS } from '../../api/kinds/pod-disruption-budget.ts'
import type { PodDisruptionBudget } from '../../api/kinds/pod-disruption-budget.ts'
import { AGE, integer, NAME, text } from './columns.ts'
import { kindTable } from './define-kind.ts'
import { intOrPercentProblems } from './rules/int-or-percent.ts'
import { invalid, nonNegative, oneOf } from './rules/problems.ts'
import { labelSelectorProblems } from './rules/selectors.ts'

const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget']

export const POD_DISRUPTION_BUDGET_KIND = kindTable<PodDisruptionBudget>({
  type: POD_DISRUPTION_BUDGETS,
  shortNames: ['pdb'],
  unconditionalUpdate: false,
  generation: 'spec',
  hasStatus: true,
  columns: [
    NAME,
    text('Min Available', ({ spec }) => String(spec?.minAvailable ?? 'N/A')),
    text('Max Unavailable', ({ spec }) => String(spec?.maxUnavailable ?? 'N/A')),
    integer('Allowed Disruptions', ({ status }) => status?.disruptionsAllowed ?? 0),
    AGE,
  ],

  validate({ spec = {} }) {
    const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = spec
    const isBoth = minAvailable !== undefined && maxUnavailable !== undefined
    return [
      ...(isBoth ? [invalid('spec', spec, 'minAvailable and maxUnavailable cannot be both set')] : []),
      ...intOrPercentProblems('spec.minAvailable', minAvailable),
      ...intOrPercentProblems('spec.maxUnavailable', maxUnavailable),
      ...labelSelectorProblems('spec.selector', selector),
      ...oneOf('spec.unhealthyPodEvictionPolicy', unhealthyPodEvictionPolicy, EVICTION_POLICIES),
    ]
  },

  validateStatusUpdate({ status = {} }) {
    const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const
    return counts.flatMap((member) => nonNegative(`status.${member}`, status[member]))
  },
})
