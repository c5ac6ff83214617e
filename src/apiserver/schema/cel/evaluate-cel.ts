import { isEqualJson } from '../../../api/equal-json.ts'
import { parseGoRegExp } from '../go-regexp.ts'
import { isJsonObject, memberOf } from '../json.ts'
import { CelError } from './cel-error.ts'
import type { CelFunction, CelMacro, CelOperator, Expression } from './expression.ts'

/** What names stand for: `self`, `oldSelf`, and variables of macros. */
export type CelNames = Readonly<Record<string, unknown>>

/** The value of an expression; throws a `CelError` where it has none, as for a field that is not there. */
export function evaluateCel(expression: Expression, names: CelNames): unknown {
  switch (expression.kind) {
    case 'literal':
      return expression.value
    case 'name':
      if (!Object.hasOwn(names, expression.name)) throw new CelError(`undeclared reference to '${expression.name}'`)
      return names[expression.name]
    case 'member':
      return readMember(evaluateCel(expression.target, names), expression.name)
    case 'has':
      return hasMember(evaluateCel(expression.target, names), expression.name)
    case 'index':
      return readIndex(evaluateCel(expression.target, names), evaluateCel(expression.index, names))
    case 'list':
      return expression.items.map((item) => evaluateCel(item, names))
    case 'call':
      return call(expression.name, evaluateCel(expression.target, names), expression.argument && evaluateCel(expression.argument, names))
    case 'macro':
      return evaluateMacro(expression.name, itemsOf(evaluateCel(expression.target, names)), (item) =>
        evaluateBoolean(expression.predicate, { ...names, [expression.variable]: item }),
      )
    case 'not':
      return !evaluateBoolean(expression.operand, names)
    case 'negative':
      return -numberOf(evaluateCel(expression.operand, names))
    case 'conditional':
      return evaluateCel(evaluateBoolean(expression.condition, names) ? expression.chosen : expression.otherwise, names)
    case 'binary':
      return evaluateBinary(expression.operator, expression.left, expression.right, names)
  }
}

function evaluateBoolean(expression: Expression, names: CelNames): boolean {
  const value = evaluateCel(expression, names)
  if (typeof value !== 'boolean') throw noOverload()
  return value
}

function evaluateBinary(operator: CelOperator, left: Expression, right: Expression, names: CelNames): unknown {
  if (operator === '&&') return decide(left, right, names, false)
  if (operator === '||') return decide(left, right, names, true)
  return apply(operator, evaluateCel(left, names), evaluateCel(right, names))
}

// One side that decides is enough, whichever it is, even when the other has no value.
function decide(left: Expression, right: Expression, names: CelNames, deciding: boolean): boolean {
  let failure: CelError
  try {
    if (evaluateBoolean(left, names) === deciding) return deciding
    return evaluateBoolean(right, names)
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    failure = error
  }
  if (evaluateBoolean(right, names) === deciding) return deciding
  throw failure
}

function apply(operator: CelOperator, left: unknown, right: unknown): unknown {
  switch (operator) {
    case '==':
      return isEqualJson(left, right)
    case '!=':
      return !isEqualJson(left, right)
    case 'in':
      return isIn(left, right)
    case '+':
      if (typeof left === 'string' && typeof right === 'string') return left + right
      if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right]
      return numberOf(left) + numberOf(right)
    case '-':
      return numberOf(left) - numberOf(right)
    default:
      return isOrdered(operator, compare(left, right))
  }
}

function isOrdered(operator: CelOperator, order: number): boolean {
  switch (operator) {
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    default:
      return order >= 0
  }
}

function compare(left: unknown, right: unknown): number {
  const isComparable = typeof left === typeof right && (typeof left === 'number' || typeof left === 'string' || typeof left === 'boolean')
  if (!isComparable) throw noOverload()
  if (left === right) return 0
  return (left as number) < (right as number) ? -1 : 1 // of one type, whichever: JavaScript orders all three
}

function isIn(item: unknown, container: unknown): boolean {
  if (Array.isArray(container)) return container.some((other) => isEqualJson(other, item))
  if (isJsonObject(container)) return typeof item === 'string' && Object.hasOwn(container, item)
  throw noOverload()
}

function readMember(target: unknown, name: string): unknown {
  if (!isJsonObject(target)) throw noOverload()
  const value = memberOf(target, name)
  if (value === undefined) throw new CelError(`no such key: ${name}`)
  return value
}

function hasMember(target: unknown, name: string): boolean {
  if (!isJsonObject(target)) throw noOverload()
  return memberOf(target, name) !== undefined
}

function readIndex(target: unknown, index: unknown): unknown {
  if (isJsonObject(target) && typeof index === 'string') return readMember(target, index)
  if (!Array.isArray(target) || typeof index !== 'number') throw noOverload()
  if (!Number.isInteger(index) || index < 0 || index >= target.length) throw new CelError(`index out of bounds: ${index}`)
  return target[index]
}

function call(name: CelFunction, target: unknown, argument: unknown): unknown {
  if (name === 'size') return sizeOf(target)
  if (typeof target !== 'string' || typeof argument !== 'string') throw noOverload()
  switch (name) {
    case 'startsWith':
      return target.startsWith(argument)
    case 'endsWith':
      return target.endsWith(argument)
    case 'contains':
      return target.includes(argument)
    case 'matches':
      return matches(target, argument)
  }
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Array.from(value).length
  if (Array.isArray(value)) return value.length
  if (isJsonObject(value)) return Object.keys(value).length
  throw noOverload()
}

function matches(text: string, pattern: string): boolean {
  const expression = parseGoRegExp(pattern)
  if (!expression) throw new CelError(`error parsing regexp: ${pattern}`)
  return expression.test(text)
}

// Over a map a macro runs over its keys.
function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (isJsonObject(value)) return Object.keys(value)
  throw noOverload()
}

// As with && and ||, an item that decides makes up for others without a value.
function evaluateMacro(name: CelMacro, items: readonly unknown[], holds: (item: unknown) => boolean): boolean {
  if (name === 'exists_one') return items.filter(holds).length === 1
  const deciding = name === 'exists'
  let failure: CelError | undefined
  for (const item of items) {
    try {
      if (holds(item) === deciding) return deciding
    } catch (error) {
      if (!(error instanceof CelError)) throw error
      failure ??= error
    }
  }
  if (failure) throw failure
  return !deciding
}

function numberOf(value: unknown): number {
  if (typeof value !== 'number') throw noOverload()
  return value
}

const noOverload = (): CelError => new CelError('no such overload')
