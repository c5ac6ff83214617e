import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MountTable } from './mount-table.ts'

const tableOf = (...lines: string[]): MountTable =>
  new MountTable(Buffer.from(lines.map((line) => `${line}\n`).join('')))
const ROOT = '1 0 8:1 / / rw - ext4 /dev/sda1 rw'
const line = (root: string, target: string): string =>
  `7 1 8:1 ${root} ${target} rw,relatime shared:1 - ext4 /dev/sda1 rw`
const roots = (table: MountTable, target: string): string[] => table.find({ target }).map(({ root }) => root)

describe('MountTable', () => {
  it('finds what is mounted at a target, in mount order, on the first and the last line too', () => {
    const table = tableOf(
      line('/a', '/pods/1'),
      ROOT,
      line('/b', '/pods/1'),
      line('/c', '/pods/2'),
      line('/d', '/pods/1'),
    )
    assert.deepEqual(roots(table, '/pods/1'), ['/a', '/b', '/d'])
    assert.deepEqual(roots(table, '/'), ['/'])
    assert.deepEqual(roots(table, '/pods/3'), [])
  })

  it('takes neither a part of a path nor another field for the target', () => {
    const table = tableOf(
      ROOT,
      line('/pods/1', '/pods/10'),
      line('/a', '/x/pods/1'),
      '9 1 0:5 / /t rw - tmpfs /pods/1 rw',
    )
    assert.deepEqual(roots(table, '/pods/1'), [])
    assert.deepEqual(
      table.find({ root: '/pods/1' }).map(({ target }) => target),
      ['/pods/10'],
    )
  })

  it('finds what was removed by the root that the kernel then gives it', () => {
    assert.equal(tableOf(ROOT, line('/a//deleted', '/pods/1')).find({ root: '/a//deleted' }).length, 1)
  })

  it('finds names that the kernel writes in another way', () => {
    const table = tableOf(
      ROOT,
      line(String.raw`/a\134b`, String.raw`/x\040y`),
      line('/c', '/größe'),
      line('/d', String.raw`/n\043o`),
    )
    assert.deepEqual(roots(table, '/x y'), [String.raw`/a\b`])
    assert.deepEqual(roots(table, '/größe'), ['/c'])
    assert.deepEqual(roots(table, '/n#o'), ['/d'])
    assert.equal(table.find({ root: String.raw`/a\b` }).length, 1)
  })

  it('gives each who asks a list of all of their own', () => {
    const table = tableOf(ROOT, line('/a', '/pods/1'))
    table.all().reverse()
    assert.deepEqual(
      table.all().map(({ target }) => target),
      ['/', '/pods/1'],
    )
  })

  it('finds the same as a look through all, whatever is asked', () => {
    const table = tableOf(
      ROOT,
      ...Array.from({ length: 300 }, (_, index) => line(`/v/${index % 7}`, `/pods/${index % 90}/mount`)),
    )
    for (const { target, root } of table.all()) {
      assert.deepEqual(
        table.find({ target }),
        table.all().filter((entry) => entry.target === target),
      )
      assert.deepEqual(
        table.find({ root }),
        table.all().filter((entry) => entry.root === root),
      )
    }
  })
})
