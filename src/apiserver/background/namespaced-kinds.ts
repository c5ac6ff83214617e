import type { KindDefinition } from '../core/kind-definition.ts'
import type { KindRegistry } from '../core/kind-registry.ts'

/** The kinds of objects in namespaces, once for all versions that share their objects. */
export function distinctByStorage(kinds: KindRegistry): KindDefinition[] {
  const seen = new Set<string>()
  return kinds
    .all()
    .filter(
      ({ storage, type, verbs }) =>
        type.namespaced && verbs.includes('delete') && !seen.has(storage) && seen.add(storage),
    )
}
