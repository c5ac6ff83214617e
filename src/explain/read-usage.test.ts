import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { ApiError } from '../api/api-error.ts'
import type { Api } from '../api/api.ts'
import { NODES } from '../api/kinds/node.ts'
import { PODS } from '../api/kinds/pod.ts'
import { openTestCore } from '../apiserver/testing/open-test-core.ts'
import { createOn, createWithStatus, nodeOf, podOf } from '../testing/objects.ts'
import { createClusterReader } from './cluster-reader.ts'
import { formatUsage, readUsage } from './read-usage.ts'

const CLAIM = { namespace: 'default', name: 'data' }
const NUMBERS = { capacityBytes: 1024 ** 3, usedBytes: 432_000_000, availableBytes: 5, time: '2030-01-01T00:00:00Z' }
const volumeOf = (more: object = {}) => ({ name: 'v', pvcRef: CLAIM, ...NUMBERS, ...more })
const summaryOf = (...volume: object[]) => ({ node: { nodeName: 'n1' }, pods: [{ podRef: {}, volume }] })

async function ask(context: TestContext, answer: () => Promise<unknown>, phase: 'Running' | 'Pending' = 'Running') {
  const { api } = await openTestCore(context)
  await createOn(api, NODES, nodeOf('n1'))
  await createWithStatus(api, PODS, podOf('web', { claims: ['data'], nodeName: 'n1', status: { phase } }))
  const asked: string[] = []
  const get: Api['get'] = async (type, ref, options) => {
    if (!options?.subresource) return api.get(type, ref, options)
    asked.push(`${type.plural}/${ref.name}/${options.subresource}`)
    return (await answer()) as never
  }
  const usageApi = { ...api, get }
  const { signal } = new AbortController()
  const usage = await readUsage(CLAIM, { api: usageApi, reader: createClusterReader(usageApi, signal), signal })
  return { usage, asked }
}

test('usage: the node of a running pod is asked through the API server', async (context) => {
  const other = volumeOf({ pvcRef: { ...CLAIM, name: 'other' }, usedBytes: 1 })
  const { usage, asked } = await ask(context, () => Promise.resolve(summaryOf(other, volumeOf())))
  deepEqual(usage, NUMBERS)
  deepEqual(asked, ['nodes/n1/proxy/stats/summary'])
})

test('usage: inodes are told if the file system has a fixed number of them', async (context) => {
  const usageWith = async (more: object) => (await ask(context, () => Promise.resolve(summaryOf(volumeOf(more))))).usage
  deepEqual(await usageWith({ inodes: 100, inodesUsed: 7 }), { ...NUMBERS, inodes: 100, inodesUsed: 7 })
  deepEqual(await usageWith({ inodes: 0, inodesUsed: 0 }), NUMBERS)
  deepEqual(await usageWith({ inodes: 'many', inodesUsed: 7 }), NUMBERS)
})

test('usage: nobody is asked about a claim that no running pod uses', async (context) => {
  const { usage, asked } = await ask(context, () => Promise.resolve(summaryOf(volumeOf())), 'Pending')
  deepEqual([usage, asked], [undefined, []])
})

for (const [what, answer] of [
  ['is forbidden', () => Promise.reject(new ApiError('Forbidden', 'no'))],
  ['is not served', () => Promise.reject(new ApiError('MethodNotAllowed', 'no'))],
  [
    'is garbage',
    () => Promise.resolve({ pods: [null, { volume: 'x' }, { volume: [null, volumeOf({ usedBytes: 'a' })] }] }),
  ],
  ['is no object', () => Promise.resolve('x')],
  ['does not know the volume', () => Promise.resolve(summaryOf())],
] as const)
  test(`usage: nothing is shown if the answer ${what}`, async (context) => {
    equal((await ask(context, answer)).usage, undefined)
  })

test('usage: an answer that does not come is not waited for', async (context) => {
  const { api } = await openTestCore(context)
  await createOn(api, NODES, nodeOf('n1'))
  await createWithStatus(api, PODS, podOf('web', { claims: ['data'], nodeName: 'n1', status: { phase: 'Running' } }))
  const ending = new AbortController()
  const get: Api['get'] = (type, ref, options) => {
    if (!options?.subresource) return api.get(type, ref, options)
    ending.abort(new Error('too late'))
    return new Promise(() => {})
  }
  const silent = { ...api, get }
  const reader = createClusterReader(silent, new AbortController().signal)
  equal(await readUsage(CLAIM, { api: silent, reader, signal: ending.signal }), undefined)
})

test('usage: sizes are short, and a time that is none is left out', () => {
  equal(
    formatUsage({ ...NUMBERS, inodes: 65_536, inodesUsed: 12, time: '' }),
    '412Mi used, 5 available of 1Gi, 12 of 65536 inodes used',
  )
  equal(formatUsage(NUMBERS), '412Mi used, 5 available of 1Gi, measured at 2030-01-01T00:00:00Z')
  equal(
    formatUsage({ ...NUMBERS, usedBytes: 0, availableBytes: 1536, time: 'now\n' }),
    '0 used, 1.5Ki available of 1Gi',
  )
})
