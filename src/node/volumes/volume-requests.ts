import { join } from 'node:path'
import type { AccessMode } from '../../api/kinds/persistent-volume.ts'
import type { Pod, Volume } from '../../api/kinds/pod.ts'
import type { SecretReference } from '../../api/kinds/references.ts'
import { ifPresent } from '../../base/host/index.ts'
import type { FileStat, HostFiles } from '../../base/host/index.ts'
import {
  NodeServiceCapability_RPC_Type as Capability,
  VolumeCapability_AccessMode_Mode as Mode,
} from '../../csi/generated/csi/v1/csi.ts'
import type { VolumeCapability } from '../../csi/generated/csi/v1/csi.ts'
import type { DriverPolicy } from '../../storage/driver-policy.ts'
import { withoutReservedAttributes } from '../../storage/in-line-volume.ts'
import { podInfoAttributes } from '../../storage/pod-info.ts'
import type { CsiVolume } from '../../storage/resolve-pod-volume.ts'
import type { Capabilities } from './volume-context.ts'
import type { DriverVolume } from './volume-table.ts'

export const TOKENS_KEY = 'csi.storage.k8s.io/serviceAccount.tokens'

export type PublishFacts = {
  readonly pod: Pod
  readonly podVolume: Volume
  readonly wish: DriverVolume
  readonly policy: DriverPolicy
  readonly capabilities: Capabilities
}

/** NodePublishVolume without secrets, tokens and paths. Attributes of the volume are copied, so that data of one pod never reach a call for another. */
export function publishRequest({ pod, podVolume, wish, policy, capabilities }: PublishFacts) {
  const { metadata, spec } = pod
  const mountGroup = mountGroupOf(pod, capabilities)
  const podInfo = podInfoAttributes(policy, {
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    uid: metadata.uid ?? '',
    serviceAccountName: spec.serviceAccountName ?? '',
    ephemeral: wish.kind === 'ephemeral',
  })
  if (wish.kind === 'ephemeral') {
    const { fsType = '', readOnly = false, volumeAttributes = {} } = wish.source
    return {
      volumeCapability: capabilityOf({}, fsType, capabilities, mountGroup),
      readonly: readOnly,
      volumeContext: { ...withoutReservedAttributes(volumeAttributes), ...podInfo },
    }
  }
  const { csi, spec: volumeSpec, persistentVolume } = wish.volume
  return {
    volumeCapability: capabilityOf(volumeSpec, csi.fsType ?? '', capabilities, mountGroup),
    // For a claim the pod says it; a volume that is declared in the pod says it itself.
    readonly: persistentVolume ? (podVolume.persistentVolumeClaim?.readOnly ?? false) : (csi.readOnly ?? false),
    volumeContext: { ...csi.volumeAttributes, ...podInfo },
  }
}

/** The group as text, for a driver that applies it itself; else empty. */
export function mountGroupOf({ spec }: Pod, capabilities: Capabilities): string {
  const { fsGroup } = spec.securityContext ?? {}
  return fsGroup !== undefined && capabilities.has(Capability.VOLUME_MOUNT_GROUP) ? String(fsGroup) : ''
}

/** The secret for NodePublishVolume, with its namespace. */
export function publishSecretOf(pod: Pod, wish: DriverVolume): SecretReference | undefined {
  if (wish.kind === 'csi') return wish.volume.csi.nodePublishSecretRef
  const name = wish.source.nodePublishSecretRef?.name
  // A pod can only name secrets of its own namespace.
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

export type FsGroup = { readonly gid: number; readonly onlyOnRootMismatch: boolean }

/** The group to apply to the volume's files; undefined when they are left as they are. */
export function fsGroupOf(
  pod: Pod,
  wish: DriverVolume,
  readonly: boolean,
  policy: DriverPolicy,
  capabilities: Capabilities,
): FsGroup | undefined {
  const { fsGroup: gid, fsGroupChangePolicy } = pod.spec.securityContext ?? {}
  if (gid === undefined || readonly || capabilities.has(Capability.VOLUME_MOUNT_GROUP)) return undefined
  if (!isChanged(wish, policy)) return undefined
  return { gid, onlyOnRootMismatch: fsGroupChangePolicy === 'OnRootMismatch' }
}

function isChanged(wish: DriverVolume, { fsGroupPolicy }: DriverPolicy): boolean {
  if (fsGroupPolicy !== 'ReadWriteOnceWithFSType') return fsGroupPolicy === 'File'
  if (wish.kind === 'ephemeral') return Boolean(wish.source.fsType)
  const { csi, spec } = wish.volume
  return (
    Boolean(csi.fsType) &&
    (spec.accessModes ?? []).some((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod')
  )
}

const FILE_BITS = 0o660
const DIRECTORY_BITS = 0o2770

/** Gives everything below the path the group, the path itself last: what was interrupted is seen there and done again. */
export async function applyFsGroup(
  files: HostFiles,
  path: string,
  { gid, onlyOnRootMismatch }: FsGroup,
  signal: AbortSignal,
): Promise<void> {
  // A driver that may not mount leaves a link.
  const root = await files.resolve(path)
  const stat = await files.findStat(root)
  if (!stat || (onlyOnRootMismatch && fits(stat, gid))) return
  await applyTo(files, root, stat, gid, signal)
}

const fits = ({ gid: present, mode, kind }: FileStat, gid: number): boolean => {
  const bits = kind === 'directory' ? DIRECTORY_BITS : FILE_BITS
  return present === gid && (mode & bits) === bits
}

async function applyTo(
  files: HostFiles,
  path: string,
  stat: FileStat,
  gid: number,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  if (stat.kind === 'directory') {
    for (const { name } of await files.list(path)) {
      const below = join(path, name)
      const found = await files.findStat(below)
      // Files come and go while others use the volume.
      if (found) await ifPresent(applyTo(files, below, found, gid, signal))
    }
  }
  if (stat.gid !== gid) await files.setOwner(path, stat.uid, gid)
  if (stat.kind === 'symlink') return
  const mode = stat.mode | (stat.kind === 'directory' ? DIRECTORY_BITS : FILE_BITS)
  // Always after the owner, whose change clears some bits.
  if (mode !== stat.mode || stat.gid !== gid) await files.setMode(path, mode)
}
