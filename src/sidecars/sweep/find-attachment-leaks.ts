import type { Pod } from '../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { formatObject, keyOfRef } from '../../api/object-key.ts'
import { ATTACHED_HANDLE, findAnnotation } from '../../storage/names.ts'
import { podClaimKeysOf } from '../../storage/pod-claims.ts'
import { uniqueVolumeName } from '../../storage/unique-volume-name.ts'
import { NODE_ID } from '../attach-target.ts'
import type { DriverSide } from './read-driver-side.ts'
import { handleOf, inLineHandles, ownVolumes } from './find-volume-leaks.ts'
import { isLeaving, nameOf } from './known-objects.ts'
import type { Leak } from './leak.ts'
import type { ClusterSide } from './read-cluster-side.ts'

type Known = { readonly attachment: VolumeAttachment; readonly handle: string; readonly node: string }

/** Attachments that only one side knows, or whose volume, node or pod is gone. */
export function findAttachmentLeaks(driver: DriverSide, cluster: ClusterSide): Leak[] {
  const known = attachmentsOf(cluster)
  return [
    ...attachedOnly(driver, cluster, known),
    ...unattached(driver, cluster, known),
    ...known.flatMap((each) => danglingLeaks(each, cluster)),
    ...statusLeaks(cluster, known),
    ...registrationLeaks(cluster),
  ]
}

function attachmentsOf(cluster: ClusterSide): Known[] {
  const handles = new Map(ownVolumes(cluster).map((volume) => [nameOf(volume), handleOf(volume)]))
  return cluster.attachments
    .filter(({ spec }) => spec.attacher === cluster.driverName)
    .map((attachment) => ({
      attachment,
      handle:
        handles.get(attachment.spec.source.persistentVolumeName ?? '') ??
        attachment.spec.source.inlineVolumeSpec?.csi?.volumeHandle ??
        // Our attacher writes it there, for volumes that are gone when they are detached.
        findAnnotation(attachment, ATTACHED_HANDLE) ??
        '',
      node: attachment.spec.nodeName,
    }))
}

/** Node names by the ID that the driver has given them. */
const nodeNames = ({ csiNodes, driverName }: ClusterSide): ReadonlyMap<string, string> =>
  new Map(
    csiNodes.flatMap((csiNode) =>
      (csiNode.spec.drivers ?? [])
        .filter(({ name }) => name === driverName)
        .map(({ nodeID }): [string, string] => [nodeID, nameOf(csiNode)]),
    ),
  )

function attachedOnly({ volumes, listsNodes }: DriverSide, cluster: ClusterSide, known: readonly Known[]): Leak[] {
  if (!volumes || !listsNodes) return []
  const names = nodeNames(cluster)
  const own = new Set([...ownVolumes(cluster).map(handleOf), ...inLineHandles(cluster)])
  return [...volumes].flatMap(([handle, { nodeIds }]) =>
    nodeIds.flatMap((nodeId): Leak[] => {
      const node = names.get(nodeId)
      if (known.some((each) => each.handle === handle && (each.node === node || nodeIdOf(each) === nodeId))) return []
      if (node !== undefined) return [{ kind: 'attached-without-object', handle, node }]
      // A volume and a node that this cluster does not know belong to another one.
      return own.has(handle) ? [{ kind: 'attached-to-unknown-node', handle, node: nodeId }] : []
    }),
  )
}

const nodeIdOf = ({ attachment }: Known): string | undefined => findAnnotation(attachment, NODE_ID)

function unattached({ volumes, listsNodes }: DriverSide, cluster: ClusterSide, known: readonly Known[]): Leak[] {
  if (!volumes || !listsNodes) return []
  const names = nodeNames(cluster)
  return known
    .filter(({ attachment }) => attachment.status?.attached === true && !isLeaving(attachment))
    .filter((each) => {
      const nodeIds = volumes.get(each.handle)?.nodeIds
      return nodeIds && !nodeIds.some((id) => names.get(id) === each.node || nodeIdOf(each) === id)
    })
    .map(({ attachment, handle, node }): Leak => ({
      kind: 'object-without-attachment',
      handle,
      node,
      object: formatObject(attachment),
    }))
}

/** Each attachment is reported for the first thing that it lacks. */
function danglingLeaks({ attachment, handle, node }: Known, { volumes, nodes, pods }: ClusterSide): Leak[] {
  if (isLeaving(attachment)) return []
  const { persistentVolumeName } = attachment.spec.source
  const leak = (kind: Leak['kind']): Leak[] => [
    { kind, ...(handle === '' ? {} : { handle }), node, object: formatObject(attachment) },
  ]
  const volume = volumes.find((each) => nameOf(each) === persistentVolumeName)
  if (persistentVolumeName !== undefined && !volume) return leak('attachment-without-volume')
  if (!nodes.some((each) => nameOf(each) === node)) return leak('attachment-without-node')
  const { namespace = '', name = '' } = volume?.spec.claimRef ?? {}
  const isWanted = (pod: Pod): boolean =>
    pod.spec.nodeName === node && (!volume || podClaimKeysOf(pod).includes(keyOfRef({ namespace, name })))
  // Of an in-line volume, any pod on the node may be the one.
  return attachment.status?.attached === true && !pods.some(isWanted) ? leak('attachment-without-pod') : []
}

function statusLeaks({ nodes, driverName }: ClusterSide, known: readonly Known[]): Leak[] {
  const prefix = uniqueVolumeName(driverName, '')
  return nodes.flatMap((each) => {
    const node = nameOf(each)
    const isUnknown = (uniqueName: string): boolean =>
      uniqueName.startsWith(prefix) &&
      !known.some((one) => one.node === node && uniqueVolumeName(driverName, one.handle) === uniqueName)
    const leaks = (kind: Leak['kind'], names: readonly string[]): Leak[] =>
      names.filter(isUnknown).map((name) => ({ kind, handle: name.slice(prefix.length), node }))
    return [
      ...leaks(
        'listed-without-attachment',
        (each.status?.volumesAttached ?? []).map(({ name }) => name),
      ),
      ...leaks('in-use-without-attachment', each.status?.volumesInUse ?? []),
    ]
  })
}

function registrationLeaks({ csiNodes, nodes, driverName }: ClusterSide): Leak[] {
  const names = new Set(nodes.map(nameOf))
  return csiNodes
    .filter((csiNode) => !names.has(nameOf(csiNode)) && !isLeaving(csiNode))
    .filter(({ spec }) => spec.drivers?.some(({ name }) => name === driverName))
    .map((csiNode): Leak => ({
      kind: 'registration-without-node',
      object: formatObject(csiNode),
      node: nameOf(csiNode),
    }))
}
