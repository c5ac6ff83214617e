import { readFileIfPresent } from '../../base/host/index.ts'
import type { HostFiles } from '../../base/host/index.ts'

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
