import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { Api, Patch } from '../../api/api.ts'
import { EVENTS } from '../../api/kinds/event.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { claimReferenceTo } from '../../storage/claim-reference.ts'
import { reservedFor } from '../../testing/objects.ts'
import {
  createClaim,
  createVolume,
  provision,
  removeClaim,
  removeVolume,
  startUnderTest,
} from './testing/describe-binder.ts'

// What happens between a decision and its write, and what is read for it.

type Intercept = (what: string, patch: Patch) => Promise<void> | undefined

/** The API with something that happens before a patch: `persistentvolumes/status v1`. */
const withPatches = (api: Api, before: Intercept): Api => ({
  ...api,
  patch: async (type, ref, patch, options) => {
    await before(`${type.plural}${options?.subresource ? `/${options.subresource}` : ''} ${ref.name}`, patch)
    return api.patch(type, ref, patch, options)
  },
})

/** Keeps the first patch of that name back until `open` is called. */
function createGate(name: string): { before: Intercept; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { before: (what) => (what === name ? promise : undefined), open: resolve }
}

test('S3-61: every write names the object and the version that it was decided on', async (context) => {
  const seen: { uid?: string; resourceVersion?: string }[] = []
  const note: Intercept = (what, patch) => {
    if (!what.startsWith('events') && patch.type === 'merge')
      seen.push((patch.value as { metadata?: { uid?: string } }).metadata ?? {})
    return undefined
  }
  const binder = await startUnderTest(context, { apiOf: ({ api }) => withPatches(api, note) })
  await createVolume(binder.api)
  await createClaim(binder.api)
  await binder.settled()
  await removeClaim(binder.api)
  await binder.settled()
  equal(seen.length, 6)
  ok(seen.every(({ uid, resourceVersion }) => uid && resourceVersion))
})

test('S3-61: a volume that somebody else takes at the last moment stays theirs', async (context) => {
  let isFirst = true
  const binder = await startUnderTest(context, {
    apiOf: ({ api }) =>
      withPatches(api, async (what) => {
        if (what !== 'persistentvolumes v1' || !isFirst) return
        isFirst = false
        await api.patch(
          PERSISTENT_VOLUMES,
          { name: 'v1' },
          { type: 'merge', value: { spec: { claimRef: reservedFor('other', 'uid-other') } } },
        )
      }),
  })
  await createVolume(binder.api)
  await createVolume(binder.api, { name: 'v2', size: '2Gi' })
  await binder.settled()
  await createClaim(binder.api)
  await binder.advance(10_000)
  equal((await binder.volume()).spec.claimRef?.name, 'other')
  equal(await binder.claimState(), 'Bound v2')
})

test('S3-61: while one claim is being bound, another takes the next volume and does not wait', async (context) => {
  const gate = createGate('persistentvolumes v1')
  const binder = await startUnderTest(context, { apiOf: ({ api }) => withPatches(api, gate.before) })
  await createVolume(binder.api)
  await createVolume(binder.api, { name: 'v2', size: '2Gi' })
  await binder.settled()
  await createClaim(binder.api)
  for (let turns = 0; turns < 20; turns++) await binder.clock.advance(0)
  await createClaim(binder.api, { name: 'c2' })
  for (let turns = 0; turns < 50; turns++) await binder.clock.advance(0)
  equal(await binder.claimState('c2'), 'Bound v2')
  equal(await binder.claimState(), 'Pending')
  gate.open()
  await binder.settled()
  equal(await binder.claimState(), 'Bound v1')
})

test('a volume whose claim goes while it is being bound is released', async (context) => {
  const gate = createGate('persistentvolumeclaims c1')
  const binder = await startUnderTest(context, { apiOf: ({ api }) => withPatches(api, gate.before) })
  await createVolume(binder.api)
  await binder.settled()
  await createClaim(binder.api)
  for (let turns = 0; turns < 20; turns++) await binder.clock.advance(0)
  equal(await binder.volumeState(), 'Bound default/c1')
  await removeClaim(binder.api)
  for (let turns = 0; turns < 20; turns++) await binder.clock.advance(0)
  equal(await binder.volumeState(), 'Bound default/c1')
  gate.open()
  await binder.settled()
  equal(await binder.volumeState(), 'Released default/c1')
})

test('a volume that names a claim which goes before it was bound is released', async (context) => {
  const binder = await startUnderTest(context)
  const claim = await createClaim(binder.api)
  await provision(binder.api, claim, 'v1', { spec: { volumeMode: 'Block' } })
  await binder.settled()
  equal(await binder.volumeState(), 'Pending default/c1')
  await removeClaim(binder.api)
  await binder.settled()
  equal(await binder.volumeState(), 'Released default/c1')
})

test('a claim that is created anew while the old one’s volume is looked up is not lost', async (context) => {
  const { promise: isOpen, resolve: open } = Promise.withResolvers<void>()
  const binder = await startUnderTest(context, {
    apiOf: ({ api }) => ({
      ...api,
      get: async (type, ref, options) => {
        try {
          return await api.get(type, ref, options)
        } finally {
          if (ref.name === 'v1') await isOpen
        }
      },
    }),
  })
  const { api } = binder
  await createVolume(api)
  await createClaim(api)
  await binder.settled()
  await removeVolume(api)
  for (let turns = 0; turns < 20; turns++) await binder.clock.advance(0)
  await removeClaim(api)
  const claim = await createClaim(api, {
    spec: { volumeName: 'v2' },
    metadata: { namespace: 'default', name: 'c1', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
  })
  await createVolume(api, { name: 'v2', spec: { claimRef: claimReferenceTo(claim) } })
  for (let turns = 0; turns < 20; turns++) await binder.clock.advance(0)
  open()
  await binder.settled()
  equal(await binder.claimState(), 'Bound v2')
  const reasons = (await api.list(EVENTS)).items.map(({ reason }) => reason)
  equal(reasons.includes('ClaimLost'), false)
})

test('the server is not asked about what was seen to go', async (context) => {
  const reads: string[] = []
  const binder = await startUnderTest(context, {
    apiOf: ({ api }) => ({ ...api, get: (type, ref, options) => (reads.push(ref.name), api.get(type, ref, options)) }),
  })
  await createVolume(binder.api)
  await createClaim(binder.api)
  await binder.settled()
  await removeClaim(binder.api)
  await binder.settled()
  equal(await binder.volumeState(), 'Released default/c1')
  deepEqual(reads, [])
  // After a restart nobody knows, and it is asked once.
  await createVolume(binder.api, { name: 'v2' })
  await createClaim(binder.api, { name: 'c2' })
  await binder.settled()
  await binder.stop()
  await removeClaim(binder.api, 'c2')
  await binder.start()
  equal(await binder.volumeState('v2'), 'Released default/c2')
  deepEqual(reads, ['c2'])
})

test('why a claim waits is said once, however often it is looked at', async (context) => {
  const binder = await startUnderTest(context)
  await createClaim(binder.api)
  await binder.settled()
  for (const value of ['a', 'b', 'c']) {
    await binder.api.patch(
      PERSISTENT_VOLUME_CLAIMS,
      { namespace: 'default', name: 'c1' },
      { type: 'merge', value: { metadata: { labels: { value } } } },
    )
    await binder.settled()
  }
  deepEqual(
    (await binder.api.list(EVENTS)).items.map(({ reason, count }) => [reason, count]),
    [['FailedBinding', 1]],
  )
})
