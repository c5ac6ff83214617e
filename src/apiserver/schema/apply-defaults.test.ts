import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { applyDefaults } from './apply-defaults.ts'
import { schemaFromCrd } from './schema-from-crd.ts'

const { schema, problems } = schemaFromCrd({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      default: {},
      properties: {
        mode: { type: 'string', default: 'a' },
        maybe: { type: 'string', nullable: true, default: 'b' },
        nested: { type: 'object', properties: { size: { type: 'integer', default: 1 } } },
        list: {
          type: 'array',
          items: {
            type: 'object',
            default: { name: 'x' },
            properties: { name: { type: 'string' }, on: { type: 'boolean', default: true } },
          },
        },
        map: {
          type: 'object',
          additionalProperties: { type: 'object', properties: { n: { type: 'integer', default: 0 } } },
        },
        tags: { type: 'array', default: ['t'], items: { type: 'string' } },
      },
    },
  },
})
const filled = (value: unknown): unknown => {
  applyDefaults(schema, value)
  return value
}

test('the schema is structural', () => deepEqual(problems, []))

test('fills in what is missing, also inside what was filled in', () => {
  deepEqual(filled({}), { spec: { mode: 'a', maybe: 'b', tags: ['t'] } })
})

test('takes null for missing only where null is no value', () => {
  deepEqual(filled({ spec: { mode: null, maybe: null, tags: [] } }), { spec: { mode: 'a', maybe: null, tags: [] } })
})

test('goes into objects, lists and maps that are there', () => {
  deepEqual(
    filled({ spec: { mode: 'z', maybe: 'y', tags: [], nested: {}, list: [{ name: 'q' }, null], map: { k: {} } } }),
    {
      spec: {
        mode: 'z',
        maybe: 'y',
        tags: [],
        nested: { size: 1 },
        list: [
          { name: 'q', on: true },
          { name: 'x', on: true },
        ],
        map: { k: { n: 0 } },
      },
    },
  )
})

test('never hands out the default itself', () => {
  const one = filled({}) as { spec: { tags: string[] } }
  one.spec.tags.push('more')
  deepEqual(filled({}), { spec: { mode: 'a', maybe: 'b', tags: ['t'] } })
})

test('leaves values of the wrong type alone', () => deepEqual(filled({ spec: 'text' }), { spec: 'text' }))
