import { hasCondition } from '../../api/conditions.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import type { CustomResourceDefinition } from '../../api/kinds/custom-resource-definition.ts'
import { isOwnAlphaCrd } from '../../compat/alpha-crds.ts'
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

type Members = Readonly<Record<string, unknown>>

/**
 * The path at which `has` lacks a part of `wants`, or undefined if it has everything. Additional parts do not matter, nor does the order of lists:
 * two versions of the program with different requirements never revert each other.
 */
export function findLacking(has: unknown, wants: unknown, path = ''): string | undefined {
  if (Array.isArray(wants)) {
    if (!Array.isArray(has)) return path
    for (const want of wants) {
      const lacking = findLacking(findAlike(has, want), want, `${path}[${labelOf(want)}]`)
      if (lacking !== undefined) return lacking
    }
    return undefined
  }
  if (!isMembers(wants)) return isEqualJson(has, wants) ? undefined : path
  if (!isMembers(has)) return path
  for (const [name, want] of Object.entries(wants)) {
    const lacking = findLacking(has[name], want, path === '' ? name : `${path}.${name}`)
    if (lacking !== undefined) return lacking
  }
  return undefined
}

/** All of `has`, completed with the missing parts of `wants`. */
export function addLacking(has: unknown, wants: unknown): unknown {
  if (Array.isArray(wants)) {
    if (!Array.isArray(has)) return wants
    const added = wants.filter((want) => findAlike(has, want) === undefined)
    const kept = has.map((item: unknown) =>
      wants.reduce(
        (merged: unknown, want) => (findAlike([item], want) === undefined ? merged : addLacking(merged, want)),
        item,
      ),
    )
    return [...kept, ...added]
  }
  if (!isMembers(wants) || !isMembers(has)) return wants
  return {
    ...has,
    ...Object.fromEntries(
      Object.entries(wants).map(([name, want]) => [name, name in has ? addLacking(has[name], want) : want]),
    ),
  }
}

// Items of lists are identified by name, rules by their text, anything else by its whole value.
const findAlike = (list: readonly unknown[], want: unknown): unknown =>
  list.find((item) => isEqualJson(identityOf(item), identityOf(want)))
const identityOf = (item: unknown): unknown => (isMembers(item) ? (item['name'] ?? item['rule'] ?? item) : item)
const labelOf = (item: unknown): string => {
  const identity = identityOf(item)
  return typeof identity === 'string' ? identity : JSON.stringify(identity)
}
const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
