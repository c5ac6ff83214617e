/** Something that a controller can watch: a followed kind, or a table of its own for things that are not API objects. */
export interface ChangeSource<Change> {
  /** The result removes the listener. */
  onChange(listener: (change: Change) => void): () => void
  /** Passes the change on to every listener, before it returns. */
  tell(change: Change): void
}

export function createChangeSource<Change>(): ChangeSource<Change> {
  const listeners = new Set<(change: Change) => void>()
  return {
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    tell: (change) => {
      for (const listener of listeners) listener(change)
    },
  }
}
