import { hasCondition } from '../../api/conditions.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import type { Node } from '../../api/kinds/node.ts'
import { OUT_OF_SERVICE } from '../../api/node-taints.ts'
import { attachmentNameOf } from '../../storage/attachment-name.ts'
import { hasAnnotation, MANAGED_ANNOTATION } from '../../storage/names.ts'

/** Whether the attach/detach controller is responsible for the node; the value does not matter. */
export const isManaged = (node: Node): boolean => hasAnnotation(node, MANAGED_ANNOTATION)

export const isHealthy = (node: Node | undefined): boolean => hasCondition(node?.status?.conditions, 'Ready')

/** An administrator has confirmed that nothing is running there. */
export const isOutOfService = (node: Node | undefined): boolean =>
  node?.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) ?? false

export const isReported = (node: Node | undefined, uniqueName: string): boolean =>
  node?.status?.volumesAttached?.some(({ name }) => name === uniqueName) ?? false

export const isInUse = (node: Node | undefined, uniqueName: string): boolean =>
  node?.status?.volumesInUse?.includes(uniqueName) ?? false

/** Names of attachments. Undefined: none, and the lists of the node are unchanged. */
export type Affected = readonly string[] | 'all' | undefined

/**
 * The attachments affected by a change of a node. Nodes report often, and most reports do not matter here. A node's report about one volume affects
 * only the attachment of that volume: a node may have a hundred.
 */
export function attachmentsAffected(nodeName: string, before: Node | undefined, after: Node | undefined): Affected {
  if (!isEqualJson(placeFacts(before), placeFacts(after))) return 'all'
  const changed = inUse(before)
    .symmetricDifference(inUse(after))
    .union(reported(before).symmetricDifference(reported(after)))
  if (changed.size === 0) return undefined
  return Array.from(changed).flatMap((name) => attachmentNameOf(name, nodeName) ?? [])
}

const placeFacts = (node: Node | undefined): unknown =>
  node ? [node.metadata.uid, isManaged(node), isHealthy(node), isOutOfService(node)] : []

const inUse = (node: Node | undefined): Set<string> => new Set(node?.status?.volumesInUse)

const reported = (node: Node | undefined): Set<string> =>
  new Set(node?.status?.volumesAttached?.map(({ name }) => name))
