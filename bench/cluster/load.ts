import type { Api } from '../../src/api/api.ts'
import { NODES } from '../../src/api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../src/api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../src/api/kinds/persistent-volume.ts'
import { PODS } from '../../src/api/kinds/pod.ts'
import type { Pod } from '../../src/api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../../src/api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../../src/api/kinds/volume-attachment.ts'
import { createSilentLogger, createSystemClock, createSystemRandom } from '../../src/base/index.ts'
import { createInformers } from '../../src/kube/cache/informers.ts'
import { parseUniqueVolumeName } from '../../src/storage/unique-volume-name.ts'
import { inFlight } from '../sidecars/in-flight.ts'
import { boundClaim, boundClaimStatus, boundVolume, claim, NAMESPACE, pod } from './objects.ts'
import { playNodes } from './play-nodes.ts'
import { retryUnanswered } from './retry-unanswered.ts'

/** How long each took, if that was asked for, and all of them together. */
export type LoadResult = { readonly timesMs: readonly number[]; readonly elapsedMs: number }

/** Users and nodes of a cluster: makes claims with a pod each, and sees what becomes of them. */
export interface Load {
  /** Claims with a pod each: until each volume is attached, and its node's status says so. */
  attach(names: readonly string[], requests: number): Promise<LoadResult>
  /** Deletes pods and claims whose volumes are attached: until nothing is left of them, of their volumes and of their attachments. */
  remove(names: readonly string[], requests: number): Promise<LoadResult>
  /** Claims that have their volumes already, and were bound by others. */
  bind(names: readonly string[], requests: number): Promise<void>
  /** Pods for such claims: until each has a node. */
  place(names: readonly string[], requests: number): Promise<LoadResult>
  /** Of the whole server: each write makes one. */
  revision(): Promise<number>
  /** Requests that the played nodes have made. */
  nodeWrites(): number
  stop(): Promise<void>
}

/** A claim, a volume, a pod and an attachment. */
export const OBJECTS_PER_VOLUME = 4
// A run that makes no headway for so long has failed.
const PATIENCE_MS = 60_000

export async function startLoad(given: Api): Promise<Load> {
  const api = retryUnanswered(given)
  const informers = createInformers({
    api,
    clock: createSystemClock(),
    random: createSystemRandom(),
    log: createSilentLogger(),
  })
  const pods = informers.get(PODS)
  const claims = informers.get(PERSISTENT_VOLUME_CLAIMS)
  const volumes = informers.get(PERSISTENT_VOLUMES)
  const attachments = informers.get(VOLUME_ATTACHMENTS)
  const nodes = informers.get(NODES)
  await informers.synced()

  // By the name of the volume, which is its handle too.
  const attached = new Set<string>()
  const reported = new Set<string>()
  let onAttached = (_volume: string): void => {}
  let onPlaced = (_pod: string): void => {}
  let onGone = (): void => {}
  attachments.onChange(({ before, after }) => {
    const name = (after ?? before)?.spec.source.persistentVolumeName ?? ''
    if (after?.status?.attached === true && !after.metadata.deletionTimestamp) {
      if (!attached.has(name) && attached.add(name) && reported.has(name)) onAttached(name)
    } else attached.delete(name)
    if (!after) onGone()
  })
  nodes.onChange(({ before, after }) => {
    const had = new Set(before?.status?.volumesAttached?.map(({ name }) => name))
    for (const { name } of after?.status?.volumesAttached ?? []) {
      const handle = had.delete(name) ? undefined : parseUniqueVolumeName(name)?.volumeHandle
      if (handle !== undefined && !reported.has(handle) && reported.add(handle) && attached.has(handle))
        onAttached(handle)
    }
    for (const name of had) reported.delete(parseUniqueVolumeName(name)?.volumeHandle ?? '')
  })
  pods.onChange(({ before, after }) => {
    if (!after) onGone()
    else if (after.spec.nodeName && !before?.spec.nodeName) onPlaced(after.metadata.name ?? '')
  })
  claims.onChange(({ after }) => void (after ?? onGone()))
  volumes.onChange(({ after }) => void (after ?? onGone()))
  const handleOf = (used: Pod): string | undefined =>
    claims.get(`${NAMESPACE}/${used.spec.volumes?.[0]?.persistentVolumeClaim?.claimName}`)?.spec.volumeName
  const played = playNodes(api, pods, handleOf)

  const attach: Load['attach'] = async (names, requests) => {
    const begun = new Map<string, number>()
    const ended = new Map<string, number>()
    const progress = startProgress('attach', names.length)
    const startMs = performance.now()
    const done = (volume: string): void => {
      if (!begun.has(volume) || ended.has(volume)) return
      ended.set(volume, performance.now())
      progress.count()
    }
    onAttached = done
    await inFlight(names, requests, async (name) => {
      const beganMs = performance.now()
      const { metadata } = await api.create(PERSISTENT_VOLUME_CLAIMS, claim(name))
      begun.set(`pvc-${metadata.uid}`, beganMs)
      await api.create(PODS, pod(name))
    })
    await progress.all
    return {
      timesMs: Array.from(ended, ([volume, endMs]) => endMs - (begun.get(volume) ?? Number.NaN)),
      elapsedMs: performance.now() - startMs,
    }
  }
  const remove: Load['remove'] = async (names, requests) => {
    const left = (): number => pods.size() + claims.size() + volumes.size() + attachments.size()
    const kept = left() - names.length * OBJECTS_PER_VOLUME
    const progress = startProgress('remove', names.length * OBJECTS_PER_VOLUME)
    const startMs = performance.now()
    onGone = () => progress.count()
    await inFlight(names, requests, async (name) => {
      await api.delete(PODS, { namespace: NAMESPACE, name })
      await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name })
    })
    await progress.all
    if (left() > kept) throw new Error(`${left() - kept} objects are left`)
    return { timesMs: [], elapsedMs: performance.now() - startMs }
  }
  const bind: Load['bind'] = (names, requests) =>
    inFlight(names, requests, async (name) => {
      const { metadata } = await api.create(PERSISTENT_VOLUME_CLAIMS, boundClaim(name))
      await api.create(PERSISTENT_VOLUMES, boundVolume(name, metadata.uid ?? ''))
      await api.patch(
        PERSISTENT_VOLUMES,
        { name },
        { type: 'merge', value: { status: { phase: 'Bound' } } },
        { subresource: 'status' },
      )
      await api.patch(
        PERSISTENT_VOLUME_CLAIMS,
        { namespace: NAMESPACE, name },
        { type: 'merge', value: { status: boundClaimStatus } },
        { subresource: 'status' },
      )
    })
  const place: Load['place'] = async (names, requests) => {
    const begun = new Map<string, number>()
    const timesMs: number[] = []
    const progress = startProgress('place', names.length)
    const startMs = performance.now()
    onPlaced = (name) => {
      timesMs.push(performance.now() - (begun.get(name) ?? Number.NaN))
      progress.count()
    }
    await inFlight(names, requests, async (name) => {
      begun.set(name, performance.now())
      await api.create(PODS, pod(name))
    })
    await progress.all
    return { timesMs, elapsedMs: performance.now() - startMs }
  }
  return {
    attach,
    remove,
    bind,
    place,
    revision: async () => Number((await api.list(STORAGE_CLASSES)).resourceVersion),
    nodeWrites: () => played.writes(),
    stop: async () => {
      await played.stop()
      await informers.stop()
    },
  }
}

type Progress = { count(): void; readonly all: Promise<void> }

/** Resolves at the last of them; rejects when none comes for a while. */
function startProgress(what: string, wanted: number): Progress {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let done = 0
  const fail = (): void =>
    reject(new Error(`${what}: ${wanted - done} of ${wanted} are missing, and none came for ${PATIENCE_MS / 1000} s`))
  const timer = setTimeout(fail, PATIENCE_MS)
  const count = (): void => {
    timer.refresh()
    if (++done < wanted) return
    clearTimeout(timer)
    resolve()
  }
  return { count, all: promise }
}
