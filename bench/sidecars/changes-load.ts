import type { Api } from '../../src/api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../src/api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../src/api/kinds/persistent-volume.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../src/api/kinds/volume-snapshot.ts'
import { createSilentLogger, createSystemClock, createSystemRandom } from '../../src/base/index.ts'
import { createInformers } from '../../src/kube/cache/informers.ts'
import { inFlight } from './in-flight.ts'
import { loadedVolumes, SETTLING_REQUESTS } from './load.ts'
import type { Load, LoadedVolume } from './load.ts'
import { boundPair, NAMESPACE, snapshot } from './objects.ts'
import type { BoundPair } from './objects.ts'
import { createSightings } from './run-phase.ts'

const CHANGES = ['expand', 'snapshot', 'delete snapshot'] as const
export type Change = (typeof CHANGES)[number]

const LARGER = '2Gi'

/** Bound volumes that are expanded, of which a snapshot is taken, and whose snapshot is deleted. Nobody provisions them: the load makes them. */
export async function startChangesLoad(api: Api): Promise<Load<Change>> {
  const informers = createInformers({
    api,
    clock: createSystemClock(),
    random: createSystemRandom(),
    log: createSilentLogger(),
  })
  const claims = informers.get(PERSISTENT_VOLUME_CLAIMS)
  const snapshots = informers.get(VOLUME_SNAPSHOTS)
  const contents = informers.get(VOLUME_SNAPSHOT_CONTENTS)
  await informers.synced()
  const { sight, run } = createSightings<Change>()
  claims.onChange(({ after }) => {
    if (after?.status?.capacity?.['storage'] === LARGER) sight('expand', after.metadata.name ?? '')
  })
  // A snapshot is deleted when nothing is left of it, and either of its two objects may be the last.
  const halfGone = new Set<string>()
  const goes = (name: string): void => {
    if (halfGone.delete(name)) sight('delete snapshot', name)
    else halfGone.add(name)
  }
  snapshots.onChange(({ before, after }) => {
    const name = (after ?? before)?.metadata.name ?? ''
    if (!after) goes(name)
    else if (after.status?.readyToUse === true) sight('snapshot', name)
  })
  contents.onChange(({ before, after }) => {
    if (!after) goes(before?.spec.volumeSnapshotRef.name ?? '')
  })

  // Snapshots have the names of their claims.
  const wish: Record<Change, (volume: LoadedVolume) => Promise<unknown>> = {
    expand: ({ claimName }) =>
      api.patch(
        PERSISTENT_VOLUME_CLAIMS,
        { namespace: NAMESPACE, name: claimName },
        { type: 'merge', value: { spec: { resources: { requests: { storage: LARGER } } } } },
      ),
    snapshot: ({ claimName }) => api.create(VOLUME_SNAPSHOTS, snapshot(claimName)),
    'delete snapshot': ({ claimName }) => api.delete(VOLUME_SNAPSHOTS, { namespace: NAMESPACE, name: claimName }),
  }
  return {
    phases: CHANGES,
    prepare: async (prefix, count) => {
      const volumes = loadedVolumes(prefix, count)
      await inFlight(volumes, SETTLING_REQUESTS, async (volume) => {
        volume.volumeName = `volume-${volume.claimName}`
        await storeBound(api, boundPair(volume.claimName, volume.volumeName))
      })
      return volumes
    },
    run: (phase, wanted, requests) =>
      run(
        phase,
        wanted,
        async (volume) => {
          await wish[phase](volume)
          return volume.claimName
        },
        requests,
      ),
    settle: async (after, settled) => {
      if (after !== CHANGES.at(-1)) return
      await inFlight(settled, SETTLING_REQUESTS, async ({ claimName, volumeName }) => {
        await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: claimName })
        await api.delete(PERSISTENT_VOLUMES, { name: volumeName })
      })
    },
    stop: () => informers.stop(),
  }
}

/** Stores a claim and a volume as they are once they are bound. */
export async function storeBound(api: Api, { claim, volume }: BoundPair): Promise<void> {
  const stored = await api.create(PERSISTENT_VOLUME_CLAIMS, claim)
  const { uid } = stored.metadata
  const claimRef = { ...volume.spec.claimRef, ...(uid === undefined ? {} : { uid }) }
  await api.create(PERSISTENT_VOLUMES, { ...volume, spec: { ...volume.spec, claimRef } })
  const { name = '' } = volume.metadata
  const bound = { phase: 'Bound' }
  await api.patch(PERSISTENT_VOLUMES, { name }, { type: 'merge', value: { status: bound } }, { subresource: 'status' })
  const { accessModes } = claim.spec
  await api.patch(
    PERSISTENT_VOLUME_CLAIMS,
    { namespace: NAMESPACE, name: claim.metadata.name ?? '' },
    { type: 'merge', value: { status: { ...bound, accessModes, capacity: volume.spec.capacity } } },
    { subresource: 'status' },
  )
}
