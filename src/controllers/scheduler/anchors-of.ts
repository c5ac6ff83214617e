import type { CSIStorageCapacity } from '../../api/kinds/csi-storage-capacity.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { NodeSelector, NodeSelectorTerm } from '../../api/kinds/selectors.ts'
import type { Anchor, Anchors } from './anchored-groups.ts'

/** Labels of which a node needs at least one to be selected. */
export function anchorsOfSelector(selector: NodeSelector | undefined): Anchors {
  if (!selector) return 'everywhere'
  const anchors: Anchor[] = []
  for (const term of selector.nodeSelectorTerms) {
    const ofTerm = anchorsOfTerm(term)
    if (!ofTerm) return 'everywhere'
    anchors.push(...ofTerm)
  }
  return distinct(anchors)
}

/** Labels of which a node needs at least one to reach the volume. */
export const anchorsOfVolume = ({ spec }: PersistentVolume): Anchors => anchorsOfSelector(spec.nodeAffinity?.required)

function anchorsOfTerm({ matchExpressions = [] }: NodeSelectorTerm): Anchor[] | undefined {
  const listed = matchExpressions.find(({ operator }) => operator === 'In')
  return listed?.values?.map((value) => ({ key: listed.key, value }))
}

/** Labels of which a node needs at least one to be where the room is. */
export function anchorsOfCapacity({ nodeTopology }: CSIStorageCapacity): Anchors {
  const [exact] = Object.entries(nodeTopology?.matchLabels ?? {})
  if (exact) return [{ key: exact[0], value: exact[1] }]
  const listed = nodeTopology?.matchExpressions?.find(({ operator }) => operator === 'In')
  return listed?.values ? distinct(listed.values.map((value) => ({ key: listed.key, value }))) : 'everywhere'
}

const distinct = (anchors: readonly Anchor[]): Anchor[] => [
  ...new Map(anchors.map((anchor) => [`${anchor.key}=${anchor.value}`, anchor])).values(),
]
