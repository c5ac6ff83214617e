import { join } from 'node:path'
import type { PersistentVolumeSpec } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { ifPresent, isHostError } from '../../base/host/index.ts'
import type { FileStat, HostFiles } from '../../base/host/index.ts'
import { NodeServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import type { RoleWorld } from '../../kube/process/role-world.ts'
import type { DriverPolicy } from '../../storage/driver-policy.ts'
import type { MountPass } from '../volumes/mount-view.ts'
import { needsVolumes } from '../volumes/pod-view.ts'
import type { Capabilities, VolumeContext } from '../volumes/volume-context.ts'
import type { DriverVolume } from '../volumes/volume-table.ts'

type Ownership = {
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

type FsGroup = { readonly gid: number; readonly onlyOnRootMismatch: boolean }

export type FsGroupFacts = {
  readonly pod: Pod
  readonly policy: Pick<DriverPolicy, 'fsGroupPolicy'>
  readonly isReadOnly: boolean
  /** The driver got the group with the call and applies it itself: VOLUME_MOUNT_GROUP. */
  readonly isAppliedByDriver: boolean
  readonly fsType: string | undefined
  /** Absent for a volume that is created for its pod. */
  readonly accessModes?: PersistentVolumeSpec['accessModes']
}

/** The group to apply to the files of a volume; undefined if they are not changed. */
export function fsGroupOf({ pod, isReadOnly, isAppliedByDriver, ...volume }: FsGroupFacts): FsGroup | undefined {
  const { fsGroup: gid, fsGroupChangePolicy } = pod.spec.securityContext ?? {}
  if (gid === undefined || isReadOnly || isAppliedByDriver || !isChanged(volume)) return undefined
  return { gid, onlyOnRootMismatch: fsGroupChangePolicy === 'OnRootMismatch' }
}

type Volume = Pick<FsGroupFacts, 'policy' | 'fsType' | 'accessModes'>

function isChanged({ policy: { fsGroupPolicy }, fsType, accessModes = ['ReadWriteOnce'] }: Volume): boolean {
  if (fsGroupPolicy !== 'ReadWriteOnceWithFSType') return fsGroupPolicy === 'File'
  return Boolean(fsType) && accessModes.some((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod')
}

export type FsGroupParts = Pick<RoleWorld, 'clock' | 'log'> & {
  readonly files: HostFiles
  readonly signal: AbortSignal
  /** False: the pod is being deleted, and the rest of the files need no group. */
  isWanted(): boolean
  /** Called if it takes long: first without a number, then with the number of files so far. */
  onProgress(processed?: number): void
}

// The kubelet's times.
const FIRST_REPORT_MS = 30_000
const REPORT_EVERY_MS = 60_000

const FILE_BITS = 0o660
const DIRECTORY_BITS = 0o2770

/**
 * Sets the group of everything below the path, and of the path itself last, so that an interrupted run is detected there and repeated. One step at a
 * time, so that a slow volume occupies only one thread. Resolves with false if it was interrupted.
 */
export async function applyFsGroup(path: string, group: FsGroup, parts: FsGroupParts): Promise<boolean> {
  const { files, log } = parts
  // A driver that may not mount leaves a link.
  const root = await files.resolve(path)
  const stat = await files.findStat(root)
  if (!stat || (group.onlyOnRootMismatch && fits(stat, group.gid))) return true
  const walk = createWalk(group.gid, parts)
  const isWhole = await walk.visit(root)
  const { processed, failed, firstError } = walk.result()
  if (failed > 0) log.warn('some files of the volume keep their group or mode', { path, failed, error: firstError })
  if (!isWhole) log.info('the pod is being deleted: the change of ownership was interrupted', { path, processed })
  return isWhole
}

const bitsOf = ({ kind }: FileStat): number => (kind === 'directory' ? DIRECTORY_BITS : FILE_BITS)

const fits = (stat: FileStat, gid: number): boolean => stat.gid === gid && (stat.mode & bitsOf(stat)) === bitsOf(stat)

function createWalk(gid: number, { files, clock, signal, isWanted, onProgress }: FsGroupParts) {
  let [processed, failed, reports] = [0, 0, 0]
  let firstError: unknown
  let reportAtMs = clock.monotonicMs() + FIRST_REPORT_MS
  const reportIfLong = (): void => {
    if (clock.monotonicMs() < reportAtMs) return
    reportAtMs = clock.monotonicMs() + REPORT_EVERY_MS
    onProgress(reports++ === 0 ? undefined : processed)
  }
  /** A file that must not be changed is left alone, and so is one that is gone: files may be created and deleted while others use the volume. */
  const change = async (path: string, stat: FileStat): Promise<void> => {
    processed++
    try {
      if (stat.gid !== gid) await files.setOwner(path, stat.uid, gid)
      const mode = stat.mode | bitsOf(stat)
      // Always after the owner, whose change clears some bits. A link has no mode of its own.
      if (stat.kind !== 'symlink' && (mode !== stat.mode || stat.gid !== gid)) await files.setMode(path, mode)
    } catch (error) {
      signal.throwIfAborted()
      if (isHostError(error, 'ENOENT')) return
      failed++
      firstError ??= error
    }
  }
  /** Changes what is in a directory, and returns the directories in it. Undefined: interrupted. */
  const changeFiles = async (path: string): Promise<string[] | undefined> => {
    await using directory = await files.openDirectory(path)
    const directories: string[] = []
    for (let names = await directory.read(); names.length > 0; names = await directory.read()) {
      for (const name of names) {
        signal.throwIfAborted()
        if (!isWanted()) return undefined
        reportIfLong()
        const below = join(path, name)
        const stat = await files.findStat(below)
        if (stat?.kind === 'directory') directories.push(below)
        else if (stat) await change(below, stat)
      }
    }
    return directories
  }
  /** False: interrupted. Only one directory is open at a time, however deep the tree is. */
  const visit = async (path: string): Promise<boolean> => {
    const directories = await changeFiles(path)
    if (!directories) return false
    for (const below of directories) if ((await ifPresent(visit(below))) === false) return false
    const stat = await files.findStat(path)
    if (stat) await change(path, stat)
    return true
  }
  return { visit, result: () => ({ processed, failed, firstError }) }
}
