/** What is kept of a volume: its record is written before the volume counts as made. */
export type VolumeRecord = {
  id: string
  /** The name that CreateVolume was called with; empty for an ephemeral volume. */
  name: string
  sizeBytes: bigint
  /** A device backed by an image file, or a directory. */
  mode: VolumeMode
  parameters: Record<string, string>
  mutableParameters: Record<string, string>
  /** Where the volume can be reached; empty when the driver knows no topology. */
  topology: Record<string, string>
  source?: { kind: 'snapshot' | 'volume'; id: string }
  /** Made by NodePublishVolume for one pod and gone with it. */
  ephemeral?: boolean
  /** Nodes that the volume is published to, by node id. */
  attachments: Record<string, Attachment>
}

export type VolumeMode = 'block' | 'mount'

/** How a volume was published to a node by the controller. */
export type Attachment = { accessMode: number; mode: VolumeMode; readonly: boolean }

export type SnapshotRecord = {
  id: string
  name: string
  sourceVolumeId: string
  sizeBytes: bigint
  mode: VolumeMode
  createdAtMs: number
  /** Empty for a snapshot of its own. */
  groupId: string
}

export type GroupRecord = {
  id: string
  name: string
  createdAtMs: number
  parameters: Record<string, string>
  snapshots: SnapshotRecord[]
}

/** What a node has done for one volume: written before the first mount, so that nothing mounted is ever unknown. */
export type NodeRecord = {
  volumeId: string
  staged?: { path: string; use: Use }
  published: Record<string, { use: Use; readonly: boolean }>
}

/** How a volume is used on a node, in a form that can be compared. */
export type Use = { mode: VolumeMode; accessMode: number; fsType: string }

export const sameUse = (a: Use, b: Use): boolean =>
  a.mode === b.mode && a.accessMode === b.accessMode && a.fsType === b.fsType

/** Ids that may become part of a path: those we make, and those that Kubernetes gives to ephemeral volumes. */
export const isId = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(text)

/** A record as it stands in its file. */
export function formatRecord(record: object): Uint8Array {
  const text = JSON.stringify(record, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value), 2)
  return new TextEncoder().encode(`${text}\n`)
}

/** The content of a record file; throws with the path, and what to do, when it is damaged. */
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

// Records are only ever written by this driver and replaced in one step: what has these was written whole, and by us.
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
