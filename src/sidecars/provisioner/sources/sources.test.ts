import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { ApiError } from '../../../api/api-error.ts'
import type { Api } from '../../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import { NAMESPACES } from '../../../api/kinds/namespace.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../../api/kinds/volume-snapshot.ts'
import { CLONE_SOURCE_FINALIZER, SNAPSHOT_SOURCE_FINALIZER } from '../names.ts'
import { DEFAULT_CONFIG, openParts } from '../testing/describe-parts.ts'
import type { PartsOptions, PartsUnderTest } from '../testing/describe-parts.ts'
import type { ProvisionerConfig } from '../provisioner-options.ts'
import { DRIVER, testVolume } from '../testing/objects.ts'
import {
  bindClaim,
  cloneClaim,
  COPYING_DRIVER,
  createClaim,
  createHeldClaim,
  createHeldSnapshot,
  restoreSnapshot,
  startSourceRelease,
} from './testing/held-sources.ts'
import type { SourceRelease } from './testing/held-sources.ts'

const SOURCE = 'PersistentVolumeClaim/default/source'
const SNAPSHOT = 'VolumeSnapshot/default/snap'
const MINUTE = 60_000
type World = PartsUnderTest & {
  readonly inUse: Set<string>
  readonly release: SourceRelease
  readonly released: string[]
}
type WorldOptions = { before?: (api: Api) => Promise<unknown>; config?: Partial<ProvisionerConfig> } & Pick<
  PartsOptions,
  'apiOf'
>

async function startWorld(context: TestContext, { before, config, apiOf }: WorldOptions = {}): Promise<World> {
  const world = await openParts(context, {
    handlers: COPYING_DRIVER,
    features: { cloneVolume: true },
    ...(apiOf ? { apiOf } : {}),
  })
  await before?.(world.api)
  const inUse = new Set<string>()
  const released: string[] = []
  const parts = {
    ...world.parts,
    isInUse: (key: string) => inUse.has(key),
    onReleased: (key: string) => void released.push(key),
  }
  const release = await world.started(
    startSourceRelease({ ...DEFAULT_CONFIG, ...config }, parts, new AbortController().signal),
  )
  return { ...world, inUse, release, released }
}

/** At once, whoever protects it. */
async function remove(api: Api, name: string): Promise<void> {
  const ref = { namespace: 'default', name }
  await api.delete(PERSISTENT_VOLUME_CLAIMS, ref)
  const leaving = await api.get(PERSISTENT_VOLUME_CLAIMS, ref)
  await api.update(PERSISTENT_VOLUME_CLAIMS, { ...leaving, metadata: { ...leaving.metadata, finalizers: [] } })
  await rejects(api.get(PERSISTENT_VOLUME_CLAIMS, ref))
}
async function isHeld({ api }: { api: Api }): Promise<boolean> {
  const source = await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name: 'source' })
  return source.metadata.finalizers?.includes(CLONE_SOURCE_FINALIZER) ?? false
}
async function isSnapshotHeld({ api }: { api: Api }): Promise<boolean> {
  const { metadata } = await api.get(VOLUME_SNAPSHOTS, { namespace: 'default', name: 'snap' })
  return metadata.finalizers?.includes(SNAPSHOT_SOURCE_FINALIZER) ?? false
}

describe('claims that were cloned', () => {
  test('a source is let go a while after its last clone is bound, with one update', async (context) => {
    const world = await startWorld(context)
    const { api } = world
    await createHeldClaim(api)
    await cloneClaim(api, 'one')
    await cloneClaim(api, 'two')
    await bindClaim(api, 'one')
    await world.advance(10 * MINUTE)
    equal(await isHeld(world), true)
    await bindClaim(api, 'two')
    await world.advance(MINUTE - 1)
    equal(await isHeld(world), true)
    await world.advance(1)
    equal(await isHeld(world), false)
    deepEqual(world.writes, ['update persistentvolumeclaims source'])
    deepEqual(world.released, [SOURCE])
  })
  test('one that is cloned again and again is written to once, after all of that', async (context) => {
    const world = await startWorld(context)
    const { api } = world
    await createHeldClaim(api)
    for (const name of ['one', 'two', 'three']) {
      await cloneClaim(api, name)
      await world.advance(10_000)
      await bindClaim(api, name)
      await world.advance(MINUTE - 1)
    }
    deepEqual(world.writes, [])
    equal(await isHeld(world), true)
    await world.advance(1)
    equal(await isHeld(world), false)
  })
  test('one that is leaving goes with its last clone, at once', async (context) => {
    const world = await startWorld(context)
    const { api } = world
    await createHeldClaim(api)
    await cloneClaim(api, 'one')
    await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name: 'source' })
    await world.settled()
    equal(await isHeld(world), true)
    await bindClaim(api, 'one')
    await world.settled()
    equal(await isHeld(world), false)
  })
  test('a clone in another namespace counts', async (context) => {
    const world = await startWorld(context)
    const { api } = world
    await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } })
    await createHeldClaim(api)
    await createClaim(
      api,
      'far',
      { dataSourceRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'source' } },
      { namespace: 'other' },
    )
    await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name: 'source' })
    await world.advance(10 * MINUTE)
    equal(await isHeld(world), true)
    await bindClaim(api, 'far', 'other')
    await world.settled()
    equal(await isHeld(world), false)
  })
  test('a call that is in doubt holds it though its claim is gone', async (context) => {
    const world = await startWorld(context)
    const { api } = world
    world.inUse.add(SOURCE)
    await createHeldClaim(api)
    await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name: 'source' })
    await world.advance(10 * MINUTE)
    equal(await isHeld(world), true)
    world.inUse.delete(SOURCE)
    world.release.sourceReleased(SOURCE)
    await world.settled()
    equal(await isHeld(world), false)
  })
  test('what an earlier life held is let go', async (context) => {
    const world = await startWorld(context, { before: createHeldClaim })
    await world.advance(MINUTE)
    equal(await isHeld(world), false)
  })
  test('a claim of another driver is not ours to let go, by its volume or its provisioner', async (context) => {
    const world = await startWorld(context)
    const { api } = world
    await createHeldClaim(api, 'other.example.com')
    await world.advance(10 * MINUTE)
    equal(await isHeld(world), true)
    await api.create(PERSISTENT_VOLUMES, {
      ...testVolume({ csi: { driver: DRIVER, volumeHandle: 'h' } }),
      metadata: { name: 'v' },
    })
    const source = await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name: 'source' })
    await api.update(PERSISTENT_VOLUME_CLAIMS, { ...source, spec: { ...source.spec, volumeName: 'v' } })
    await world.advance(MINUTE)
    equal(await isHeld(world), false)
  })
  test('while the finalizer is on its way off it says so, and a conflict is tried again', async (context) => {
    let seen: boolean | undefined
    let refusals = 1
    const apiOf = ({ api }: { api: Api }): Api => ({
      ...api,
      update: (type, object, options) => {
        seen ??= isReleasing()
        return refusals-- > 0 ? Promise.reject(new ApiError('Conflict', 'changed')) : api.update(type, object, options)
      },
    })
    const world = await startWorld(context, { apiOf })
    const isReleasing = (): boolean => world.release.isReleasing(SOURCE)
    await createHeldClaim(world.api)
    await world.advance(MINUTE)
    equal(seen, true)
    equal(world.release.isReleasing(SOURCE), false)
    equal(await isHeld(world), true)
    await world.advance(1000)
    equal(await isHeld(world), false)
  })
})

describe('snapshots that were restored', () => {
  test('a snapshot is let go when its last claim is bound, not its first', async (context) => {
    const world = await startWorld(context)
    const { api } = world
    await createHeldSnapshot(api)
    await restoreSnapshot(api, 'one')
    await restoreSnapshot(api, 'two')
    await bindClaim(api, 'one')
    await world.advance(10 * MINUTE)
    equal(await isSnapshotHeld(world), true)
    await bindClaim(api, 'two')
    await world.settled()
    equal(await isSnapshotHeld(world), false)
    deepEqual(world.writes, ['update volumesnapshots snap'])
  })
  test('a claim that goes before it is bound frees it too, unless its call is in doubt', async (context) => {
    const world = await startWorld(context)
    const { api } = world
    await createHeldSnapshot(api)
    await restoreSnapshot(api, 'one')
    await world.settled()
    world.inUse.add(SNAPSHOT)
    await remove(api, 'one')
    await world.advance(10 * MINUTE)
    equal(await isSnapshotHeld(world), true)
    world.inUse.delete(SNAPSHOT)
    world.release.sourceReleased(SNAPSHOT)
    await world.settled()
    equal(await isSnapshotHeld(world), false)
  })
  test('what an earlier life held is found at the start, and what is left later after the interval', async (context) => {
    const world = await startWorld(context, { before: createHeldSnapshot })
    equal(await isSnapshotHeld(world), false)
    await world.api.delete(VOLUME_SNAPSHOTS, { namespace: 'default', name: 'snap' })
    await createHeldSnapshot(world.api)
    await world.advance(5 * MINUTE - 1)
    equal(await isSnapshotHeld(world), true)
    await world.advance(1)
    equal(await isSnapshotHeld(world), false)
  })
  test('no interval means no search', async (context) => {
    const world = await startWorld(context, {
      before: createHeldSnapshot,
      config: { snapshotOrphanSweepIntervalMs: 0 },
    })
    await world.advance(60 * MINUTE)
    equal(await isSnapshotHeld(world), true)
  })
  test('a snapshot of another driver is not ours to let go', async (context) => {
    const world = await startWorld(context, {
      before: async (api) => {
        const snapshot = await createHeldSnapshot(api)
        await api.create(VOLUME_SNAPSHOT_CONTENTS, {
          apiVersion: 'snapshot.storage.k8s.io/v1',
          kind: 'VolumeSnapshotContent',
          metadata: { name: 'content' },
          spec: {
            driver: 'other.example.com',
            deletionPolicy: 'Delete',
            source: { snapshotHandle: 's' },
            volumeSnapshotRef: { namespace: 'default', name: 'snap' },
          },
        })
        await api.update(
          VOLUME_SNAPSHOTS,
          { ...snapshot, status: { boundVolumeSnapshotContentName: 'content' } },
          { subresource: 'status' },
        )
      },
    })
    await world.advance(30 * MINUTE)
    equal(await isSnapshotHeld(world), true)
  })
  test('where snapshots may not be listed that is said once, and the last claim still lets go', async (context) => {
    const forbidden =
      (error: ApiError) =>
      ({ api }: { api: Api }): Api => ({
        ...api,
        list: (type, options) => (type.plural === 'volumesnapshots' ? Promise.reject(error) : api.list(type, options)),
      })
    const world = await startWorld(context, {
      before: createHeldSnapshot,
      apiOf: forbidden(new ApiError('Forbidden', 'no')),
    })
    await world.advance(60 * MINUTE)
    equal(await isSnapshotHeld(world), true)
    equal(world.lines.filter((line) => line.includes('allow list of volumesnapshots')).length, 1)
    await restoreSnapshot(world.api, 'one')
    await world.settled()
    await bindClaim(world.api, 'one')
    await world.settled()
    equal(await isSnapshotHeld(world), false)
  })
  test('where the kind is not served nothing is done and little is said, until it is', async (context) => {
    let isServed = false
    let tries = 0
    const apiOf = ({ api }: { api: Api }): Api => ({
      ...api,
      list: (type, options) =>
        type.plural === 'volumesnapshots' && (tries++, !isServed)
          ? Promise.reject(new ApiError('NotFound', 'the server could not find the requested resource'))
          : api.list(type, options),
    })
    const world = await startWorld(context, { before: createHeldSnapshot, apiOf })
    await world.advance(60 * MINUTE)
    ok(tries > 10)
    equal(world.lines.filter((line) => line.includes('no snapshots')).length, 1)
    isServed = true
    await world.advance(5 * MINUTE)
    equal(await isSnapshotHeld(world), false)
  })
  test('a snapshot that is still needed is not even read', async (context) => {
    const gets: string[] = []
    const apiOf = ({ api }: { api: Api }): Api => ({
      ...api,
      get: (type, ref, options) => (gets.push(type.plural), api.get(type, ref, options)),
    })
    const world = await startWorld(context, { apiOf })
    await createHeldSnapshot(world.api)
    await restoreSnapshot(world.api, 'one')
    await world.advance(60 * MINUTE)
    deepEqual(gets, [])
  })
  test('claims of other provisioners cause no requests', async (context) => {
    const gets: string[] = []
    const apiOf = ({ api }: { api: Api }): Api => ({
      ...api,
      get: (type, ref, options) => (gets.push(type.plural), api.get(type, ref, options)),
    })
    const world = await startWorld(context, { apiOf })
    await createHeldSnapshot(world.api)
    await restoreSnapshot(world.api, 'theirs', 'other.example.com')
    await world.settled()
    await bindClaim(world.api, 'theirs')
    await world.settled()
    deepEqual(
      gets.filter((plural) => plural === 'volumesnapshots'),
      [],
    )
  })
  test('where sources may not be written that is said once', async (context) => {
    const apiOf = ({ api }: { api: Api }): Api => ({
      ...api,
      update: (type, object, options) =>
        type.plural === 'volumesnapshots'
          ? Promise.reject(new ApiError('Forbidden', 'no'))
          : api.update(type, object, options),
    })
    const world = await startWorld(context, { before: createHeldSnapshot, apiOf })
    await world.advance(60 * MINUTE)
    equal(await isSnapshotHeld(world), true)
    equal(world.lines.filter((line) => line.includes('cannot be released')).length, 1)
  })
})

test('a driver that copies nothing lets nothing go', async (context) => {
  const world = await openParts(context)
  await createHeldClaim(world.api)
  await createHeldSnapshot(world.api)
  await world.started(
    startSourceRelease(DEFAULT_CONFIG, { ...world.parts, isInUse: () => false }, new AbortController().signal),
  )
  await world.advance(60 * MINUTE)
  equal(await isHeld(world), true)
  equal(await isSnapshotHeld(world), true)
})
