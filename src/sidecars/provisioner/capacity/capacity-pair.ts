import type { CSIStorageCapacity } from '../../../api/kinds/csi-storage-capacity.ts'
import { termOf } from '../topology-term.ts'
import type { TopologyTerm } from '../topology-term.ts'

/** A class and a part of the cluster by value: two that are equal are the same key. */
export const pairKeyOf = (className: string, segmentKey: string): string => `${className} ${segmentKey}`

/** Back from a key. Names of classes have no space. */
export function parsePairKey(key: string): { className: string; segmentKey: string } {
  const space = key.indexOf(' ')
  return { className: key.slice(0, space), segmentKey: key.slice(space + 1) }
}

export const segmentKeyOf = (term: TopologyTerm): string => JSON.stringify(term.map(({ key, value }) => [key, value]))

/** The pair that an object tells of. One that selects nodes in any other way than ours belongs to none: its key is its own. */
export function pairKeyOfObject({ metadata, nodeTopology, storageClassName }: CSIStorageCapacity): string {
  if (!nodeTopology || (nodeTopology.matchExpressions?.length ?? 0) > 0)
    return pairKeyOf(storageClassName, `object ${metadata.name ?? ''}`)
  return pairKeyOf(
    storageClassName,
    segmentKeyOf(termOf(Object.entries(nodeTopology.matchLabels ?? {}).map(([key, value]) => ({ key, value })))),
  )
}
