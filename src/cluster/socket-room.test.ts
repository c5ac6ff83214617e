import { equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { nodesOf } from './cluster-options.ts'
import { findTooLongSocket } from './socket-room.ts'

const DRIVER = 'hostpath.holdfast.dev'
const find = (bytes: number, nodes: number, ...drivers: string[]): string | undefined => {
  const dataDirectory = `/${'x'.repeat(bytes - 1)}`
  return findTooLongSocket(dataDirectory, nodesOf({ dataDirectory, nodes, zones: [] }), drivers)
}

test('a data directory has room for the sockets below it up to the byte that the kernel allows', () => {
  equal(find(52, 1, DRIVER), undefined)
  match(find(53, 1, DRIVER) ?? '', /is too long a path: .* It has 53 and may have 52$/)
  match(find(52, 10, DRIVER) ?? '', /may have 51$/)
  equal(find(80, 1), undefined)
  match(find(52, 1, DRIVER, `${DRIVER}.and.more`) ?? '', /may have 43$/)
})
