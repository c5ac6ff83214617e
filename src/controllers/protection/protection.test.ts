import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { ownedBy, pod } from '../../apiserver/testing/objects-under-test.ts'
import { sleep } from '../../base/clock.ts'
import { defaultsOf } from '../../base/options/index.ts'
import { claimOf, createOn, podOf, volumeOf } from '../../testing/objects.ts'
import { startControllersUnderTest } from '../testing/describe-controller.ts'
import type { ControllerTestOptions } from '../testing/describe-controller.ts'
import { nextClaimProtectionStep } from './next-protection-step.ts'
import { createPodReader, protectionOptions, startProtection } from './start-protection.ts'

const start = (context: TestContext, options?: ControllerTestOptions) =>
  startControllersUnderTest(
    context,
    [(world, signal) => startProtection(defaultsOf(protectionOptions), world, signal)],
    options,
  )

const ref = { namespace: 'default', name: 'c1' }
const createClaim = (api: Api): Promise<PersistentVolumeClaim> => createOn(api, PERSISTENT_VOLUME_CLAIMS, claimOf())
const usingPod = (name: string, nodeName?: string): Pod =>
  pod(
    name,
    {},
    { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'c1' } }], ...(nodeName ? { nodeName } : {}) },
  )
const removePod = (api: Api, name: string) =>
  api.delete(PODS, { namespace: 'default', name }, { gracePeriodSeconds: 0 })
const isGone = (reading: Promise<unknown>): Promise<boolean> =>
  reading.then(
    () => false,
    (error: unknown) => {
      if (isNotFound(error)) return true
      throw error
    },
  )
const isClaimGone = (api: Api): Promise<boolean> => isGone(api.get(PERSISTENT_VOLUME_CLAIMS, ref))

test('a claim that a pod with a node names stays until that pod is gone, also when the pod has ended', async (context) => {
  const { api, settled, writes } = await start(context)
  await createClaim(api)
  await api.create(PODS, usingPod('p1', 'n1'))
  await api.create(PODS, usingPod('p2', 'n1'))
  await settled()
  await api.delete(PERSISTENT_VOLUME_CLAIMS, ref)
  await removePod(api, 'p1')
  await api.patch(
    PODS,
    { namespace: 'default', name: 'p2' },
    { type: 'merge', value: { status: { phase: 'Succeeded' } } },
    { subresource: 'status' },
  )
  await settled()
  equal(await isClaimGone(api), false)
  deepEqual(writes, [])
  await removePod(api, 'p2')
  await settled()
  equal(await isClaimGone(api), true)
  deepEqual(writes, ['patch persistentvolumeclaims c1'])
})

test('a pod without a node holds no claim', async (context) => {
  const { api, settled } = await start(context)
  await createClaim(api)
  await api.create(PODS, usingPod('p1'))
  await settled()
  await api.delete(PERSISTENT_VOLUME_CLAIMS, ref)
  await settled()
  equal(await isClaimGone(api), true)
})

test('a claim that lacks its protection gets it, in one write', async (context) => {
  const { api, settled, writes } = await start(context)
  await createClaim(api)
  await settled()
  deepEqual(writes, [])
  await api.patch(PERSISTENT_VOLUME_CLAIMS, ref, {
    type: 'merge',
    value: { metadata: { finalizers: ['other.example.com/held'] } },
  })
  await settled()
  deepEqual((await api.get(PERSISTENT_VOLUME_CLAIMS, ref)).metadata.finalizers, [
    'other.example.com/held',
    'kubernetes.io/pvc-protection',
  ])
  equal(writes.length, 1)
  await api.delete(PERSISTENT_VOLUME_CLAIMS, ref)
  await settled()
  deepEqual((await api.get(PERSISTENT_VOLUME_CLAIMS, ref)).metadata.finalizers, ['other.example.com/held'])
})

test('a pod that the cache does not show holds the claim, and lets it go even if the cache never shows it', async (context) => {
  const hidePods = (api: Api): Api => ({
    ...api,
    watch: (type, options) => ({
      async *[Symbol.asyncIterator]() {
        for await (const event of api.watch(type, options))
          if (type.plural !== 'pods' || event.type === 'BOOKMARK') yield event
      },
    }),
  })
  const { api, settled, advance } = await start(context, { apiOf: ({ api: own }) => hidePods(own) })
  await createClaim(api)
  await api.create(PODS, usingPod('p1', 'n1'))
  await settled()
  await api.delete(PERSISTENT_VOLUME_CLAIMS, ref)
  await advance(10_000)
  equal(await isClaimGone(api), false)
  await removePod(api, 'p1')
  await advance(10_000)
  equal(await isClaimGone(api), true)
})

test('the claim of an ephemeral volume does not wait for a pod that was shut down', () => {
  const own: Pod = { ...pod('web', { uid: 'u1' }, { nodeName: 'n1', volumes: [{ name: 'tmp', ephemeral: {} }] }) }
  const leaving = { finalizers: ['kubernetes.io/pvc-protection'], deletionTimestamp: '2026-01-01T00:00:00Z' }
  const claim = claimOf({
    name: 'web-tmp',
    metadata: { ...leaving, name: 'web-tmp', ownerReferences: [ownedBy(own, { controller: true })] },
  })
  const kindOf = (pods: Pod[]): string => nextClaimProtectionStep({ seen: { claim, pods } }).kind
  equal(kindOf([own]), 'wait')
  equal(
    kindOf([
      {
        ...own,
        metadata: { ...own.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 },
      },
    ]),
    'wait',
  )
  equal(
    kindOf([
      {
        ...own,
        metadata: { ...own.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 },
      },
    ]),
    'remove-finalizer',
  )
  // Another pod of that name does not own it.
  equal(kindOf([{ ...own, metadata: { ...own.metadata, uid: 'u2' } }]), 'remove-finalizer')
})

test('a volume stays as long as it is bound', async (context) => {
  const { api, settled, writes } = await start(context)
  for (const name of ['v1', 'v2']) await createOn(api, PERSISTENT_VOLUMES, volumeOf({ name }))
  const setPhase = (phase: string) =>
    api.patch(
      PERSISTENT_VOLUMES,
      { name: 'v1' },
      { type: 'merge', value: { status: { phase } } },
      { subresource: 'status' },
    )
  await setPhase('Bound')
  await settled()
  for (const name of ['v1', 'v2']) await api.delete(PERSISTENT_VOLUMES, { name })
  await settled()
  equal(await isGone(api.get(PERSISTENT_VOLUMES, { name: 'v2' })), true)
  equal(await isGone(api.get(PERSISTENT_VOLUMES, { name: 'v1' })), false)
  await setPhase('Released')
  await settled()
  equal(await isGone(api.get(PERSISTENT_VOLUMES, { name: 'v1' })), true)
  deepEqual(writes, ['patch persistentvolumes v2', 'patch persistentvolumes v1'])
})

test('claims that leave together share one list of pods, and none an answer from before it asked', async (context) => {
  let lists = 0
  const { api, settled } = await start(context, {
    apiOf: ({ api: own }) => ({
      ...own,
      list: (type, options) => (type.plural === 'pods' && options?.namespace && lists++, own.list(type, options)),
    }),
  })
  const names = Array.from({ length: 10 }, (_, index) => `c${index}`)
  for (const name of names) await createOn(api, PERSISTENT_VOLUME_CLAIMS, claimOf({ name }))
  await settled()
  await Promise.all(names.map((name) => api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name })))
  await settled()
  deepEqual((await api.list(PERSISTENT_VOLUME_CLAIMS)).items, [])
  equal(lists < names.length, true, `${lists} lists`)

  const answers: PromiseWithResolvers<void>[] = []
  const slow = {
    ...api,
    list: async (...args: Parameters<Api['list']>) => (
      answers.push(Promise.withResolvers<void>()),
      await answers.at(-1)?.promise,
      api.list(...args)
    ),
  } as Api
  const { clock } = await startControllersUnderTest(context, [])
  const read = createPodReader(slow, clock)
  const { signal } = new AbortController()
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const first = read('default', signal)
  await turn()
  const second = read('default', signal)
  equal(read('default', signal), second)
  await turn()
  equal(answers.length, 1)
  answers[0]?.resolve()
  await first
  await turn()
  equal(answers.length, 2)
  answers[1]?.resolve()
  await second
})

test('a list that took long is not asked for again at once: who comes meanwhile shares the next', async (context) => {
  const { api, clock } = await startControllersUnderTest(context, [])
  let lists = 0
  const slow = {
    ...api,
    list: async (...args: Parameters<Api['list']>) => (lists++, await sleep(clock, 100), api.list(...args)),
  } as Api
  const read = createPodReader(slow, clock)
  const { signal } = new AbortController()
  const first = read('default', signal)
  await clock.advance(100)
  await first
  const next = read('default', signal)
  await clock.advance(499)
  equal(lists, 1)
  equal(read('default', signal), next)
  await clock.advance(1)
  equal(lists, 2)
  await clock.advance(100)
  await next
})

test('a pod is found under each claim that it names, on whatever page it comes', async (context) => {
  const { api, clock } = await startControllersUnderTest(context, [])
  const names = Array.from({ length: 501 }, (_, index) => `p${index}`)
  for (const name of names) await createOn(api, PODS, podOf(name, { claims: ['shared', name] }))
  const pods = await createPodReader(api, clock)('default', new AbortController().signal)
  equal(pods.get('default/shared')?.length, names.length)
  for (const name of names)
    deepEqual(
      pods.get(`default/${name}`)?.map(({ metadata }) => metadata.name),
      [name],
    )
})
