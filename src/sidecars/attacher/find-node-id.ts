import type { CSINode } from '../../api/kinds/csi-node.ts'
import type { Node } from '../../api/kinds/node.ts'
import { driversOfNodeInfo } from '../../compat/alpha-csi-node-info.ts'
import type { CSINodeInfo } from '../../compat/alpha-csi-node-info.ts'

/** Where the drivers of a node are written down. Today's place comes first. */
export type NodeRecords = {
  readonly csiNode?: CSINode | undefined
  readonly csiNodeInfo?: CSINodeInfo | undefined
  readonly node?: Node | undefined
}

export const NODE_ID_ANNOTATION = 'csi.volume.kubernetes.io/nodeid'

/** The node as the driver calls it; undefined where the driver is not registered. */
export function findNodeId({ csiNode, csiNodeInfo, node }: NodeRecords, driver: string): string | undefined {
  return (
    nonEmpty(csiNode?.spec.drivers?.find(({ name }) => name === driver)?.nodeID) ??
    driversOfNodeInfo(csiNodeInfo).find(({ name }) => name === driver)?.nodeID ??
    nonEmpty(annotatedIds(node)[driver])
  )
}

// Anybody who may write the node may have written it: what is no map of texts counts as nothing.
function annotatedIds(node: Node | undefined): Readonly<Record<string, string>> {
  const text = node?.metadata.annotations?.[NODE_ID_ANNOTATION]
  if (text === undefined) return {}
  try {
    const ids: unknown = JSON.parse(text)
    if (typeof ids !== 'object' || ids === null) return {}
    return Object.fromEntries(
      Object.entries(ids).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    )
  } catch {
    return {}
  }
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text)
