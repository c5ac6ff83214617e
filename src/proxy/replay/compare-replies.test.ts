import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compareReplies } from './compare-replies.ts'
import type { Difference } from './compare-replies.ts'
import { translateRequest } from './translate-request.ts'
import { createValueMap } from './value-map.ts'

const ok = (response: object): { code: 'OK'; response: Record<string, unknown> } => ({
  code: 'OK',
  response: { ...response },
})

const cases: [string, object, object, Difference[]][] = [
  ['the same', { a: 1 }, { a: 1 }, []],
  ['a value', { a: { b: '1' } }, { a: { b: '2' } }, [{ field: 'a.b', recorded: '1', actual: '2' }]],
  ['an absent field', { a: 1 }, {}, [{ field: 'a', recorded: 1, actual: undefined }]],
  ['a new field', {}, { a: 1 }, [{ field: 'a', recorded: undefined, actual: 1 }]],
  ['an ID that the driver chooses', { volume_id: 'one' }, { volume_id: 'two' }, []],
  ['a time', { creation_time: '1' }, { creation_time: '2' }, []],
  [
    'an ID that was another one before',
    { volume_id: 'one', snapshots: [{ source_volume_id: 'one' }] },
    { volume_id: 'two', snapshots: [{ source_volume_id: 'three' }] },
    [{ field: 'snapshots.0.source_volume_id', recorded: 'one', actual: 'three' }],
  ],
  [
    'an ID inside of another text',
    { volume_id: 'vol-1', volume_context: { path: '/data/vol-1' } },
    { volume_id: 'vol-2', volume_context: { path: '/data/vol-2' } },
    [],
  ],
  ['the length of a list', { e: [1] }, { e: [1, 2] }, [{ field: 'e (number of items)', recorded: 1, actual: 2 }]],
]

describe('compareReplies finds', () => {
  for (const [what, recorded, actual, differences] of cases)
    test(what, () => assert.deepEqual(compareReplies(ok(recorded), ok(actual), createValueMap()), differences))

  test('a code, with what the driver says', () =>
    assert.deepEqual(compareReplies(ok({}), { code: 'INTERNAL', message: 'broken' }, createValueMap()), [
      { field: 'code', recorded: 'OK', actual: 'INTERNAL' },
      { field: 'message', recorded: undefined, actual: 'broken' },
    ]))
})

test('requests carry the IDs, contexts and secrets of the replay, and paths below its root', () => {
  const values = createValueMap()
  compareReplies(
    ok({ volume: { volume_id: 'v1', volume_context: { lun: '1' } } }),
    ok({ volume: { volume_id: 'w9', volume_context: { lun: '2' } } }),
    values,
  )
  const request = {
    volume_id: 'v1',
    volume_context: { lun: '1', other: 'x' },
    target_path: '/var/lib/t',
    secrets: { a: '***stripped***', b: 'kept' },
    volume_capability: { mount: {} },
  }
  assert.deepEqual(translateRequest(request, { values, root: '/tmp/r', secrets: { a: 'given' } }), {
    volume_id: 'w9',
    volume_context: { lun: '2', other: 'x' },
    target_path: '/tmp/r/var/lib/t',
    secrets: { a: 'given', b: 'kept' },
    volume_capability: { mount: {} },
  })
})
