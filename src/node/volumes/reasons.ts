import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { objectAwaited, reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'
import type { MountLabel } from '../se-linux/index.ts'
import { CSI_DRIVER_BY_VOLUME_KIND } from '../../storage/migrated-volume-kinds.ts'
import type { WaitStep } from '../../kube/controller/index.ts'

const actor = (name: string) => ({ kind: 'actor', name }) as const
const attachment = (name: string) => objectAwaited(VOLUME_ATTACHMENTS, { name })
const NOT_ATTACHED = 'volume not attached according to node status'

const servedName = ({ volume, persistentVolume }: { volume: string; persistentVolume?: string }): string =>
  persistentVolume === undefined ? `volume ${volume}` : `PersistentVolume ${persistentVolume}`

/** Why a pod, a volume of a pod or a volume on the node is in its current state. */
export const REASONS = {
  running: reason('Running', 'all volumes are mounted'),
  finished: reason('Finished', 'the pod has finished and has no volumes left on the node'),
  mounted: reason('Mounted', 'the volume is mounted'),
  unmounted: reason('Unmounted', 'the volume is not mounted'),
  staged: reason('Staged', 'the volume is staged'),
  inUse: (pods: number) =>
    reason('VolumeInUse', `${pods} pods of the node still have the volume`, { detail: { pods: String(pods) } }),
  useReported: reason('UseReported', 'the node status lists every volume in use'),
  expanding: reason('VolumeExpanding', 'the driver is expanding the volume', { waitsFor: actor('the driver') }),
  busy: reason('VolumeBusy', 'the driver is publishing or unpublishing the volume', { waitsFor: actor('the driver') }),
  backingOff: (lastError: string, seconds: number) =>
    reason('BackingOff', `retrying in ${seconds} s after: ${lastError}`, {
      detail: { seconds: String(seconds), lastError },
    }),
  podsUnknown: reason('PodsNotKnown', 'nothing is unmounted before all pods of the node are known', {
    waitsFor: actor('the API server'),
  }),
  wishesUnknown: reason('VolumesOfPodNotKnown', 'the volumes of the pod have not been read yet', {
    waitsFor: actor('the API server'),
  }),
  mountsPending: (volumes: string) =>
    reason('VolumesNotMounted', `unmounted volumes=[${volumes}]`, { detail: { volumes } }),
  unmountsPending: (volumes: string) =>
    reason('VolumesNotUnmounted', `volumes are still mounted: ${volumes}`, { detail: { volumes } }),
  finalizersLeft: (finalizers: string) =>
    reason('FinalizersLeft', `the pod has finalizers: ${finalizers}`, {
      detail: { finalizers },
      cure: 'Check the controllers that added the finalizers.',
    }),
  nodeMissing: reason('NodeMissing', 'the Node object of this node does not exist', {
    waitsFor: actor('the node agent'),
  }),

  notServed: (about: { volume: string; kind: string; persistentVolume?: string }) => {
    const driver = CSI_DRIVER_BY_VOLUME_KIND.get(about.kind)
    const what = driver ? `the CSI driver ${driver}, which serves this kind today` : 'a CSI driver'
    return reason('VolumeKindNotServed', `no volume plugin matched: ${servedName(about)} is of kind ${about.kind}`, {
      detail: { ...about, ...(driver ? { driver } : {}) },
      cure: `Use a claim whose volume belongs to ${what}, or run the pod on a node with a kubelet.`,
    })
  },
  sameName: (volume: string) =>
    reason('VolumeNameTaken', `another volume named "${volume}" is mounted in its place`, {
      detail: { volume },
      cure: 'Rename the volume in the pod.',
    }),
  seLinuxLabels: (found: Exclude<MountLabel, { kind: 'label' }>) => {
    const labels = found.kind === 'several' ? found.labels.join(',') : JSON.stringify(found.label)
    const message = found.kind === 'several' ? 'multiple SELinux labels found' : 'invalid SELinux label'
    return reason('SELinuxLabelConflict', `${message}: ${labels}`, {
      detail: { labels },
      cure: 'Set the same valid seLinuxOptions for all containers that use the volume.',
    })
  },
  unsafeName: (name: string) => {
    const quoted = JSON.stringify(name.slice(0, 80))
    return reason('UnsafeName', `${quoted} cannot be part of a path`, { detail: { name: quoted }, cure: 'Rename it.' })
  },
  claimLeaving: (namespace: string, name: string) =>
    reason('ClaimLeaving', 'PVC is being deleted', {
      waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, { namespace, name }),
      cure: 'Use another claim.',
    }),
  wrongMode: (detail: { volume: string; mode: string }) =>
    reason(
      'VolumeModeMismatch',
      `volume ${detail.volume} has volumeMode ${detail.mode}, but is specified in ${detail.mode === 'Block' ? 'volumeMounts' : 'volumeDevices'}`,
      {
        detail,
        cure: `Create the pod again with the volume in ${detail.mode === 'Block' ? 'volumeDevices' : 'volumeMounts'}, or with a claim of the other volumeMode.`,
      },
    ),
  modeNotAllowed: (driver: string, mode: string) =>
    reason('LifecycleModeNotAllowed', `volume mode "${mode}" not supported by driver ${driver}`, {
      detail: { driver, mode },
      cure: `List ${mode} in volumeLifecycleModes of the CSIDriver object, if the driver supports it.`,
    }),
  blockInLine: (volume: string) =>
    reason('InLineBlockVolume', `volume ${volume} is declared in the pod, but is specified in volumeDevices`, {
      detail: { volume },
      cure: 'Specify it in volumeMounts.',
    }),
  otherNamespace: (volume: string) =>
    reason('VolumeOfOtherNamespace', 'a pod of another namespace has this volume on the node', {
      detail: { volume },
      cure: 'Use a claim.',
    }),
  singlePod: (volume: string) =>
    reason(
      'VolumeInUseBySinglePod',
      'volume uses the ReadWriteOncePod access mode and is already in use by another pod',
      { detail: { volume }, cure: 'Delete the other pod.' },
    ),
  notReachable: (node: string, volume: string) =>
    reason('NodeAffinityMismatch', `no matching NodeSelectorTerms: node ${node} cannot access volume ${volume}`, {
      detail: { node, volume },
      cure: 'Run the pod on a node that the node affinity of the volume allows.',
    }),

  driverNotRegistered: (driver: string) =>
    reason('DriverNotRegistered', `driver name ${driver} not found in the list of registered CSI drivers`, {
      waitsFor: actor(`the driver ${driver} on this node`),
      detail: { driver },
      cure: 'Check that the driver is running on the node and has registered.',
    }),
  policyUnknown: (driver: string) =>
    reason('DriverPolicyNotKnown', `the CSIDriver object of ${driver} has not been read yet`, {
      waitsFor: actor('the API server'),
      detail: { driver },
    }),
  notReported: (node: string) =>
    reason('UseNotReported', 'the node status does not list the volume as in use yet', {
      waitsFor: objectAwaited(NODES, { name: node }),
    }),
  attachmentLeaving: (name: string) =>
    reason('VolumeDetaching', 'volume attachment is being deleted', { waitsFor: attachment(name) }),
  /** With the error of the attacher, if it has reported one. */
  notAttached: (name: string, error?: string) =>
    error
      ? reason('AttachFailed', `${NOT_ATTACHED}: ${error}`, { waitsFor: attachment(name), detail: { error } })
      : reason('VolumeNotAttached', NOT_ATTACHED, { waitsFor: attachment(name) }),
  notStaged: (volume: string) => reason('VolumeNotStaged', 'the volume is not staged', { detail: { volume } }),
} as const

export type VolumeReason = ReasonIn<typeof REASONS>
export type VolumeWait = WaitStep & { readonly reason: VolumeReason }
/** It cannot be done as it is, and the user has to know. */
export type VolumeRefusal = { readonly kind: 'refuse'; readonly reason: VolumeReason }

export const wait = (reason: VolumeReason, more: Pick<WaitStep, 'retryInMs' | 'wakeOn'> = {}): VolumeWait => ({
  kind: 'wait',
  reason,
  ...more,
})

/** Reported once the volumes of all pods of the node have been looked up. */
export const PODS_KNOWN = 'pods of the node are known'
/** Reported when a call that publishes or unpublishes the volume has ended. */
export const callEnded = (uniqueName: string): string => `call for ${uniqueName} ended`
