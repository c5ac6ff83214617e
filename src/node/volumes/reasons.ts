import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { awaiting, awaitingActor, because, defineReasons, reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'
import type { MountLabel } from '../se-linux/index.ts'
import { CSI_DRIVER_BY_VOLUME_KIND } from '../../storage/migrated-volume-kinds.ts'
import type { WaitStep } from '../../kube/controller/index.ts'

const awaitingAttachment = (name: string) => awaiting(VOLUME_ATTACHMENTS, { name })
const NOT_ATTACHED = 'volume not attached according to node status'

const servedName = ({ volume, persistentVolume }: { volume: string; persistentVolume?: string }): string =>
  persistentVolume === undefined ? `volume ${volume}` : `PersistentVolume ${persistentVolume}`

export const REASONS = defineReasons({
  Running: 'all volumes are mounted',
  Finished: 'the pod has finished and has no volumes left on the node',
  Mounted: 'the volume is mounted',
  Unmounted: 'the volume is not mounted',
  Staged: 'the volume is staged',
  VolumeInUse: (pods: number) =>
    because(`${pods} pods of the node still have the volume`, { detail: { pods: String(pods) } }),
  UseReported: 'the node status lists every volume in use',
  VolumeExpanding: because('the driver is expanding the volume', awaitingActor('the driver')),
  VolumeBusy: because('the driver is publishing or unpublishing the volume', awaitingActor('the driver')),
  BackingOff: (lastError: string, seconds: number) =>
    because(`retrying in ${seconds} s after: ${lastError}`, { detail: { seconds: String(seconds), lastError } }),
  PodsNotKnown: because('nothing is unmounted before all pods of the node are known', awaitingActor('the API server')),
  VolumesOfPodNotKnown: because('the volumes of the pod have not been read yet', awaitingActor('the API server')),
  VolumesNotMounted: (volumes: string) => because(`unmounted volumes=[${volumes}]`, { detail: { volumes } }),
  VolumesNotUnmounted: (volumes: string) => because(`volumes are still mounted: ${volumes}`, { detail: { volumes } }),
  FinalizersLeft: (finalizers: string) =>
    because(`the pod has finalizers: ${finalizers}`, {
      detail: { finalizers },
      cure: 'Check the controllers that added the finalizers.',
    }),
  NodeMissing: because('the Node object of this node does not exist', awaitingActor('the node agent')),

  VolumeKindNotServed: (about: { volume: string; kind: string; persistentVolume?: string }) => {
    const driver = CSI_DRIVER_BY_VOLUME_KIND.get(about.kind)
    const what = driver ? `the CSI driver ${driver}, which serves this kind today` : 'a CSI driver'
    return because(`no volume plugin matched: ${servedName(about)} is of kind ${about.kind}`, {
      detail: { ...about, ...(driver ? { driver } : {}) },
      cure: `Use a claim whose volume belongs to ${what}, or run the pod on a node with a kubelet.`,
    })
  },
  VolumeNameTaken: (volume: string) =>
    because(`another volume named "${volume}" is mounted in its place`, {
      detail: { volume },
      cure: 'Rename the volume in the pod.',
    }),
  SELinuxLabelConflict: (found: Exclude<MountLabel, { kind: 'label' }>) => {
    const labels = found.kind === 'several' ? found.labels.join(',') : JSON.stringify(found.label)
    const message = found.kind === 'several' ? 'multiple SELinux labels found' : 'invalid SELinux label'
    return because(`${message}: ${labels}`, {
      detail: { labels },
      cure: 'Set the same valid seLinuxOptions for all containers that use the volume.',
    })
  },
  UnsafeName: (name: string) => {
    const quoted = JSON.stringify(name.slice(0, 80))
    return because(`${quoted} cannot be part of a path`, { detail: { name: quoted }, cure: 'Rename it.' })
  },
  ClaimLeaving: (namespace: string, name: string) =>
    because('PVC is being deleted', {
      ...awaiting(PERSISTENT_VOLUME_CLAIMS, { namespace, name }),
      cure: 'Use another claim.',
    }),
  VolumeModeMismatch: (detail: { volume: string; mode: string }) =>
    because(
      `volume ${detail.volume} has volumeMode ${detail.mode}, but is specified in ${detail.mode === 'Block' ? 'volumeMounts' : 'volumeDevices'}`,
      {
        detail,
        cure: `Create the pod again with the volume in ${detail.mode === 'Block' ? 'volumeDevices' : 'volumeMounts'}, or with a claim of the other volumeMode.`,
      },
    ),
  LifecycleModeNotAllowed: (driver: string, mode: string) =>
    because(`volume mode "${mode}" not supported by driver ${driver}`, {
      detail: { driver, mode },
      cure: `List ${mode} in volumeLifecycleModes of the CSIDriver object, if the driver supports it.`,
    }),
  InLineBlockVolume: (volume: string) =>
    because(`volume ${volume} is declared in the pod, but is specified in volumeDevices`, {
      detail: { volume },
      cure: 'Specify it in volumeMounts.',
    }),
  VolumeOfOtherNamespace: (volume: string) =>
    because('a pod of another namespace has this volume on the node', { detail: { volume }, cure: 'Use a claim.' }),
  VolumeInUseBySinglePod: (volume: string) =>
    because('volume uses the ReadWriteOncePod access mode and is already in use by another pod', {
      detail: { volume },
      cure: 'Delete the other pod.',
    }),
  NodeAffinityMismatch: (node: string, volume: string) =>
    because(`no matching NodeSelectorTerms: node ${node} cannot access volume ${volume}`, {
      detail: { node, volume },
      cure: 'Run the pod on a node that the node affinity of the volume allows.',
    }),

  DriverNotRegistered: (driver: string) =>
    because(`driver name ${driver} not found in the list of registered CSI drivers`, {
      ...awaitingActor(`the driver ${driver} on this node`),
      detail: { driver },
      cure: 'Check that the driver is running on the node and has registered.',
    }),
  DriverPolicyNotKnown: (driver: string) =>
    because(`the CSIDriver object of ${driver} has not been read yet`, {
      ...awaitingActor('the API server'),
      detail: { driver },
    }),
  UseNotReported: (node: string) =>
    because('the node status does not list the volume as in use yet', awaiting(NODES, { name: node })),
  VolumeDetaching: (name: string) => because('volume attachment is being deleted', awaitingAttachment(name)),
  /** With the error of the attacher, if it has reported one. */
  NotAttached: (name: string, error?: string) =>
    error
      ? reason('AttachFailed', `${NOT_ATTACHED}: ${error}`, { ...awaitingAttachment(name), detail: { error } })
      : reason('VolumeNotAttached', NOT_ATTACHED, awaitingAttachment(name)),
  VolumeNotStaged: (volume: string) => because('the volume is not staged', { detail: { volume } }),
})

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
