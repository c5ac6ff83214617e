import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { Groups } from './groups.ts'

test('members are in their groups, each once and in order', () => {
  const groups = new Groups<number>()
  for (const member of [2, 1, 2]) groups.add('a', member)
  groups.add('b', 3)
  deepEqual([...groups.get('a')], [2, 1])
  deepEqual([...groups.names()], ['a', 'b'])
})

test('a group without members is gone', () => {
  const groups = new Groups<number>()
  groups.add('a', 1)
  groups.delete('a', 2)
  groups.delete('b', 1)
  equal(groups.has('a'), true)
  groups.delete('a', 1)
  equal(groups.has('a'), false)
  deepEqual([...groups.names(), ...groups.get('a')], [])
})
