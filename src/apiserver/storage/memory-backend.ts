import type { Backend } from './backend.ts'

/** Keeps nothing: for tests and throw-away clusters. */
export function createMemoryBackend(): Backend {
  return {
    load: () => Promise.resolve({ revision: 0, objects: [], lastRevisions: new Map() }),
    commit: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}
