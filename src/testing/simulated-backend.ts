import type { Backend } from '../apiserver/storage/backend.ts'

/** Keeps what was committed over restarts of the server, and loses nothing else: there is nothing else. */
export function createSimulatedBackend(): Backend {
  const objects = new Map<string, { storage: string; key: string; revision: number; json: string }>()
  const lastRevisions = new Map<string, number>()
  return {
    load: () =>
      Promise.resolve({
        revision: Math.max(0, ...lastRevisions.values()),
        objects: [...objects.values()],
        lastRevisions: new Map(lastRevisions),
      }),
    commit: (changes) => {
      for (const { storage, key, revision, json } of changes) {
        const id = `${storage} ${key}`
        if (json === undefined) objects.delete(id)
        else objects.set(id, { storage, key, revision, json })
        lastRevisions.set(storage, revision)
      }
      return Promise.resolve()
    },
    close: () => Promise.resolve(),
  }
}
