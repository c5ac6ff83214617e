import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import {
  isTemporaryName,
  makeDirectories,
  readFileIfPresent,
  replaceFileDurably,
} from '../../base/host/durable-files.ts'
import type { Host } from '../../base/host/host.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { openNodeRecords } from './node-records.ts'
import type { NodeRecords } from './node-records.ts'
import { parseGroupRecord, parseSnapshotRecord, parseVolumeRecord } from './records.ts'
import type { GroupRecord, SnapshotRecord, VolumeRecord } from './records.ts'
import { openStore } from './store.ts'
import type { Store } from './store.ts'

/** The machine, and the location of the volumes on it. */
export type HostpathParts = {
  root: string
  host: Host
  clock: Clock
  random: Random
  log: Logger
  /** Total bytes of all volumes and snapshots. Default: the size of their file system. */
  capacityBytes?: bigint
}

/** A node that the driver serves. */
export type HostpathNode = {
  id: string
  /** The location of the node; empty if the driver should not report topology. */
  topology: Record<string, string>
  /** Maximum number of attached volumes; 0 means no limit. */
  attachLimit: number
}

/** A node with its records, and the volumes that are just being attached to it. */
export type ServedNode = HostpathNode & { records: NodeRecords; attaching: Set<string> }

/** The volumes of one data directory, shared by all nodes of one process. */
export interface Hostpath {
  readonly parts: HostpathParts
  readonly volumes: Store<VolumeRecord>
  readonly snapshots: Store<SnapshotRecord>
  readonly groups: Store<GroupRecord>
  readonly nodes: ReadonlyMap<string, ServedNode>
  readonly capacityBytes: bigint
  /** Bytes that are neither in use nor reserved. */
  availableBytes(): bigint
  /** Reserves bytes for content that is being created; RESOURCE_EXHAUSTED if there are not enough. */
  reserve(bytes: bigint): Disposable
  /** Any snapshot, including members of groups, with the folder of its content. */
  findSnapshot(id: string): { record: SnapshotRecord; folder: string } | undefined
  allSnapshots(): SnapshotRecord[]
  /** NOT_FOUND if it does not exist, or is ephemeral: those belong to their node only. */
  requireVolume(id: string): VolumeRecord
  /** Adds a node that the driver serves. */
  addNode(node: HostpathNode): Promise<ServedNode>
}

const MARKER = 'holdfast-hostpath.json'
const FORMAT = 1

/** Opens a data directory, or creates it. A directory that belongs to something else, or to a newer version, is not touched. */
export async function openHostpath(parts: HostpathParts): Promise<Hostpath> {
  const { root, host, random, log } = parts
  await claimDirectory(parts)
  const volumes = await openStore<VolumeRecord>({ root, kind: 'volumes', host, random, log, parse: parseVolumeRecord })
  const snapshots = await openStore<SnapshotRecord>({
    root,
    kind: 'snapshots',
    host,
    random,
    log,
    parse: parseSnapshotRecord,
  })
  const groups = await openStore<GroupRecord>({ root, kind: 'groups', host, random, log, parse: parseGroupRecord })
  const capacityBytes = parts.capacityBytes ?? (await host.files.usage(root)).totalBytes
  let reservedBytes = 0n

  const allSnapshots = (): SnapshotRecord[] => [
    ...snapshots.all(),
    ...[...groups.all()].flatMap((group) => group.snapshots),
  ]
  const availableBytes = (): bigint => {
    let free = capacityBytes - reservedBytes
    for (const { sizeBytes } of volumes.all()) free -= sizeBytes
    for (const { sizeBytes } of allSnapshots()) free -= sizeBytes
    return free > 0n ? free : 0n
  }
  const reserve = (bytes: bigint): Disposable => {
    const available = availableBytes()
    if (bytes > available)
      throw new CsiError(
        'RESOURCE_EXHAUSTED',
        `not enough capacity: ${bytes} bytes requested, ${available} bytes available`,
      )
    reservedBytes += bytes
    return { [Symbol.dispose]: () => void (reservedBytes -= bytes) }
  }
  const findSnapshot = (id: string): { record: SnapshotRecord; folder: string } | undefined => {
    const own = snapshots.find(id)
    if (own) return { record: own, folder: snapshots.folder(id) }
    for (const group of groups.all()) {
      const record = group.snapshots.find((snapshot) => snapshot.id === id)
      if (record) return { record, folder: join(groups.folder(group.id), id) }
    }
    return undefined
  }
  const requireVolume = (id: string): VolumeRecord => {
    const volume = volumes.find(id)
    if (!volume || volume.ephemeral) throw new CsiError('NOT_FOUND', `volume ${id} does not exist`)
    return volume
  }
  const nodes = new Map<string, ServedNode>()
  const addNode = async (node: HostpathNode): Promise<ServedNode> => {
    if (nodes.has(node.id)) throw new Error(`node ${node.id} is already being served`)
    // encodeURIComponent keeps `.` and `..`, which have a special meaning in a path.
    const directory = join(root, 'nodes', encodeURIComponent(node.id).replace(/^\./, '%2E'))
    const served = {
      ...node,
      records: await openNodeRecords({ directory, files: host.files, random }),
      attaching: new Set<string>(),
    }
    nodes.set(node.id, served)
    return served
  }
  return {
    parts,
    volumes,
    snapshots,
    groups,
    nodes,
    capacityBytes,
    availableBytes,
    reserve,
    findSnapshot,
    allSnapshots,
    requireVolume,
    addNode,
  }
}

async function claimDirectory({ root, host: { files }, random }: HostpathParts): Promise<void> {
  await makeDirectories(files, root, { mode: 0o700 })
  const marker = join(root, MARKER)
  const bytes = await readFileIfPresent(files, marker)
  if (bytes === undefined) {
    const present = await files.list(root)
    const foreign = present.find(({ name }) => !isTemporaryName(name))
    if (foreign)
      throw new Error(`${root} contains ${foreign.name} but no data of this driver: choose an empty directory`)
    // Left by a first start that did not finish.
    for (const { name } of present) await files.removeFile(join(root, name))
    const content = new TextEncoder().encode(`${JSON.stringify({ format: FORMAT })}\n`)
    await replaceFileDurably(files, marker, content, { mode: 0o600, random })
    return
  }
  const format = formatOf(marker, bytes)
  if (format !== FORMAT)
    throw new Error(`${root} was written in format ${format}, this version knows ${FORMAT}: use the newer version`)
}

function formatOf(marker: string, bytes: Uint8Array): number {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (typeof value === 'object' && value !== null && 'format' in value && typeof value.format === 'number')
      return value.format
  } catch {
    // Reported below: the reader needs the file name, not the details of the JSON error.
  }
  throw new Error(`${marker} is damaged: it should contain {"format":${FORMAT}}`)
}
