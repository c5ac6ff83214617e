/** A parsed CEL expression: the part of the language that the rules of CRDs use. No expression is deeper than `MOST_LEVELS`. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'member'; readonly target: Expression; readonly name: string }
  | { readonly kind: 'has'; readonly target: Expression; readonly name: string }
  | { readonly kind: 'index'; readonly target: Expression; readonly index: Expression }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [key: Expression, value: Expression])[] }
  // `Object.spec{replicas: 1}`: only policies that change objects have such types.
  | {
      readonly kind: 'struct'
      readonly type: string
      readonly fields: readonly (readonly [name: string, value: Expression])[]
    }
  // The target of a method is its first value: `self.size()` is `size(self)`.
  | { readonly kind: 'call'; readonly name: string; readonly values: readonly Expression[] }
  | {
      readonly kind: 'macro'
      readonly name: CelMacro
      readonly target: Expression
      readonly variable: string
      readonly predicate: Expression
    }
  | { readonly kind: 'not' | 'negative'; readonly operand: Expression }
  // A long chain is one item, not a deep tree.
  | { readonly kind: 'all' | 'any'; readonly operands: readonly Expression[] }
  | { readonly kind: 'binary'; readonly operator: CelOperator; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: 'conditional'
      readonly condition: Expression
      readonly chosen: Expression
      readonly otherwise: Expression
    }

export type CelMacro = 'all' | 'exists' | 'exists_one' | 'map' | 'filter'
export type CelOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | '+' | '-' | '*' | '%'

/** Maximum depth of an expression, so that functions may walk it recursively. The same limit as in CEL. */
export const MOST_LEVELS = 250

/** The names that an expression does not bind itself: `self`, `oldSelf`. */
export function freeNames(expression: Expression, bound: readonly string[] = []): Set<string> {
  const names = new Set<string>()
  const visit = (item: Expression, inner: readonly string[]): void => {
    if (item.kind === 'name') {
      if (!inner.includes(item.name)) names.add(item.name)
      return
    }
    if (item.kind === 'macro') {
      visit(item.target, inner)
      visit(item.predicate, [...inner, item.variable])
      return
    }
    for (const part of partsOf(item)) visit(part, inner)
  }
  visit(expression, bound)
  return names
}

/** The direct subexpressions of an expression, in source order. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'name':
      return []
    case 'member':
    case 'has':
      return [expression.target]
    case 'index':
      return [expression.target, expression.index]
    case 'list':
      return expression.items
    case 'map':
      return expression.entries.flat()
    case 'struct':
      return expression.fields.map(([, value]) => value)
    case 'call':
      return expression.values
    case 'macro':
      return [expression.target, expression.predicate]
    case 'not':
    case 'negative':
      return [expression.operand]
    case 'all':
    case 'any':
      return expression.operands
    case 'binary':
      return [expression.left, expression.right]
    case 'conditional':
      return [expression.condition, expression.chosen, expression.otherwise]
  }
}
