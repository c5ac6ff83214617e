import type { Node } from '../api/kinds/node.ts'

/** Deprecated, and written all the same: a JSON object from driver names to node ids. */
export const NODE_ID_ANNOTATION = 'csi.volume.kubernetes.io/nodeid'

/** The ids by driver. Undefined if the annotation has another form: it belongs to others then, and must not be lost. */
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

/** Null, which removes the annotation, when there is none left. Sorted, as upstream writes it. */
export function formatNodeIds(ids: ReadonlyMap<string, string>): string | null {
  if (ids.size === 0) return null
  return JSON.stringify(Object.fromEntries([...ids].sort(([a], [b]) => (a < b ? -1 : 1))))
}
