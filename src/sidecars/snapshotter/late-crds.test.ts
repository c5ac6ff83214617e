import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../../api/api.ts'
import { ApiError } from '../../api/api-error.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { joinDriver } from '../../csi/index.ts'
import { defineDriver } from '../../csi/kit/index.ts'
import { startSimulation } from '../../testing/index.ts'
import type { ProcessBody, ProcessWorld } from '../../testing/index.ts'
import { createBoundClaim } from '../resizer/testing/resizer-under-test.ts'
import { DRIVER, runController, runSnapshotter } from './testing/snapshot-crashes.ts'

const MINUTE = 60_000
const SNAPSHOT = { namespace: 'default', name: 's1' }

test('snapshot controller and snapshotter that start before the CRDs wait for them, and then take snapshots', async () => {
  const simulation = await startSimulation({ seed: 1 })
  const { api, clock } = simulation
  let isInstalled = false
  let tries = 0
  const refuse = ({ group }: ResourceType): void => {
    if (isInstalled || !group.endsWith('snapshot.storage.k8s.io')) return
    tries++
    throw new ApiError('NotFound', 'the server could not find the requested resource')
  }
  const withoutCrds = (all: Api): Api => ({
    ...all,
    list: async (type, options) => (refuse(type), all.list(type, options)),
    async *watch(type, options) {
      refuse(type)
      yield* all.watch(type, options)
    },
  })
  const seenBy = (world: ProcessWorld): ProcessWorld => ({ ...world, api: (user) => withoutCrds(world.api(user)) })
  const snapshot = { snapshotId: 's', sizeBytes: 1n, readyToUse: true, creationTime: { seconds: 1n, nanos: 0 } }
  const handlers = {
    createSnapshot: ({ sourceVolumeId }: { sourceVolumeId: string }) =>
      Promise.resolve({ snapshot: { ...snapshot, sourceVolumeId } }),
    deleteSnapshot: () => Promise.resolve({}),
  }
  const driver = joinDriver(defineDriver({ name: DRIVER, version: '1' }, { handlers, log: createSilentLogger() }), {
    clock,
  })
  try {
    await createBoundClaim(api)
    // One that waits for its CRDs has not started, and would not count as idle.
    const start = (name: string, run: (world: ProcessWorld) => ProcessBody) =>
      simulation.startProcess(name, (world) => Promise.resolve({ ...run(seenBy(world)), isIdle: () => true }))
    await start('controller', (world) => runController(world))
    await start('snapshotter', (world) => runSnapshotter(world, driver))
    await simulation.advance(10 * MINUTE)
    ok(tries >= 10, 'they ask again')
    ok(tries <= 30, `they wait, rather than start again and again: ${tries} tries`)

    isInstalled = true
    const apiVersion = 'snapshot.storage.k8s.io/v1'
    await api.create(VOLUME_SNAPSHOT_CLASSES, {
      apiVersion,
      kind: 'VolumeSnapshotClass',
      metadata: { name: 'snaps' },
      driver: DRIVER,
      deletionPolicy: 'Delete',
    })
    await api.create(VOLUME_SNAPSHOTS, {
      apiVersion,
      kind: 'VolumeSnapshot',
      metadata: SNAPSHOT,
      spec: { source: { persistentVolumeClaimName: 'c1' }, volumeSnapshotClassName: 'snaps' },
    })
    await simulation.advance(2 * MINUTE)
    equal((await api.get(VOLUME_SNAPSHOTS, SNAPSHOT)).status?.readyToUse, true)
  } finally {
    await simulation.stop()
  }
})
