/** The text with its tokens replaced, and the tokens that have no value. */
export type Expansion = { readonly text: string; readonly unknown: readonly string[] }

// A character that is a complete name by itself.
const SPECIAL = /[*#$@!?\-0-9]/
const NAME = /^[A-Za-z0-9_]+/

/**
 * Replaces `${token}` and `$token` like Go's os.Expand, for which classes are written: a token in braces ends at the first closing brace, a lone `$`
 * is kept, `${}` and an unclosed brace are dropped.
 */
export function expandTemplate(template: string, values: ReadonlyMap<string, string>): Expansion {
  const unknown: string[] = []
  let text = ''
  let rest = template
  for (let at = rest.indexOf('$'); at >= 0 && at + 1 < rest.length; at = rest.indexOf('$')) {
    const { token, length } = readToken(rest.slice(at + 1))
    const value = token === '' ? (length > 0 ? '' : '$') : values.get(token)
    if (value === undefined) unknown.push(token)
    text += rest.slice(0, at) + (value ?? '')
    rest = rest.slice(at + 1 + length)
  }
  return { text: text + rest, unknown }
}

function readToken(text: string): { token: string; length: number } {
  const first = text.charAt(0)
  if (first === '{') {
    const end = text.indexOf('}')
    return end < 0 ? { token: '', length: 1 } : { token: text.slice(1, end), length: end + 1 }
  }
  if (SPECIAL.test(first)) return { token: first, length: 1 }
  const token = NAME.exec(text)?.[0] ?? ''
  return { token, length: token.length }
}
