import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { refOf } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import { atStart, defineController, DONE, on } from '../../kube/controller/index.ts'
import type { Pass } from '../../kube/controller/index.ts'
import type { PodVolume } from '../../storage/resolve-pod-volume.ts'
import { addFailure, BACKOFF, retryNow } from './failures.ts'
import { nextPodStep } from './next-pod-step.ts'
import { runningStatus } from './pod-status.ts'
import { isKnown, needsVolumes, readPodView, usedVolumesOf } from './pod-view.ts'
import type { PodStep, PodView } from './pod-view.ts'
import { REASONS } from './reasons.ts'
import { factsOf, resolveVolume } from './resolve-volume.ts'
import { isSpecChange, uidsOf } from './volume-context.ts'
import type { VolumeContext } from './volume-context.ts'
import { mountKey } from './volume-table.ts'
import type { PodEntry } from './volume-table.ts'

/** Finds out what a pod needs, reports it as running once that is mounted, and deletes it when nothing of it is left. */
export function definePodController(context: VolumeContext) {
  const { api, clock, table, files, tokens, pods, csiDrivers } = context
  return defineController<PodView, PodStep>({
    name: 'node-pods',
    queue: context.createQueue({ name: 'node-pods', lanes: { default: 32 }, backoff: BACKOFF }),
    watch: [
      atStart(...table.pods.keys()),
      on(pods, uidsOf),
      on(table, ({ mount }) => mount?.podUid),
      // A pod may have been refused because of what the CSIDriver says.
      on(csiDrivers, (change) => (isSpecChange(change) ? retryNow(table.pods.values(), isRefused) : []).map(uidOf)),
    ],
    // Each volume is looked up by a step of its own.
    stepLimit: 1000,
    view: (uid) => {
      if (isTried(context, uid)) context.markTried(uid)
      return readPodView(context, uid)
    },
    decide: nextPodStep,
    perform: {
      resolve: ({ pod, podVolumeName }, pass) => resolve(context, pod, podVolumeName, pass),
      'report-running': async ({ pod }, { log }) => {
        const value = { metadata: { uid: pod.metadata.uid }, status: runningStatus(pod, clock.nowMs()) }
        await api.patch(PODS, refOf(pod), { type: 'strategic', value }, { subresource: 'status' })
        log.info('all volumes of the pod are mounted', { pod: pod.metadata.name, namespace: pod.metadata.namespace })
      },
      'remove-directory': async (_step, { key: uid, log }) => {
        tokens.forget(uid)
        if (!(await files.removePod(uid))) log.warn('the directory of a pod that is gone is not empty', { pod: uid })
        table.podOf(uid).hasDirectory = false
      },
      'delete-pod': async ({ pod }) => {
        const preconditions = pod.metadata.uid ? { uid: pod.metadata.uid } : {}
        await api.delete(PODS, refOf(pod), { gracePeriodSeconds: 0, preconditions })
        return DONE
      },
      forget: (_step, { key: uid }) => {
        table.pods.delete(uid)
        tokens.forget(uid)
      },
    },
  })
}

/** Every volume of the pod has been looked up once, with whatever result. */
function isTried({ table, findPod }: VolumeContext, uid: string): boolean {
  const pod = findPod(uid)
  if (!pod || !needsVolumes(pod)) return true
  const { volumes, failures } = table.podOf(uid)
  return usedVolumesOf(pod).every(({ volume: { name } }) => volumes.has(name) || failures.has(name))
}

const uidOf = ({ uid }: PodEntry): string => uid
const isRefused = ({ volumes }: PodEntry): boolean => volumes.values().some(({ kind }) => kind === 'refused')

async function resolve(
  context: VolumeContext,
  pod: Pod,
  podVolumeName: string,
  { key: uid, signal, say }: Pass<PodView>,
): Promise<void> {
  const { table } = context
  const { volumes, failures } = table.podOf(uid)
  const used = usedVolumesOf(pod).find(({ volume }) => volume.name === podVolumeName)
  if (!used) return
  const fail = (text: string): void => {
    addFailure(failures, podVolumeName, text, context)
    const message = `Unable to attach or mount volumes: volume ${JSON.stringify(podVolumeName)}: ${text}`
    say(pod, { type: 'Warning', event: 'FailedMount' }, message, podVolumeName)
  }
  try {
    const found = takeWish(context, uid, podVolumeName, await resolveVolume(pod, used, context))
    volumes.set(podVolumeName, found)
    if (isKnown(found)) failures.delete(podVolumeName)
    else fail(formatReason(found.reason))
  } catch (error) {
    signal.throwIfAborted()
    fail(error instanceof Error ? error.message : String(error))
  }
  table.tell({ podUid: uid })
}

/** What the pod wants becomes a mount, with a device below it. */
function takeWish({ table }: VolumeContext, podUid: string, podVolumeName: string, found: PodVolume): PodVolume {
  if (found.kind !== 'csi' && found.kind !== 'ephemeral') return found
  const facts = factsOf(found, podVolumeName)
  const present = table.mounts.get(mountKey(podUid, facts.volumeName))
  if (present && (present.driver !== facts.driver || present.volumeHandle !== facts.volumeHandle))
    return { kind: 'refused', reason: REASONS.sameName(podVolumeName) }
  const mount = table.addMount({ ...facts, podUid, isEphemeral: found.kind === 'ephemeral' })
  mount.wish = found
  mount.podVolumeName = podVolumeName
  if (found.kind === 'csi') {
    const device = table.addDevice(facts)
    if (device.volumeName === '') device.volumeName = facts.volumeName
    table.tell({ device })
  }
  return found
}
