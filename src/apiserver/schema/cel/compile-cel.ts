import type { CostMeter } from '../cost-meter.ts'
import { isJsonObject, memberOf } from '../json.ts'
import { GoRegExp } from '../regexp/go-regexp.ts'
import { CelError } from './cel-error.ts'
import type { CelMacro, CelOperator, Expression } from './expression.ts'
import { CEL_FUNCTIONS, matchesExpression } from './library.ts'
import { compareValues, isEqual, KEY_UNITS, listOf, noOverload, numberOf, textOf, textUnits } from './values.ts'

/** A compiled expression, which can be evaluated any number of times. */
export type CelProgram = {
  /**
   * The result for these values, in the order of the names passed to `compileCel`. Throws a `CelError` if there is no result, for example if a field
   * is absent, and a `CostExceededError`.
   */
  evaluate(values: readonly unknown[], meter: CostMeter): unknown
}

/** One evaluation: the values of names and macro variables, and its remaining budget. */
type Run = { readonly values: unknown[]; readonly meter: CostMeter }
type Step = (run: Run) => unknown

// The cost model is that of CEL (cel-go, interpreter/runtimecost.go): one unit for a name, a field or a call, and more where CEL charges more.
const LIST_UNITS = 10
const MAP_UNITS = 30
/** The cost of an item besides the predicate: the macro's accumulator is read, tested and combined with it. */
export const MACRO_UNITS: Readonly<Record<CelMacro, number>> = { all: 3, exists: 4, exists_one: 2, map: 12, filter: 13 }
// In CEL, an error is a value, and one that && or || absorbs costs nothing. Here it is thrown and caught.
const CAUGHT_ERROR_UNITS = 300

/** Throws a `CelError` for a name that is neither one of these nor a variable. */
export function compileCel(expression: Expression, names: readonly string[]): CelProgram {
  const step = compile(expression, names)
  return { evaluate: (values, meter) => step({ values: [...values], meter }) }
}

function compile(expression: Expression, names: readonly string[]): Step {
  const inner = (part: Expression): Step => compile(part, names)
  switch (expression.kind) {
    case 'literal': {
      const { value } = expression
      return () => value
    }
    case 'name':
      return compileName(expression.name, names)
    case 'member':
      return compileMember(inner(expression.target), expression.name)
    case 'has':
      return compileHas(inner(expression.target), expression.name)
    case 'index':
      return compileIndex(inner(expression.target), inner(expression.index))
    case 'list': {
      const items = expression.items.map(inner)
      return (run) => {
        run.meter.spend(LIST_UNITS + items.length)
        return items.map((item) => item(run))
      }
    }
    case 'map':
      return compileMap(expression.entries.map(([key, value]) => [inner(key), inner(value)]))
    case 'struct': {
      if (!/^(?:Object(?:\.|$)|JSONPatch$)/.test(expression.type))
        throw new CelError(`undeclared reference to '${expression.type}'`)
      const fields = expression.fields.map(([name, value]) => [() => name, inner(value)] as const)
      return compileMap(fields)
    }
    case 'call':
      return compileCall(expression.name, expression.values, inner)
    case 'macro': {
      const predicate = compile(expression.predicate, [...names, expression.variable])
      return compileMacro(expression.name, inner(expression.target), predicate, names.length)
    }
    case 'not': {
      const operand = inner(expression.operand)
      return (run) => {
        run.meter.spend(1)
        return !booleanOf(operand(run))
      }
    }
    case 'negative': {
      const operand = inner(expression.operand)
      return (run) => {
        run.meter.spend(1)
        return -numberOf(operand(run))
      }
    }
    case 'all':
      return compileChain(expression.operands.map(inner), false)
    case 'any':
      return compileChain(expression.operands.map(inner), true)
    case 'binary':
      return compileBinary(expression.operator, inner(expression.left), inner(expression.right))
    case 'conditional':
      return compileConditional(inner(expression.condition), inner(expression.chosen), inner(expression.otherwise))
  }
}

function compileMap(entries: readonly (readonly [key: Step, value: Step])[]): Step {
  return (run) => {
    run.meter.spend(MAP_UNITS + entries.length)
    return Object.fromEntries(entries.map(([key, value]) => [textOf(key(run)), value(run)]))
  }
}

function booleanOf(value: unknown): boolean {
  if (typeof value !== 'boolean') throw noOverload()
  return value
}

function compileName(name: string, names: readonly string[]): Step {
  const index = names.lastIndexOf(name)
  if (index < 0) throw new CelError(`undeclared reference to '${name}'`)
  return (run) => {
    run.meter.spend(1)
    return run.values[index]
  }
}

function compileMember(target: Step, name: string): Step {
  return (run) => {
    run.meter.spend(1)
    return readMember(target(run), name)
  }
}

function readMember(target: unknown, name: string): unknown {
  if (!isJsonObject(target)) throw noOverload()
  const value = memberOf(target, name)
  if (value === undefined) throw new CelError(`no such key: ${name}`)
  return value
}

function compileHas(target: Step, name: string): Step {
  return (run) => {
    run.meter.spend(1)
    const value = target(run)
    if (!isJsonObject(value)) throw noOverload()
    return memberOf(value, name) !== undefined
  }
}

function compileIndex(target: Step, index: Step): Step {
  return (run) => {
    run.meter.spend(1)
    const list = target(run)
    const at = index(run)
    if (isJsonObject(list) && typeof at === 'string') return readMember(list, at)
    if (!Array.isArray(list) || typeof at !== 'number') throw noOverload()
    if (!Number.isInteger(at) || at < 0 || at >= list.length) throw new CelError(`index out of bounds: ${at}`)
    return list[at]
  }
}

function compileCall(name: string, values: readonly Expression[], inner: (part: Expression) => Step): Step {
  const definition = CEL_FUNCTIONS.get(name)
  if (!definition) throw new CelError(`function ${name} is not supported`)
  const [target, pattern] = values
  // A literal pattern is compiled once.
  if (name === 'matches' && target && pattern?.kind === 'literal' && typeof pattern.value === 'string')
    return compileMatches(inner(target), pattern.value)
  const steps = values.map(inner)
  return (run) => {
    run.meter.spend(1)
    return definition.call(
      steps.map((step) => step(run)),
      run.meter,
    )
  }
}

function compileMatches(target: Step, source: string): Step {
  const expression = new GoRegExp(source)
  return (run) => {
    const text = textOf(target(run))
    run.meter.spend(1 + Math.ceil((1 + text.length) * 0.1) * Math.ceil(source.length * 0.25))
    return matchesExpression(expression, text, run.meter)
  }
}

// One deciding operand is enough, in any position, even if others have no value.
function compileChain(operands: readonly Step[], deciding: boolean): Step {
  return (run) => {
    let failure: CelError | undefined
    for (const operand of operands) {
      try {
        if (booleanOf(operand(run)) === deciding) return deciding
      } catch (error) {
        const known = caught(error, run)
        failure ??= known
      }
    }
    if (failure) throw failure
    return !deciding
  }
}

function caught(error: unknown, { meter }: Run): CelError {
  if (!(error instanceof CelError)) throw error
  meter.spend(CAUGHT_ERROR_UNITS)
  return error
}

function compileBinary(operator: CelOperator, left: Step, right: Step): Step {
  switch (operator) {
    case '==':
      return (run) => isEqual(left(run), right(run), run.meter)
    case '!=':
      return (run) => !isEqual(left(run), right(run), run.meter)
    case '<':
      return (run) => compareValues(left(run), right(run), run.meter) < 0
    case '<=':
      return (run) => compareValues(left(run), right(run), run.meter) <= 0
    case '>':
      return (run) => compareValues(left(run), right(run), run.meter) > 0
    case '>=':
      return (run) => compareValues(left(run), right(run), run.meter) >= 0
    case 'in':
      return (run) => isIn(left(run), right(run), run.meter)
    case '+':
      return (run) => add(left(run), right(run), run.meter)
    case '-':
      return (run) => {
        run.meter.spend(1)
        return numberOf(left(run)) - numberOf(right(run))
      }
    case '*':
      return (run) => {
        run.meter.spend(1)
        return numberOf(left(run)) * numberOf(right(run))
      }
    case '%':
      return (run) => {
        run.meter.spend(1)
        return remainder(numberOf(left(run)), numberOf(right(run)))
      }
  }
}

function remainder(left: number, right: number): number {
  if (!Number.isInteger(left) || !Number.isInteger(right)) throw noOverload()
  if (right === 0) throw new CelError('modulus by zero')
  return left % right
}

function isIn(item: unknown, container: unknown, meter: CostMeter): boolean {
  meter.spend(1)
  if (Array.isArray(container)) return container.some((other) => isEqual(other, item, meter))
  if (isJsonObject(container)) return typeof item === 'string' && memberOf(container, item) !== undefined
  throw noOverload()
}

function add(left: unknown, right: unknown, meter: CostMeter): unknown {
  if (typeof left === 'string' && typeof right === 'string') {
    meter.spend(Math.max(1, textUnits(left) + textUnits(right)))
    return left + right
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    meter.spend(1 + left.length + right.length)
    return [...(left as unknown[]), ...(right as unknown[])]
  }
  meter.spend(1)
  return numberOf(left) + numberOf(right)
}

function compileConditional(condition: Step, chosen: Step, otherwise: Step): Step {
  return (run) => (booleanOf(condition(run)) ? chosen(run) : otherwise(run))
}

// The variable of a macro has its own place, which the predicate knows.
function compileMacro(name: CelMacro, target: Step, predicate: Step, place: number): Step {
  const units = MACRO_UNITS[name]
  const over = (run: Run, item: unknown): unknown => {
    run.meter.spend(units)
    run.values[place] = item
    return predicate(run)
  }
  switch (name) {
    case 'all':
      return (run) => decideItems(itemsOf(target(run), run.meter), run, over, false)
    case 'exists':
      return (run) => decideItems(itemsOf(target(run), run.meter), run, over, true)
    case 'exists_one':
      return (run) => itemsOf(target(run), run.meter).filter((item) => booleanOf(over(run, item))).length === 1
    case 'map':
      return (run) => itemsOf(target(run), run.meter).map((item) => over(run, item))
    case 'filter':
      return (run) => itemsOf(target(run), run.meter).filter((item) => booleanOf(over(run, item)))
  }
}

// A macro on a map iterates over its keys.
function itemsOf(value: unknown, meter: CostMeter): readonly unknown[] {
  meter.spend(1)
  if (!isJsonObject(value)) return listOf(value)
  const keys = Object.keys(value)
  meter.spend(keys.length * KEY_UNITS)
  return keys
}

// As with && and ||, a deciding item absorbs the errors of others.
function decideItems(
  items: readonly unknown[],
  run: Run,
  over: (run: Run, item: unknown) => unknown,
  deciding: boolean,
): boolean {
  let failure: CelError | undefined
  for (const item of items) {
    try {
      if (booleanOf(over(run, item)) === deciding) return deciding
    } catch (error) {
      const known = caught(error, run)
      failure ??= known
    }
  }
  if (failure) throw failure
  return !deciding
}
