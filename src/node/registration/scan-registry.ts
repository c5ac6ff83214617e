import { join } from 'node:path'
import { isHostError } from '../../base/host/index.ts'
import type { FileStat, HostFiles } from '../../base/host/index.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationReason } from './reasons.ts'

/** A socket in one of the directories that are watched. */
export type Sighting = {
  readonly path: string
  /** Differs for another socket at the same path. */
  readonly identity: string
  /** Who answers there: a registrar, or the driver itself. */
  readonly via: 'registrar' | 'driver'
}

/** What is not a socket to talk to. */
export type IgnoredFile = { readonly path: string; readonly reason: RegistrationReason }

/** What to look for in a directory. */
export type RegistryPlace = {
  readonly directory: string
  readonly via: Sighting['via']
  /** Whether to take the socket at this path, relative to the directory. */
  isWanted(path: string): boolean
}

export type RegistryScan = {
  readonly sockets: readonly Sighting[]
  /** Without hidden files. */
  readonly ignored: readonly IgnoredFile[]
  /** Every directory that was listed, with the identity that tells it from a new one at the same path. */
  readonly directories: ReadonlyMap<string, string>
}

// Limits how long a directory full of other files can keep the agent busy.
const MOST_ENTRIES = 2000
const DEEPEST = 8

/** Lists everything below the directory once. Links to sockets count as sockets; links to directories are not followed. */
export async function scanRegistry(
  files: HostFiles,
  { directory, via, isWanted }: RegistryPlace,
): Promise<RegistryScan> {
  const sockets: Sighting[] = []
  const ignored: IgnoredFile[] = []
  const directories = new Map<string, string>()
  let entries = 0

  const look = async (path: string, depth: number): Promise<void> => {
    const stat = await files.findStat(path)
    if (stat?.kind !== 'directory') return
    directories.set(path, identityOf(stat))
    for (const { name, kind } of await listIfPresent(files, path)) {
      if (name.startsWith('.')) continue
      const below = join(path, name)
      if (++entries > MOST_ENTRIES)
        return void ignored.push({ path: below, reason: REASONS.tooManyFiles(MOST_ENTRIES) })
      if (kind === 'directory') {
        if (depth < DEEPEST) await look(below, depth + 1)
        else ignored.push({ path: below, reason: REASONS.tooDeep(DEEPEST) })
      } else if (isWanted(below.slice(directory.length + 1))) {
        await note(below)
      }
    }
  }
  const note = async (path: string): Promise<void> => {
    const stat = await statOfTarget(files, path)
    if (stat === 'gone') return
    if (stat?.kind === 'socket') sockets.push({ path, identity: identityOf(stat), via })
    else ignored.push({ path, reason: REASONS.notASocket(stat?.kind ?? 'link to nothing') })
  }
  await look(directory, 0)
  return { sockets, ignored, directories }
}

// A socket is never written, so its time is that of its creation; a new one can get the inode of an old one.
const identityOf = ({ deviceId, inode, modifiedMs }: FileStat): string => `${deviceId}:${inode}:${modifiedMs}`

async function listIfPresent(files: HostFiles, path: string): ReturnType<HostFiles['list']> {
  try {
    return await files.list(path)
  } catch (error) {
    if (isHostError(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}

/** Undefined for a link that leads nowhere. */
async function statOfTarget(files: HostFiles, path: string): Promise<FileStat | 'gone' | undefined> {
  const stat = await files.findStat(path)
  if (!stat) return 'gone'
  if (stat.kind !== 'symlink') return stat
  try {
    return await files.findStat(await files.resolve(path))
  } catch (error) {
    if (isHostError(error, 'ENOENT', 'ELOOP', 'ENOTDIR')) return undefined
    throw error
  }
}
