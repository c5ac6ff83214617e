import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONFIG_MAP, GADGET, kindUnderTest, OLD_GADGET, storedUnderTest } from './testing/door-under-test.ts'
import { formatResponse } from './format-response.ts'
import type { Format } from './format-response.ts'

const format = (more: Partial<Format> = {}): Format => ({
  kind: CONFIG_MAP,
  representation: { as: 'object', version: 'v1' },
  includeObject: 'Metadata',
  nowMs: 5000,
  ...more,
})
const stored = storedUnderTest(CONFIG_MAP, 'a', 7, { data: { x: '1' } })
const textOf = (body: string | Iterable<string>): string => Array.from(body).join('')

test('gives an object as it is stored, to the letter', () => {
  const odd = { ...stored, json: stored.json.replace('{', '{ ') }
  assert.equal(formatResponse({ kind: 'object', code: 200, stored: odd, warnings: [] }, format()), `${odd.json}\n`)
})

test('joins a list from stored text', () => {
  const other = storedUnderTest(CONFIG_MAP, 'b', 8)
  assert.equal(
    textOf(formatResponse({ kind: 'list', items: [stored, other], revision: 9, warnings: [] }, format())),
    `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[${stored.json},${other.json}]}\n`,
  )
})

test('gives an empty list its items', () => {
  const text = textOf(formatResponse({ kind: 'list', items: [], revision: 9, warnings: [] }, format()))
  assert.equal(text, '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[]}\n')
})

test('gives a long list in pieces that make one document', () => {
  const items = Array.from({ length: 100 }, (_, index) =>
    storedUnderTest(CONFIG_MAP, `n${index}`, index + 1, { data: { x: 'y'.repeat(10_000) } }),
  )
  const body = Array.from(formatResponse({ kind: 'list', items, revision: 200, warnings: [] }, format()))
  assert.ok(body.length > 2)
  const { items: parsed } = JSON.parse(textOf(body)) as { items: { metadata: { name: string } }[] }
  assert.deepEqual(
    parsed.map(({ metadata }) => metadata.name),
    items.map(({ object }) => object.metadata.name),
  )
})

test('gives what is long to read in pieces too, where little of it is shown', () => {
  const items = Array.from({ length: 8 }, (_, index) =>
    storedUnderTest(CONFIG_MAP, `n${index}`, index + 1, { data: { x: 'y'.repeat(300_000) } }),
  )
  const body = Array.from(
    formatResponse(
      { kind: 'list', items, revision: 200, warnings: [] },
      format({ representation: { as: 'table', version: 'v1' } }),
    ),
  )
  assert.equal(body.length, 5)
  assert.equal((JSON.parse(textOf(body)) as { rows: unknown[] }).rows.length, 8)
})

for (const as of ['object', 'partial', 'table'] as const) {
  test(`indents a list as a whole where its items are given as ${as}`, () => {
    const odd = storedUnderTest(CONFIG_MAP, 'b', 8, { data: { x: 'a\nb', y: '[]' } })
    for (const items of [[], [stored], [stored, odd]]) {
      const list = { kind: 'list', items, revision: 9, warnings: [] } as const
      const options = { representation: { as, version: 'v1' } } as const
      const plain = textOf(formatResponse(list, format(options)))
      assert.equal(
        textOf(formatResponse(list, format({ ...options, pretty: true }))),
        `${JSON.stringify(JSON.parse(plain), null, 2)}\n`,
      )
    }
  })
}

test('shows an object in the version that was asked for', () => {
  const gadget = storedUnderTest(GADGET, 'g', 3, { width: 5 })
  const shown = JSON.parse(
    textOf(formatResponse({ kind: 'object', code: 200, stored: gadget, warnings: [] }, format({ kind: OLD_GADGET }))),
  ) as object
  assert.deepEqual(shown, {
    apiVersion: 'example.com/v1beta1',
    kind: 'Gadget',
    metadata: gadget.object.metadata,
    breadth: 5,
  })
  const list = JSON.parse(
    textOf(formatResponse({ kind: 'list', items: [gadget], revision: 4, warnings: [] }, format({ kind: OLD_GADGET }))),
  ) as object
  assert.deepEqual(list, {
    kind: 'GadgetList',
    apiVersion: 'example.com/v1beta1',
    metadata: { resourceVersion: '4' },
    items: [shown],
  })
})

test('gives metadata alone', () => {
  const partial = { representation: { as: 'partial', version: 'v1' } } as const
  const one = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: stored.object.metadata }
  assert.deepEqual(
    JSON.parse(textOf(formatResponse({ kind: 'object', code: 200, stored, warnings: [] }, format(partial)))),
    one,
  )
  assert.deepEqual(
    JSON.parse(textOf(formatResponse({ kind: 'list', items: [stored], revision: 9, warnings: [] }, format(partial)))),
    {
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '9' },
      items: [one],
    },
  )
})

test('gives a table with columns, cells and metadata', () => {
  const table = { representation: { as: 'table', version: 'v1' } } as const
  assert.deepEqual(
    JSON.parse(textOf(formatResponse({ kind: 'list', items: [stored], revision: 9, warnings: [] }, format(table)))),
    {
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '9' },
      columnDefinitions: [
        { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
        { name: 'Data', type: 'integer', format: '', description: '', priority: 0 },
        { name: 'Age', type: 'string', format: '', description: '', priority: 1 },
      ],
      rows: [
        {
          cells: ['a', 1, '5s'],
          object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: stored.object.metadata },
        },
      ],
    },
  )
})

test('puts the whole object, or none, into a row on request', () => {
  const rowOf = (includeObject: 'None' | 'Object') => {
    const text = textOf(
      formatResponse(
        { kind: 'object', code: 200, stored, warnings: [] },
        format({ representation: { as: 'table', version: 'v1beta1' }, includeObject }),
      ),
    )
    return JSON.parse(text) as { apiVersion: string; metadata: object; rows: { object: unknown }[] }
  }
  assert.deepEqual(rowOf('Object').rows[0]?.object, stored.object)
  assert.equal(rowOf('None').rows[0]?.object, null)
  assert.equal(rowOf('None').apiVersion, 'meta.k8s.io/v1beta1')
  assert.deepEqual(rowOf('None').metadata, { resourceVersion: '7' })
})

test('shows name and creation of kinds that have no columns', () => {
  const kind = kindUnderTest({ group: '', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true })
  const text = textOf(
    formatResponse(
      { kind: 'object', code: 200, stored: storedUnderTest(kind, 't', 1), warnings: [] },
      format({ kind, representation: { as: 'table', version: 'v1' } }),
    ),
  )
  const { columnDefinitions, rows } = JSON.parse(text) as {
    columnDefinitions: { name: string }[]
    rows: { cells: unknown[] }[]
  }
  assert.deepEqual(
    columnDefinitions.map(({ name }) => name),
    ['Name', 'Created At'],
  )
  assert.deepEqual(rows[0]?.cells, ['t', null])
})

test('leaves what is not stored as it is, in every form', () => {
  const value = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' }
  assert.equal(
    formatResponse(
      { kind: 'value', code: 200, value, warnings: [] },
      format({ representation: { as: 'table', version: 'v1' } }),
    ),
    `${JSON.stringify(value)}\n`,
  )
})
