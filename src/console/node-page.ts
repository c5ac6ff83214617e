import type { Node } from '../api/kinds/node.ts'
import { formatObject, keyOf } from '../api/object-key.ts'
import { isFinishedPod, podClaimKeysOf } from '../storage/pod-claims.ts'
import type { Caches } from './caches.ts'
import { finalizersOf } from './finalizers.ts'
import type { ExtraList, ObjectPage } from './protocol.ts'
import { attachedOf, stateOf } from './tables/node-table.ts'
import { linkTo } from './targets.ts'

/** A node: what is attached to it against the limits of its drivers, and what is mounted there, for whom. */
export function nodePage(name: string, caches: Caches): ObjectPage | undefined {
  const node = caches.nodes.get(name)
  if (!node) return undefined
  const attachments = caches.attachmentsOfNode(name)
  const pods = caches.podsOfNode(name)
  const drivers = caches.csiNodes.get(name)?.spec.drivers ?? []
  return {
    title: `Node ${name}`,
    facts: [
      ['Status', stateOf(node)],
      ['Zone', node.metadata.labels?.['topology.kubernetes.io/zone'] ?? 'none'],
      ['Pods with claims', String(pods.filter((pod) => podClaimKeysOf(pod).length > 0).length)],
      ['Attached volumes', String(attachments.filter(({ status }) => status?.attached).length)],
    ],
    lists: [
      {
        title: 'Drivers',
        headings: ['Driver', 'ID of the node', 'Attached', 'Limit', 'Topology keys'],
        rows: drivers.map((driver) => [
          linkTo('CSIDriver', driver.name),
          driver.nodeID,
          String(attachedOf(driver.name, attachments)),
          driver.allocatable?.count === undefined ? 'no limit' : String(driver.allocatable.count),
          (driver.topologyKeys ?? []).join(', '),
        ]),
      },
      mountsOf(node, caches),
    ],
    related: attachments.map((attachment) => ({
      id: formatObject(attachment),
      kind: attachment.kind,
      name: attachment.spec.source.persistentVolumeName ?? keyOf(attachment),
      state: attachment.status?.attached ? 'attached' : 'not attached',
      target: `va/${keyOf(attachment)}`,
    })),
    finalizers: finalizersOf(node),
    shows: [formatObject(node), `CSINode/${name}`, ...attachments.map(formatObject), ...pods.map(formatObject)],
  }
}

/** The volumes of the pods on the node, and those that the node reports in use although no pod here needs them. */
function mountsOf(node: Node, caches: Caches): ExtraList {
  const inUse = new Set(node.status?.volumesInUse ?? [])
  const owned = new Set<string>()
  const rows = caches
    .podsOfNode(keyOf(node))
    .filter((pod) => !isFinishedPod(pod))
    .flatMap((pod) =>
      podClaimKeysOf(pod).map((claimKey) => {
        const volumeName = caches.claims.get(claimKey)?.spec.volumeName ?? ''
        const csi = caches.volumes.get(volumeName)?.spec.csi
        const reported = csi ? `kubernetes.io/csi/${csi.driver}^${csi.volumeHandle}` : ''
        owned.add(reported)
        return [
          linkTo('PersistentVolume', volumeName, volumeName || 'not bound'),
          linkTo('PersistentVolumeClaim', claimKey),
          linkTo('Pod', keyOf(pod)),
          pod.status?.phase === 'Running' ? 'mounted' : inUse.has(reported) ? 'in use' : 'waiting',
        ]
      }),
    )
  const left = [...inUse].filter((name) => !owned.has(name)).map((name) => [name, '', 'no pod', 'still in use'])
  return {
    title: 'Mounts',
    headings: ['Volume', 'Claim', 'Owner', 'State'],
    rows: [...rows, ...left],
    note: 'From the pods of the node and the volumes that the node reports in use.',
  }
}
