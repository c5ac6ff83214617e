import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { CreateVolumeRequest } from '../../../csi/generated/csi/v1/csi.ts'
import { ALPHA_SELECTED_NODE, SELECTED_NODE } from '../../../storage/names.ts'
import { REASONS } from '../reasons.ts'
import { testClaim } from '../testing/objects.ts'
import { nextContentionStep } from './next-contention-step.ts'
import type { ContentionStep, RoomAnswer } from './next-contention-step.ts'

const GI = 2n ** 30n
const claim = testClaim()
const request = CreateVolumeRequest.fromPartial({ capacityRange: { requiredBytes: GI } })
const ask = (waitMs: number | undefined, answer?: RoomAnswer, given = claim): ContentionStep =>
  nextContentionStep({ seen: { claim: given, nodeName: 'n1', request }, held: { waitMs, answer } })
const room = (available: bigint, largestVolume?: bigint): RoomAnswer => ({ kind: 'room', available, largestVolume })
const withAnnotations = (more: Record<string, string>) =>
  testClaim({}, { annotations: { ...claim.metadata.annotations, ...more } })

test('first a time is drawn, then it is waited for, then the driver is asked', () => {
  deepEqual(ask(undefined), { kind: 'draw-turn' })
  equal(ask(5).kind, 'wait')
  deepEqual(ask(0), { kind: 'ask-for-room', request })
})
test('S3-44, H58: with room the claim gets this node, and nothing else of it changes', () => {
  deepEqual(ask(0, room(GI)), { kind: 'take-claim', object: withAnnotations({ [SELECTED_NODE]: 'n1' }) })
})
test('a driver that can not say counts as one with room', () => equal(ask(-1, { kind: 'unknown' }).kind, 'take-claim'))
test('too little room, or too little for one volume, leaves it to others', () => {
  for (const answer of [room(GI - 1n), room(5n * GI, GI - 1n)]) {
    const step = ask(0, answer)
    deepEqual(step, { kind: 'leave-claim', reason: REASONS.NotEnoughRoom('n1', GI, GI - 1n) })
  }
  equal(ask(0, room(5n * GI, GI)).kind, 'take-claim')
})
test('a node in the claim, by its new name or the old one, ends it at any time', () => {
  for (const key of [SELECTED_NODE, ALPHA_SELECTED_NODE])
    deepEqual(ask(5, undefined, withAnnotations({ [key]: 'n2' })), { kind: 'wait', reason: REASONS.OtherNode('n2') })
})
test('asked from outside it waits for the nodes', () => {
  const step = nextContentionStep({ seen: { claim, nodeName: 'n1', request } })
  equal(step.kind === 'wait' && step.reason.code, 'NoNodeSelected')
})

test('all that is told while nobody has the claim, and when another has it', () => {
  deepEqual(ask(1), { kind: 'wait', reason: REASONS.NodesContend, retryInMs: 1 })
  deepEqual(nextContentionStep({ seen: { claim, nodeName: 'n1', request } }), {
    kind: 'wait',
    reason: REASONS.NodesContend,
  })
  const taken = withAnnotations({ [SELECTED_NODE]: 'n2' })
  const otherNode = { kind: 'wait', reason: REASONS.OtherNode('n2') }
  deepEqual(ask(undefined, undefined, taken), otherNode)
  deepEqual(nextContentionStep({ seen: { claim: taken, nodeName: 'n1', request } }), otherNode)
})
test('all that is told when there is too little room', () => {
  const leave = { kind: 'leave-claim', reason: REASONS.NotEnoughRoom('n1', GI, 5n) }
  deepEqual(ask(0, room(5n, GI)), leave)
  deepEqual(ask(0, room(GI, 5n)), leave)
})
