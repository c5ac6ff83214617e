import type { Node } from '../api/kinds/node.ts'
import { formatObject, keyOf } from '../api/object-key.ts'
import { isFinishedPod, podClaimKeysOf } from '../storage/pod-claims.ts'
import type { Caches } from './caches.ts'
import { finalizersOf } from './finalizers.ts'
import type { ExtraList, ObjectPage } from './protocol.ts'
import { attachedOf, stateOf } from './tables/node-table.ts'
import { linkOf, linkTo } from './targets.ts'

/** A node: what is attached to it against the limits of its drivers, and what is mounted there, for whom. */
export function nodePage(name: string, caches: Caches): ObjectPage | undefined {
  const node = caches.nodes.get(name)
  if (!node) return undefined
  const attachments = caches.attachmentsOfNode(name)
  const pods = caches.podsOfNode(name)
  const drivers = caches.csiNodes.get(name)?.spec.drivers ?? []
  return {
    kind: 'Node',
    name,
    facts: [
      ['Status', stateOf(node)],
      ['Zone', node.metadata.labels?.['topology.kubernetes.io/zone'] ?? 'none'],
      ['Pods with claims', String(pods.filter((pod) => podClaimKeysOf(pod).length > 0).length)],
      ['Attached volumes', String(attachments.filter(({ status }) => status?.attached).length)],
    ],
    lists: [
      {
        title: 'Drivers',
        columns: [
          { title: 'Driver', kind: 'text' },
          { title: 'ID of the node', kind: 'text' },
          { title: 'Attached', kind: 'number' },
          { title: 'Limit', kind: 'number' },
          { title: 'Topology keys', kind: 'text' },
        ],
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
      ...linkOf(attachment),
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
          linkTo('PersistentVolumeClaim', claimKey),
          linkTo('Pod', keyOf(pod)),
          pod.status?.phase === 'Running' ? 'mounted' : inUse.has(reported) ? 'in use' : 'waiting',
          volumeName === '' ? 'not bound' : linkTo('PersistentVolume', volumeName),
        ]
      }),
    )
  const left = [...inUse].filter((name) => !owned.has(name)).map((name) => ['', 'no pod', 'still in use', name])
  return {
    title: 'Mounts',
    columns: [
      { title: 'Claim', kind: 'text' },
      { title: 'Owner', kind: 'text' },
      { title: 'State', kind: 'text' },
      { title: 'Volume', kind: 'id' },
    ],
    rows: [...rows, ...left],
    note: 'From the pods of the node and the volumes that the node reports in use.',
  }
}
