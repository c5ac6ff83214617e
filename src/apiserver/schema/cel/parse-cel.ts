import { CelError } from './cel-error.ts'
import { MOST_LEVELS } from './expression.ts'
import type { CelMacro, CelOperator, Expression } from './expression.ts'
import { CEL_FUNCTIONS } from './library.ts'
import { tokenizeCel } from './tokenize-cel.ts'
import type { CelToken } from './tokenize-cel.ts'

type Parser = { readonly tokens: readonly CelToken[]; at: number; level: number }

// The limit of CEL, in code points.
const MOST_CHARACTERS = 100_000

/**
 * Parses a CEL expression. Supported are member access, indexes, literals, lists, maps, the operators except /, `has`, `all`, `exists`, `exists_one`,
 * `map`, `filter`, `? :` and the functions of `library.ts`. Throws a `CelError` for anything else, and for an expression that is too long or too
 * deep.
 */
export function parseCel(text: string): Expression {
  const size = text.length > MOST_CHARACTERS ? Array.from(text).length : text.length
  if (size > MOST_CHARACTERS)
    throw outsideLimits(`expression code point size exceeds limit: size: ${size}, limit ${MOST_CHARACTERS}`)
  const parser: Parser = { tokens: tokenizeCel(text), at: 0, level: 0 }
  const expression = parseConditional(parser)
  if (peek(parser).kind !== 'end') throw unexpected(parser)
  return expression
}

// CEL's format for an error without a position in the text.
const outsideLimits = (message: string): CelError => new CelError(`ERROR: <input>:-1:0: ${message}`)

function enter(parser: Parser, levels = 1): void {
  parser.level += levels
  if (parser.level > MOST_LEVELS) throw outsideLimits(`expression recursion limit exceeded: ${MOST_LEVELS}`)
}

function nested(parser: Parser, parse: (parser: Parser) => Expression): Expression {
  enter(parser)
  const expression = parse(parser)
  parser.level -= 1
  return expression
}

function parseConditional(parser: Parser): Expression {
  const condition = nested(parser, parseOr)
  if (!take(parser, '?')) return condition
  const chosen = nested(parser, parseOr)
  expect(parser, ':')
  return { kind: 'conditional', condition, chosen, otherwise: nested(parser, parseConditional) }
}

const parseOr = (parser: Parser): Expression => parseChain(parser, '||', 'any', parseAnd)
const parseAnd = (parser: Parser): Expression => parseChain(parser, '&&', 'all', parseRelation)
const parseRelation = (parser: Parser): Expression =>
  parseLeft(parser, ['==', '!=', '<=', '>=', '<', '>', 'in'], parseSum)
const parseSum = (parser: Parser): Expression => parseLeft(parser, ['+', '-'], parseProduct)
const parseProduct = (parser: Parser): Expression => parseLeft(parser, ['*', '%'], parseUnary)

function parseChain(
  parser: Parser,
  operator: string,
  kind: 'all' | 'any',
  parseOperand: (parser: Parser) => Expression,
): Expression {
  const operands = [parseOperand(parser)]
  while (take(parser, operator)) operands.push(parseOperand(parser))
  const [only] = operands
  return operands.length === 1 && only ? only : { kind, operands }
}

function parseLeft(
  parser: Parser,
  operators: readonly CelOperator[],
  parseOperand: (parser: Parser) => Expression,
): Expression {
  const { level } = parser
  let left = parseOperand(parser)
  for (;;) {
    const operator = operators.find((item) => peek(parser).text === item && peek(parser).kind !== 'string')
    if (operator === undefined) {
      parser.level = level
      return left
    }
    parser.at += 1
    enter(parser) // each operator makes its left side deeper
    left = { kind: 'binary', operator, left, right: parseOperand(parser) }
  }
}

function parseUnary(parser: Parser): Expression {
  if (take(parser, '!')) return { kind: 'not', operand: nested(parser, parseUnary) }
  if (take(parser, '-')) return { kind: 'negative', operand: nested(parser, parseUnary) }
  const { level } = parser
  let expression = parsePrimary(parser)
  for (;;) {
    if (take(parser, '.')) expression = parseMember(parser, expression)
    else if (take(parser, '[')) {
      expression = { kind: 'index', target: expression, index: parseConditional(parser) }
      expect(parser, ']')
    } else if (typeNameOf(expression) !== undefined && take(parser, '{')) {
      expression = { kind: 'struct', type: typeNameOf(expression) ?? '', fields: parseFields(parser) }
    } else {
      parser.level = level
      return expression
    }
    enter(parser)
  }
}

const MACROS: readonly string[] = ['all', 'exists', 'exists_one', 'map', 'filter'] satisfies CelMacro[]

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
  return parseCall(parser, name, 'method', [target])
}

function parseCall(
  parser: Parser,
  name: string,
  style: 'method' | 'function',
  first: readonly Expression[],
): Expression {
  const definition = CEL_FUNCTIONS.get(name)
  if (!definition || (definition.style !== 'both' && definition.style !== style))
    throw new CelError(`function ${name} is not supported`)
  const values = [...first, ...parseItems(parser, ')')]
  if (values.length < definition.least || values.length > definition.most)
    throw new CelError(`found no matching overload for '${name}'`)
  return { kind: 'call', name, values }
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
  if (token.text === '{') return { kind: 'map', entries: parseEntries(parser) }
  if (token.text === '[') return { kind: 'list', items: parseItems(parser, ']') }
  if (token.kind !== 'name') {
    parser.at -= 1
    throw unexpected(parser)
  }
  return peek(parser).text === '(' && peek(parser).kind === 'sign'
    ? parseFunction(parser, token.text)
    : parseName(token.text)
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
  return parseCall(parser, name, 'function', [])
}

function parseItems(parser: Parser, end: string): Expression[] {
  const items: Expression[] = []
  while (!take(parser, end)) {
    items.push(parseConditional(parser))
    if (!take(parser, ',')) {
      expect(parser, end)
      return items
    }
  }
  return items
}

function parseEntries(parser: Parser): (readonly [Expression, Expression])[] {
  const entries: (readonly [Expression, Expression])[] = []
  while (!take(parser, '}')) {
    const key = parseConditional(parser)
    expect(parser, ':')
    entries.push([key, parseConditional(parser)])
    if (!take(parser, ',') && peek(parser).text !== '}') throw unexpected(parser)
  }
  return entries
}

function parseFields(parser: Parser): (readonly [string, Expression])[] {
  const fields: (readonly [string, Expression])[] = []
  while (!take(parser, '}')) {
    const name = unescapeName(expectName(parser))
    expect(parser, ':')
    fields.push([name, parseConditional(parser)])
    if (!take(parser, ',') && peek(parser).text !== '}') throw unexpected(parser)
  }
  return fields
}

// `Object.spec.template`: a chain of names, which may be a type.
function typeNameOf(expression: Expression): string | undefined {
  if (expression.kind === 'name') return expression.name
  if (expression.kind !== 'member') return undefined
  const target = typeNameOf(expression.target)
  return target === undefined ? undefined : `${target}.${expression.name}`
}

// Names that CEL can only express with escapes: keywords, and characters that are not part of an identifier.
const KEYWORDS =
  /^__(true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)__$/
const CHARACTERS: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' }

function unescapeName(name: string): string {
  const keyword = KEYWORDS.exec(name)?.[1]
  return (
    keyword ?? name.replaceAll(/__(underscores|dot|dash|slash)__/g, (_whole, word: string) => CHARACTERS[word] ?? '')
  )
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
