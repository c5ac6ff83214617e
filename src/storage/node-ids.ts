import type { Node } from '../api/kinds/node.ts'

/** Deprecated, but still written: a JSON object from driver names to node IDs. */
export const NODE_ID_ANNOTATION = 'csi.volume.kubernetes.io/nodeid'

/** The IDs by driver. Undefined if the annotation has another format: then it belongs to someone else, and must not be overwritten. */
export function parseNodeIds(node: Pick<Node, 'metadata'>): ReadonlyMap<string, string> | undefined {
  const text = node.metadata.annotations?.[NODE_ID_ANNOTATION]
  if (text === undefined || text === '') return new Map()
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    const entries = Object.entries(value)
    return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')
      ? new Map(entries)
      : undefined
  } catch {
    return undefined
  }
}

/** Null, which removes the annotation, if no ID is left. Sorted, as in upstream. */
export function formatNodeIds(ids: ReadonlyMap<string, string>): string | null {
  if (ids.size === 0) return null
  return JSON.stringify(Object.fromEntries([...ids].sort(([a], [b]) => (a < b ? -1 : 1))))
}
