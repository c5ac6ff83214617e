import { isEqualJson } from '../../api/equal-json.ts'
import { CelError } from './cel/cel-error.ts'
import { CostExceededError, CostMeter } from './cost-meter.ts'
import { RULE_BUDGET } from './cost-budgets.ts'
import type { FieldProblem } from './field-problem.ts'
import { isJsonObject, memberOf } from './json.ts'
import { counterpartsIn } from './list-items.ts'
import type { Rule, Schema } from './schema.ts'

/** Shared by all rules of one object. */
export type RulesRun = {
  readonly problems: FieldProblem[]
  readonly meter: CostMeter
  /** Stops after this number of problems. */
  readonly mostProblems: number
}

/**
 * Reports the `x-kubernetes-validations` that fail. A rule with `oldSelf` is evaluated only if there is a previous value; other rules are skipped on
 * unchanged parts. False if the rules cost too much and the rest was not evaluated.
 */
export function validateRules(schema: Schema, value: unknown, old: unknown, run: RulesRun, field = ''): boolean {
  if (!schema.ruled || value === null || value === undefined || run.problems.length >= run.mostProblems) return true
  const isUnchanged = old !== undefined && isEqualJson(value, old)
  for (const rule of schema.rules ?? []) {
    if (rule.usesOldSelf ? old === undefined || old === null : isUnchanged) continue
    if (!validateRule(rule, schema, { value, old, field: field === '' ? '<nil>' : field }, run)) return false
  }
  const before = isJsonObject(old) ? old : undefined
  if (schema.type === 'object' && isJsonObject(value)) {
    for (const { name, schema: member } of schema.properties.values()) {
      const place = field === '' ? name : `${field}.${name}`
      if (!validateRules(member, memberOf(value, name), before && memberOf(before, name), run, place)) return false
    }
  } else if (schema.type === 'map' && isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      if (!validateRules(schema.values, value[key], before && memberOf(before, key), run, `${field}[${key}]`))
        return false
    }
  } else if (schema.type === 'list' && Array.isArray(value)) {
    const counterpartOf = counterpartsIn(schema, old)
    for (const [index, item] of value.entries()) {
      if (!validateRules(schema.items, item, counterpartOf(item), run, `${field}[${index}]`)) return false
    }
  }
  return true
}

// The fixed cost of starting any rule: there may be a rule on each of a million items.
const UNITS_A_RULE = 15

type Judged = { readonly value: unknown; readonly old: unknown; readonly field: string }

// The messages are those of Kubernetes (apiextensions-apiserver, pkg/apiserver/schema/cel/validation.go).
function validateRule(rule: Rule, schema: Schema, { value, old, field }: Judged, run: RulesRun): boolean {
  const fail = (detail: string): void =>
    void run.problems.push({ field, type: 'FieldValueInvalid', value: typeOf(schema), detail })
  const shown = rule.message ?? rule.text
  const values = [value, old]
  try {
    run.meter.spend(UNITS_A_RULE)
    if (withinBudget(run.meter, (meter) => rule.program.evaluate(values, meter)) === true) return true
  } catch (error) {
    if (error instanceof CostExceededError) {
      const detail =
        run.meter.left > 0
          ? `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${shown}`
          : OUT_OF_BUDGET
      fail(detail)
      return false
    }
    if (!(error instanceof CelError)) throw error
    fail(
      error.message === 'no such overload'
        ? `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${shown}`
        : `${error.message} evaluating rule: ${shown}`,
    )
    return true
  }
  const message = evaluateMessage(rule, values, run.meter)
  if (message.kind === 'too costly') {
    fail(message.detail)
    return false
  }
  const detail = message.text ?? rule.message ?? `failed rule: ${rule.text}`
  const place = `${field}${rule.fieldPath ?? ''}`.replace(/^<nil>\./, '')
  const isShown = schema.type !== 'object' && schema.type !== 'map' && schema.type !== 'list'
  run.problems.push({ field: place, type: rule.reason ?? 'FieldValueInvalid', ...(isShown && { value }), detail })
  return true
}

export const OUT_OF_BUDGET =
  'validation failed due to running out of cost budget, no further validation rules will be run'

const typeOf = ({ type }: Schema): string => (type === 'map' ? 'object' : type === 'list' ? 'array' : type)

// No single expression may exceed its own budget; its cost also counts for the object.
function withinBudget<T>(meter: CostMeter, evaluate: (meter: CostMeter) => T): T {
  const most = Math.min(RULE_BUDGET, meter.left)
  const own = new CostMeter(most)
  try {
    return evaluate(own)
  } finally {
    meter.spend(most - Math.max(0, own.left))
  }
}

type Message =
  | { readonly kind: 'text'; readonly text?: string }
  | { readonly kind: 'too costly'; readonly detail: string }

const MOST_MESSAGE_BYTES = 5 * 1024

function evaluateMessage(
  { messageProgram, messageExpression }: Rule,
  values: readonly unknown[],
  meter: CostMeter,
): Message {
  if (!messageProgram) return { kind: 'text' }
  try {
    const text = withinBudget(meter, (own) => messageProgram.evaluate(values, own))
    const line = typeof text === 'string' ? text.trim() : ''
    const isUsable = line !== '' && !line.includes('\n') && Buffer.byteLength(line) <= MOST_MESSAGE_BYTES
    return isUsable ? { kind: 'text', text: line } : { kind: 'text' }
  } catch (error) {
    if (error instanceof CostExceededError) {
      const detail =
        meter.left > 0
          ? `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(messageExpression)}`
          : 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run'
      return { kind: 'too costly', detail }
    }
    if (!(error instanceof CelError)) throw error
    return { kind: 'text' }
  }
}
