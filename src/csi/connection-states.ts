/**
 * Where a connection stands. `times` counts how often it was ready: with a second time the other process has been
 * restarted, and what it had said before may no longer hold.
 */
export type ConnectionState =
  | { kind: 'connecting' }
  | { kind: 'ready'; times: number }
  | { kind: 'lost'; times: number }
  | { kind: 'closed' }

/** The states of one connection over time. */
export interface ConnectionStates {
  state(): ConnectionState
  move(next: ConnectionState): void
  /** Calls back on every change, not for the present state; the result ends that. */
  watch(listener: (state: ConnectionState) => void): () => void
  /** Resolves once it is ready; rejects when it is closed or the signal aborts. */
  ready(signal?: AbortSignal): Promise<void>
}

export function createConnectionStates(path: string): ConnectionStates {
  const watchers = new Set<{ listener: (state: ConnectionState) => void }>()
  let state: ConnectionState = { kind: 'connecting' }

  const move = (next: ConnectionState): void => {
    state = next
    for (const watcher of [...watchers]) {
      // A listener may have ended another one's watch, or moved it on, which all have been told by then.
      if (state === next && watchers.has(watcher)) watcher.listener(next)
    }
  }
  const watch = (listener: (state: ConnectionState) => void): (() => void) => {
    const watcher = { listener }
    watchers.add(watcher)
    return () => void watchers.delete(watcher)
  }
  const ready = (signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = (current: ConnectionState): boolean => {
        if (current.kind === 'ready') resolve()
        else if (current.kind === 'closed') reject(new Error(`the connection to ${path} was closed`))
        else return false
        return true
      }
      if (signal?.aborted) return reject(signal.reason)
      if (settle(state)) return
      const unwatch = watch((current) => {
        if (!settle(current)) return
        unwatch()
        signal?.removeEventListener('abort', onAbort)
      })
      const onAbort = (): void => {
        unwatch()
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  return { state: () => state, move, watch, ready }
}
