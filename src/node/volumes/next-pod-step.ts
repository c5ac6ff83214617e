import { hasCondition } from '../../api/conditions.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { Reason } from '../../api/reason.ts'
import type { PodVolume } from '../../storage/resolve-pod-volume.ts'
import { hasContainerStates } from '../pod-status/index.ts'
import { isKnown, needsVolumes, usedVolumesOf } from './pod-view.ts'
import type { PodStep, PodView, UsedVolume } from './pod-view.ts'
import { PODS_KNOWN, REASONS, wait } from './reasons.ts'
import type { VolumeReason } from './reasons.ts'

export function nextPodStep(view: PodView): PodStep {
  const { pod } = view.seen
  return pod && needsVolumes(pod) ? orReport(nextStartStep(pod, view), pod, view) : nextEndStep(pod, view)
}

// Most pods have their volumes by then, and are reported once, as running.
const REPORT_AFTER_MS = 1000

/** A pod that has to wait is reported as waiting, once. */
function orReport(step: PodStep, pod: Pod, { held }: PodView): PodStep {
  if (step.kind !== 'wait' || !held || pod.status?.phase === 'Running' || hasContainerStates(pod)) return step
  const reportInMs = held.seenAtMs + REPORT_AFTER_MS - held.nowMs
  if (reportInMs <= 0) return { kind: 'report-waiting', pod }
  return { ...step, retryInMs: Math.min(reportInMs, step.retryInMs ?? reportInMs) }
}

/**
 * Why no Holdfast agent mounts the volume; undefined if it does, or need not. Volumes that exist only for containers are not needed on a node without
 * containers. Everything else is storage that has to be mounted before the pod may be reported as running.
 */
export function findUnserved(podVolumeName: string, volume: PodVolume): VolumeReason | undefined {
  if (volume.kind !== 'other') return undefined
  const { source: kind, persistentVolume } = volume
  if (persistentVolume !== undefined)
    return REASONS.VolumeKindNotServed({ volume: podVolumeName, persistentVolume, kind })
  return FOR_CONTAINERS.has(kind) ? undefined : REASONS.VolumeKindNotServed({ volume: podVolumeName, kind })
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

/** Containers use the volume in a way that its mode does not allow. */
export function findWrongMode(
  { volume, asFiles, asDevice }: UsedVolume,
  resolved: PodVolume,
): VolumeReason | undefined {
  if (resolved.kind !== 'csi') return undefined
  const mode = resolved.volume.spec.volumeMode ?? 'Filesystem'
  return (mode === 'Block' ? asFiles : asDevice) ? REASONS.VolumeModeMismatch({ volume: volume.name, mode }) : undefined
}

function nextStartStep(pod: Pod, { seen: { volumes }, held }: PodView): PodStep {
  const used = usedVolumesOf(pod).map(({ volume }) => volume.name)
  let soonest: { reason: Reason; retryInMs: number } | undefined
  for (const name of used) {
    const known = volumes.get(name)
    if (isKnown(known)) continue
    const { retryAtMs = 0, detail = '' } = held?.patience.get(name) ?? {}
    const retryInMs = retryAtMs - (held?.nowMs ?? 0)
    if (!held && known) return { kind: 'wait', reason: known.reason }
    if (retryInMs <= 0) return { kind: 'resolve', pod, podVolumeName: name }
    if (!soonest || retryInMs < soonest.retryInMs)
      soonest = { retryInMs, reason: known?.reason ?? REASONS.BackingOff(detail, Math.ceil(retryInMs / 1000)) }
  }
  if (soonest) return { kind: 'wait', ...soonest }
  const pending = held ? held.mounts.filter(({ state }) => state !== 'mounted').map(({ volumeName }) => volumeName) : []
  const isRunning = pod.status?.phase === 'Running'
  // A pod that ran before the agent started keeps running: its volumes are mounted again in their places. While the node was silent, the
  // control plane has marked its pods as not ready.
  if (isRunning && held && pending.length === 0 && hasCondition(pod.status?.conditions, 'Ready', 'False'))
    return { kind: 'report-ready', pod }
  if (isRunning) return wait(REASONS.Running)
  if (pending.length > 0 || !held) return wait(REASONS.VolumesNotMounted(pending.join(', ') || used.join(', ')))
  return { kind: 'report-running', pod }
}

function nextEndStep(pod: Pod | undefined, { held }: PodView): PodStep {
  if (!held) return wait(REASONS.Finished)
  // Before all pods have been seen, a missing one is not known to be gone.
  if (!pod && !held.isReady) return wait(REASONS.PodsNotKnown, { wakeOn: [PODS_KNOWN] })
  const left = held.mounts.filter(({ isPresent }) => isPresent).map(({ volumeName }) => volumeName)
  if (left.length > 0) return wait(REASONS.VolumesNotUnmounted(left.join(', ')))
  if (held.hasDirectory) return { kind: 'remove-directory' }
  if (!pod) return { kind: 'forget' }
  if (pod.metadata.deletionTimestamp === undefined) return wait(REASONS.Finished)
  // Deleted already: only finalizers keep it.
  if (pod.metadata.deletionGracePeriodSeconds === 0)
    return wait(REASONS.FinalizersLeft((pod.metadata.finalizers ?? []).join(', ')))
  return { kind: 'delete-pod', pod }
}
