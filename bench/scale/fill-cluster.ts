import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Api } from '../../src/api/api.ts'
import { CSI_NODES } from '../../src/api/kinds/csi-node.ts'
import { NODES } from '../../src/api/kinds/node.ts'
import type { Node } from '../../src/api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../src/api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../src/api/kinds/persistent-volume.ts'
import { PODS } from '../../src/api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../../src/api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../../src/api/kinds/volume-attachment.ts'
import type { KubeObject } from '../../src/api/object.ts'
import type { ResourceType } from '../../src/api/resource-type.ts'
import { storageOf } from '../../src/apiserver/core/stored-object.ts'
import type { BackendChange } from '../../src/apiserver/storage/backend.ts'
import { STATE_FILE } from '../../src/apiserver/storage/sqlite-backend.ts'
import { openSqliteDatabase } from '../../src/apiserver/storage/sqlite-database.ts'
import { attachmentName } from '../../src/storage/attachment-name.ts'
import { uniqueVolumeName } from '../../src/storage/unique-volume-name.ts'
import { DRIVER, nodeName } from '../cluster/objects.ts'

/** What a cluster has made of one claim with a pod on the only node, as it stores it. */
export type Pattern = {
  readonly storageClass: Stored
  readonly node: Stored
  readonly csiNode: Stored
  /** Claim, volume, pod and attachment. */
  readonly ofVolume: readonly Stored[]
}
type Stored = { readonly type: ResourceType; readonly object: KubeObject }

/** The only claim of the cluster, and all that belongs to it. */
export async function readPattern(api: Api): Promise<Pattern> {
  const only = async <T extends KubeObject>(type: ResourceType<T>): Promise<Stored> => {
    const { items } = await api.list(type)
    const [object] = items
    if (!object || items.length > 1) throw new Error(`there are ${items.length} of ${type.plural}, and not one`)
    return { type, object }
  }
  return {
    storageClass: await only(STORAGE_CLASSES),
    node: await only(NODES),
    csiNode: await only(CSI_NODES),
    ofVolume: [
      await only(PERSISTENT_VOLUME_CLAIMS),
      await only(PERSISTENT_VOLUMES),
      await only(PODS),
      await only(VOLUME_ATTACHMENTS),
    ],
  }
}

const GROUP = 5000

/**
 * A data directory with so many volumes, as if the cluster had made all of them: the pattern with other names. Volumes are spread evenly over the nodes. To make
 * them one after the other would take most of an hour.
 */
export function fillCluster(directory: string, pattern: Pattern, size: { volumes: number; nodes: number }): void {
  mkdirSync(directory, { mode: 0o700 })
  const database = openSqliteDatabase(join(directory, STATE_FILE))
  let revision = 0
  let changes: BackendChange[] = []
  const flush = (): void => {
    database.commit(changes)
    changes = []
  }
  const put = ({ type, object }: Stored): void => {
    revision++
    const { namespace, name = '' } = object.metadata
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
    const key = namespace ? `${namespace}/${name}` : name
    changes.push({ revision, storage: storageOf(type), key, json: JSON.stringify(stored) })
    if (changes.length === GROUP) flush()
  }
  const handlesOn = Array.from({ length: size.nodes }, (): string[] => [])
  put(pattern.storageClass)
  for (let index = 0; index < size.volumes; index++) {
    const on = index % size.nodes
    handlesOn[on]?.push(handleOf(index))
    for (const stored of pattern.ofVolume) put(renamed(stored, namesOf(pattern, index, on)))
  }
  for (const [index, handles] of handlesOn.entries()) {
    const names = new Map([
      [nodeName(0), nodeName(index)],
      ...newUids([pattern.node, pattern.csiNode], `node ${index}`),
    ])
    put(withVolumes(renamed(pattern.node, names), handles))
    put(renamed(pattern.csiNode, names))
  }
  flush()
  database.close()
}

const nameOf = (index: number): string => `filled-${index}`
const claimUid = (index: number): string => uidOf(`claim ${index}`)
const handleOf = (index: number): string => `pvc-${claimUid(index)}`

function uidOf(seed: string): string {
  const digits = createHash('sha256').update(seed).digest('hex')
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`
}

const newUids = (stored: readonly Stored[], seed: string): [string, string][] =>
  stored.map(({ type, object }) => [object.metadata.uid ?? '', uidOf(`${type.kind} ${seed}`)])

/** Old names to new ones, of one volume. */
function namesOf({ ofVolume }: Pattern, index: number, on: number): Map<string, string> {
  const [claim, , , attachment] = ofVolume
  const newAttachment = attachmentName({ volumeHandle: handleOf(index), driver: DRIVER, nodeName: nodeName(on) })
  return new Map([
    ...newUids(ofVolume, String(index)),
    [claim?.object.metadata.uid ?? '', claimUid(index)],
    [claim?.object.metadata.name ?? '', nameOf(index)],
    [attachment?.object.metadata.name ?? '', newAttachment],
    [nodeName(0), nodeName(on)],
  ])
}

function renamed({ type, object }: Stored, names: ReadonlyMap<string, string>): Stored {
  let text = JSON.stringify(object)
  for (const [before, after] of names) text = text.replaceAll(before, after)
  return { type, object: JSON.parse(text) as KubeObject }
}

function withVolumes({ type, object }: Stored, handles: readonly string[]): Stored {
  const names = handles.map((handle) => uniqueVolumeName(DRIVER, handle)).sort()
  const node = object as Node
  const volumesAttached = names.map((name) => ({ name, devicePath: '' }))
  return { type, object: { ...node, status: { ...node.status, volumesInUse: names, volumesAttached } } as Node }
}
