import type { Api } from '../../src/api/api.ts'
import { PERSISTENT_VOLUMES } from '../../src/api/kinds/persistent-volume.ts'
import { VOLUME_ATTACHMENTS } from '../../src/api/kinds/volume-attachment.ts'
import { createSilentLogger, createSystemClock, createSystemRandom } from '../../src/base/index.ts'
import { createInformers } from '../../src/kube/cache/informers.ts'
import { inFlight } from './in-flight.ts'
import { loadedVolumes, SETTLING_REQUESTS } from './load.ts'
import type { Load, LoadedVolume } from './load.ts'
import { attachment, boundPair } from './objects.ts'
import { createSightings } from './run-phase.ts'

export const OTHERS_PHASES = ['attach others', 'detach others'] as const
export type OthersPhase = (typeof OTHERS_PHASES)[number]

/** Volumes that were made by others, without a finalizer of any sidecar, are attached and detached. */
export async function startOthersLoad(api: Api): Promise<Load<OthersPhase>> {
  const [clock, random, log] = [createSystemClock(), createSystemRandom(), createSilentLogger()]
  const informers = createInformers({ api, clock, random, log })
  const attachments = informers.get(VOLUME_ATTACHMENTS)
  await informers.synced()
  const { sight, run } = createSightings<OthersPhase>()
  attachments.onChange(({ before, after }) => {
    const name = (after ?? before)?.spec.source.persistentVolumeName ?? ''
    if (!after) sight('detach others', name)
    else if (after.status?.attached === true) sight('attach others', name)
  })
  const wish: Record<OthersPhase, (volume: LoadedVolume) => Promise<unknown>> = {
    'attach others': ({ volumeName, index }) => api.create(VOLUME_ATTACHMENTS, attachment(volumeName, index)),
    'detach others': ({ volumeName }) =>
      api.delete(VOLUME_ATTACHMENTS, { name: attachment(volumeName, 0).metadata.name ?? '' }),
  }
  return {
    phases: OTHERS_PHASES,
    prepare: async (prefix, count) => {
      const volumes = loadedVolumes(prefix, count)
      await inFlight(volumes, SETTLING_REQUESTS, async (loaded) => {
        loaded.volumeName = `others-${loaded.claimName}`
        const { volume } = boundPair(loaded.claimName, loaded.volumeName)
        const { claimRef: _unclaimed, ...spec } = volume.spec
        await api.create(PERSISTENT_VOLUMES, { ...volume, spec: { ...spec, persistentVolumeReclaimPolicy: 'Retain' } })
      })
      return volumes
    },
    run: (phase, wanted, requests) =>
      run(phase, wanted, (volume) => wish[phase](volume).then(() => volume.volumeName), requests),
    settle: async (after, settled) => {
      if (after !== OTHERS_PHASES.at(-1)) return
      await inFlight(settled, SETTLING_REQUESTS, ({ volumeName }) =>
        api.delete(PERSISTENT_VOLUMES, { name: volumeName }),
      )
    },
    stop: () => informers.stop(),
  }
}
