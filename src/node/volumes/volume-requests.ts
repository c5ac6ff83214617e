import type { Pod, Volume } from '../../api/kinds/pod.ts'
import type { SecretReference } from '../../api/kinds/references.ts'
import { podInfoAttributes } from '../../storage/pod-info.ts'
import type { DriverPolicy } from '../../storage/driver-policy.ts'
import { NodeServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import type { VolumeCapability } from '../../csi/generated/csi/v1/csi.ts'
import { withoutReservedAttributes } from '../../storage/in-line-volume.ts'
import type { CsiVolume } from '../../storage/resolve-pod-volume.ts'
import { accessModeOf } from './access-mode.ts'
import type { DriverVolume } from './volume-table.ts'
import type { Capabilities } from './volume-view.ts'

/** Secrets and tokens are read when a call is made, and are no part of what is decided. */
export const TOKENS_KEY = 'csi.storage.k8s.io/serviceAccount.tokens'

/** NodeStageVolume without secrets and paths. */
export function stageRequest({ spec, csi }: CsiVolume, capabilities: Capabilities, mountGroup: string) {
  return {
    volumeCapability: capabilityOf(spec, csi.fsType ?? '', capabilities, mountGroup),
    volumeContext: { ...csi.volumeAttributes },
  }
}

export type PublishFacts = {
  readonly pod: Pod
  readonly podVolume: Volume
  readonly volume: DriverVolume
  readonly policy: DriverPolicy
  readonly capabilities: Capabilities
}

/** NodePublishVolume without secrets, tokens and paths. What the volume says of itself is copied: pod data of one call are in no other. */
export function publishRequest({ pod, podVolume, volume, policy, capabilities }: PublishFacts) {
  const { metadata, spec } = pod
  const mountGroup = mountGroupOf(pod, capabilities)
  const podInfo = podInfoAttributes(policy, {
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    uid: metadata.uid ?? '',
    serviceAccountName: spec.serviceAccountName ?? '',
    ephemeral: volume.kind === 'ephemeral',
  })
  if (volume.kind === 'ephemeral') {
    const { fsType = '', readOnly = false, volumeAttributes = {} } = volume.source
    return {
      volumeCapability: capabilityOf({}, fsType, capabilities, mountGroup),
      readonly: readOnly,
      volumeContext: { ...withoutReservedAttributes(volumeAttributes), ...podInfo },
    }
  }
  const { csi, spec: volumeSpec, volume: persistent } = volume.volume
  return {
    volumeCapability: capabilityOf(volumeSpec, csi.fsType ?? '', capabilities, mountGroup),
    // Of a claim the pod says it; a volume in the pod says it itself.
    readonly: persistent ? (podVolume.persistentVolumeClaim?.readOnly ?? false) : (csi.readOnly ?? false),
    volumeContext: { ...csi.volumeAttributes, ...podInfo },
  }
}

/** The group as text, for a driver that sees to it itself; else empty. */
export function mountGroupOf({ spec }: Pod, capabilities: Capabilities): string {
  const { fsGroup } = spec.securityContext ?? {}
  return fsGroup !== undefined && capabilities.has(Capability.VOLUME_MOUNT_GROUP) ? String(fsGroup) : ''
}

/** What NodePublishVolume of this volume needs, with its namespace. */
export function publishSecretOf(pod: Pod, volume: DriverVolume): SecretReference | undefined {
  if (volume.kind === 'csi') return volume.volume.csi.nodePublishSecretRef
  const name = volume.source.nodePublishSecretRef?.name
  // No other namespace is possible.
  return name ? { name, ...(pod.metadata.namespace ? { namespace: pod.metadata.namespace } : {}) } : undefined
}

type SpecPart = Pick<CsiVolume['spec'], 'accessModes' | 'mountOptions' | 'volumeMode'>

/** How a volume is used. */
export function capabilityOf(
  { accessModes = [], mountOptions = [], volumeMode }: SpecPart,
  fsType: string,
  capabilities: Capabilities,
  volumeMountGroup: string,
): VolumeCapability {
  const mode = accessModeOf(accessModes, capabilities.has(Capability.SINGLE_NODE_MULTI_WRITER))
  const mount = { fsType, mountFlags: [...mountOptions], volumeMountGroup }
  return {
    accessType: volumeMode === 'Block' ? { $case: 'block', value: {} } : { $case: 'mount', value: mount },
    accessMode: { mode },
  }
}
