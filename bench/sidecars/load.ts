import type { Api } from '../../src/api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../src/api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../src/api/kinds/persistent-volume.ts'
import { VOLUME_ATTACHMENTS } from '../../src/api/kinds/volume-attachment.ts'
import { createSilentLogger, createSystemClock, createSystemRandom } from '../../src/base/index.ts'
import { createInformers } from '../../src/kube/cache/informers.ts'
import { inFlight } from './in-flight.ts'
import { attachment, claim, NAMESPACE } from './objects.ts'

export const PHASES = ['provision', 'attach', 'detach', 'delete'] as const
export type Phase = (typeof PHASES)[number]

/** One volume on its way; the name of the volume is known once its claim is stored. */
export type LoadedVolume = { readonly claimName: string; readonly index: number; volumeName: string }

/** How long each took, from our request until we saw it done, and all of them together. */
export type PhaseResult = { timesMs: number[]; elapsedMs: number; begunAt: number }

/** The rest of the cluster, as far as a load needs it: makes the wishes, and sees them come true. */
export interface Load {
  /** Makes all wishes of a phase with that many requests under way, and waits until each has come true. */
  run(phase: Phase, volumes: readonly LoadedVolume[], requests: number): Promise<PhaseResult>
  /** What binder and users do between: after provisioning and before deleting. Not measured. */
  settle(between: 'provision' | 'delete', volumes: readonly LoadedVolume[]): Promise<void>
  stop(): Promise<void>
}

const SETTLING_REQUESTS = 32
// A run that makes no headway for so long has failed.
const PATIENCE_MS = 60_000
const PROTECTION = 'kubernetes.io/pv-protection'

export const loadedVolumes = (prefix: string, count: number): LoadedVolume[] =>
  Array.from({ length: count }, (_, index) => ({ claimName: `${prefix}-${index}`, index, volumeName: '' }))

export async function startLoad(api: Api): Promise<Load> {
  const informers = createInformers({
    api,
    clock: createSystemClock(),
    random: createSystemRandom(),
    log: createSilentLogger(),
  })
  const volumes = informers.get(PERSISTENT_VOLUMES)
  const attachments = informers.get(VOLUME_ATTACHMENTS)
  await informers.synced()
  // When the wish of each phase was seen to have come true, by the name of the volume.
  const seen: Record<Phase, Map<string, number>> = {
    provision: new Map(),
    attach: new Map(),
    detach: new Map(),
    delete: new Map(),
  }
  let onSight = (_phase: Phase, _name: string): void => {}
  const sight = (phase: Phase, name: string): void => {
    if (seen[phase].has(name)) return
    seen[phase].set(name, performance.now())
    onSight(phase, name)
  }
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

  const run = async (phase: Phase, wanted: readonly LoadedVolume[], requests: number): Promise<PhaseResult> => {
    const begun = new Map<LoadedVolume, number>()
    const missing = new Set<string>()
    let done = 0
    const { promise: allSeen, resolve, reject } = Promise.withResolvers<void>()
    allSeen.catch(() => {})
    let timer: NodeJS.Timeout | undefined
    const fail = (): void =>
      reject(
        new Error(
          `${phase}: ${wanted.length - done} of ${wanted.length} are missing, and none came for ${PATIENCE_MS / 1000} s`,
        ),
      )
    const count = (): void => {
      clearTimeout(timer)
      if (++done === wanted.length) resolve()
      else timer = setTimeout(fail, PATIENCE_MS)
    }
    onSight = (which, name) => {
      if (which === phase && missing.delete(name)) count()
    }
    timer = setTimeout(fail, PATIENCE_MS)
    const begunAt = Date.now()
    const startMs = performance.now()
    try {
      await inFlight(wanted, requests, async (volume) => {
        begun.set(volume, performance.now())
        await wish[phase](volume)
        // It may have been seen before the answer to the wish was.
        if (seen[phase].has(volume.volumeName)) count()
        else missing.add(volume.volumeName)
      })
      await allSeen
    } finally {
      clearTimeout(timer)
      onSight = () => {}
    }
    const timesMs = wanted.map(
      (volume) => (seen[phase].get(volume.volumeName) ?? Number.NaN) - (begun.get(volume) ?? Number.NaN),
    )
    return { timesMs, elapsedMs: performance.now() - startMs, begunAt }
  }

  const settle = async (between: 'provision' | 'delete', settled: readonly LoadedVolume[]): Promise<void> => {
    await inFlight(settled, SETTLING_REQUESTS, async ({ claimName, volumeName }) => {
      const ref = { namespace: NAMESPACE, name: claimName }
      if (between === 'delete') return api.delete(PERSISTENT_VOLUME_CLAIMS, ref)
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
  }
  return { run, settle, stop: () => informers.stop() }
}
