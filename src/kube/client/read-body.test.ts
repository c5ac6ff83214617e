import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readLines, readText } from './read-body.ts'

async function* chunks(...parts: Uint8Array[]): AsyncGenerator<Buffer, void> {
  for (const part of parts) yield Buffer.from(part)
}
const collect = async (lines: AsyncIterable<string>): Promise<string[]> => {
  const all: string[] = []
  for await (const line of lines) all.push(line)
  return all
}

describe('lines of a body', () => {
  it('are the same however the body was cut, in the middle of a character too', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '😀', '"', '{'), maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 6 }),
        fc.array(fc.nat(60), { maxLength: 10 }),
        async (wanted, cuts) => {
          const bytes = Buffer.from(wanted.map((each) => `${each}\n`).join(''))
          const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length]
          const parts = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
          assert.deepEqual(await collect(readLines(chunks(...parts))), wanted)
          assert.equal(await readText(chunks(...parts)), bytes.toString())
        },
      ),
    )
  })

  it('end with what follows the last line end', async () => {
    assert.deepEqual(await collect(readLines(chunks(Buffer.from('a\nb'), Buffer.from('c')))), ['a', 'bc'])
  })

  it('come as soon as they are complete', async () => {
    const gate = Promise.withResolvers<void>()
    const lines = readLines(
      (async function* () {
        yield Buffer.from('a\nb')
        await gate.promise
        yield Buffer.from('\n')
      })(),
    )
    assert.deepEqual(await lines.next(), { value: 'a', done: false })
    gate.resolve()
    assert.deepEqual(await lines.next(), { value: 'b', done: false })
  })

  it('must end: one without an end fails before it fills the memory', async () => {
    const endless = readLines(chunks(Buffer.from('123456'), Buffer.from('789012')), 10)
    await assert.rejects(collect(endless), /a line of more than 10 bytes/)
    assert.deepEqual(await collect(readLines(chunks(Buffer.from('1234567890\n1234567890\n')), 10)), [
      '1234567890',
      '1234567890',
    ])
  })
})
