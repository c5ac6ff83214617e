import type { Pod } from '../../api/kinds/pod.ts'
import { NodeServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import type { MountPass } from '../volumes/mount-view.ts'
import { needsVolumes } from '../volumes/pod-view.ts'
import type { Capabilities, VolumeContext } from '../volumes/volume-context.ts'
import type { DriverVolume } from '../volumes/volume-table.ts'
import { applyFsGroup } from './apply-fs-group.ts'
import { fsGroupOf } from './fs-group-of.ts'

export type Ownership = {
  readonly pod: Pod
  readonly wish: DriverVolume
  readonly isReadOnly: boolean
  /** With which the volume was published. */
  readonly capabilities: Capabilities
}

/**
 * Sets the pod's group on the files of a published volume, if the node is responsible for that. False if the pod was deleted meanwhile, and the
 * volume is not ready for it.
 */
export async function changeOwnership(
  { host, clock, files, events, findPod, policyOf }: VolumeContext,
  { view: { mount }, log, signal }: MountPass,
  { pod, wish, isReadOnly, capabilities }: Ownership,
): Promise<boolean> {
  if (mount.isBlock) return true
  const volume =
    wish.kind === 'csi'
      ? { fsType: wish.volume.csi.fsType, accessModes: wish.volume.spec.accessModes ?? [] }
      : { fsType: wish.source.fsType }
  const isAppliedByDriver = capabilities.has(Capability.VOLUME_MOUNT_GROUP)
  const group = fsGroupOf({ pod, policy: policyOf(mount.driver), isReadOnly, isAppliedByDriver, ...volume })
  if (!group) return true
  const path = files.targetOf(mount)
  const text = `Setting volume ownership for ${path.slice(path.indexOf(mount.podUid))}`
  const onProgress = (processed?: number): void => {
    const rest = processed === undefined ? TAKES_LONG : `, processed ${processed} files.`
    events.record(pod, 'Warning', 'VolumePermissionChangeInProgress', `${text}${rest}`)
  }
  const isWanted = (): boolean => {
    const present = findPod(mount.podUid)
    return present !== undefined && needsVolumes(present)
  }
  return applyFsGroup(path, group, { files: host.files, clock, log, signal, isWanted, onProgress })
}

const TAKES_LONG =
  ' is taking longer than expected, consider using OnRootMismatch - ' +
  'https://kubernetes.io/docs/tasks/configure-pod-container/security-context/#configure-volume-permission-and-ownership-change-policy-for-pods'
