import { hasCondition } from '../../api/conditions.ts'
import type { CustomResourceDefinition } from '../../api/kinds/custom-resource-definition.ts'
import { isOwnAlphaCrd } from '../../compat/alpha-crds.ts'
import { addLacking, findLacking } from './lacking.ts'
import { REASONS } from './reasons.ts'
import type { RegistryReason } from './reasons.ts'

export type CrdView = {
  readonly seen: { readonly wanted: CustomResourceDefinition; readonly present: CustomResourceDefinition | undefined }
  /** How long it must not be repaired again. Undefined if called from outside. */
  readonly held?: { readonly restMs: number }
}

export type CrdStep =
  /** `usable`: its objects can be watched. */
  | { readonly kind: 'wait'; readonly reason: RegistryReason; readonly usable: boolean; readonly retryInMs?: number }
  | { readonly kind: 'create'; readonly crd: CustomResourceDefinition }
  /** Restore the missing parts. */
  | { readonly kind: 'heal'; readonly crd: CustomResourceDefinition }
  /** Created by another client, and incompatible: reported, and left alone. */
  | { readonly kind: 'refuse'; readonly reason: RegistryReason }

/** What to do about a definition that has to be installed. Nothing is ever deleted or removed from it. */
export function nextCrdStep({ seen: { wanted, present }, held }: CrdView): CrdStep {
  const name = wanted.metadata.name ?? ''
  if (!present) return { kind: 'create', crd: wanted }
  if (present.metadata.deletionTimestamp)
    return { kind: 'wait', reason: REASONS.DefinitionBeingDeleted(name), usable: false }
  const conflict = findConflict(present, wanted)
  if (conflict !== undefined) return { kind: 'refuse', reason: REASONS.ForeignDefinition(name, conflict) }
  const lacks = findLacking(present.spec, wanted.spec, 'spec')
  if (lacks === undefined) {
    const usable = hasCondition(present.status?.conditions, 'Established')
    return {
      kind: 'wait',
      reason: usable ? REASONS.DefinitionInstalled(name) : REASONS.DefinitionNotServed(name),
      usable,
    }
  }
  if (!isOwnAlphaCrd(present)) return { kind: 'refuse', reason: REASONS.ForeignDefinition(name, lacks) }
  if (held && held.restMs > 0)
    return { kind: 'wait', reason: REASONS.DefinitionChangedAgain(name, lacks), usable: false, retryInMs: held.restMs }
  // Both specs have the same type, and so does their union.
  return {
    kind: 'heal',
    crd: { ...present, spec: addLacking(present.spec, wanted.spec) as CustomResourceDefinition['spec'] },
  }
}

/** Conflicts that no addition could resolve: another scope or kind, or objects stored in a version that we don't know. */
function findConflict(
  { spec, status }: CustomResourceDefinition,
  { spec: wanted }: CustomResourceDefinition,
): string | undefined {
  if (spec.scope !== wanted.scope) return `spec.scope ${wanted.scope}`
  if (spec.names.kind !== wanted.names.kind) return `spec.names.kind ${wanted.names.kind}`
  const known = new Set(wanted.versions.map(({ name }) => name))
  const stored = spec.versions.filter(({ storage }) => storage).map(({ name }) => name)
  const unknown = [...(status?.storedVersions ?? []), ...stored].find((version) => !known.has(version))
  return unknown === undefined ? undefined : `version ${unknown}, in which objects are stored`
}
