import type { Api } from '../../src/api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../src/api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../src/api/kinds/persistent-volume.ts'
import { VOLUME_ATTACHMENTS } from '../../src/api/kinds/volume-attachment.ts'
import { createSilentLogger, createSystemClock, createSystemRandom } from '../../src/base/index.ts'
import { createInformers } from '../../src/kube/cache/informers.ts'
import { inFlight } from './in-flight.ts'
import { attachment, claim, NAMESPACE } from './objects.ts'
import { createSightings } from './run-phase.ts'
import type { PhaseResult } from './run-phase.ts'

export const PHASES = ['provision', 'attach', 'detach', 'delete'] as const
export type Phase = (typeof PHASES)[number]

/** One volume on its way; the name of the volume is known once its claim is stored. */
export type LoadedVolume = { readonly claimName: string; readonly index: number; volumeName: string }

/** The rest of the cluster, as far as a load needs it: makes the wishes, and sees them come true. */
export interface Load<P extends string> {
  /** Of one life, in order. */
  readonly phases: readonly P[]
  /** What there is before the first phase. Not measured. */
  prepare(prefix: string, count: number): Promise<LoadedVolume[]>
  /** Makes all wishes of a phase with that many requests under way, and waits until each has come true. */
  run(phase: P, volumes: readonly LoadedVolume[], requests: number): Promise<PhaseResult>
  /** What binder and users do after a phase. Not measured. */
  settle(after: P, volumes: readonly LoadedVolume[]): Promise<void>
  stop(): Promise<void>
}

export const SETTLING_REQUESTS = 32
const PROTECTION = 'kubernetes.io/pv-protection'

export const loadedVolumes = (prefix: string, count: number): LoadedVolume[] =>
  Array.from({ length: count }, (_, index) => ({ claimName: `${prefix}-${index}`, index, volumeName: '' }))

/** Claims that become volumes, are attached and detached, and are deleted. */
export async function startVolumesLoad(api: Api): Promise<Load<Phase>> {
  const informers = createInformers({
    api,
    clock: createSystemClock(),
    random: createSystemRandom(),
    log: createSilentLogger(),
  })
  const volumes = informers.get(PERSISTENT_VOLUMES)
  const attachments = informers.get(VOLUME_ATTACHMENTS)
  await informers.synced()
  const { sight, run } = createSightings<Phase>()
  volumes.onChange(({ key, after }) => sight(after ? 'provision' : 'delete', key))
  attachments.onChange(({ before, after }) => {
    const name = (after ?? before)?.spec.source.persistentVolumeName ?? ''
    if (!after) sight('detach', name)
    else if (after.status?.attached === true) sight('attach', name)
  })

  const wish: Record<Phase, (volume: LoadedVolume) => Promise<unknown>> = {
    provision: async (volume) => {
      const { metadata } = await api.create(PERSISTENT_VOLUME_CLAIMS, claim(volume.claimName))
      volume.volumeName = `pvc-${metadata.uid}`
    },
    attach: ({ volumeName, index }) => api.create(VOLUME_ATTACHMENTS, attachment(volumeName, index)),
    detach: ({ volumeName }) => api.delete(VOLUME_ATTACHMENTS, { name: attachment(volumeName, 0).metadata.name ?? '' }),
    delete: ({ volumeName }) =>
      api.patch(
        PERSISTENT_VOLUMES,
        { name: volumeName },
        { type: 'merge', value: { status: { phase: 'Released' } } },
        { subresource: 'status' },
      ),
  }

  const bind = (bound: readonly LoadedVolume[]): Promise<void> =>
    inFlight(bound, SETTLING_REQUESTS, async ({ claimName, volumeName }) => {
      const ref = { namespace: NAMESPACE, name: claimName }
      const { metadata } = await api.patch(
        PERSISTENT_VOLUMES,
        { name: volumeName },
        { type: 'merge', value: { status: { phase: 'Bound' } } },
        { subresource: 'status' },
      )
      await api.patch(PERSISTENT_VOLUME_CLAIMS, ref, {
        type: 'merge',
        value: { metadata: { finalizers: null }, spec: { volumeName } },
      })
      // Protection that nobody here would lift. It is the server's own, and first in the list or not there.
      const at = metadata.finalizers?.indexOf(PROTECTION) ?? -1
      if (at < 0) return metadata
      return api.patch(
        PERSISTENT_VOLUMES,
        { name: volumeName },
        {
          type: 'json',
          operations: [
            { op: 'test', path: `/metadata/finalizers/${at}`, value: PROTECTION },
            { op: 'remove', path: `/metadata/finalizers/${at}` },
          ],
        },
      )
    })
  return {
    phases: PHASES,
    prepare: async (prefix, count) => loadedVolumes(prefix, count),
    run: (phase, wanted, requests) =>
      run(
        phase,
        wanted,
        async (volume) => {
          await wish[phase](volume)
          return volume.volumeName
        },
        requests,
      ),
    settle: async (after, settled) => {
      if (after === 'provision') await bind(settled)
      if (after === 'detach')
        await inFlight(settled, SETTLING_REQUESTS, ({ claimName }) =>
          api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: claimName }),
        )
    },
    stop: () => informers.stop(),
  }
}
