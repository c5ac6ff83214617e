import type { NodeView } from './cluster-view.ts'

/** All nodes in the order in which they came. */
export interface NodeOrder {
  /** Undefined takes it out. */
  set(name: string, view: NodeView | undefined): void
  /** Good until the next change. */
  all(): readonly NodeView[]
}

/** A node that changes, as each does every few seconds, costs no walk over the others. */
export function createNodeOrder(): NodeOrder {
  const views: NodeView[] = []
  const positions = new Map<string, number>()
  const set = (name: string, view: NodeView | undefined): void => {
    const at = positions.get(name)
    if (view) {
      positions.set(name, at ?? views.length)
      views[at ?? views.length] = view
    } else if (at !== undefined) {
      views.splice(at, 1)
      positions.delete(name)
      for (let moved = at; moved < views.length; moved++) positions.set(views[moved]?.name ?? '', moved)
    }
  }
  return { set, all: () => views }
}
