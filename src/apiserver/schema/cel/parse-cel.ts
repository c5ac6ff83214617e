import { CelError } from './cel-error.ts'
import type { CelFunction, CelMacro, CelOperator, Expression } from './expression.ts'
import { tokenizeCel } from './tokenize-cel.ts'
import type { CelToken } from './tokenize-cel.ts'

type Parser = { readonly tokens: readonly CelToken[]; at: number }

/**
 * Reads a CEL expression. Of the language it takes member access, indexes, literals, lists, the operators, `has`, `size`, `startsWith`,
 * `endsWith`, `contains`, `matches`, `all`, `exists`, `exists_one` and `? :`; throws a `CelError` for anything else.
 */
export function parseCel(text: string): Expression {
  const parser: Parser = { tokens: tokenizeCel(text), at: 0 }
  const expression = parseConditional(parser)
  if (peek(parser).kind !== 'end') throw unexpected(parser)
  return expression
}

function parseConditional(parser: Parser): Expression {
  const condition = parseOr(parser)
  if (!take(parser, '?')) return condition
  const chosen = parseOr(parser)
  expect(parser, ':')
  return { kind: 'conditional', condition, chosen, otherwise: parseConditional(parser) }
}

const parseOr = (parser: Parser): Expression => parseLeft(parser, ['||'], parseAnd)
const parseAnd = (parser: Parser): Expression => parseLeft(parser, ['&&'], parseRelation)
const parseRelation = (parser: Parser): Expression => parseLeft(parser, ['==', '!=', '<=', '>=', '<', '>', 'in'], parseSum)
const parseSum = (parser: Parser): Expression => parseLeft(parser, ['+', '-'], parseUnary)

function parseLeft(parser: Parser, operators: readonly CelOperator[], parseOperand: (parser: Parser) => Expression): Expression {
  let left = parseOperand(parser)
  for (;;) {
    const operator = operators.find((item) => peek(parser).text === item && peek(parser).kind !== 'string')
    if (operator === undefined) return left
    parser.at += 1
    left = { kind: 'binary', operator, left, right: parseOperand(parser) }
  }
}

function parseUnary(parser: Parser): Expression {
  if (take(parser, '!')) return { kind: 'not', operand: parseUnary(parser) }
  if (take(parser, '-')) return { kind: 'negative', operand: parseUnary(parser) }
  let expression = parsePrimary(parser)
  for (;;) {
    if (take(parser, '.')) expression = parseMember(parser, expression)
    else if (take(parser, '[')) {
      expression = { kind: 'index', target: expression, index: parseConditional(parser) }
      expect(parser, ']')
    } else return expression
  }
}

const MACROS: readonly string[] = ['all', 'exists', 'exists_one'] satisfies CelMacro[]
const METHODS: readonly string[] = ['startsWith', 'endsWith', 'contains', 'matches'] satisfies CelFunction[]

function parseMember(parser: Parser, target: Expression): Expression {
  const name = expectName(parser)
  if (!take(parser, '(')) return { kind: 'member', target, name: unescapeName(name) }
  if (MACROS.includes(name)) {
    const variable = expectName(parser)
    expect(parser, ',')
    const predicate = parseConditional(parser)
    expect(parser, ')')
    return { kind: 'macro', name: name as CelMacro, target, variable, predicate }
  }
  if (name === 'size') {
    expect(parser, ')')
    return { kind: 'call', name, target }
  }
  if (!METHODS.includes(name)) throw new CelError(`function ${name} is not supported`)
  const argument = parseConditional(parser)
  expect(parser, ')')
  return { kind: 'call', name: name as CelFunction, target, argument }
}

function parsePrimary(parser: Parser): Expression {
  const token = peek(parser)
  parser.at += 1
  if (token.kind === 'string' || token.kind === 'number') return { kind: 'literal', value: token.value }
  if (token.text === '(') {
    const inner = parseConditional(parser)
    expect(parser, ')')
    return inner
  }
  if (token.text === '[') return { kind: 'list', items: parseItems(parser) }
  if (token.kind !== 'name') {
    parser.at -= 1
    throw unexpected(parser)
  }
  return peek(parser).text === '(' && peek(parser).kind === 'sign' ? parseFunction(parser, token.text) : parseName(token.text)
}

function parseName(name: string): Expression {
  if (name === 'true' || name === 'false') return { kind: 'literal', value: name === 'true' }
  if (name === 'null') return { kind: 'literal', value: null }
  return { kind: 'name', name }
}

function parseFunction(parser: Parser, name: string): Expression {
  expect(parser, '(')
  if (name === 'has') {
    const field = parseConditional(parser)
    expect(parser, ')')
    if (field.kind !== 'member') throw new CelError('has() takes a field')
    return { kind: 'has', target: field.target, name: field.name }
  }
  if (name !== 'size') throw new CelError(`function ${name} is not supported`)
  const target = parseConditional(parser)
  expect(parser, ')')
  return { kind: 'call', name, target }
}

function parseItems(parser: Parser): Expression[] {
  const items: Expression[] = []
  while (!take(parser, ']')) {
    items.push(parseConditional(parser))
    if (!take(parser, ',')) {
      expect(parser, ']')
      return items
    }
  }
  return items
}

// Names that CEL could not say otherwise: keywords, and characters that are not part of a name.
const KEYWORDS =
  /^__(true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)__$/
const CHARACTERS: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' }

function unescapeName(name: string): string {
  const keyword = KEYWORDS.exec(name)?.[1]
  return keyword ?? name.replaceAll(/__(underscores|dot|dash|slash)__/g, (_whole, word: string) => CHARACTERS[word] ?? '')
}

const END: CelToken = { kind: 'end', text: '' }
const peek = (parser: Parser): CelToken => parser.tokens[parser.at] ?? END

function take(parser: Parser, sign: string): boolean {
  const token = peek(parser)
  if (token.kind !== 'sign' || token.text !== sign) return false
  parser.at += 1
  return true
}

function expect(parser: Parser, sign: string): void {
  if (!take(parser, sign)) throw new CelError(`expected ${sign}, found ${describe(peek(parser))}`)
}

function expectName(parser: Parser): string {
  const token = peek(parser)
  if (token.kind !== 'name') throw new CelError(`expected a name, found ${describe(token)}`)
  parser.at += 1
  return token.text
}

const describe = (token: CelToken): string => (token.kind === 'end' ? 'the end' : token.text)
const unexpected = (parser: Parser): CelError => new CelError(`unexpected ${describe(peek(parser))}`)
