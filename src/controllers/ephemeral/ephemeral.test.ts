import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { ApiError, isNotFound } from '../../api/api-error.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { pod } from '../../apiserver/testing/objects-under-test.ts'
import { claimOf, createOn } from '../../testing/objects.ts'
import { startControllersUnderTest } from '../testing/describe-controller.ts'
import { defaultsOf } from '../../base/options/index.ts'
import type { ControllerTestOptions } from '../testing/describe-controller.ts'
import { nextEphemeralStep } from './next-ephemeral-step.ts'
import { ephemeralOptions, startEphemeral } from './start-ephemeral.ts'

const start = (context: TestContext, options?: ControllerTestOptions) =>
  startControllersUnderTest(
    context,
    [(world, signal) => startEphemeral(defaultsOf(ephemeralOptions), world, signal)],
    options,
  )

const { spec } = claimOf()
const ref = { namespace: 'default', name: 'web-tmp' }
const template = { metadata: { labels: { app: 'web' }, annotations: { note: 'mine' } }, spec }
const web = (): Pod =>
  pod(
    'web',
    {},
    {
      volumes: [
        { name: 'tmp', ephemeral: { volumeClaimTemplate: template } },
        { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      ],
    },
  )

test('a pod gets the claim of its ephemeral volume, in one write, with the pod as its owner', async (context) => {
  const { api, settled, writes, advance } = await start(context)
  const { metadata } = await api.create(PODS, web())
  await settled()
  const claim = await api.get(PERSISTENT_VOLUME_CLAIMS, ref)
  deepEqual(claim.metadata.ownerReferences, [
    { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: metadata.uid, controller: true, blockOwnerDeletion: true },
  ])
  deepEqual(claim.metadata.labels, { app: 'web' })
  equal(claim.metadata.annotations?.['note'], 'mine')
  deepEqual(claim.spec.resources, spec.resources)
  await advance(600_000)
  deepEqual(writes, ['create persistentvolumeclaims web-tmp'])
})

test('a claim that is gone is made anew while its pod is there', async (context) => {
  const { api, settled } = await start(context)
  await api.create(PODS, web())
  await settled()
  const before = await api.get(PERSISTENT_VOLUME_CLAIMS, ref)
  await api.patch(PERSISTENT_VOLUME_CLAIMS, ref, { type: 'merge', value: { metadata: { finalizers: null } } })
  await api.delete(PERSISTENT_VOLUME_CLAIMS, ref)
  await settled()
  equal((await api.get(PERSISTENT_VOLUME_CLAIMS, ref)).metadata.uid === before.metadata.uid, false)
})

test("a claim of that name which is not the pod's is never used, and the pod says so", async (context) => {
  const { api, settled, events, writes } = await start(context)
  await createOn(api, PERSISTENT_VOLUME_CLAIMS, claimOf({ name: 'web-tmp' }))
  await settled()
  await api.create(PODS, web())
  await settled()
  deepEqual(await events(), ['Warning FailedBinding Pod/web'])
  deepEqual(writes, [])
  equal((await api.get(PERSISTENT_VOLUME_CLAIMS, ref)).metadata.ownerReferences, undefined)
})

test('a claim that the cache does not show is found when it is in the way', async (context) => {
  const { api, settled, events } = await start(context, {
    apiOf: ({ api: own }) => ({
      ...own,
      watch: (type, options) => ({
        async *[Symbol.asyncIterator]() {
          for await (const event of own.watch(type, options))
            if (type.plural !== 'persistentvolumeclaims' || event.type === 'BOOKMARK') yield event
        },
      }),
    }),
  })
  await createOn(api, PERSISTENT_VOLUME_CLAIMS, claimOf({ name: 'web-tmp' }))
  await api.create(PODS, web())
  await settled()
  deepEqual(await events(), ['Warning FailedBinding Pod/web'])
})

test('a pod that is leaving or has ended gets no claim', async (context) => {
  const leaving = nextEphemeralStep({
    seen: { pod: { ...web(), metadata: { name: 'web', deletionTimestamp: '2026-01-01T00:00:00Z' } }, claims: [] },
  })
  equal(leaving.kind === 'wait' && leaving.reason.code, 'PodLeaving')
  equal(nextEphemeralStep({ seen: { pod: { ...web(), status: { phase: 'Succeeded' } }, claims: [] } }).kind, 'wait')
  const { api, settled } = await start(context, {
    before: async ({ api: own }) => void (await own.create(PODS, pod('plain'))),
  })
  await settled()
  equal(await api.get(PERSISTENT_VOLUME_CLAIMS, ref).catch((error: unknown) => isNotFound(error)), true)
})

test('what the server refuses for good is said in an event of the pod, and tried again', async (context) => {
  let isForbidden = true
  const { api, settled, events, advance } = await start(context, {
    apiOf: ({ api: own }) => ({
      ...own,
      create: (type, object, options) =>
        isForbidden && type.plural === 'persistentvolumeclaims'
          ? Promise.reject(new ApiError('Forbidden', 'exceeded quota: small'))
          : own.create(type, object, options),
    }),
  })
  await api.create(PODS, web())
  await settled()
  deepEqual(await events(), ['Warning FailedBinding Pod/web'])
  isForbidden = false
  await advance(60_000)
  equal((await api.get(PERSISTENT_VOLUME_CLAIMS, ref)).metadata.name, 'web-tmp')
})
