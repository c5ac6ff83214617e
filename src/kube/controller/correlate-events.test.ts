import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { createEventCorrelator } from './correlate-events.ts'
import type { EventNote } from './correlate-events.ts'

const note = (message: string, changes: Partial<EventNote> = {}): EventNote => ({
  objectKey: 'PersistentVolumeClaim default/data',
  type: 'Warning',
  reason: 'ProvisioningFailed',
  message,
  ...changes,
})

function open() {
  const clock = createSimulatedClock()
  return { clock, correlate: createEventCorrelator(clock) }
}

describe('correlating events', () => {
  it('counts what is said again, since it was first said', async () => {
    const { clock, correlate } = open()
    const first = correlate(note('no room'))
    await clock.advance(60_000)
    const second = correlate(note('no room'))
    assert.deepEqual([first?.count, second?.count], [1, 2])
    assert.equal(second?.id, first?.id)
    assert.equal(second?.firstMs, first?.firstMs)
  })

  it('keeps apart what differs in object, type, reason or message', () => {
    const { correlate } = open()
    const notes = [
      note('a'),
      note('b'),
      note('a', { objectKey: 'other' }),
      note('a', { type: 'Normal' }),
      note('a', { reason: 'Other' }),
    ]
    const ids = notes.map((each) => correlate(each)?.id)
    assert.equal(new Set(ids).size, notes.length)
  })

  it('combines from the tenth similar one on', () => {
    const { correlate } = open()
    const steps = Array.from({ length: 12 }, (_, index) => correlate(note(`try ${index}`)))
    assert.deepEqual(
      steps.slice(7).map((step) => [step?.message, step?.count]),
      [
        ['try 7', 1],
        ['try 8', 1],
        ['(combined from similar events): try 9', 1],
        ['(combined from similar events): try 10', 2],
        ['(combined from similar events): try 11', 3],
      ],
    )
    assert.equal(new Set(steps.slice(9).map((step) => step?.id)).size, 1)
  })

  it('still counts by itself what was said lately', () => {
    const { correlate } = open()
    for (let index = 0; index < 12; index++) correlate(note(`try ${index}`))
    assert.equal(correlate(note('try 8'))?.message, 'try 8')
  })

  it('begins anew when nothing similar was said for ten minutes', async () => {
    const { clock, correlate } = open()
    for (let index = 0; index < 12; index++) correlate(note(`try ${index}`))
    await clock.advance(600_001)
    assert.equal(correlate(note('try 12'))?.message, 'try 12')
  })

  it('says no more than 25 things about an object, and then one in five minutes', async () => {
    const { clock, correlate } = open()
    const said = (count: number): number =>
      Array.from({ length: count }, () => correlate(note('no room'))).filter((step) => step).length
    assert.equal(said(40), 25)
    await clock.advance(299_000)
    assert.equal(said(10), 0)
    await clock.advance(1_000)
    assert.equal(said(10), 1)
    assert.ok(correlate(note('no room', { objectKey: 'other' })))
  })

  it('counts also what it did not say', async () => {
    const { clock, correlate } = open()
    for (let index = 0; index < 40; index++) correlate(note('no room'))
    await clock.advance(300_000)
    assert.equal(correlate(note('no room'))?.count, 41)
  })

  it('forgets the oldest of very many', () => {
    const { correlate } = open()
    correlate(note('no room', { objectKey: 'first' }))
    for (let index = 0; index < 4096; index++) correlate(note('no room', { objectKey: `object ${index}` }))
    assert.equal(correlate(note('no room', { objectKey: 'first' }))?.count, 1)
    assert.equal(correlate(note('no room', { objectKey: 'object 4095' }))?.count, 2)
  })
})
