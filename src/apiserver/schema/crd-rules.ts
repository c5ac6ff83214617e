import { CelError } from './cel/cel-error.ts'
import { checkCel } from './cel/check-cel.ts'
import { compileCel } from './cel/compile-cel.ts'
import type { CelProgram } from './cel/compile-cel.ts'
import { estimateCel } from './cel/estimate-cel.ts'
import { freeNames } from './cel/expression.ts'
import type { Expression } from './cel/expression.ts'
import { parseCel } from './cel/parse-cel.ts'
import { SchemaSizes } from './cel/schema-sizes.ts'
import { UNITS_TO_READ_RULE } from './cost-budgets.ts'
import { CostExceededError } from './cost-meter.ts'
import type { CostMeter } from './cost-meter.ts'
import type { FieldProblem } from './field-problem.ts'
import { isJsonObject } from './json.ts'
import type { JsonObject } from './json.ts'
import type { Rule, RuleReason, Schema } from './schema.ts'

/** The location of rules. */
export type RulePlace = {
  readonly field: string
  readonly isCorrelatable: boolean
  /** How many such values one object can have; undefined if there is no limit. */
  readonly mostValues: number | undefined
}

// The limits of Kubernetes for the worst-case cost of one rule, and of all rules of a schema.
const MOST_UNITS_OF_RULE = 10_000_000
const MOST_UNITS_OF_SCHEMA = 100_000_000
// How many of the most expensive rules are named if the total is too high.
const MOST_NAMED = 4

/** The `x-kubernetes-validations` of one version of a CustomResourceDefinition. */
export class CrdRules {
  readonly #problems: FieldProblem[]
  readonly #meter: CostMeter | undefined
  readonly #sizes = new SchemaSizes()
  readonly #costs: { readonly field: string; readonly units: number }[] = []

  /** Without a meter, the rules were checked when they were stored. */
  constructor(problems: FieldProblem[], meter?: CostMeter) {
    this.#problems = problems
    this.#meter = meter
  }

  read(source: unknown, schema: Schema, place: RulePlace): Rule[] {
    if (!Array.isArray(source)) return []
    return source.flatMap((entry, index) => {
      const field = `${place.field}.x-kubernetes-validations[${index}]`
      return isJsonObject(entry) ? (this.#readRule(entry, schema, place, field) ?? []) : []
    })
  }

  /** Reports if all rules together could cost too much. */
  checkTotal(field: string): void {
    const total = this.#costs.reduce((sum, { units }) => sum + units, 0)
    if (!this.#meter || total <= MOST_UNITS_OF_SCHEMA) return
    const counting = this.#costs
      .filter(({ units }) => units >= MOST_UNITS_OF_SCHEMA / 100)
      .sort((left, right) => right.units - left.units)
    for (const { field: place } of counting.slice(0, MOST_NAMED)) {
      this.#forbid(place, 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema')
    }
    this.#forbid(
      field,
      exceeds(
        'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema',
        total,
        MOST_UNITS_OF_SCHEMA,
      ),
    )
  }

  #forbid(field: string, detail: string): void {
    this.#problems.push({ field, type: 'FieldValueForbidden', detail })
  }

  #checkCost(expression: Expression, schema: Schema, field: string, mostValues: number, name: string): void {
    const units = estimateCel(expression, schema, this.#sizes) * mostValues
    this.#costs.push({ field, units })
    if (units > MOST_UNITS_OF_RULE) this.#forbid(field, exceeds(name, units, MOST_UNITS_OF_RULE))
  }

  // Parsing rules takes time too.
  #mayRead(text: string, field: string): boolean {
    try {
      this.#meter?.spend(text.length * UNITS_TO_READ_RULE)
      return true
    } catch (error) {
      if (!(error instanceof CostExceededError)) throw error
      this.#forbid(field, 'the validation rules of the entire OpenAPIv3 schema are too long')
      return false
    }
  }

  #readRule(entry: JsonObject, schema: Schema, place: RulePlace, field: string): Rule | undefined {
    const text = typeof entry['rule'] === 'string' ? entry['rule'] : ''
    const fail = (member: string, detail: string, value: unknown): undefined =>
      void this.#problems.push({ field: `${field}.${member}`, type: 'FieldValueInvalid', value, detail })
    if (text.trim() === '') {
      this.#problems.push({ field: `${field}.rule`, type: 'FieldValueRequired', detail: 'rule is not specified' })
      return undefined
    }
    if (!this.#mayRead(text, `${field}.rule`)) return undefined
    const compiled = compile(text, (detail) => fail('rule', `compilation failed: ${detail}`, text))
    if (!compiled) return undefined
    const { expression, program } = compiled
    for (const problem of checkCel(expression, schema)) fail('rule', `compilation failed: ${problem}`, text)
    const mostValues = place.mostValues ?? this.#sizes.mostValuesOf(schema)
    if (this.#meter) this.#checkCost(expression, schema, `${field}.rule`, mostValues, 'estimated rule cost')
    const usesOldSelf = freeNames(expression).has('oldSelf')
    if (usesOldSelf && !place.isCorrelatable)
      fail('rule', 'oldSelf cannot be used on the uncorrelatable portion of the schema', text)
    if (entry['optionalOldSelf'] !== undefined)
      fail('optionalOldSelf', 'is not supported by this server', entry['optionalOldSelf'])
    const { reason, message, fieldPath, messageExpression } = entry
    if (reason !== undefined && !(typeof reason === 'string' && REASONS.includes(reason))) {
      const detail = `supported values: ${REASONS.map((item) => JSON.stringify(item)).join(', ')}`
      this.#problems.push({ field: `${field}.reason`, type: 'FieldValueNotSupported', value: reason, detail })
    }
    // It only improves the message: one that we cannot parse is no reason to reject the rule.
    const isRead =
      typeof messageExpression === 'string' && this.#mayRead(messageExpression, `${field}.messageExpression`)
    const readable = isRead ? compile(messageExpression, () => undefined) : undefined
    if (readable && this.#meter)
      this.#checkCost(readable.expression, schema, `${field}.messageExpression`, 1, 'estimated messageExpression cost')
    return {
      text: text.trim(),
      program,
      usesOldSelf,
      ...(typeof message === 'string' && message.trim() !== '' && { message: message.trim() }),
      ...(readable && typeof messageExpression === 'string' && { messageProgram: readable.program, messageExpression }),
      ...(typeof reason === 'string' && { reason: reason as RuleReason }), // one of REASONS, or a problem was reported
      ...(typeof fieldPath === 'string' && fieldPath !== '' && { fieldPath }),
    }
  }
}

const REASONS: readonly string[] = [
  'FieldValueInvalid',
  'FieldValueForbidden',
  'FieldValueRequired',
  'FieldValueDuplicate',
] satisfies RuleReason[]

function exceeds(name: string, units: number, most: number): string {
  const factor = units / most
  const shown = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`
  return `${name} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`
}

function compile(
  text: string,
  fail: (detail: string) => void,
): { expression: Expression; program: CelProgram } | undefined {
  try {
    const expression = parseCel(text)
    return { expression, program: compileCel(expression, ['self', 'oldSelf']) }
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    fail(error.message)
    return undefined
  }
}
