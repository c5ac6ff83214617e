import { isNotFound } from '../../api/api-error.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { refOf } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import { unreachable } from '../../base/abort.ts'
import { after, DONE } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import { within } from '../../kube/within.ts'
import type { PodVolume } from '../../storage/resolve-pod-volume.ts'
import { nextPodStep } from './next-pod-step.ts'
import { runningStatus } from './pod-status.ts'
import { REASONS } from './reasons.ts'
import { resolveVolume } from './resolve-volume.ts'
import { needsVolumes, usedVolumesOf } from './used-volumes.ts'
import { isPresent, mountKey } from './volume-table.ts'
import type { DriverVolume } from './volume-table.ts'
import type { Patience, PodView } from './volume-view.ts'
import type { PodState, VolumeWork } from './volume-work.ts'

// Each volume is resolved by a step of its own.
const MOST_STEPS = 1000

/** Brings up what a pod needs, and lets it go when nothing of it is left. */
export function createPodReconciler(work: VolumeWork): Reconciler {
  const { api, clock, table, files, failures, podStates } = work
  const stateOf = (uid: string): PodState => {
    const present = podStates.get(uid)
    if (present) return present
    const state: PodState = { volumes: new Map(), hasDirectory: true }
    podStates.set(uid, state)
    return state
  }
  const readView = (uid: string): PodView => {
    const pod = work.findPod(uid)
    const { volumes, hasDirectory } = stateOf(uid)
    const patience = new Map<string, Patience>()
    for (const { name } of pod?.spec.volumes ?? []) {
      const found = failures.find(uid, name)
      if (found) patience.set(name, found)
    }
    const mounts = table
      .mountsOfPod(uid)
      .map((mount) => ({ specName: mount.specName, state: mount.state, isPresent: isPresent(mount) }))
    return {
      seen: { ...(pod ? { pod } : {}), volumes },
      held: { nowMs: clock.monotonicMs(), isReady: work.isReady(), hasDirectory, patience, mounts },
    }
  }

  const resolve = async (uid: string, pod: Pod, name: string, signal: AbortSignal): Promise<void> => {
    const used = usedVolumesOf(pod).find(({ volume }) => volume.name === name)
    if (!used) return
    const state = stateOf(uid)
    let resolved: PodVolume
    try {
      resolved = await within(clock, signal, (until) => resolveVolume(pod, used, work, until))
    } catch (error) {
      signal.throwIfAborted()
      const text = error instanceof Error ? error.message : String(error)
      failures.add(uid, name, text)
      work.tell(
        pod,
        'FailedMount',
        `Unable to attach or mount volumes: volume ${JSON.stringify(name)}: ${text}`,
        `${uid} ${name}`,
      )
      return
    }
    const wish = resolved.kind === 'csi' || resolved.kind === 'ephemeral' ? takeWish(uid, name, resolved) : resolved
    state.volumes.set(name, wish)
    if (wish.kind !== 'waits' && wish.kind !== 'refused') return failures.forget(uid, name)
    const text = formatReason(wish.reason)
    failures.add(uid, name, text)
    work.tell(
      pod,
      'FailedMount',
      `Unable to attach or mount volumes: volume ${JSON.stringify(name)}: ${text}`,
      `${uid} ${name}`,
    )
  }
  /** What the pod wants becomes a mount, and a device below it. */
  const takeWish = (uid: string, name: string, volume: DriverVolume): PodVolume => {
    const facts =
      volume.kind === 'csi'
        ? {
            specName: volume.volume.name,
            driver: volume.volume.driver,
            handle: volume.volume.handle,
            isBlock: volume.volume.spec.volumeMode === 'Block',
          }
        : { specName: name, driver: volume.source.driver, handle: volume.handle, isBlock: false }
    const isEphemeral = volume.kind === 'ephemeral'
    const present = table.mounts.get(mountKey(uid, facts.specName))
    if (present && (present.driver !== facts.driver || present.handle !== facts.handle))
      return { kind: 'refused', reason: REASONS.sameName(name) }
    const mount = table.addMount({ ...facts, podUid: uid, isEphemeral })
    mount.volume = volume
    if (!isEphemeral) {
      const device = table.addDevice({
        data: { driverName: facts.driver, volumeHandle: facts.handle },
        specName: facts.specName,
        isBlock: facts.isBlock,
      })
      if (device.specName === '') device.specName = facts.specName
      work.touchUse()
      work.enqueueDevice(device)
    }
    work.enqueueMount(mount)
    return volume
  }

  const reportRunning = async (pod: Pod, signal: AbortSignal): Promise<void> => {
    const value = { metadata: { uid: pod.metadata.uid }, status: runningStatus(pod, clock.nowMs()) }
    work.rememberPod(
      await within(clock, signal, (until) =>
        api.patch(PODS, refOf(pod), { type: 'strategic', value }, { subresource: 'status', signal: until }),
      ),
    )
  }
  const deletePod = async (pod: Pod, signal: AbortSignal): Promise<void> => {
    const preconditions = pod.metadata.uid ? { uid: pod.metadata.uid } : {}
    await within(clock, signal, (until) =>
      api.delete(PODS, refOf(pod), { gracePeriodSeconds: 0, preconditions, signal: until }),
    )
  }
  const unlessGone = async (act: () => Promise<void>): Promise<void> => {
    try {
      await act()
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  /** What was never begun holds up no pod, and still has to go: it counts as used until then. */
  const releaseMounts = (uid: string): void => table.mountsOfPod(uid).forEach(work.enqueueMount)

  return async (uid, { log, signal }) => {
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      signal.throwIfAborted()
      const view = readView(uid)
      const { pod } = view.seen
      const step = nextPodStep(view)
      log.debug('pod step', { step: step.kind, ...('reason' in step ? { reason: step.reason } : {}) })
      switch (step.kind) {
        case 'wait':
          // What is as it should be need not be looked at.
          for (const mount of table.mountsOfPod(uid))
            if (mount.state !== 'mounted' || !pod || !needsVolumes(pod)) work.enqueueMount(mount)
          return step.retryInMs === undefined ? DONE : after(step.retryInMs)
        case 'forget':
          releaseMounts(uid)
          podStates.delete(uid)
          failures.forget(uid)
          work.tokens.forget(uid)
          return DONE
        case 'resolve':
          if (!pod) return DONE
          await resolve(uid, pod, step.volumeName, signal)
          continue
        case 'report-running':
          if (!pod) return DONE
          await unlessGone(() => reportRunning(pod, signal))
          log.info('all volumes of the pod are mounted', { pod: pod.metadata.name, namespace: pod.metadata.namespace })
          return DONE
        case 'remove-directory':
          work.tokens.forget(uid)
          if (!(await files.removePod(uid)))
            log.warn('something is left in the directory of a pod that is gone', { pod: uid })
          stateOf(uid).hasDirectory = false
          continue
        case 'delete-pod':
          releaseMounts(uid)
          await unlessGone(() => deletePod(step.pod, signal))
          return DONE
        default:
          return unreachable(step)
      }
    }
    return after(0)
  }
}
