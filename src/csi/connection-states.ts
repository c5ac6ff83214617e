/**
 * The state of a connection. `times` counts how often it became ready: from the second time on, the other process has restarted, and its earlier
 * responses may no longer be valid.
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
  /** Calls back on every change, but not for the current state. The result ends the watch. */
  watch(listener: (state: ConnectionState) => void): () => void
  /** Resolves once the connection is ready; rejects if it is closed or the signal aborts. */
  ready(signal?: AbortSignal): Promise<void>
}

export function createConnectionStates(path: string): ConnectionStates {
  const watchers = new Set<{ listener: (state: ConnectionState) => void }>()
  let state: ConnectionState = { kind: 'connecting' }

  const move = (next: ConnectionState): void => {
    state = next
    for (const watcher of [...watchers]) {
      // A listener may have ended another watch, or changed the state, which then has already been reported to all.
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
