const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

/** Quotes text as Go does, which is how API messages show a value. For plain text, the result is the same as in JSON. */
export function quoteGo(text: string): string {
  return `"${text.replaceAll(ESCAPED, quoteCharacter)}"`
}

const ESCAPED = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu

function quoteCharacter(character: string): string {
  const short = SHORT[character]
  if (short !== undefined) return short
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return `\\x${hex(code, 2)}`
  return code < 0x1_0000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0')
