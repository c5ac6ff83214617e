import { deepEqual, equal, ok } from 'node:assert/strict'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LEASES } from '../../../src/api/kinds/lease.ts'
import type { Lease } from '../../../src/api/kinds/lease.ts'
import { PERSISTENT_VOLUMES } from '../../../src/api/kinds/persistent-volume.ts'
import { PODS } from '../../../src/api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../../../src/api/kinds/storage-class.ts'
import { JOURNAL_ANNOTATION } from '../../../src/sidecars/provisioner/journal/journal.ts'
import { GO_SIDECARS, UPSTREAM_IMAGES, withoutGoSidecars } from './build-test-images.ts'
import { sharedDriverValues } from './driver-values.ts'
import type { ClusterStage } from './open-cluster-stage.ts'
import { POD_LIMIT } from './release.ts'
import type { Release } from './release.ts'
import { claimRef, runningContainers, untilEvent } from './story-helpers.ts'
import { named } from './story-objects.ts'
import type { Tell } from './story-helpers.ts'

const NAME = 'rollover'
const DRIVER = 'rollover.test.holdfast.dev'
const OURS = ['csi-driver', 'csi-sidecar', 'liveness-probe']
const GO = [...GO_SIDECARS, 'csi-driver', 'liveness-probe'].sort()
const UPSTREAM_SETTINGS = [
  '--set=sidecars=upstream',
  ...Object.entries(UPSTREAM_IMAGES).map(([name, image]) => `--set=images.upstream.${name}=${image}`),
]

type Rollover = {
  readonly release: Release
  /** IDs of the volumes at the backend. */
  volumes(): string[]
  /** From now on, or no more, the driver answers these calls with DEADLINE_EXCEEDED, after it has done what they ask. */
  setDoubt(isInDoubt: boolean, ...methods: string[]): void
  toGo(): Promise<void>
  toOurs(): Promise<void>
  /** Until the journal of our provisioner has these volumes in flight, by the UIDs of their claims. */
  untilJournal(...uids: string[]): Promise<void>
}

async function openRollover(stage: ClusterStage): Promise<Rollover> {
  const backend = `${stage.backend}-${NAME}`
  const values = sharedDriverValues({ driver: DRIVER, backend })
  const release = await stage.openRelease({ name: NAME, namespace: `csi-${NAME}`, driver: DRIVER, values })
  const containersAre = async (expected: readonly string[]): Promise<void> =>
    deepEqual((await release.pods('csi-controller')).map(runningContainers), [expected, expected])
  return {
    release,
    volumes: () => readdirSync(join(backend, 'volumes')).sort(),
    setDoubt: (isInDoubt, ...methods) => {
      for (const method of methods) {
        const path = join(backend, `fail-${method}`)
        if (isInDoubt) writeFileSync(path, '')
        else rmSync(path, { force: true })
      }
    },
    toGo: async () => {
      await release.install(...UPSTREAM_SETTINGS)
      await containersAre(GO)
    },
    toOurs: async () => {
      await release.install()
      await containersAre(OURS)
    },
    untilJournal: async (...uids) => {
      const ref = { namespace: release.namespace, name: 'holdfast-journal-rollover-test-holdfast-dev' }
      const inFlight = (lease?: Lease): string => lease?.metadata.annotations?.[JOURNAL_ANNOTATION] ?? ''
      const holds = (lease?: Lease): boolean =>
        uids.length === 0
          ? inFlight(lease).includes('"volumes":[]')
          : uids.every((uid) => inFlight(lease).includes(uid))
      await stage.until(LEASES, ref, holds, POD_LIMIT)
    },
  }
}

/** Volumes that pass between the Go sidecars and ours. The driver of these stories stays from one to the next. */
export function tellRolloverStories(tell: Tell): void {
  const withoutGo = withoutGoSidecars()
  const createClaim = (stage: ClusterStage, name: string) => stage.createClaim(name, { storageClassName: NAME })
  tell(
    'from the Go sidecars to ours and back: a volume stays in use, and each side grows, attaches and deletes what the other made',
    async (stage) => {
      const { release, toGo, toOurs } = await openRollover(stage)
      await toGo()
      await release.untilRegistered('node-1')
      await stage.api.create(STORAGE_CLASSES, {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: NAME },
        provisioner: DRIVER,
        allowVolumeExpansion: true,
      })
      const grow = async (size: string): Promise<void> => {
        const spec = { resources: { requests: { storage: size } } }
        await stage.api.patch(...claimRef('in-use'), { type: 'merge', value: { spec } })
        await stage.untilClaim('in-use', ({ status }) => status?.capacity?.['storage'] === size)
      }
      await createClaim(stage, 'in-use')
      await stage.createPod('in-use', 'while echo used > /data/file && sync; do sleep 1; done', { claim: 'in-use' })
      await stage.untilRunning('in-use')
      for (const claim of ['by-go-1', 'by-go-2']) {
        await createClaim(stage, claim)
        await stage.runPod(claim, 'echo go > /data/file', { claim })
      }

      await toOurs()
      await grow('2Mi')
      equal(await stage.runPod('ours-reads', 'cat /data/file > /result', { claim: 'by-go-1' }), 'go\n')
      await stage.removeClaim('by-go-1')
      for (const claim of ['by-us-1', 'by-us-2']) {
        await createClaim(stage, claim)
        await stage.runPod(claim, 'echo ours > /data/file', { claim })
      }

      await release.rollBack()
      deepEqual((await release.pods('csi-controller')).map(runningContainers), [GO, GO])
      await grow('3Mi')
      equal(await stage.runPod('go-reads', 'cat /data/file > /result', { claim: 'by-us-1' }), 'ours\n')
      for (const claim of ['by-us-1', 'by-go-2']) await stage.removeClaim(claim)

      await toOurs()
      const { status } = await stage.api.get(PODS, named('in-use'))
      deepEqual([status?.phase, status?.containerStatuses?.[0]?.restartCount], ['Running', 0])
      await stage.deletePod('in-use')
      for (const claim of ['by-us-2', 'in-use']) await stage.removeClaim(claim)
    },
    withoutGo,
  )

  tell(
    'creations in doubt in our journal are settled before the Go sidecars take over: nothing leaks',
    async (stage) => {
      const { toGo, toOurs, volumes, setDoubt, untilJournal } = await openRollover(stage)
      await toOurs()
      setDoubt(true, 'CreateVolume', 'DeleteVolume')
      const kept = await createClaim(stage, 'doubt-kept')
      const gone = await createClaim(stage, 'doubt-gone')
      await untilEvent(stage, 'doubt-gone', 'ProvisioningFailed', /told to fail/)
      await untilEvent(stage, 'doubt-kept', 'ProvisioningFailed', /told to fail/)
      await stage.removeClaim('doubt-gone')
      await untilJournal(kept.metadata.uid ?? '', gone.metadata.uid ?? '')
      equal(volumes().length, 2, 'the driver has both')
      // The drain: the driver answers again, and the journal empties.
      setDoubt(false, 'CreateVolume', 'DeleteVolume')
      await untilJournal()
      await stage.untilClaim('doubt-kept', ({ status }) => status?.phase === 'Bound')
      deepEqual(volumes(), [`pvc-${kept.metadata.uid}`])
      await toGo()
      equal(await stage.runPod('doubt', 'echo x > /data/f; cat /data/f > /result', { claim: 'doubt-kept' }), 'x\n')
      await stage.removeClaim('doubt-kept')
    },
    withoutGo,
  )

  tell(
    'a creation in doubt whose claim still exists is completed by the Go sidecars, and our journal does not undo it later',
    async (stage) => {
      const { release, toGo, toOurs, volumes, setDoubt, untilJournal } = await openRollover(stage)
      await toOurs()
      setDoubt(true, 'CreateVolume')
      const claim = await createClaim(stage, 'handed-over')
      await untilEvent(stage, 'handed-over', 'ProvisioningFailed', /told to fail/)
      await untilJournal(claim.metadata.uid ?? '')
      await toGo()
      setDoubt(false, 'CreateVolume')
      const { spec } = await stage.untilClaim('handed-over', ({ status }) => status?.phase === 'Bound')
      deepEqual(volumes(), [`pvc-${claim.metadata.uid}`], 'one volume, which both sides named alike')
      await stage.runPod('handed-writer', 'echo kept > /data/file', { claim: 'handed-over' })

      await toOurs()
      // Our provisioner reads its journal, finds the volume in use, and removes the entry.
      await untilJournal()
      ok(await stage.api.get(PERSISTENT_VOLUMES, { name: spec.volumeName ?? '' }))
      equal(await stage.runPod('handed-reader', 'cat /data/file > /result', { claim: 'handed-over' }), 'kept\n')
      await stage.removeClaim('handed-over')
      deepEqual(volumes(), [], 'nothing is left at the backend')
      await stage.api.delete(STORAGE_CLASSES, { name: NAME })
      await release.uninstall()
    },
    withoutGo,
  )
}
