import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSharedCall } from './shared-call.ts'

/** Calls that end when the test decides. */
function observe() {
  const begun: { key: string; end(value: string): void; fail(error: Error): void }[] = []
  const call = createSharedCall((key) => new Promise<string>((end, fail) => void begun.push({ key, end, fail })))
  const settled = (): Promise<void> => new Promise((done) => setImmediate(done))
  return { begun, call, settled }
}

test('who asks before a call begins shares it', async () => {
  const { begun, call, settled } = observe()
  const answers = [call('a'), call('a'), call('a')]
  await settled()
  assert.equal(begun.length, 1)
  begun[0]?.end('first')
  assert.deepEqual(await Promise.all(answers), ['first', 'first', 'first'])
})

test('who asks after a call has begun gets one that begins later, and shares that', async () => {
  const { begun, call, settled } = observe()
  const early = call('a')
  await settled()
  const late = [call('a'), call('a')]
  await settled()
  assert.equal(begun.length, 1, 'two at a time are no use')
  begun[0]?.end('before')
  await settled()
  assert.equal(begun.length, 2)
  begun[1]?.end('after')
  assert.deepEqual(await Promise.all([early, ...late]), ['before', 'after', 'after'])
})

test('a failure is told to all who share the call, and to nobody else', async () => {
  const { begun, call, settled } = observe()
  const failing = [call('a'), call('a')]
  await settled()
  const late = call('a')
  begun[0]?.fail(new Error('no'))
  for (const each of failing) await assert.rejects(each, /no/)
  await settled()
  begun[1]?.end('yes')
  assert.equal(await late, 'yes')
})

test('calls for different keys know nothing of each other', async () => {
  const { begun, call, settled } = observe()
  const [a, b] = [call('a'), call('b')]
  await settled()
  assert.deepEqual(
    begun.map(({ key }) => key),
    ['a', 'b'],
  )
  begun.forEach(({ key, end }) => end(key))
  assert.deepEqual(await Promise.all([a, b]), ['a', 'b'])
})
