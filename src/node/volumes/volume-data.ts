import { makeDirectories, readFileIfPresent, replaceFileDurably, syncAll } from '../../base/host/index.ts'
import type { HostFiles } from '../../base/host/index.ts'
import { dirname } from 'node:path'
import type { Random } from '../../base/random.ts'

/**
 * What a file beside a mount says about it: all that is needed to undo it, and no secret. Keys are those of the kubelet; those that are not
 * known here are ignored.
 */
export type VolumeData = {
  readonly driverName: string
  readonly volumeHandle: string
  /** The name of the PersistentVolume, or of the pod's volume. */
  readonly specVolID?: string
  readonly nodeName?: string
  readonly attachmentID?: string
  readonly volumeLifecycleMode?: 'Persistent' | 'Ephemeral'
}

export type ReadData =
  | { readonly kind: 'read'; readonly data: VolumeData }
  | { readonly kind: 'absent' }
  | { readonly kind: 'torn' }

export async function readVolumeData(files: HostFiles, path: string): Promise<ReadData> {
  const bytes = await readFileIfPresent(files, path)
  if (!bytes) return { kind: 'absent' }
  const data = parseVolumeData(new TextDecoder().decode(bytes))
  return data ? { kind: 'read', data } : { kind: 'torn' }
}

/** Undefined for what nobody can use: half a file, another type, no handle. */
export function parseVolumeData(text: string): VolumeData | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const textOf = (key: string): string | undefined => {
    const member = (value as Record<string, unknown>)[key]
    return typeof member === 'string' && member !== '' ? member : undefined
  }
  const [driverName, volumeHandle] = [textOf('driverName'), textOf('volumeHandle')]
  if (driverName === undefined || volumeHandle === undefined) return undefined
  const [specVolID, nodeName, attachmentID, mode] = [
    textOf('specVolID'),
    textOf('nodeName'),
    textOf('attachmentID'),
    textOf('volumeLifecycleMode'),
  ]
  return {
    driverName,
    volumeHandle,
    ...(specVolID === undefined ? {} : { specVolID }),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(attachmentID === undefined ? {} : { attachmentID }),
    // Whatever else it says, it is a volume that was there before the pod.
    ...(mode === undefined ? {} : { volumeLifecycleMode: mode === 'Ephemeral' ? 'Ephemeral' : 'Persistent' }),
  }
}

export const formatVolumeData = (data: VolumeData): string =>
  `${JSON.stringify(Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1))))}\n`

export type WriteDataParts = {
  /** The directories to sync so that the path is durable, with all names above it that may not be. */
  above(path: string): string[]
  random: Random
}

/**
 * For good once it returns, with the directories above it, and all names beside it. Those directories are made first and synced together
 * with the data, each time: of one that is there nobody knows whether it is durable. Writes nothing when the file says so already.
 */
export async function writeVolumeData(
  files: HostFiles,
  path: string,
  data: VolumeData,
  { above, random }: WriteDataParts,
): Promise<void> {
  const directory = dirname(path)
  await makeDirectories(files, directory, { durable: false })
  const text = formatVolumeData(data)
  const present = await readFileIfPresent(files, path)
  if (present && new TextDecoder().decode(present) === text) return syncAll(files, above(path))
  await replaceFileDurably(files, path, new TextEncoder().encode(text), { random, alongside: above(directory) })
}
