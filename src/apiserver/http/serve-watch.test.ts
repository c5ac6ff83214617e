import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ApiError } from '../../api/api-error.ts'
import { CONFIG_MAP, createStreamUnderTest, storedUnderTest } from './testing/door-under-test.ts'
import type { StreamUnderTest } from './testing/door-under-test.ts'
import type { Exchange } from './exchange.ts'
import { serveWatch } from './serve-watch.ts'

/** A client that accepts this many writes before it is full. */
function createClient(stream: StreamUnderTest, room = Infinity) {
  const writes: string[] = []
  const state = { begun: false, ended: false }
  let onDrain = (): void => {}
  let onClose = (): void => {}
  const exchange = {
    method: 'GET',
    onClose: (callback: () => void) => void (onClose = callback),
    onStop: () => {},
    begin: () => {
      state.begun = true
      return {
        write: (text: string) => {
          writes.push(text)
          return writes.length < room
        },
        drained: () => new Promise<void>((resolve) => void (onDrain = resolve)),
        end: () => void (state.ended = true),
      }
    },
  } as unknown as Exchange
  const served = serveWatch(exchange, {
    stream,
    headers: {},
    format: (event) => `${event.type} ${'stored' in event ? event.stored.revision : ''}\n`,
  })
  return { writes, state, served, drain: () => onDrain(), close: () => onClose() }
}

const added = (revision: number) => ({ type: 'ADDED', stored: storedUnderTest(CONFIG_MAP, 'a', revision) }) as const

test('sends its head before there is any event', () => {
  const client = createClient(createStreamUnderTest())
  assert.deepEqual([client.state.begun, client.writes], [true, []])
})

test('joins what waits into one write', async () => {
  const stream = createStreamUnderTest()
  stream.push(added(1), added(2), added(3))
  const client = createClient(stream)
  await setImmediate()
  assert.deepEqual(client.writes, ['ADDED 1\nADDED 2\nADDED 3\n'])
})

test('takes nothing from the stream while the client is full', async () => {
  const stream = createStreamUnderTest()
  const client = createClient(stream, 1)
  stream.push(added(1))
  await setImmediate()
  stream.push(added(2), added(3))
  await setImmediate()
  assert.deepEqual([client.writes, stream.waiting], [['ADDED 1\n'], 2])
  client.drain()
  await setImmediate()
  assert.deepEqual([client.writes, stream.waiting], [['ADDED 1\n', 'ADDED 2\nADDED 3\n'], 0])
})

test('cuts a long queue into several writes', async () => {
  const stream = createStreamUnderTest()
  stream.push(...Array.from({ length: 60_000 }, (_, index) => added(index)))
  const client = createClient(stream)
  await setImmediate()
  assert.ok(client.writes.length > 1 && client.writes.length < 10)
  assert.equal(client.writes.join('').split('\n').length, 60_001)
})

test('ends its answer after an error event', async () => {
  const stream = createStreamUnderTest()
  stream.push({ type: 'ERROR', error: new ApiError('Expired', 'old') })
  stream.end()
  const client = createClient(stream)
  await client.served
  assert.deepEqual([client.writes, client.state.ended], [['ERROR \n'], true])
})

test('closes the stream when the client goes', async () => {
  const stream = createStreamUnderTest()
  const client = createClient(stream)
  await setImmediate()
  client.close()
  await client.served
  assert.equal(stream.isClosed, true)
})

test('closes the stream when an event can not be written', async () => {
  const stream = createStreamUnderTest()
  stream.push(added(1))
  const exchange = {
    method: 'GET',
    onClose() {},
    onStop() {},
    begin: () => ({ write: () => true, drained: async () => {}, end() {} }),
  } as unknown as Exchange
  const broken = (): never => {
    throw new Error('a cell could not be made')
  }
  await assert.rejects(serveWatch(exchange, { stream, headers: {}, format: broken }), /a cell/)
  assert.equal(stream.isClosed, true)
})
