import { isEqualJson } from '../../api/equal-json.ts'
import type { Node } from '../../api/kinds/node.ts'
import { attachmentNameOf } from '../../storage/attachment-name.ts'
import { isHealthy, isManaged, isOutOfService } from './node-facts.ts'

/** Whose business the change of a node is: of all that is attached there, or of these attachments. */
export type Concerned =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'all' }
  | { readonly kind: 'some'; readonly names: readonly string[] }

/**
 * Nodes report often, and most of it is of no interest here. What one says of a single volume concerns that one's attachment alone: a node
 * may have a hundred, and each comes and goes with reports of its own.
 */
export function whomNodeConcerns(nodeName: string, before: Node | undefined, after: Node | undefined): Concerned {
  if (!isEqualJson(placeFacts(before), placeFacts(after))) return { kind: 'all' }
  const changed = inUse(before)
    .symmetricDifference(inUse(after))
    .union(reported(before).symmetricDifference(reported(after)))
  if (changed.size === 0) return { kind: 'nobody' }
  return { kind: 'some', names: Array.from(changed).flatMap((name) => attachmentNameOf(name, nodeName) ?? []) }
}

const placeFacts = (node: Node | undefined): unknown =>
  node ? [node.metadata.uid, isManaged(node), isHealthy(node), isOutOfService(node)] : []

const inUse = (node: Node | undefined): Set<string> => new Set(node?.status?.volumesInUse)

const reported = (node: Node | undefined): Set<string> =>
  new Set(node?.status?.volumesAttached?.map(({ name }) => name))
