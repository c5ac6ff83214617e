import { validateLabels } from '../../api/names.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationReason } from './reasons.ts'

/** What a driver says about the node it runs on. */
export type NodeFacts = {
  readonly nodeId: string
  /** Labels of the node that say which volumes it can reach. */
  readonly topology: Readonly<Record<string, string>>
  /** Volumes of the driver that the node can have at once. Undefined: no limit is known. */
  readonly maxVolumes: number | undefined
}

// The limits of CSINode.
const MOST_NODE_ID_BYTES = 256
const MOST_VOLUMES = 2 ** 31 - 1
// Each is a label of the node, which everybody who watches nodes gets with each of its reports.
const MOST_SEGMENTS = 100

type NodeInfo = {
  readonly nodeId: string
  readonly maxVolumesPerNode: bigint
  readonly accessibleTopology: { readonly segments: Readonly<Record<string, string>> } | undefined
}

/** The answer of NodeGetInfo, or what is wrong with it. A negative limit counts as none. */
export function checkNodeInfo(
  driver: string,
  { nodeId, maxVolumesPerNode, accessibleTopology }: NodeInfo,
): { facts: NodeFacts } | { problem: RegistrationReason } {
  const invalid = (problem: string): { problem: RegistrationReason } => ({
    problem: REASONS.nodeInfoInvalid(driver, problem),
  })
  if (nodeId === '') return invalid('the node id is empty')
  const bytes = Buffer.byteLength(nodeId)
  if (bytes > MOST_NODE_ID_BYTES) return invalid(`the node id has ${bytes} bytes, more than ${MOST_NODE_ID_BYTES}`)
  const topology = { ...accessibleTopology?.segments }
  const segments = Object.keys(topology).length
  if (segments > MOST_SEGMENTS) return invalid(`the topology has ${segments} keys, more than ${MOST_SEGMENTS}`)
  const [label] = validateLabels(topology)
  if (label) return invalid(`the topology can't be a label: ${label.value ?? ''}: ${label.detail}`)
  const maxVolumes =
    maxVolumesPerNode > 0n
      ? Number(maxVolumesPerNode > BigInt(MOST_VOLUMES) ? MOST_VOLUMES : maxVolumesPerNode)
      : undefined
  return { facts: { nodeId, topology, maxVolumes } }
}
