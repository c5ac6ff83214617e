import { CelError } from './cel-error.ts'

export type CelToken =
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'string' | 'number'; readonly text: string; readonly value: string | number }
  | { readonly kind: 'sign'; readonly text: string }
  | { readonly kind: 'end'; readonly text: '' }

const SPACE = /(?:\s|\/\/[^\n]*)*/y
const NAME = /[A-Za-z_]\w*/y
const NUMBER = /(?:0[xX][\da-fA-F]+|(?:\d+\.\d+|\d+|\.\d+)(?:[eE][+-]?\d+)?)/y
const STRING = /[rR]?(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/y
const RAW_STRING = /[rR](?:"[^"\n]*"|'[^'\n]*')/y
const SIGN = /&&|\|\||==|!=|<=|>=|[<>!()[\]{}.,?:+\-*/%]/y

/** The tokens of an expression; throws a `CelError` for an invalid token. */
export function tokenizeCel(text: string): CelToken[] {
  const tokens: CelToken[] = []
  let at = 0
  const match = (expression: RegExp): string | undefined => {
    expression.lastIndex = at
    const found = expression.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  for (;;) {
    match(SPACE)
    if (at >= text.length) return [...tokens, { kind: 'end', text: '' }]
    const string = match(RAW_STRING) ?? match(STRING)
    if (string !== undefined) {
      tokens.push({ kind: 'string', text: string, value: readString(string) })
      continue
    }
    const name = match(NAME)
    if (name !== undefined) {
      tokens.push({ kind: 'name', text: name })
      continue
    }
    const number = match(NUMBER)
    if (number !== undefined) {
      tokens.push({ kind: 'number', text: number, value: Number(number) })
      continue
    }
    const sign = match(SIGN)
    if (sign === undefined) throw new CelError(`unexpected ${JSON.stringify(text[at])} at position ${at}`)
    tokens.push({ kind: 'sign', text: sign })
  }
}

const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-3][0-7]{2})|([\s\S]))/g

function readString(text: string): string {
  const isRaw = /^[rR]/.test(text)
  const quoted = isRaw ? text.slice(1) : text
  const quotes = /^("""|''')/.test(quoted) ? 3 : 1
  const inner = quoted.slice(quotes, -quotes)
  if (isRaw) return inner
  return inner.replaceAll(
    ESCAPE,
    (whole, hex?: string, short?: string, long?: string, octal?: string, letter?: string) => {
      const digits = hex ?? short ?? long
      if (digits !== undefined) return String.fromCodePoint(Number.parseInt(digits, 16))
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8))
      const plain =
        letter === undefined ? undefined : (ESCAPES[letter] ?? (/^[\\?"'`]$/.test(letter) ? letter : undefined))
      if (plain === undefined) throw new CelError(`unknown escape ${whole}`)
      return plain
    },
  )
}
