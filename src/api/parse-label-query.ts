import { createLabelRequirement, validateQualifiedNameAt } from './label-requirement.ts'
import type { LabelOperator, LabelRequirement } from './label-requirement.ts'
import { SelectorError } from './selector-error.ts'

/** A symbol stands for itself, a word is anything else, and the end is an empty symbol. */
type Token = { readonly kind: 'word' | 'symbol'; readonly text: string }

const END: Token = { kind: 'symbol', text: '' }
const TOKEN = /[ \t\r\n]*(?:(!=|==|[=!(),<>])|([^ \t\r\n=!(),<>]+))/gy
const BINARY_OPERATORS = ['in', 'notin', '=', '==', '!=', '>', '<'] as const
// Kubernetes lists them in this order.
const EXPECTED_OPERATORS = 'in, notin, =, ==, !=, gt, lt'

/** The requirements of a selector in their original order. `in` and `notin` are operators only after a key: `in in (in)` is valid. */
export function parseLabelQuery(text: string): LabelRequirement[] {
  const tokens = createTokenReader(text)
  const requirements: LabelRequirement[] = []
  if (tokens.peek() === END) return requirements
  if (!beginsRequirement(tokens.peek())) throw unexpected(tokens.peek(), "!, identifier, or 'end of string'")
  for (;;) {
    requirements.push(parseRequirement(tokens))
    const after = tokens.next()
    if (after === END) return requirements
    if (!isSymbol(after, ',')) throw unexpected(after, "',' or 'end of string'")
    if (!beginsRequirement(tokens.peek())) throw unexpected(tokens.peek(), "identifier after ','")
  }
}

type TokenReader = { peek(): Token; next(): Token }

function createTokenReader(text: string): TokenReader {
  const tokens = Array.from(text.matchAll(TOKEN), ([, symbol, word = '']): Token =>
    symbol === undefined ? { kind: 'word', text: word } : { kind: 'symbol', text: symbol },
  )
  let at = 0
  const peek = (): Token => tokens[at] ?? END
  const next = (): Token => tokens[at++] ?? END
  return { peek, next }
}

const isSymbol = (token: Token, text: string): boolean => token.kind === 'symbol' && token.text === text
const beginsRequirement = (token: Token): boolean => token.kind === 'word' || isSymbol(token, '!')

function parseRequirement(tokens: TokenReader): LabelRequirement {
  try {
    const negated = isSymbol(tokens.peek(), '!')
    if (negated) tokens.next()
    const key = parseKey(tokens)
    if (negated) return { key, operator: '!', values: [] }
    if (tokens.peek() === END || isSymbol(tokens.peek(), ',')) return { key, operator: 'exists', values: [] }
    const operator = parseOperator(tokens)
    const values = operator === 'in' || operator === 'notin' ? parseValues(tokens) : [parseValue(tokens)]
    return createLabelRequirement({ key, operator, values: [...new Set(values)].sort() })
  } catch (cause) {
    if (!(cause instanceof SelectorError)) throw cause
    throw new SelectorError(`unable to parse requirement: ${cause.message}`, { cause })
  }
}

function parseKey(tokens: TokenReader): string {
  const token = tokens.next()
  if (token.kind !== 'word') throw unexpected(token, 'identifier')
  // Kubernetes has no field here and prints `<nil>`.
  const [problem] = validateQualifiedNameAt('<nil>', token.text)
  if (problem !== undefined) throw new SelectorError(problem)
  return token.text
}

function parseOperator(tokens: TokenReader): LabelOperator {
  const token = tokens.next()
  const operator = BINARY_OPERATORS.find((known) => known === token.text)
  if (operator === undefined) throw unexpected(token, EXPECTED_OPERATORS)
  return operator
}

// `a=` and `a=,b` have an empty value.
function parseValue(tokens: TokenReader): string {
  if (tokens.peek() === END || isSymbol(tokens.peek(), ',')) return ''
  const token = tokens.next()
  if (token.kind !== 'word') throw unexpected(token, 'identifier')
  return token.text
}

// Nothing between commas is the empty value: `(a,)` has two values, `()` has one.
function parseValues(tokens: TokenReader): string[] {
  const open = tokens.next()
  if (!isSymbol(open, '(')) throw new SelectorError(`found '${open.text}' expected: '('`)
  const first = tokens.peek()
  if (first.kind !== 'word' && !isSymbol(first, ',') && !isSymbol(first, ')'))
    throw unexpected(first, "',', ')' or identifier")
  const values: string[] = []
  for (;;) {
    const isWord = tokens.peek().kind === 'word'
    values.push(isWord ? tokens.next().text : '')
    const after = tokens.next()
    if (isSymbol(after, ')')) return values
    if (!isSymbol(after, ',')) throw unexpected(after, isWord ? "',' or ')'" : "',', or identifier")
  }
}

const unexpected = (token: Token, expected: string): SelectorError =>
  new SelectorError(`found '${token.text}', expected: ${expected}`)
