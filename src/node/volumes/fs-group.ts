import { join } from 'node:path'
import type { Pod } from '../../api/kinds/pod.ts'
import { ifPresent } from '../../base/host/index.ts'
import type { FileStat, HostFiles } from '../../base/host/index.ts'
import type { DriverPolicy } from '../../storage/driver-policy.ts'
import { NodeServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import type { Capabilities } from './driver-access.ts'
import type { DriverVolume } from './volume-table.ts'

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
