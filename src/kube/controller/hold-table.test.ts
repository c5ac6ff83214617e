import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createHoldTable } from './hold-table.ts'

function open() {
  const table = createHoldTable()
  const heard: string[] = []
  table.onRelease((resource) => heard.push(`free ${resource}`))
  const take = (resource: string, holder: string): boolean =>
    table.take(resource, holder, () => heard.push(`wake ${holder}`))
  return { table, heard, take }
}

describe('what passes hold', () => {
  test('one has at a time, as often as it likes', () => {
    const { table, take } = open()
    deepEqual([take('pv-1', 'a'), take('pv-1', 'a'), take('pv-1', 'b'), take('pv-2', 'b')], [true, true, false, true])
    deepEqual(
      [table.isHeldByOther('pv-1', 'a'), table.isHeldByOther('pv-1', 'b'), table.isHeldByOther('pv-3', 'b')],
      [false, true, false],
    )
  })

  test('is free when its holder lets go, and who waited is woken once', () => {
    const { table, heard, take } = open()
    take('pv-1', 'a')
    take('pv-1', 'b')
    table.releaseAll('a')
    table.releaseAll('a')
    deepEqual(heard, ['wake b', 'free pv-1'])
    equal(take('pv-1', 'b'), true)
  })

  test('of one is not let go by another', () => {
    const { table, heard, take } = open()
    take('pv-1', 'a')
    table.releaseAll('b')
    deepEqual([heard, table.isHeldByOther('pv-1', 'b')], [[], true])
  })
})
