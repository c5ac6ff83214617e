import { isEqualJson } from '../../api/equal-json.ts'
import { CelError } from './cel/cel-error.ts'
import { evaluateCel } from './cel/evaluate-cel.ts'
import type { CelNames } from './cel/evaluate-cel.ts'
import type { FieldProblem } from './field-problem.ts'
import { isJsonObject, memberOf } from './json.ts'
import { counterpartsIn } from './list-items.ts'
import type { Rule, Schema } from './schema.ts'

/**
 * The `x-kubernetes-validations` that do not hold. A rule that names `oldSelf` is asked only where there is a value before; of the
 * others, those on a part that did not change are let be.
 */
export function validateRules(schema: Schema, value: unknown, old: unknown, field = ''): FieldProblem[] {
  if (value === null || value === undefined) return []
  const problems: FieldProblem[] = []
  const isUnchanged = old !== undefined && isEqualJson(value, old)
  for (const rule of schema.rules ?? []) {
    if (rule.usesOldSelf ? old === undefined || old === null : isUnchanged) continue
    const problem = validateRule(rule, schema, value, old, field === '' ? '<nil>' : field)
    if (problem) problems.push(problem)
  }
  const before = isJsonObject(old) ? old : undefined
  if (schema.type === 'object' && isJsonObject(value)) {
    for (const { name, schema: member } of schema.properties.values()) {
      problems.push(...validateRules(member, memberOf(value, name), before && memberOf(before, name), field === '' ? name : `${field}.${name}`))
    }
  } else if (schema.type === 'map' && isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      problems.push(...validateRules(schema.values, value[key], before && memberOf(before, key), `${field}[${key}]`))
    }
  } else if (schema.type === 'list' && Array.isArray(value)) {
    const counterpartOf = counterpartsIn(schema, old)
    for (const [index, item] of value.entries()) {
      problems.push(...validateRules(schema.items, item, counterpartOf(item), `${field}[${index}]`))
    }
  }
  return problems
}

function validateRule(rule: Rule, schema: Schema, value: unknown, old: unknown, field: string): FieldProblem | undefined {
  const names: CelNames = rule.usesOldSelf ? { self: value, oldSelf: old } : { self: value }
  try {
    if (evaluateCel(rule.expression, names) === true) return undefined
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    const type = schema.type === 'map' ? 'object' : schema.type === 'list' ? 'array' : schema.type
    return { field, type: 'FieldValueInvalid', value: type, detail: `${error.message} evaluating rule: ${rule.message ?? rule.text}` }
  }
  const detail = evaluateMessage(rule, names) ?? rule.message ?? `failed rule: ${rule.text}`
  const place = `${field}${rule.fieldPath ?? ''}`.replace(/^<nil>\./, '')
  const isShown = schema.type !== 'object' && schema.type !== 'map' && schema.type !== 'list'
  return { field: place, type: rule.reason ?? 'FieldValueInvalid', ...(isShown && { value }), detail }
}

function evaluateMessage({ messageExpression }: Rule, names: CelNames): string | undefined {
  if (!messageExpression) return undefined
  try {
    const text = evaluateCel(messageExpression, names)
    const line = typeof text === 'string' ? text.trim() : ''
    return line === '' || line.includes('\n') ? undefined : line
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    return undefined
  }
}
