import { ignoreNotFound } from '../../api/api-error.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { refOf } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import { atStart, defineController, DONE, on } from '../../kube/controller/index.ts'
import type { Pass } from '../../kube/controller/index.ts'
import { PVC_PROTECTION } from '../../storage/names.ts'
import { claimNameOf } from '../../storage/pod-claims.ts'
import { resolvePodVolume } from '../../storage/resolve-pod-volume.ts'
import type { PodVolume } from '../../storage/resolve-pod-volume.ts'
import { mountLabelOf } from '../se-linux/index.ts'
import { findUnserved, findWrongMode, nextPodStep } from './next-pod-step.ts'
import { isPathName } from './paths.ts'
import { readyStatus, runningStatus, waitingStatus } from '../pod-status/index.ts'
import { isKnown, needsVolumes, readPodView, usedVolumesOf } from './pod-view.ts'
import type { PodStep, PodView, UsedVolume } from './pod-view.ts'
import { REASONS } from './reasons.ts'
import type { VolumeReason } from './reasons.ts'
import { isSpecChange, uidsOf } from './volume-context.ts'
import type { VolumeContext } from './volume-context.ts'
import { addFailure, BACKOFF, isUsableDriverName, mountKey, retryNow } from './volume-table.ts'
import type { DriverVolume, PodEntry, VolumeFacts } from './volume-table.ts'
import { claimUidOfPodVolume } from '../../storage/life-of.ts'

/** Determines the volumes that a pod needs, reports it as running once they are mounted, and deletes it when nothing of it is left. */
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
    lifeOf: ({ seen: { volumes } }) =>
      Array.from(volumes.values(), (each) => (each.kind === 'csi' ? claimUidOfPodVolume(each.volume) : undefined)),
    perform: {
      resolve: ({ pod, podVolumeName }, pass) => resolve(context, pod, podVolumeName, pass),
      'report-waiting': ({ pod }) => writeStatus(context, pod, waitingStatus(pod, clock.nowMs())),
      'report-running': async ({ pod }, { log }) => {
        await writeStatus(context, pod, runningStatus(pod, clock.nowMs()))
        log.info('all volumes of the pod are mounted', { pod: pod.metadata.name, namespace: pod.metadata.namespace })
      },
      'report-ready': ({ pod }) => writeStatus(context, pod, readyStatus(pod, clock.nowMs())),
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

async function writeStatus({ api }: VolumeContext, pod: Pod, status: object): Promise<void> {
  const value = { metadata: { uid: pod.metadata.uid }, status }
  await api.patch(PODS, refOf(pod), { type: 'strategic', value }, { subresource: 'status' })
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

async function resolve(context: VolumeContext, pod: Pod, podVolumeName: string, pass: Pass<PodView>): Promise<void> {
  const { key: uid, signal, say } = pass
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
    const found = takeWish(context, pod, podVolumeName, await resolveVolume(pod, used, context))
    volumes.set(podVolumeName, found)
    if (isKnown(found)) failures.delete(podVolumeName)
    else fail(formatReason(found.reason))
  } catch (error) {
    signal.throwIfAborted()
    fail(error instanceof Error ? error.message : String(error))
  }
  table.tell({ podUid: uid })
}

/** Turns a volume that the pod needs into a mount, with its device. */
function takeWish(context: VolumeContext, pod: Pod, podVolumeName: string, found: PodVolume): PodVolume {
  if (found.kind !== 'csi' && found.kind !== 'ephemeral') return found
  const { table } = context
  const { uid: podUid = '' } = pod.metadata
  const facts = factsOf(found, podVolumeName)
  const present = table.mounts.get(mountKey(podUid, facts.volumeName))
  if (present && (present.driver !== facts.driver || present.volumeHandle !== facts.volumeHandle))
    return refused(REASONS.VolumeNameTaken(podVolumeName))
  const label = findLabel(context, pod, podVolumeName, found)
  if (label.kind !== 'label') return refused(REASONS.SELinuxLabelConflict(label))
  const mount = table.addMount({ ...facts, podUid, isEphemeral: found.kind === 'ephemeral' })
  mount.wish = found
  mount.podVolumeName = podVolumeName
  mount.seLinuxLabel = label.label
  if (found.kind === 'csi') {
    const device = table.addDevice(facts)
    if (device.volumeName === '') device.volumeName = facts.volumeName
    table.tell({ device })
  }
  return found
}

function findLabel({ policyOf, fileContext }: VolumeContext, pod: Pod, podVolumeName: string, wish: DriverVolume) {
  if (wish.kind === 'ephemeral') return { kind: 'label', label: '' } as const
  const { volume } = wish
  return mountLabelOf({ pod, podVolumeName, volume, policy: policyOf(volume.driver), fileContext })
}

/** Reads claim and volume, which a node may get but not watch, and finds out what the driver knows the volume by. */
async function resolveVolume(pod: Pod, used: UsedVolume, { api, csiDrivers }: VolumeContext): Promise<PodVolume> {
  const { volume: podVolume, asDevice } = used
  const { namespace = '' } = pod.metadata
  const claimName = claimNameOf(pod, podVolume)
  const claim =
    claimName === undefined
      ? undefined
      : await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace, name: claimName }).catch(ignoreNotFound)
  const volume = claim?.spec.volumeName
    ? await api.get(PERSISTENT_VOLUMES, { name: claim.spec.volumeName }).catch(ignoreNotFound)
    : undefined
  const lookup = { claim: () => claim, volume: () => volume, driver: csiDrivers.get }
  const resolved = resolvePodVolume(pod, podVolume, lookup)
  const unserved = findUnserved(podVolume.name, resolved)
  if (unserved) return refused(unserved)
  if (resolved.kind !== 'csi' && resolved.kind !== 'ephemeral') return resolved
  // Without its finalizer the claim may disappear at any moment, and its volume with it.
  if (claim?.metadata.deletionTimestamp && !claim.metadata.finalizers?.includes(PVC_PROTECTION))
    return refused(REASONS.ClaimLeaving(namespace, claimName ?? ''))
  const { driver, volumeName } = factsOf(resolved, podVolume.name)
  if (!isUsableDriverName(driver)) return refused(REASONS.UnsafeName(driver))
  if (!isPathName(volumeName)) return refused(REASONS.UnsafeName(volumeName))
  if (resolved.kind === 'ephemeral') return asDevice ? refused(REASONS.InLineBlockVolume(podVolume.name)) : resolved
  const wrongMode = findWrongMode(used, resolved)
  return wrongMode ? refused(wrongMode) : resolved
}

/** What a driver knows the volume by. */
function factsOf(wish: DriverVolume, podVolumeName: string): VolumeFacts {
  if (wish.kind === 'ephemeral')
    return { volumeName: podVolumeName, driver: wish.source.driver, volumeHandle: wish.volumeHandle, isBlock: false }
  const { volumeName, driver, volumeHandle, spec } = wish.volume
  return { volumeName, driver, volumeHandle, isBlock: spec.volumeMode === 'Block' }
}

const refused = (reason: VolumeReason): PodVolume => ({ kind: 'refused', reason })
