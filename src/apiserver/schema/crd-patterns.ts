import { UNITS_TO_COMPILE } from './cost-budgets.ts'
import { CostExceededError } from './cost-meter.ts'
import type { CostMeter } from './cost-meter.ts'
import type { FieldProblem } from './field-problem.ts'
import { GoRegExp, MOST_WEIGHT } from './regexp/go-regexp.ts'
import { weighPattern } from './regexp/weigh-pattern.ts'

// Every definition with a quantity has this pattern, including ours. Recognizing it saves each new cluster the time to load the package.
const QUANTITY = String.raw`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`

/** The regular expressions of one CustomResourceDefinition. The same one often occurs in many places; it is compiled once. */
export class CrdPatterns {
  readonly #known = new Map<string, GoRegExp>()
  readonly #meter: CostMeter | undefined

  /** Without a meter, nothing is checked, or compiled before it is needed: the definition was checked when it was stored. */
  constructor(meter?: CostMeter) {
    this.#meter = meter
  }

  read(source: string, field: string, problems: FieldProblem[]): GoRegExp {
    const known = this.#known.get(source)
    const expression = known ?? new GoRegExp(source)
    this.#known.set(source, expression)
    const problem = this.#meter && source !== QUANTITY && this.#check(expression, this.#meter, known !== undefined)
    if (problem) problems.push({ field, ...problem })
    return expression
  }

  #check(expression: GoRegExp, meter: CostMeter, isKnown: boolean): Omit<FieldProblem, 'field'> | undefined {
    const value = expression.source
    try {
      const weight = isKnown ? 0 : weighPattern(value)
      if (weight <= MOST_WEIGHT) meter.spend(weight * UNITS_TO_COMPILE) // a heavier one is not compiled
    } catch (error) {
      if (!(error instanceof CostExceededError)) throw error
      return {
        type: 'FieldValueForbidden',
        detail: 'the regular expressions of the entire OpenAPIv3 schema are too large',
      }
    }
    const { problem } = expression
    return problem === undefined
      ? undefined
      : { type: 'FieldValueInvalid', value, detail: `must be a valid regular expression, but isn't: ${problem}` }
  }
}
