import type { KindRegistry } from '../core/kind-registry.ts'

/** A value derived from the kinds, created again after they have changed. */
export function byRevision<T>(kinds: Pick<KindRegistry, 'revision'>, make: () => T): () => T {
  let cached: { revision: number; value: T } | undefined
  return () => {
    const revision = kinds.revision()
    if (cached?.revision !== revision) cached = { revision, value: make() }
    return cached.value
  }
}
