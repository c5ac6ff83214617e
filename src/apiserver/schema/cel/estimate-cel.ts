import type { Schema } from '../schema.ts'
import { MACRO_UNITS } from './compile-cel.ts'
import type { Expression } from './expression.ts'
import type { SchemaSizes } from './schema-sizes.ts'

/** The maximum cost of an expression, and what is known about its value. */
type Estimate = { readonly units: number; readonly size: number; readonly schema?: Schema | undefined }
type Names = ReadonlyMap<string, { readonly size: number; readonly schema?: Schema | undefined }>
type Known = { readonly names: Names; readonly sizes: SchemaSizes }

const textUnits = (size: number): number => Math.ceil(size * 0.1)

/**
 * The worst-case cost of a rule: with the largest value that its schema and a request allow. It follows the estimate of Kubernetes (cel-go,
 * checker/cost.go), and is lower where that knows more about the size of a value: a definition that is rejected here is also rejected there.
 */
export function estimateCel(expression: Expression, schema: Schema, sizes: SchemaSizes): number {
  const self = { size: sizes.mostElementsOf(schema), schema }
  const names: Names = new Map([
    ['self', self],
    ['oldSelf', self],
  ])
  return estimate(expression, { names, sizes }).units
}

function estimate(expression: Expression, known: Known): Estimate {
  const { names, sizes } = known
  const inner = (part: Expression): Estimate => estimate(part, known)
  const ofSchema = (units: number, schema: Schema | undefined): Estimate => ({
    units,
    size: schema ? sizes.mostElementsOf(schema) : 1,
    schema,
  })
  switch (expression.kind) {
    case 'literal':
      return { units: 0, size: typeof expression.value === 'string' ? expression.value.length : 1 }
    case 'name':
      return { units: 1, size: 1, ...names.get(expression.name) }
    case 'member': {
      const { units, schema } = inner(expression.target)
      return ofSchema(units + 1, memberSchema(schema, expression.name))
    }
    case 'has':
      return { units: inner(expression.target).units, size: 1 } // free in Kubernetes
    case 'index': {
      const { units, schema } = inner(expression.target)
      return ofSchema(
        units + 1 + inner(expression.index).units,
        itemSchema(schema) ?? (schema?.type === 'map' ? schema.values : undefined),
      )
    }
    case 'list':
      return { units: 10 + sum(expression.items.map(inner)), size: expression.items.length }
    case 'map':
      return { units: 30 + sum(expression.entries.flat().map(inner)), size: expression.entries.length }
    case 'struct':
      return { units: 40 + sum(expression.fields.map(([, value]) => inner(value))), size: 1 }
    case 'call':
      return estimateCall(expression.name, expression.values.map(inner))
    case 'macro':
      return estimateMacro(expression, inner(expression.target), known)
    case 'not':
    case 'negative':
      return { units: 1 + inner(expression.operand).units, size: 1 }
    case 'all':
    case 'any':
      return { units: sum(expression.operands.map(inner)), size: 1 }
    case 'binary':
      return estimateBinary(expression.operator, inner(expression.left), inner(expression.right))
    case 'conditional': {
      const [chosen, otherwise] = [inner(expression.chosen), inner(expression.otherwise)]
      const larger = chosen.size > otherwise.size ? chosen : otherwise
      return { ...larger, units: inner(expression.condition).units + Math.max(chosen.units, otherwise.units) }
    }
  }
}

const sum = (parts: readonly Estimate[]): number => parts.reduce((units, part) => units + part.units, 0)

const itemSchema = (schema: Schema | undefined): Schema | undefined =>
  schema?.type === 'list' ? schema.items : undefined

function memberSchema(schema: Schema | undefined, name: string): Schema | undefined {
  if (schema?.type === 'map') return schema.values
  return schema?.type === 'object' ? schema.properties.get(name)?.schema : undefined
}

function estimateMacro(
  { name, variable, predicate }: Extract<Expression, { kind: 'macro' }>,
  target: Estimate,
  { names, sizes }: Known,
): Estimate {
  const item = itemSchema(target.schema)
  const bound: Names = new Map([
    ...names,
    [variable, item ? { size: sizes.mostElementsOf(item), schema: item } : { size: 1 }],
  ])
  const body = estimate(predicate, { names: bound, sizes })
  const units = target.units + 1 + target.size * (MACRO_UNITS[name] + body.units)
  return { units, size: name === 'map' || name === 'filter' ? target.size : 1 }
}

function estimateCall(name: string, values: readonly Estimate[]): Estimate {
  const [target = { units: 0, size: 1 }, argument = { units: 0, size: 1 }] = values
  const units = sum(values)
  switch (name) {
    case 'startsWith':
    case 'endsWith':
      return { units: units + textUnits(target.size), size: 1 }
    case 'contains':
      return { units: units + textUnits(target.size) * textUnits(argument.size), size: 1 }
    case 'matches':
      return { units: units + textUnits(target.size + 1) * Math.ceil(argument.size * 0.25), size: 1 }
    default:
      return { units: units + 1, size: 1 }
  }
}

function estimateBinary(operator: string, left: Estimate, right: Estimate): Estimate {
  const units = left.units + right.units
  switch (operator) {
    case '-':
      return { units: units + 1, size: 1 }
    case '+':
      return {
        units: units + Math.max(1, left.schema?.type === 'string' ? textUnits(left.size + right.size) : 1),
        size: left.size + right.size,
      }
    case 'in':
      return { units: units + (right.schema?.type === 'map' ? 1 : right.size), size: 1 }
    default:
      return { units: units + Math.max(1, textUnits(Math.min(left.size, right.size))), size: 1 }
  }
}
