import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createRecentMap } from './recent-map.ts'

it('forgets the entry that was longest not touched, once there are too many', () => {
  const map = createRecentMap<number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.get('a')
  map.set('c', 3)
  assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [1, undefined, 3])
})

it('has room again for what was deleted', () => {
  const map = createRecentMap<number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.delete('b')
  map.set('c', 3)
  assert.equal(map.get('a'), 1)
})
