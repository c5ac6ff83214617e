import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseJsonPath } from './json-path.ts'

const object = {
  spec: { size: 3, zero: 0, off: false, none: null, list: ['a', 'b'], 'dotted.name/x': 'y' },
  status: { conditions: [{ type: 'Ready', status: 'True' }, { type: 'Other', status: 'False' }, null] },
}
const cases: [path: string, value: unknown][] = [
  ['.spec.size', 3],
  ['spec.size', 3],
  ['$.spec.size', 3],
  ['.spec.zero', 0],
  ['.spec.off', false],
  ['.spec.none', null],
  ['.spec.list[1]', 'b'],
  ['.spec.list[9]', undefined],
  ['.spec.list[*]', 'a'],
  ["['spec']['size']", 3],
  ['.spec.dotted\\.name/x', 'y'],
  ["['spec']['dotted.name/x']", 'y'],
  ['.status.conditions[?(@.type=="Other")].status', 'False'],
  ["[?(@.type=='x')]", undefined],
  ['.status.conditions[?(@.type=="None")].status', undefined],
  ['.spec.size.deeper', undefined],
  ['.constructor', undefined],
  ['.missing.deeper', undefined],
]

describe('JSON path', () => {
  for (const [path, value] of cases)
    test(`${path} leads to ${JSON.stringify(value)}`, () => deepEqual(parseJsonPath(path)?.(object), value))

  test('is not understood when it is anything else', () => {
    for (const path of ['.spec..size', '.spec[-1]', '.spec[0:2]', '..size', '.spec[', '.spec[?(@.a>1)]'])
      equal(parseJsonPath(path), undefined, path)
  })

  test('finds nothing in what is no object', () => {
    for (const value of [null, undefined, 'text', 3]) equal(parseJsonPath('.spec')?.(value), undefined)
  })
})
