import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { sendAnswer } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { createIdleTimeouts } from './idle-timeouts.ts'

/** A client that takes one piece for each read. */
function openClient() {
  const clock = createSimulatedClock()
  const written: Uint8Array[] = []
  const state = { isCut: false, isEnded: false }
  let onRead = (): void => {}
  const exchange = {
    method: 'GET',
    send: (_status: number, _headers: object, body: string) => void written.push(Buffer.from(body)),
    begin: () => ({
      write: (piece: string | Uint8Array) => {
        written.push(Buffer.from(piece))
        return false
      },
      drained: () => new Promise<void>((resolve) => void (onRead = resolve)),
      end: () => void (state.isEnded = true),
    }),
  } as unknown as Exchange
  const unread = createIdleTimeouts<Exchange>(clock, 60_000, () => void (state.isCut = true))
  return {
    clock,
    written,
    state,
    send: (body: string | Uint8Array | Iterable<string>) =>
      sendAnswer(
        exchange,
        { status: 200, ...(typeof body === 'string' || body instanceof Uint8Array ? { body } : { pieces: body }) },
        { auditId: '', unread },
      ),
    read: async () => {
      onRead()
      await turns()
    },
  }
}

/** Enough turns for other requests between any two pieces. */
async function turns(): Promise<void> {
  for (let count = 0; count < 5; count++) await setImmediate()
}

const LARGE = 'ä€'.repeat(300_000)

for (const [what, body] of [
  ['a large text', LARGE],
  ['many bytes', Buffer.from(LARGE)],
  ['texts', [LARGE.slice(0, 200_000), LARGE.slice(200_000, 400_000), LARGE.slice(400_000)]],
] as const) {
  test(`sends ${what} in pieces, as fast as the client reads`, async () => {
    const { clock, written, state, send, read } = openClient()
    const sent = send(body)
    await turns()
    for (let count = 1; !state.isEnded; count++) {
      assert.equal(written.length, count)
      await clock.advance(59_000)
      await read()
    }
    await sent
    assert.ok(written.length > 2)
    assert.equal(Buffer.concat(written).toString(), LARGE)
    assert.equal(state.isCut, false, 'slow is not idle')
  })
}

test('cuts off who reads nothing for too long', async () => {
  const { clock, state, send, read } = openClient()
  void send(LARGE)
  await clock.advance(59_000)
  await read()
  assert.equal(state.isCut, false)
  await clock.advance(60_000)
  assert.equal(state.isCut, true)
})

test('sends a small text as one', async () => {
  const { written, send } = openClient()
  await send('small')
  assert.deepEqual(written.map(String), ['small'])
})

test('creates each piece only when the client has read those before it', async () => {
  const { written, state, send, read } = openClient()
  let created = 0
  const sent = send(
    (function* () {
      for (; created < 50; created++) yield 'x'.repeat(1000)
    })(),
  )
  await turns()
  while (!state.isEnded) {
    // One is being read, and one is ready.
    assert.ok(created <= written.length + 1, `${created} pieces exist, ${written.length} are written`)
    await read()
  }
  await sent
  assert.deepEqual([created, Buffer.concat(written).length], [50, 50_000])
})
