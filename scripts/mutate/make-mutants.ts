import { SyntaxKind } from 'typescript/unstable/ast'
import type { BinaryExpression, Node, ObjectLiteralExpression, SourceFile, Statement } from 'typescript/unstable/ast'
import {
  isArrayLiteralExpression,
  isBinaryExpression,
  isBindingElement,
  isBlock,
  isCallExpression,
  isConditionalExpression,
  isElementAccessExpression,
  isExportDeclaration,
  isExpressionStatement,
  isIfStatement,
  isImportDeclaration,
  isInterfaceDeclaration,
  isLiteralTypeNode,
  isNumericLiteral,
  isObjectBindingPattern,
  isObjectLiteralExpression,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isReturnStatement,
  isSatisfiesExpression,
  isStringLiteral,
  isTemplateExpression,
  isNoSubstitutionTemplateLiteral,
  isThrowStatement,
  isTypeAliasDeclaration,
  isTypeNode,
} from 'typescript/unstable/ast/is'

/** One change to a file: the characters from `start` to `end` become `replacement`. */
export type Mutant = {
  readonly start: number
  readonly end: number
  readonly replacement: string
  /**
   * Changes that only the compiler could make sense of: those that it refuses are left out. Never so for conditions, since a branch needs
   * a test whether or not the code after it still has its types.
   */
  readonly needsTypes: boolean
}

/** Every small change that a test of this file should notice, in the order of the text. */
export function makeMutants(source: SourceFile): Mutant[] {
  const mutants: Mutant[] = []
  visit(source, source, mutants)
  const seen = new Set<string>()
  return mutants
    .filter(({ start, end, replacement }) => source.text.slice(start, end) !== replacement)
    .filter(({ start, end, replacement }) => {
      const key = `${start} ${end} ${replacement}`
      return !seen.has(key) && seen.add(key)
    })
    .sort((a, b) => a.start - b.start || a.end - b.end)
}

function visit(node: Node, source: SourceFile, mutants: Mutant[]): void {
  if (
    isImportDeclaration(node) ||
    isExportDeclaration(node) ||
    isTypeAliasDeclaration(node) ||
    isInterfaceDeclaration(node)
  )
    return
  if (isTypeNode(node) || isLiteralTypeNode(node)) return
  mutants.push(...mutantsOf(node, source))
  node.forEachChild((child) => {
    // The name of a property is part of dropping it.
    if (isPropertyAssignment(node) && child === node.name) return
    visit(child, source, mutants)
  })
}

function mutantsOf(node: Node, source: SourceFile): Mutant[] {
  const textOf = (part: Node): string => source.text.slice(part.getStart(source), part.end)
  const replace = (part: Node, replacement: string, needsTypes = false): Mutant => ({
    start: part.getStart(source),
    end: part.end,
    replacement,
    needsTypes,
  })
  const either = (condition: Node): Mutant[] => [replace(condition, 'true'), replace(condition, 'false')]
  if (isIfStatement(node)) return either(node.expression)
  if (isConditionalExpression(node)) return either(node.condition)
  if (isBinaryExpression(node)) return binaryMutants(node, textOf, replace)
  if (isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken)
    return [replace(node, textOf(node.operand))]
  if (node.kind === SyntaxKind.TrueKeyword) return [replace(node, 'false', true)]
  if (node.kind === SyntaxKind.FalseKeyword) return [replace(node, 'true', true)]
  if (isStringLiteral(node))
    return isFallbackForCompiler(node, textOf) ? [] : [replace(node, node.text === '' ? `'mutated'` : `''`, true)]
  if (isTemplateExpression(node) || isNoSubstitutionTemplateLiteral(node)) return [replace(node, '``', true)]
  if (isNumericLiteral(node)) return [replace(node, `${Number(node.text) + 1}`, true)]
  if (isArrayLiteralExpression(node)) return [replace(node, node.elements.length > 0 ? '[]' : `['mutated']`, true)]
  if (isObjectLiteralExpression(node)) return droppedProperties(node, source)
  if (isPropertyAccessExpression(node) || isElementAccessExpression(node) || isCallExpression(node))
    return accessMutants(node, { textOf, replace })
  // `policy satisfies never` is for the compiler alone.
  if (isExpressionStatement(node)) return isSatisfiesExpression(node.expression) ? [] : [replace(node, ';')]
  if (isBlock(node) || node === source)
    return swappedGuards((node as unknown as { statements: readonly Statement[] }).statements, source)
  return []
}

const NAMES = /^(name|namespace|uid|resourceVersion)$/

// Every object that a server has stored has these, but their types allow objects that are still to be made.
function isFallbackForCompiler(node: Node, textOf: (part: Node) => string): boolean {
  const { parent } = node
  if (isBindingElement(parent) && isObjectBindingPattern(parent.parent)) {
    const property = parent.propertyName ?? parent.name
    return (
      node === parent.initializer && textOf(node) === "''" && property !== undefined && NAMES.test(textOf(property))
    )
  }
  return (
    isBinaryExpression(parent) &&
    parent.operatorToken.kind === SyntaxKind.QuestionQuestionToken &&
    parent.right === node &&
    /\bmetadata\.(name|namespace|uid|resourceVersion)$/.test(textOf(parent.left))
  )
}

type Replace = (part: Node, replacement: string, needsTypes?: boolean) => Mutant

const OPERATORS: Readonly<Partial<Record<SyntaxKind, readonly string[]>>> = {
  [SyntaxKind.EqualsEqualsEqualsToken]: ['!=='],
  [SyntaxKind.ExclamationEqualsEqualsToken]: ['==='],
  [SyntaxKind.LessThanToken]: ['<=', '>='],
  [SyntaxKind.LessThanEqualsToken]: ['<', '>'],
  [SyntaxKind.GreaterThanToken]: ['>=', '<='],
  [SyntaxKind.GreaterThanEqualsToken]: ['>', '<'],
  [SyntaxKind.PlusToken]: ['-'],
  [SyntaxKind.MinusToken]: ['+'],
  [SyntaxKind.AsteriskToken]: ['/'],
  [SyntaxKind.SlashToken]: ['*'],
  [SyntaxKind.AmpersandAmpersandToken]: ['||'],
  [SyntaxKind.BarBarToken]: ['&&'],
}

function binaryMutants(node: BinaryExpression, textOf: (part: Node) => string, replace: Replace): Mutant[] {
  const { left, right, operatorToken } = node
  const { kind } = operatorToken
  const swapped = (OPERATORS[kind] ?? []).map((operator) => replace(operatorToken, operator))
  if (kind === SyntaxKind.AmpersandAmpersandToken) return [...swapped, replace(left, 'true'), replace(right, 'true')]
  if (kind === SyntaxKind.BarBarToken) return [...swapped, replace(left, 'false'), replace(right, 'false')]
  if (kind === SyntaxKind.QuestionQuestionToken)
    return [replace(node, textOf(left), true), replace(node, textOf(right), true)]
  return swapped
}

const METHODS: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  find: 'findLast',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
}
const DROPPED_CALLS = new Set(['filter', 'sort', 'toSorted', 'slice', 'toReversed', 'trim', 'toLowerCase'])

function accessMutants(node: Node, { textOf, replace }: { textOf(part: Node): string; replace: Replace }): Mutant[] {
  const mutants: Mutant[] = []
  const { questionDotToken } = node as { questionDotToken?: Node }
  if (questionDotToken) mutants.push(replace(questionDotToken, isPropertyAccessExpression(node) ? '.' : '', true))
  if (isPropertyAccessExpression(node)) {
    const other = METHODS[node.name.text]
    if (other !== undefined && isCallExpression(node.parent)) mutants.push(replace(node.name, other, true))
  }
  if (
    isCallExpression(node) &&
    isPropertyAccessExpression(node.expression) &&
    DROPPED_CALLS.has(node.expression.name.text)
  ) {
    mutants.push(replace(node, textOf(node.expression.expression), true))
  }
  return mutants
}

/** Each property left out, with the comma after it or, for the last one, before it. */
function droppedProperties({ properties }: ObjectLiteralExpression, source: SourceFile): Mutant[] {
  return properties.map((property, index) => {
    const next = properties[index + 1]
    const before = properties[index - 1]
    if (next) return { start: property.getStart(source), end: next.getStart(source), replacement: '', needsTypes: true }
    return {
      start: before ? before.end : property.getStart(source),
      end: property.end,
      replacement: '',
      needsTypes: true,
    }
  })
}

/** Two early exits in a row the other way round: which reason comes first is a decision, too. */
function swappedGuards(statements: readonly Statement[], source: SourceFile): Mutant[] {
  return statements.flatMap((statement, index) => {
    const next = statements[index + 1]
    if (next === undefined || !isGuard(statement) || !isGuard(next)) return []
    const [first, between, second] = [
      source.text.slice(statement.getStart(source), statement.end),
      source.text.slice(statement.end, next.getStart(source)),
      source.text.slice(next.getStart(source), next.end),
    ]
    return [
      {
        start: statement.getStart(source),
        end: next.end,
        replacement: `${second}${between}${first}`,
        needsTypes: true,
      },
    ]
  })
}

function isGuard(statement: Statement): boolean {
  if (!isIfStatement(statement) || statement.elseStatement) return false
  const body = statement.thenStatement
  const last = isBlock(body) ? body.statements.at(-1) : body
  return last !== undefined && (isReturnStatement(last) || isThrowStatement(last))
}

/** The lines that a mutant changes, as they are and as they become; blanks at the ends of lines don't count. */
export function linesOf(
  text: string,
  { start, end, replacement }: Mutant,
): { line: number; original: string; mutated: string } {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const newline = text.indexOf('\n', end)
  const to = newline < 0 ? text.length : newline
  const tidy = (lines: string): string =>
    lines
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join('\n')
  return {
    line: text.slice(0, start).split('\n').length,
    original: tidy(text.slice(from, to)),
    mutated: tidy(`${text.slice(from, start)}${replacement}${text.slice(end, to)}`),
  }
}

export const applyMutant = (text: string, { start, end, replacement }: Mutant): string =>
  `${text.slice(0, start)}${replacement}${text.slice(end)}`
