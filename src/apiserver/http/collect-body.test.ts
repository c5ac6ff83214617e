import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { collectBody } from './collect-body.ts'
import type { BodyLimits } from './collect-body.ts'
import { createIdleTimeouts } from './idle-timeouts.ts'

const clock = createSimulatedClock()
const stalled = createIdleTimeouts<() => void>(clock, 1000, (onStalled) => onStalled())
const LIMITS: BodyLimits = { limitBytes: 10, hold: () => true, stalled, stalledBodyMs: 1000 }

const sourceOf = (stream: PassThrough, more: { declaredLength?: string; isWhole?: () => boolean } = {}) => ({
  stream,
  declaredLength: more.declaredLength,
  isWhole: more.isWhole ?? (() => true),
})

test('joins the pieces of a body', async () => {
  const stream = new PassThrough()
  const body = collectBody(sourceOf(stream), LIMITS)
  stream.write('one ')
  stream.end('two')
  assert.equal(Buffer.from(await body).toString(), 'one two')
})

test('refuses a body whose stream has ended without being whole', async () => {
  const stream = new PassThrough()
  const body = collectBody(sourceOf(stream, { isWhole: () => false }), LIMITS)
  stream.end('{}')
  await assert.rejects(body, { code: 400 })
})

test('refuses a body that is shorter or longer than declared', async () => {
  for (const declaredLength of ['1', '3', '']) {
    const stream = new PassThrough()
    const body = collectBody(sourceOf(stream, { declaredLength }), LIMITS)
    stream.end('{}')
    await assert.rejects(body, { code: 400 }, `declared as "${declaredLength}"`)
  }
})

test('does not wait for a client that went before anybody read', async () => {
  const stream = new PassThrough()
  stream.destroy()
  await once(stream, 'close')
  await assert.rejects(collectBody(sourceOf(stream), LIMITS), { code: 400 })
})

test('gives up on a body that does not grow, and not on one that does', async () => {
  const stream = new PassThrough()
  const body = collectBody(sourceOf(stream), LIMITS)
  const refused = assert.rejects(body, {
    code: 408,
    message: 'the client sent nothing of the body of the request for 1 s',
  })
  for (let count = 0; count < 3; count++) {
    await clock.advance(900)
    stream.write('.')
  }
  await clock.advance(1000)
  await refused
})

test('gives up on a body of which nothing comes at all', async () => {
  const refused = assert.rejects(collectBody(sourceOf(new PassThrough()), LIMITS), { code: 408 })
  await clock.advance(1000)
  await refused
})

test('refuses a body for which there is no room, and keeps nothing of it', async () => {
  const stream = new PassThrough()
  let held = 0
  const body = collectBody(sourceOf(stream), { ...LIMITS, hold: (bytes) => (held += bytes) <= 4 })
  stream.write('1234')
  stream.write('5')
  await assert.rejects(body, { code: 429, details: { retryAfterSeconds: 1 } })
  stream.end('6')
  await once(stream, 'end')
})
