import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../api/api-error.ts'
import type { StoredObject } from '../core/stored-object.ts'
import { CONFIG_MAP, GADGET, OLD_GADGET, storedUnderTest } from './testing/door-under-test.ts'
import { createEventTexts } from './event-text.ts'
import type { FormatEvent } from './event-text.ts'

const formatter = (as: 'object' | 'partial' | 'table', kind = CONFIG_MAP, texts = createEventTexts()): FormatEvent =>
  texts.formatterFor({
    kind,
    representation: { encoding: 'json', as, version: 'v1' },
    includeObject: 'Metadata',
    nowMs: () => 1000,
  })
const stored = storedUnderTest(CONFIG_MAP, 'a', 7)
const parse = (text: string): { type: string; object: Record<string, unknown> } =>
  JSON.parse(text) as { type: string; object: Record<string, unknown> }

test('writes an event as one line around the stored text', () => {
  assert.equal(formatter('object')({ type: 'ADDED', stored }), `{"type":"ADDED","object":${stored.json}}\n`)
})

test('makes the text of an event once for all watches of a kind', () => {
  let reads = 0
  const counted: StoredObject = {
    ...stored,
    get json() {
      reads++
      return stored.json
    },
  }
  const texts = createEventTexts()
  const lines = [formatter('object', CONFIG_MAP, texts), formatter('object', CONFIG_MAP, texts)].map((format) =>
    format({ type: 'MODIFIED', stored: counted }),
  )
  assert.equal(lines[0], lines[1])
  assert.equal(reads, 1)
  assert.match(formatter('object', CONFIG_MAP, texts)({ type: 'DELETED', stored: counted }), /^\{"type":"DELETED"/)
})

test('forgets old texts: not every object is kept twice', () => {
  let reads = 0
  const counted: StoredObject = {
    ...stored,
    get json() {
      reads++
      return stored.json
    },
  }
  const format = formatter('object')
  format({ type: 'ADDED', stored: counted })
  for (let revision = 1; revision <= 5; revision++)
    format({ type: 'ADDED', stored: storedUnderTest(CONFIG_MAP, 'big', revision, { data: 'x'.repeat(700_000) }) })
  format({ type: 'ADDED', stored: counted })
  assert.equal(reads, 2)
})

test('shows each version of a kind its own form', () => {
  const gadget = storedUnderTest(GADGET, 'g', 3, { width: 5 })
  const texts = createEventTexts()
  assert.equal(parse(formatter('object', GADGET, texts)({ type: 'ADDED', stored: gadget })).object['width'], 5)
  const { object } = parse(formatter('object', OLD_GADGET, texts)({ type: 'ADDED', stored: gadget }))
  assert.deepEqual([object['apiVersion'], object['breadth']], ['example.com/v1beta1', 5])
})

test('marks the end of the initial events', () => {
  const format = formatter('object')
  assert.equal(
    format({ type: 'BOOKMARK', revision: 12, initialEventsEnd: false }),
    '{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"12"}}}\n',
  )
  assert.deepEqual(parse(format({ type: 'BOOKMARK', revision: 12, initialEventsEnd: true })).object['metadata'], {
    resourceVersion: '12',
    annotations: { 'k8s.io/initial-events-end': 'true' },
  })
})

test('writes an error as a Status, whatever was asked for', () => {
  for (const as of ['object', 'partial', 'table'] as const) {
    const { type, object } = parse(
      formatter(as)({ type: 'ERROR', error: new ApiError('Expired', 'too old resource version: 1 (9)') }),
    )
    assert.equal(type, 'ERROR')
    assert.deepEqual([object['kind'], object['code'], object['reason']], ['Status', 410, 'Expired'])
  }
})

test('gives metadata alone', () => {
  const format = formatter('partial')
  assert.deepEqual(parse(format({ type: 'ADDED', stored })).object, {
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: stored.object.metadata,
  })
  assert.equal(
    parse(format({ type: 'BOOKMARK', revision: 1, initialEventsEnd: false })).object['kind'],
    'PartialObjectMetadata',
  )
})

test('tells the columns of a table once for each watch', () => {
  const texts = createEventTexts()
  for (const format of [formatter('table', CONFIG_MAP, texts), formatter('table', CONFIG_MAP, texts)]) {
    const first = parse(format({ type: 'ADDED', stored })).object
    assert.equal((first['columnDefinitions'] as unknown[]).length, 3)
    assert.equal((first['rows'] as unknown[]).length, 1)
    assert.equal(parse(format({ type: 'MODIFIED', stored })).object['columnDefinitions'], null)
  }
})

test('carries a bookmark in a table in the metadata of its row', () => {
  const { type, object } = parse(formatter('table')({ type: 'BOOKMARK', revision: 5, initialEventsEnd: true }))
  assert.equal(type, 'BOOKMARK')
  const [row] = object['rows'] as { object: { metadata: { annotations: object } } }[]
  assert.deepEqual(row?.object.metadata.annotations, { 'k8s.io/initial-events-end': 'true' })
})
