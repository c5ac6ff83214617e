import { isEqualJson } from '../../api/equal-json.ts'
import type { Labels } from '../../api/label-requirement.ts'
import { getOrAdd } from '../../base/get-or-add.ts'
import type { Anchors } from './anchored-shelves.ts'
import type { NodeView } from './node-entry.ts'

/** All nodes in the order in which they were added, and by label. A node that changes, as each does every few seconds, costs no walk over the others. */
export function createNodeOrder() {
  const nodes: NodeView[] = []
  const positions = new Map<string, number>()
  const labels = new Map<string, Labels>()
  // Built when a label is asked for, and valid until labels change.
  const byLabel = new Map<string, Map<string, NodeView[]>>()

  const put = (node: NodeView): void => {
    const at = positions.get(node.name) ?? nodes.length
    positions.set(node.name, at)
    nodes[at] = node
    if (!isEqualJson(labels.get(node.name), node.labels)) byLabel.clear()
    labels.set(node.name, node.labels)
  }
  const remove = (name: string): void => {
    const at = positions.get(name)
    if (at === undefined) return
    nodes.splice(at, 1)
    positions.delete(name)
    labels.delete(name)
    byLabel.clear()
    for (let moved = at; moved < nodes.length; moved++) positions.set(nodes[moved]?.name ?? '', moved)
  }
  const valuesOf = (key: string): Map<string, NodeView[]> =>
    getOrAdd(byLabel, key, () => {
      const values = new Map<string, NodeView[]>()
      for (const node of nodes) {
        const value = Object.hasOwn(node.labels, key) ? node.labels[key] : undefined
        if (value !== undefined) getOrAdd(values, value, () => []).push(node)
      }
      return values
    })
  /** Nodes with one of the labels; undefined when finding them costs more than looking at all. */
  const at = (anchors: Anchors): readonly NodeView[] | undefined => {
    if (anchors === 'everywhere') return undefined
    const [first, ...others] = anchors
    if (!first) return []
    // A node has one value of a label, so that none is listed twice.
    if (others.some(({ key }) => key !== first.key)) return undefined
    const values = valuesOf(first.key)
    return others.length === 0
      ? (values.get(first.value) ?? [])
      : anchors.flatMap(({ value }) => values.get(value) ?? [])
  }
  return {
    put,
    remove,
    /** Valid until the next change. */
    all: (): readonly NodeView[] => nodes,
    at,
  }
}
