import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../api/api.ts'
import { createSimulatedClock } from '../base/simulated-clock.ts'
import { nodeOf, podOf } from '../testing/objects.ts'
import type { Caches } from './caches.ts'
import { createClaimUsages } from './claim-usage.ts'

const READY = { conditions: [{ type: 'Ready', status: 'True' }] } as const
const NODES = [nodeOf('busy', { status: READY }), nodeOf('idle', { status: READY }), nodeOf('silent')]
const POD = podOf('web', { claims: ['data'], nodeName: 'busy', status: { phase: 'Running' } })
const CACHES = {
  nodes: { all: () => NODES },
  podsOfNode: (name: string) => (name === 'idle' ? [] : [POD]),
} as unknown as Caches

const volume = (usedBytes: number) => ({
  pvcRef: { namespace: 'default', name: 'data' },
  ...{ capacityBytes: 100, usedBytes, availableBytes: 1, time: '' },
})

function usagesWith(answer: (asked: string) => unknown) {
  const asked: string[] = []
  const get = (_type: unknown, { name }: { name: string }): Promise<unknown> => {
    asked.push(name)
    return Promise.resolve().then(() => answer(name))
  }
  const api = { get } as unknown as Api
  return { asked, usages: createClaimUsages({ api, clock: createSimulatedClock(), caches: CACHES }) }
}

const { signal } = new AbortController()

test('only ready nodes with a running pod that has a claim are asked how full volumes are', async () => {
  const { usages, asked } = usagesWith(() => ({ pods: [{ volume: [volume(7)] }] }))
  deepEqual(await usages.refresh(signal), ['default/data'])
  deepEqual([asked, usages.usageOf('default/data')?.usedBytes], [['busy'], 7])
})

test('a claim whose numbers stayed the same has not changed, one whose node forgot it has', async () => {
  let answers = [volume(7)]
  const { usages } = usagesWith(() => ({ pods: [{ volume: answers }] }))
  await usages.refresh(signal)
  deepEqual(await usages.refresh(signal), [])
  answers = []
  deepEqual(await usages.refresh(signal), ['default/data'])
  equal(usages.usageOf('default/data'), undefined)
})

test('a node that may not be asked leaves its claims without numbers', async () => {
  const { usages } = usagesWith(() => {
    throw new Error('forbidden')
  })
  deepEqual(await usages.refresh(signal), [])
})
