import type { PluginRecord } from './registration-view.ts'
import type { Sighting } from './sighting.ts'

/** What is known of each socket, and what is being done about it. */
export interface PluginRecords {
  find(path: string): PluginRecord | undefined
  all(): readonly PluginRecord[]
  set(record: PluginRecord): void
  remove(path: string): void
  /** Work on a socket, with a signal that also aborts when the socket is replaced or goes. */
  startWork(path: string, signal: AbortSignal): Disposable & { signal: AbortSignal }
  abortWork(path: string): void
  /** Whose facts are published under the name of the driver. */
  setPublishing(name: string, socket: Sighting): void
  isPublishing(socket: Sighting): boolean
}

export function createPluginRecords(): PluginRecords {
  const records = new Map<string, PluginRecord>()
  const work = new Map<string, AbortController>()
  const publishing = new Map<string, Sighting>()
  const startWork = (path: string, signal: AbortSignal): Disposable & { signal: AbortSignal } => {
    const controller = new AbortController()
    const onAbort = (): void => controller.abort(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.set(path, controller)
    return {
      signal: controller.signal,
      [Symbol.dispose]: () => {
        signal.removeEventListener('abort', onAbort)
        if (work.get(path) === controller) work.delete(path)
      },
    }
  }
  return {
    find: (path) => records.get(path),
    all: () => [...records.values()],
    set: (record) => void records.set(record.socket.path, record),
    remove: (path) => void records.delete(path),
    startWork,
    abortWork: (path) => work.get(path)?.abort(new Error(`the socket ${path} is another one now`)),
    setPublishing: (name, socket) => void publishing.set(name, socket),
    isPublishing: ({ path, identity }) =>
      publishing.values().some((socket) => socket.path === path && socket.identity === identity),
  }
}
