import { SelectorError } from './selector-error.ts'

export type FieldRequirement = { readonly field: string; readonly operator: '=' | '!='; readonly value: string }

/** A field selector: all requirements must match. An empty list matches everything. */
export type FieldRequirements = readonly FieldRequirement[]

/** Parses a field selector such as `metadata.name=a,spec.nodeName!=b`; `\,`, `\=` and `\\` are escapes in values. Throws a `SelectorError`. */
export function parseFieldSelector(text: string): FieldRequirements {
  const requirements = splitTerms(text)
    .toSorted()
    .map((term) => parseTerm(text, term))
  // `=` alone requires nothing, whatever its operator.
  return requirements.filter(({ field, value }) => field !== '' || value !== '')
}

function splitTerms(text: string): string[] {
  return text.match(/(?:\\[^]|\\$|[^,\\])+/g) ?? []
}

function parseTerm(text: string, term: string): FieldRequirement {
  const [, field = '', operator, value = ''] = /^([^]*?)(!=|==|=)([^]*)$/.exec(term) ?? []
  if (operator === undefined) throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`)
  return { field, operator: operator === '!=' ? '!=' : '=', value: unescapeValue(value) }
}

function unescapeValue(value: string): string {
  return value.replaceAll(/\\([^]?)|[,=]/gu, (found, escaped: string | undefined) => {
    // Kubernetes prints the number of the character.
    if (escaped === undefined)
      throw new SelectorError(`invalid field selector: unescaped character in value: ${found.codePointAt(0)}`)
    if (!['\\', ',', '='].includes(escaped))
      throw new SelectorError(`invalid field selector: invalid escape sequence: ${found}`)
    return escaped
  })
}

/** The text that `parseFieldSelector` parses to these requirements. */
export function formatFieldSelector(requirements: FieldRequirements): string {
  return requirements.map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`).join(',')
}

/** Escapes any text for use as a value in a field selector. */
export const escapeFieldValue = (value: string): string => value.replaceAll(/[\\,=]/g, '\\$&')

/** Whether an object matches all requirements. `read` returns the text of a field, or undefined if it is not set, which counts as empty. */
export function matchesFieldSelector(
  requirements: FieldRequirements,
  read: (field: string) => string | undefined,
): boolean {
  return requirements.every(({ field, operator, value }) => ((read(field) ?? '') === value) === (operator === '='))
}

/** The exact value that the selector requires for a field, if any: such objects can be looked up instead of searched. */
export function findExactField(requirements: FieldRequirements, field: string): string | undefined {
  return requirements.find((requirement) => requirement.field === field && requirement.operator === '=')?.value
}
