import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { withoutUndefined } from './without-undefined.ts'

test('only undefined members are left out, and only of the object itself', () => {
  deepEqual(withoutUndefined({ a: undefined, b: null, c: '', d: 0, e: { f: undefined } }), {
    b: null,
    c: '',
    d: 0,
    e: { f: undefined },
  })
})
