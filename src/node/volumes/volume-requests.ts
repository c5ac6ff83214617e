import type { AccessMode } from '../../api/kinds/persistent-volume.ts'
import type { Pod, Volume } from '../../api/kinds/pod.ts'
import {
  NodeServiceCapability_RPC_Type as Capability,
  VolumeCapability_AccessMode_Mode as Mode,
} from '../../csi/generated/csi/v1/csi.ts'
import type { VolumeCapability } from '../../csi/generated/csi/v1/csi.ts'
import type { DriverPolicy } from '../../storage/driver-policy.ts'
import { withoutReservedAttributes } from '../../storage/in-line-volume.ts'
import { podInfoAttributes } from '../../storage/pod-info.ts'
import type { CsiVolume } from '../../storage/resolve-pod-volume.ts'
import { labelOption } from '../se-linux/index.ts'
import type { Capabilities } from './volume-context.ts'
import type { DriverVolume, StagedAs } from './volume-table.ts'

export type PublishFacts = {
  readonly pod: Pod
  readonly podVolume: Volume
  readonly wish: DriverVolume
  readonly policy: DriverPolicy
  readonly capabilities: Capabilities
  readonly seLinuxLabel: string
}

/** NodePublishVolume without secrets, tokens and paths. Attributes of the volume are copied, so that data of one pod never reach a call for another. */
export function publishRequest({ pod, podVolume, wish, policy, capabilities, seLinuxLabel }: PublishFacts) {
  const { metadata, spec } = pod
  const how = { mountGroup: mountGroupOf(pod, capabilities), seLinuxLabel }
  const podInfo = podInfoAttributes(policy, {
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    uid: metadata.uid ?? '',
    serviceAccountName: spec.serviceAccountName ?? '',
    ephemeral: wish.kind === 'ephemeral',
  })
  if (wish.kind === 'ephemeral') {
    const { readOnly = false, volumeAttributes = {} } = wish.source
    return {
      volumeCapability: capabilityOf({ spec: {}, csi: wish.source }, capabilities, how),
      readonly: readOnly,
      volumeContext: { ...withoutReservedAttributes(volumeAttributes), ...podInfo },
    }
  }
  const { csi, persistentVolume } = wish.volume
  return {
    volumeCapability: capabilityOf(wish.volume, capabilities, how),
    // For a claim, the pod decides; a volume that is declared in the pod has its own field.
    readonly: persistentVolume ? (podVolume.persistentVolumeClaim?.readOnly ?? false) : (csi.readOnly ?? false),
    volumeContext: { ...csi.volumeAttributes, ...podInfo },
  }
}

/** The group as text, for a driver that applies it itself; else empty. */
export function mountGroupOf({ spec }: Pod, capabilities: Capabilities): string {
  const { fsGroup } = spec.securityContext ?? {}
  return fsGroup !== undefined && capabilities.has(Capability.VOLUME_MOUNT_GROUP) ? String(fsGroup) : ''
}

type VolumePart = {
  readonly spec: Pick<CsiVolume['spec'], 'accessModes' | 'mountOptions' | 'volumeMode'>
  readonly csi: Pick<CsiVolume['csi'], 'fsType'>
}

/** How a volume is used. */
export function capabilityOf(
  { spec: { accessModes = [], mountOptions = [], volumeMode }, csi: { fsType = '' } }: VolumePart,
  capabilities: Capabilities,
  { mountGroup, seLinuxLabel }: StagedAs,
): VolumeCapability {
  const mode = accessModeOf(accessModes, capabilities.has(Capability.SINGLE_NODE_MULTI_WRITER))
  const mountFlags = [...mountOptions, ...labelOption(seLinuxLabel)]
  const mount = { fsType, mountFlags, volumeMountGroup: mountGroup }
  return {
    accessType: volumeMode === 'Block' ? { $case: 'block', value: {} } : { $case: 'mount', value: mount },
    accessMode: { mode },
  }
}

/** Only the first mode counts here. A volume without any was created for its pod. */
function accessModeOf([first]: readonly AccessMode[], singleNodeMultiWriter: boolean): Mode {
  switch (first) {
    case 'ReadWriteMany':
      return Mode.MULTI_NODE_MULTI_WRITER
    case 'ReadOnlyMany':
      return Mode.MULTI_NODE_READER_ONLY
    case 'ReadWriteOncePod':
      return singleNodeMultiWriter ? Mode.SINGLE_NODE_SINGLE_WRITER : Mode.SINGLE_NODE_WRITER
    default:
      return singleNodeMultiWriter ? Mode.SINGLE_NODE_MULTI_WRITER : Mode.SINGLE_NODE_WRITER
  }
}
