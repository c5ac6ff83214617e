import { isEqualJson } from '../../api/equal-json.ts'
import type { Node } from '../../api/kinds/node.ts'
import { getOrAdd } from '../../base/get-or-add.ts'
import type { Anchors } from './anchored-shelves.ts'
import { loadOf, NodeEntry } from './node-entry.ts'
import type { NodeView } from './node-entry.ts'
import type { CountedVolume } from './pod-record.ts'

/**
 * All nodes in the order in which they were added, and by label. A change of one node, which happens every few seconds, does not iterate over the
 * others.
 */
export function createNodeTable(volumesOn: (entry: NodeEntry) => Iterable<CountedVolume>) {
  const entries = new Map<string, NodeEntry>()
  const all: NodeEntry[] = []
  // Built when a label is requested, and valid until labels change.
  const byLabel = new Map<string, Map<string | undefined, NodeView[]>>()
  const loads = createLoadCounts()
  const touch = (entry: NodeEntry): void => {
    entry.touch()
    loads.touch(entry)
  }

  /** Changes the entry of the node, which need not exist: other objects may name it. */
  const change = (name: string, act: (entry: NodeEntry) => void): void => {
    const entry = getOrAdd(entries, name, () => new NodeEntry(name, volumesOn))
    act(entry)
    touch(entry)
    if (entry.isEmpty()) entries.delete(name)
  }
  const setNode = (name: string, node: Node | undefined): void =>
    change(name, (entry) => {
      const { isKnown, labels } = entry
      entry.setNode(node)
      if (isKnown && !node) all.splice(all.indexOf(entry), 1)
      if (!isKnown && node) all.push(entry)
      if (isKnown !== entry.isKnown || !isEqualJson(labels, entry.labels)) byLabel.clear()
    })
  /** Nodes with one of the labels; undefined if finding them costs more than checking all. */
  const at = (anchors: Anchors): readonly NodeView[] | undefined => {
    const [first, ...others] = anchors
    if (!first) return []
    // A node has one value per label, so none is listed twice.
    if (others.some(({ key }) => key !== first.key)) return undefined
    const values = getOrAdd(byLabel, first.key, () =>
      Map.groupBy<string | undefined, NodeView>(all, ({ labels }) =>
        Object.hasOwn(labels, first.key) ? labels[first.key] : undefined,
      ),
    )
    return others.length === 0
      ? (values.get(first.value) ?? [])
      : anchors.flatMap(({ value }) => values.get(value) ?? [])
  }
  const find = (name: string): NodeView | undefined => {
    const entry = entries.get(name)
    return entry?.isKnown ? entry : undefined
  }
  return {
    /** Valid until the next change. */
    all: all as readonly NodeView[],
    at,
    find,
    change,
    setNode,
    /** The volumes on the node may count differently now. */
    touch: (name: string): void => {
      const entry = entries.get(name)
      if (entry) touch(entry)
    },
    touchAll: (): void => entries.values().forEach(touch),
    /** The load of the least loaded node; 0 if there is no node. */
    leastLoad: loads.least,
  }
}

/** How many nodes have which load. A node is counted again only after it has changed. */
function createLoadCounts() {
  const counts: number[] = []
  const counted = new Map<NodeEntry, number>()
  const changed = new Set<NodeEntry>()
  let least = 0

  const recount = (entry: NodeEntry): void => {
    const before = counted.get(entry)
    if (before !== undefined) counts[before] = (counts[before] ?? 0) - 1
    counted.delete(entry)
    if (!entry.isKnown) return
    const load = loadOf(entry)
    counted.set(entry, load)
    counts[load] = (counts[load] ?? 0) + 1
    least = Math.min(least, load)
  }
  return {
    touch: (entry: NodeEntry): void => void changed.add(entry),
    least: (): number => {
      for (const entry of changed) recount(entry)
      changed.clear()
      if (counted.size === 0) return 0
      while ((counts[least] ?? 0) === 0) least++
      return least
    },
  }
}
