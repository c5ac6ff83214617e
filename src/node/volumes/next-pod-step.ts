import type { Pod } from '../../api/kinds/pod.ts'
import type { Reason } from '../../api/reason.ts'
import type { PodVolume } from '../../storage/resolve-pod-volume.ts'
import { REASONS } from './reasons.ts'
import { needsVolumes, usedVolumesOf } from './used-volumes.ts'
import type { PodStep, PodView } from './volume-view.ts'

// Whoever explains from outside asks for the same volumes.
export { needsVolumes, usedVolumesOf } from './used-volumes.ts'

/** What to do next about one pod of the node. */
export function nextPodStep(view: PodView): PodStep {
  const { pod } = view.seen
  return pod && needsVolumes(pod) ? nextStartStep(pod, view) : nextEndStep(pod, view)
}

/**
 * Why nobody on a node of Holdfast makes the volume; undefined when somebody does, or nobody has to. What is made for containers alone, on the
 * node and out of what the node or the API server has, is missed by nobody where no container runs. Everything else is storage that somebody
 * has to mount: a pod that counts as running without it would be a lie.
 */
export function findUnserved(name: string, volume: PodVolume): Reason | undefined {
  if (volume.kind !== 'other') return undefined
  const { source: kind, persistentVolume } = volume
  if (persistentVolume === undefined)
    return FOR_CONTAINERS.has(kind) ? undefined : REASONS.notServed({ volume: name, kind })
  return REASONS.notServed({ volume: name, persistentVolume, kind })
}

// An image is pulled for containers, just as their own images are.
const FOR_CONTAINERS: ReadonlySet<string> = new Set([
  'emptyDir',
  'configMap',
  'secret',
  'projected',
  'downwardAPI',
  'hostPath',
  'image',
])

function nextStartStep(pod: Pod, { seen: { volumes }, held }: PodView): PodStep {
  const used = usedVolumesOf(pod).map(({ volume }) => volume.name)
  let soonest: { reason: Reason; retryInMs: number } | undefined
  for (const name of used) {
    const known = volumes.get(name)
    if (known && known.kind !== 'waits' && known.kind !== 'refused') continue
    const { retryAtMs = 0 } = held?.patience.get(name) ?? {}
    const retryInMs = retryAtMs - (held?.nowMs ?? 0)
    if (!held && known) return { kind: 'wait', reason: known.reason }
    if (retryInMs <= 0) return { kind: 'resolve', volumeName: name }
    if (!soonest || retryInMs < soonest.retryInMs) {
      soonest = {
        retryInMs,
        reason:
          known?.reason ?? REASONS.backingOff(held?.patience.get(name)?.detail ?? '', Math.ceil(retryInMs / 1000)),
      }
    }
  }
  if (soonest) return { kind: 'wait', ...soonest }
  const pending = held ? held.mounts.filter(({ state }) => state !== 'mounted').map(({ specName }) => specName) : []
  const isRunning = pod.status?.phase === 'Running'
  // One that ran before we came goes on: its volumes are mounted again in their places.
  if (isRunning) return { kind: 'wait', reason: REASONS.running }
  if (pending.length > 0 || !held)
    return { kind: 'wait', reason: REASONS.mountsPending(pending.join(', ') || used.join(', ')) }
  return { kind: 'report-running' }
}

function nextEndStep(pod: Pod | undefined, { held }: PodView): PodStep {
  if (!held) return { kind: 'wait', reason: REASONS.finished }
  // Without having seen all pods, one that is missing is not known to be gone.
  if (!pod && !held.isReady) return { kind: 'wait', reason: REASONS.podsUnknown }
  const left = held.mounts.filter(({ isPresent }) => isPresent).map(({ specName }) => specName)
  if (left.length > 0) return { kind: 'wait', reason: REASONS.unmountsPending(left.join(', ')) }
  if (held.hasDirectory) return { kind: 'remove-directory' }
  if (!pod) return { kind: 'forget' }
  if (pod.metadata.deletionTimestamp === undefined) return { kind: 'wait', reason: REASONS.finished }
  // Asked for already: only finalizers keep it.
  if (pod.metadata.deletionGracePeriodSeconds === 0)
    return { kind: 'wait', reason: REASONS.finalizersLeft((pod.metadata.finalizers ?? []).join(', ')) }
  return { kind: 'delete-pod', pod }
}
