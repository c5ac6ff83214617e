import { makeDirectories, readFileIfPresent, replaceFileDurably, syncAll } from '../../base/host/index.ts'
import type { HostFiles } from '../../base/host/index.ts'
import { dirname } from 'node:path'
import type { Random } from '../../base/random.ts'

/** The file beside a mount: all that is needed to undo it, and no secret. It has the kubelet's keys; unknown ones are ignored. */
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

/** Undefined for a file that is incomplete, of another type or without a handle. */
export function parseVolumeData(text: string): VolumeData | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const texts: Partial<Record<keyof VolumeData, string>> = {}
  for (const key of KEYS) {
    const text = (value as Record<string, unknown>)[key]
    if (typeof text === 'string' && text !== '') texts[key] = text
  }
  const { driverName, volumeHandle, volumeLifecycleMode: mode, ...rest } = texts
  if (driverName === undefined || volumeHandle === undefined) return undefined
  // Any mode but Ephemeral means a volume that existed before the pod.
  const volumeLifecycleMode = mode === undefined || mode === 'Ephemeral' ? mode : 'Persistent'
  return { driverName, volumeHandle, ...rest, ...(volumeLifecycleMode ? { volumeLifecycleMode } : {}) }
}

const KEYS = ['driverName', 'volumeHandle', 'specVolID', 'nodeName', 'attachmentID', 'volumeLifecycleMode'] as const

export const formatVolumeData = (data: VolumeData): string =>
  `${JSON.stringify(Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1))))}\n`

export type WriteDataParts = {
  /** The directories to sync so that the path is durable, with all names above it that may not be. */
  above(path: string): string[]
  random: Random
}

/**
 * Durable once it returns, with the directories above it and all names beside it. The directories are synced each time, since one that
 * exists may not be durable yet. A file that already has the text is not written again.
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
