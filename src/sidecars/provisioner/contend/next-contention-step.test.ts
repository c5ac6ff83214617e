import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { ALPHA_SELECTED_NODE, SELECTED_NODE } from '../../../storage/names.ts'
import { testClaim } from '../testing/objects.ts'
import { nextContentionStep } from './next-contention-step.ts'
import type { ContentionStep, RoomAnswer } from './next-contention-step.ts'

const GI = 2n ** 30n
const claim = testClaim()
const ask = (waitMs: number | undefined, answer?: RoomAnswer, given = claim): ContentionStep =>
  nextContentionStep({ seen: { claim: given, nodeName: 'n1', requestedBytes: GI }, held: { waitMs, answer } })
const room = (available: bigint, largestVolume?: bigint): RoomAnswer => ({ kind: 'room', available, largestVolume })
const withAnnotations = (more: Record<string, string>) =>
  testClaim({}, { annotations: { ...claim.metadata.annotations, ...more } })

test('first a time is drawn, then it is waited for, then the driver is asked', () => {
  deepEqual(ask(undefined), { kind: 'draw' })
  equal(ask(5).kind, 'wait')
  deepEqual(ask(0), { kind: 'ask' })
})
test('S3-44, H58: with room the claim gets this node, and nothing else of it changes', () => {
  deepEqual(ask(0, room(GI)), { kind: 'take', object: withAnnotations({ [SELECTED_NODE]: 'n1' }) })
})
test('a driver that can not say counts as one with room', () => equal(ask(-1, { kind: 'unknown' }).kind, 'take'))
test('too little room, or too little for one volume, leaves it to others', () => {
  for (const answer of [room(GI - 1n), room(5n * GI, GI - 1n)]) {
    const step = ask(0, answer)
    equal(step.kind === 'leave' && step.reason.detail?.['available'], '1073741823 bytes')
  }
  equal(ask(0, room(5n * GI, GI)).kind, 'take')
})
test('a node in the claim, by its new name or the old one, ends it at any time', () => {
  for (const key of [SELECTED_NODE, ALPHA_SELECTED_NODE])
    equal(ask(5, undefined, withAnnotations({ [key]: 'n2' })).kind, 'give-up')
})
test('asked from outside it waits for the nodes', () => {
  const step = nextContentionStep({ seen: { claim, nodeName: 'n1', requestedBytes: GI } })
  equal(step.kind === 'wait' && step.reason.code, 'NoNodeSelected')
})

const nobodyYet = { code: 'NoNodeSelected', waitsFor: { kind: 'actor', name: 'the provisioners of the nodes' } }

test('all that is told while nobody has the claim, and when another has it', () => {
  deepEqual(ask(1), { kind: 'wait', reason: nobodyYet, forMs: 1 })
  deepEqual(nextContentionStep({ seen: { claim, nodeName: 'n1', requestedBytes: GI } }), {
    kind: 'wait',
    reason: nobodyYet,
    forMs: 0,
  })
  const taken = withAnnotations({ [SELECTED_NODE]: 'n2' })
  deepEqual(ask(undefined, undefined, taken), {
    kind: 'give-up',
    reason: { code: 'OtherNode', detail: { node: 'n2' } },
  })
  equal(nextContentionStep({ seen: { claim: taken, nodeName: 'n1', requestedBytes: GI } }).kind, 'give-up')
})
test('all that is told when there is too little room', () => {
  const detail = { node: 'n1', requested: '1073741824 bytes', available: '5 bytes' }
  const leave = {
    kind: 'leave',
    reason: { code: 'NotEnoughRoom', waitsFor: { kind: 'actor', name: 'a node with more room' }, detail },
  }
  deepEqual(ask(0, room(5n, GI)), leave)
  deepEqual(ask(0, room(GI, 5n)), leave)
})
