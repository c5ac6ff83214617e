import { validateLabelValue, validateQualifiedName } from './names.ts'
import { quoteGo } from './quote-go.ts'
import { SelectorError } from './selector-error.ts'

/** As written in a selector; `exists` and `!` take no value, `>` and `<` compare integers. */
export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | '>' | '<'

export type LabelRequirement = {
  readonly key: string
  readonly operator: LabelOperator
  readonly values: readonly string[]
}

/** A label selector: all requirements must match. An empty list matches everything. */
export type LabelRequirements = readonly LabelRequirement[]

export type Labels = Readonly<Record<string, string>>

/** Validates the key, the values and their number; throws a `SelectorError` with all problems. `path` precedes the field names in it. */
export function createLabelRequirement(requirement: LabelRequirement, path = ''): LabelRequirement {
  const { key, operator, values } = requirement
  const at = path === '' ? '' : `${path}.`
  const problems = [
    ...validateQualifiedNameAt(`${at}key`, key),
    ...validateCount(`${at}values`, operator, values),
    ...values.flatMap((value, index) => {
      const wrong = validateLabelValue(value)
      return wrong.length === 0 ? [] : [invalid(`${at}values[${index}][${key}]`, quoteGo(value), wrong.join('; '))]
    }),
  ]
  if (problems.length > 0) throw new SelectorError(joinProblems(problems))
  return requirement
}

/** At most one problem with a key, in the form `WHERE: Invalid value: …`. */
export function validateQualifiedNameAt(where: string, key: string): string[] {
  const wrong = validateQualifiedName(key)
  return wrong.length === 0 ? [] : [invalid(where, quoteGo(key), wrong.join('; '))]
}

/** Several problems as one message. */
export function joinProblems(problems: readonly string[]): string {
  const distinct = [...new Set(problems)]
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`
}

function validateCount(where: string, operator: LabelOperator, values: readonly string[]): string[] {
  const wrong = (detail: string): string[] => [
    invalid(where, values.length === 0 ? 'null' : JSON.stringify(values), detail),
  ]
  switch (operator) {
    case 'in':
    case 'notin':
      return values.length === 0 ? wrong("for 'in', 'notin' operators, values set can't be empty") : []
    case '=':
    case '==':
    case '!=':
      return values.length === 1 ? [] : wrong('exact-match compatibility requires one single value')
    case 'exists':
    case '!':
      return values.length === 0 ? [] : wrong('values set must be empty for exists and does not exist')
    case '>':
    case '<':
      return [
        ...(values.length === 1 ? [] : wrong("for 'Gt', 'Lt' operators, exactly one value is required")),
        ...values.flatMap((value, index) =>
          parseInt64(value) === undefined
            ? [invalid(`${where}[${index}]`, quoteGo(value), "for 'Gt', 'Lt' operators, the value must be an integer")]
            : [],
        ),
      ]
  }
}

const invalid = (where: string, value: string, detail: string): string => `${where}: Invalid value: ${value}: ${detail}`

/** Whether labels match one requirement. A missing label matches `!=`, `notin` and `!`. */
export function matchesLabelRequirement({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && values.includes(value)
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value)
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    case '>':
    case '<':
      return (
        value !== undefined && values.length === 1 && compares(operator, parseInt64(value), parseInt64(values[0] ?? ''))
      )
  }
}

function compares(operator: '>' | '<', left: bigint | undefined, right: bigint | undefined): boolean {
  if (left === undefined || right === undefined) return false
  return operator === '>' ? left > right : left < right
}

function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,40}$/.test(text)) return undefined
  const number = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return BigInt.asIntN(64, number) === number ? number : undefined
}

/** As written in a selector, with several values sorted. */
export function formatLabelRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key
    case '!':
      return `!${key}`
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.toSorted().join(',')})`
    default:
      return `${key}${operator}${values.join(',')}`
  }
}
