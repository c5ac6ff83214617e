/** The record of a volume, written before the volume counts as created. */
export type VolumeRecord = {
  id: string
  /** The name in CreateVolume; empty for an ephemeral volume. */
  name: string
  sizeBytes: bigint
  /** A device backed by an image file, or a directory. */
  mode: VolumeMode
  parameters: Record<string, string>
  mutableParameters: Record<string, string>
  /** Where the volume is accessible; empty without topology. */
  topology: Record<string, string>
  source?: { kind: 'snapshot' | 'volume'; id: string }
  /** Created by NodePublishVolume for one pod, and deleted with it. */
  ephemeral?: boolean
  /** The nodes to which the volume is published, by node ID. */
  attachments: Record<string, Attachment>
}

export type VolumeMode = 'block' | 'mount'

/** How the controller published a volume to a node. */
export type Attachment = { accessMode: number; mode: VolumeMode; readonly: boolean }

export type SnapshotRecord = {
  id: string
  name: string
  sourceVolumeId: string
  sizeBytes: bigint
  mode: VolumeMode
  createdAtMs: number
  /** Empty for a snapshot that belongs to no group. */
  groupId: string
}

export type GroupRecord = {
  id: string
  name: string
  createdAtMs: number
  parameters: Record<string, string>
  snapshots: SnapshotRecord[]
}

/** What a node has done for one volume. Written before the first mount, so that every mount is recorded. */
export type NodeRecord = {
  volumeId: string
  staged?: { path: string; use: Use }
  published: Record<string, { use: Use; readonly: boolean }>
}

/** How a volume is used on a node, in a comparable form. */
export type Use = { mode: VolumeMode; accessMode: number; fsType: string }

export const sameUse = (a: Use, b: Use): boolean =>
  a.mode === b.mode && a.accessMode === b.accessMode && a.fsType === b.fsType

/** IDs that may become part of a path: ours, and those of ephemeral volumes in Kubernetes. */
export const isId = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(text)

/** The content of a record file. */
export function formatRecord(record: object): Uint8Array {
  const text = JSON.stringify(record, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value), 2)
  return new TextEncoder().encode(`${text}\n`)
}

/** Parses a record file; if it is damaged, throws an error with the path and what to do. */
export function parseVolumeRecord(path: string, bytes: Uint8Array): VolumeRecord {
  const fields = parseObject(path, bytes)
  requireMembers(path, fields, {
    texts: ['id', 'name', 'mode'],
    objects: ['parameters', 'mutableParameters', 'topology', 'attachments'],
  })
  return { ...(fields as VolumeRecord), sizeBytes: bytesOf(path, fields) }
}

export function parseSnapshotRecord(path: string, bytes: Uint8Array): SnapshotRecord {
  return snapshotOf(path, parseObject(path, bytes))
}

export function parseGroupRecord(path: string, bytes: Uint8Array): GroupRecord {
  const fields = parseObject(path, bytes)
  requireMembers(path, fields, { texts: ['id', 'name'], objects: ['parameters', 'snapshots'] })
  const group = fields as GroupRecord
  return { ...group, snapshots: group.snapshots.map((snapshot) => snapshotOf(path, snapshot)) }
}

export function parseNodeRecord(path: string, bytes: Uint8Array): NodeRecord {
  const fields = parseObject(path, bytes)
  requireMembers(path, fields, { texts: ['volumeId'], objects: ['published'] })
  return fields as NodeRecord
}

function snapshotOf(path: string, fields: object): SnapshotRecord {
  requireMembers(path, fields, { texts: ['id', 'name', 'sourceVolumeId', 'mode', 'groupId'], objects: [] })
  return { ...(fields as SnapshotRecord), sizeBytes: bytesOf(path, fields) }
}

function parseObject(path: string, bytes: Uint8Array): object {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (typeof value === 'object' && value !== null) return value
  } catch (cause) {
    throw damaged(path, 'it is not JSON', cause)
  }
  throw damaged(path, 'it is not an object')
}

// Only this driver writes records, and replaces them atomically: a record with these members is complete and ours.
function requireMembers(
  path: string,
  fields: object,
  { texts, objects }: { texts: string[]; objects: string[] },
): void {
  const members = new Map<string, unknown>(Object.entries(fields))
  const wrong =
    texts.find((key) => typeof members.get(key) !== 'string') ??
    objects.find((key) => typeof members.get(key) !== 'object' || members.get(key) === null)
  if (wrong !== undefined) throw damaged(path, `${wrong} is missing`)
}

function bytesOf(path: string, fields: object): bigint {
  const { sizeBytes } = fields as { sizeBytes?: unknown }
  if (typeof sizeBytes === 'string' && /^\d+$/.test(sizeBytes)) return BigInt(sizeBytes)
  throw damaged(path, 'sizeBytes is missing')
}

const damaged = (path: string, why: string, cause?: unknown): Error =>
  new Error(
    `${path} is damaged: ${why}; restore it from a backup, or move its directory away to delete what it describes`,
    { cause },
  )
