import type { Schema } from '../schema.ts'
import { partsOf } from './expression.ts'
import type { Expression } from './expression.ts'

// Rules can access only these fields of an object's metadata: the others change without action of the author.
const METADATA: Schema = {
  type: 'object',
  properties: new Map(
    ['name', 'generateName'].map((name, index) => [
      name,
      { name, schema: { type: 'string' }, index, number: 0, pointer: false, whenEmpty: 'omit', required: false },
    ]),
  ),
  always: [],
  numbered: new Map(),
}
const STRING: Schema = { type: 'string' }

/** The names in an expression that its schema does not have, with the messages of CEL's compiler. `self` and `oldSelf` have the given schema. */
export function checkCel(expression: Expression, schema: Schema): string[] {
  const problems: string[] = []
  const undefinedField = (name: string): undefined => void problems.push(`undefined field '${name}'`)

  // The schema of a part's value, if known. Only fields are known, because only they can be misspelled.
  const check = (item: Expression, names: ReadonlyMap<string, Schema | undefined>): Schema | undefined => {
    switch (item.kind) {
      case 'literal':
        return undefined
      case 'name':
        if (!names.has(item.name)) problems.push(`undeclared reference to '${item.name}'`)
        return names.get(item.name)
      case 'member':
      case 'has':
        return findMember(check(item.target, names), item.name, undefinedField)
      case 'index': {
        const target = check(item.target, names)
        check(item.index, names)
        return target?.type === 'list' ? target.items : target?.type === 'map' ? target.values : undefined
      }
      case 'macro': {
        const target = check(item.target, names)
        check(item.predicate, new Map([...names, [item.variable, target?.type === 'list' ? target.items : undefined]]))
        return undefined
      }
      case 'struct':
        problems.push(`undeclared reference to '${item.type}'`)
        return undefined
      case 'list':
      case 'map':
      case 'call':
      case 'not':
      case 'negative':
      case 'all':
      case 'any':
      case 'binary':
        for (const part of partsOf(item)) check(part, names)
        return undefined
      case 'conditional':
        check(item.condition, names)
        check(item.otherwise, names)
        return check(item.chosen, names)
    }
  }
  check(
    expression,
    new Map([
      ['self', schema],
      ['oldSelf', schema],
    ]),
  )
  return problems
}

function findMember(
  target: Schema | undefined,
  name: string,
  undefinedField: (name: string) => undefined,
): Schema | undefined {
  if (target === undefined || target.type === 'any') return undefined
  if (target.type === 'map') return target.values
  if (target.type !== 'object') return undefinedField(name)
  if (target.embedded && name === 'metadata') return METADATA
  if (target.embedded && (name === 'apiVersion' || name === 'kind')) return STRING
  return target.properties.get(name)?.schema ?? undefinedField(name)
}
