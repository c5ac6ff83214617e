import { isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { VOLUME_SNAPSHOT_CONTENTS } from '../../api/kinds/volume-snapshot.ts'
import { listAll } from '../../api/list-all.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { ClusterSide } from './find-leaks.ts'

/** Everything that the cluster knows of one driver. */
export async function readClusterSide(api: Api, driverName: string, signal: AbortSignal): Promise<ClusterSide> {
  const [volumes, attachments, contents, csiNodes] = await Promise.all([
    readAll(api, PERSISTENT_VOLUMES, signal),
    readAll(api, VOLUME_ATTACHMENTS, signal),
    readAll(api, VOLUME_SNAPSHOT_CONTENTS, signal),
    readAll(api, CSI_NODES, signal),
  ])
  const own = volumes.filter(({ spec }) => spec.csi?.driver === driverName)
  const handles = new Map(own.map(({ metadata, spec }) => [metadata.name ?? '', spec.csi?.volumeHandle ?? '']))
  return {
    volumes: new Map(
      own.map((volume) => [
        volume.spec.csi?.volumeHandle ?? '',
        { name: nameOf(volume), isLeaving: isLeaving(volume) },
      ]),
    ),
    attachments: attachments
      .filter(({ spec }) => spec.attacher === driverName)
      .map((attachment) => ({
        name: nameOf(attachment),
        volumeHandle:
          handles.get(attachment.spec.source.persistentVolumeName ?? '') ??
          attachment.spec.source.inlineVolumeSpec?.csi?.volumeHandle ??
          '',
        nodeName: attachment.spec.nodeName,
        isAttached: attachment.status?.attached === true,
        isLeaving: isLeaving(attachment),
      })),
    snapshots: new Map(
      contents
        .filter(({ spec }) => spec.driver === driverName)
        .flatMap((content) => {
          const handle = content.status?.snapshotHandle ?? content.spec.source.snapshotHandle
          return handle === undefined ? [] : [[handle, { name: nameOf(content), isLeaving: isLeaving(content) }]]
        }),
    ),
    nodes: new Map(
      csiNodes.flatMap((node) =>
        (node.spec.drivers ?? [])
          .filter(({ name }) => name === driverName)
          .map(({ nodeID }): [string, string] => [nodeID, nameOf(node)]),
      ),
    ),
  }
}

const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? ''
const isLeaving = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined

async function readAll<T extends KubeObject>(api: Api, type: ResourceType<T>, signal: AbortSignal): Promise<T[]> {
  const items: T[] = []
  try {
    for await (const item of listAll(api, type, { signal })) items.push(item)
    return items
  } catch (error) {
    // A cluster without snapshots has no contents either.
    if (isNotFound(error)) return []
    throw error
  }
}
