import type { CSINode, CSINodeDriver } from '../../api/kinds/csi-node.ts'
import type { Node } from '../../api/kinds/node.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { keyOf } from '../../api/object-key.ts'
import { podClaimKeysOf } from '../../storage/pod-claims.ts'
import type { Row } from '../protocol.ts'
import { keysOf } from '../table.ts'
import type { Table } from '../table.ts'
import { linkOf } from '../targets.ts'

export const nodeTable: Table = {
  name: 'nodes',
  title: 'Nodes',
  columns: [
    { title: 'Name', kind: 'text' },
    { title: 'Status', kind: 'state' },
    { title: 'Zone', kind: 'text' },
    { title: 'Pods with claims', kind: 'number' },
    { title: 'Attached', kind: 'number' },
    { title: 'Drivers: attached of limit', kind: 'text' },
  ],
  keysOf: {
    nodes: (node) => [keyOf(node)],
    csiNodes: (node) => [keyOf(node)],
    attachments: keysOf<VolumeAttachment>(({ spec }) => [spec.nodeName]),
    pods: keysOf<Pod>(({ spec }) => (spec.nodeName ? [spec.nodeName] : [])),
  },
  row: (key, { nodes, csiNodes, attachmentsOfNode, podsOfNode }) => {
    const node = nodes.get(key)
    return (
      node && nodeRow(node, { csiNode: csiNodes.get(key), attachments: attachmentsOfNode(key), pods: podsOfNode(key) })
    )
  },
}

type NodeParts = {
  readonly csiNode: CSINode | undefined
  readonly attachments: readonly VolumeAttachment[]
  readonly pods: readonly Pod[]
}

export const stateOf = ({ spec, status }: Node): string =>
  `${isReady(status) ? 'Ready' : 'NotReady'}${spec?.unschedulable === true ? ', SchedulingDisabled' : ''}`

export const isReady = (status: Node['status']): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false

/** How many volumes of a driver are attached, or being attached. */
export const attachedOf = (driver: string, attachments: readonly VolumeAttachment[]): number =>
  attachments.filter(({ spec }) => spec.attacher === driver).length

export function nodeRow(node: Node, { csiNode, attachments, pods }: NodeParts): Row {
  const isCordoned = node.spec?.unschedulable === true
  const labels = node.metadata.labels ?? {}
  return {
    key: keyOf(node),
    tone: !isReady(node.status) ? 'bad' : isCordoned ? 'waiting' : 'good',
    ...linkOf(node),
    cells: [
      node.metadata.name ?? '',
      stateOf(node),
      labels['topology.kubernetes.io/zone'] ?? '',
      pods.filter((pod) => podClaimKeysOf(pod).length > 0).length,
      attachments.filter(({ status }) => status?.attached).length,
      (csiNode?.spec.drivers ?? []).map((driver) => formatLimit(driver, attachments)).join(', '),
    ],
  }
}

function formatLimit({ name, allocatable }: CSINodeDriver, attachments: readonly VolumeAttachment[]): string {
  return `${name}: ${attachedOf(name, attachments)} of ${allocatable?.count ?? 'no limit'}`
}
