import type { IntOrString } from '../../../api/kinds/resources.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import { invalid, nonNegative } from './problems.ts'

const PERCENT = /^[0-9]+%$/
const NOT_A_PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"

/** A number of pods, or a percentage of all. */
export function intOrPercentProblems(field: string, value: IntOrString | undefined): FieldProblem[] {
  if (value === undefined) return []
  if (typeof value === 'number') return nonNegative(field, value)
  if (!PERCENT.test(value)) return [invalid(field, value, NOT_A_PERCENT)]
  return Number.parseInt(value, 10) > 100 ? [invalid(field, value, 'must not be greater than 100%')] : []
}
