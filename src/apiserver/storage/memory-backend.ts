import type { Backend } from './backend.ts'

/** Stores nothing: for tests and temporary clusters. */
export function createMemoryBackend(): Backend {
  return {
    load: () => Promise.resolve({ revision: 0, objects: [], lastRevisions: new Map() }),
    commit: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}
