import { UNITS_TO_COMPILE } from '../cost-budgets.ts'
import type { CostMeter } from '../cost-meter.ts'
import { GoRegExp } from '../regexp/go-regexp.ts'
import { weighPattern } from '../regexp/weigh-pattern.ts'
import { CelError } from './cel-error.ts'
import type { CelFunction } from './cel-function.ts'
import { TEXT_FUNCTIONS } from './library-texts.ts'
import { sizeOf, textOf, textUnits } from './values.ts'

const method = (count: number, call: CelFunction['call']): CelFunction => ({
  style: 'method',
  least: count,
  most: count,
  call,
})

/** By name. Any other function is rejected when a CRD is created, never ignored. */
export const CEL_FUNCTIONS: ReadonlyMap<string, CelFunction> = new Map<string, CelFunction>([
  ['size', { style: 'both', least: 1, most: 1, call: ([value], meter) => sizeOf(value, meter) }],
  ['startsWith', method(2, ([text, start], meter) => traversed(text, meter).startsWith(textOf(start)))],
  ['endsWith', method(2, ([text, end], meter) => traversed(text, meter).endsWith(textOf(end)))],
  ['contains', method(2, contains)],
  ['matches', { style: 'both', least: 2, most: 2, call: matches }],
  ...TEXT_FUNCTIONS,
])

function traversed(value: unknown, meter: CostMeter): string {
  const text = textOf(value)
  meter.spend(Math.max(1, textUnits(text)))
  return text
}

function contains([value, part]: readonly unknown[], meter: CostMeter): boolean {
  const text = textOf(value)
  const searched = textOf(part)
  meter.spend(textUnits(text) * Math.max(1, textUnits(searched)))
  return text.includes(searched)
}

// CEL's cost model uses the length of the pattern, but `a{1000}` is short.
function matches([value, pattern]: readonly unknown[], meter: CostMeter): boolean {
  const text = textOf(value)
  const source = textOf(pattern)
  meter.spend(Math.ceil((1 + text.length) * 0.1) * Math.ceil(source.length * 0.25))
  meter.spend(weighPattern(source) * UNITS_TO_COMPILE)
  return matchesExpression(new GoRegExp(source), text, meter)
}

export function matchesExpression(expression: GoRegExp, text: string, meter: CostMeter): boolean {
  if (expression.problem !== undefined) throw new CelError(expression.problem)
  return expression.test(text, meter)
}
