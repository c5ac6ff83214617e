import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { collectBody } from './collect-body.ts'

const sourceOf = (stream: PassThrough, more: { declaredLength?: string; isWhole?: () => boolean } = {}) => ({ stream, declaredLength: more.declaredLength, isWhole: more.isWhole ?? (() => true) })

test('joins the pieces of a body', async () => {
  const stream = new PassThrough()
  const body = collectBody(sourceOf(stream), 10)
  stream.write('one ')
  stream.end('two')
  assert.equal(Buffer.from(await body).toString(), 'one two')
})

test('refuses a body whose stream has ended without being whole', async () => {
  const stream = new PassThrough()
  const body = collectBody(sourceOf(stream, { isWhole: () => false }), 10)
  stream.end('{}')
  await assert.rejects(body, { code: 400 })
})

test('refuses a body that is shorter or longer than declared', async () => {
  for (const declaredLength of ['1', '3', '']) {
    const stream = new PassThrough()
    const body = collectBody(sourceOf(stream, { declaredLength }), 10)
    stream.end('{}')
    await assert.rejects(body, { code: 400 }, `declared as "${declaredLength}"`)
  }
})

test('does not wait for a client that went before anybody read', async () => {
  const stream = new PassThrough()
  stream.destroy()
  await once(stream, 'close')
  await assert.rejects(collectBody(sourceOf(stream), 10), { code: 400 })
})
