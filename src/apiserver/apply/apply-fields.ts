import type { Schema } from '../schema/schema.ts'
import { compareFields, fieldsOf } from './compare-fields.ts'
import { difference, EMPTY_SET, intersection, isEmptySet, setOf, union, withoutFields } from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import { isSameManager, limitUpdaters, withManager } from './managed-fields.ts'
import type { Manager } from './managed-fields.ts'
import { mergeApplied, removeDropped } from './merge-applied.ts'

/** The writer, and the part of the object it writes. */
export type Writer = Pick<Manager, 'name' | 'apiVersion' | 'subresource'>

/** What determines ownership, apart from the two objects. */
export type FieldRules = {
  readonly schema: Schema
  readonly hasStatus: boolean
  readonly nowMs: number
}

export type ApplyResult =
  | { readonly kind: 'applied'; readonly object: unknown; readonly managers: readonly Manager[] }
  | { readonly kind: 'conflict'; readonly conflicts: readonly Conflict[] }

/** Fields that the applied object would change and that another manager owns. */
export type Conflict = { readonly manager: Manager; readonly fields: FieldSet }

/** The manager of fields that existed before the first apply. */
const BEFORE_FIRST_APPLY = 'before-first-apply'

export type ApplyRequest = {
  readonly live: unknown
  readonly applied: unknown
  readonly managers: readonly Manager[]
  readonly writer: Writer
  readonly force: boolean
  /** Conflicts in these fields are ignored. */
  readonly allowed?: FieldSet
}

/**
 * A server-side apply. The applied fields replace those of the live object. Fields that this manager applied before and no longer applies are
 * removed, unless another manager owns them. Changing a field of another manager is a conflict, unless it is forced: then the other manager loses the
 * field.
 */
export function applyFields(rules: FieldRules, request: ApplyRequest): ApplyResult {
  const { live, applied, writer, force, allowed = EMPTY_SET } = request
  const self: Manager = { ...writer, operation: 'Apply', time: undefined, fields: fieldsOf(rules.schema, applied) }
  const managers = request.managers.length > 0 ? request.managers : ownersOfExisting(rules, live, writer)
  const last = managers.find((manager) => isSameManager(manager, self))
  const others = managers.filter((manager) => manager !== last)

  const merged = mergeApplied(rules.schema, live, applied)
  const kept = others.reduce((set, { fields }) => union(set, fields), self.fields)
  const object = last ? removeDropped(rules.schema, merged, { dropped: last.fields, kept }) : merged

  const { changed, removed } = compareFields(rules.schema, live, object)
  const relevant = ownable(rules, writer.subresource, changed)
  const conflicts = others.flatMap((manager) => {
    const fields = intersection(manager.fields, relevant)
    return isEmptySet(difference(fields, allowed)) ? [] : [{ manager, fields: difference(fields, allowed) }]
  })
  if (conflicts.length > 0 && !force) return { kind: 'conflict', conflicts }

  const left = others.map((manager) => withFields(manager, difference(difference(manager.fields, relevant), removed)))
  const own = { ...self, fields: ownable(rules, writer.subresource, self.fields) }
  const before = last ? [...left, last] : left
  return { kind: 'applied', object, managers: withManager(before, own, rules.nowMs) }
}

/** Any other write: the writer of a field owns it from then on, and removed fields have no owner. */
export function trackUpdate(
  rules: FieldRules,
  {
    before,
    after,
    managers,
    writer,
  }: { before: unknown; after: unknown; managers: readonly Manager[]; writer: Writer },
): readonly Manager[] {
  const changes = compareFields(rules.schema, before, after)
  const changed = ownable(rules, writer.subresource, changes.changed)
  if (isEmptySet(changed) && isEmptySet(changes.removed)) return managers
  const self: Manager = { ...writer, operation: 'Update', time: undefined, fields: EMPTY_SET }
  const last = managers.find((manager) => isSameManager(manager, self))
  const left = managers.map((manager) => {
    const taken = manager === last ? EMPTY_SET : changed
    return withFields(manager, difference(difference(manager.fields, taken), changes.removed))
  })
  const fields = union(difference(last?.fields ?? EMPTY_SET, changes.removed), changed)
  // The time of the writer's own entry depends on its previous fields.
  const others = left.filter((manager) => !isSameManager(manager, self))
  return limitUpdaters(withManager(last ? [...others, last] : others, { ...self, fields }, rules.nowMs))
}

/** The fields of an applied configuration that the live object still has with the same values. */
export function unchangedFields(schema: Schema, applied: unknown, live: unknown): FieldSet {
  const { changed, removed } = compareFields(schema, applied, live)
  return difference(difference(fieldsOf(schema, applied), changed), removed)
}

const withFields = (manager: Manager, fields: FieldSet): Manager =>
  fields === manager.fields ? manager : { ...manager, fields }

function ownersOfExisting(rules: FieldRules, live: unknown, { apiVersion }: Writer): Manager[] {
  if (live === undefined) return []
  const fields = ownable(rules, '', compareFields(rules.schema, {}, live).changed)
  const writer = { name: BEFORE_FIRST_APPLY, apiVersion, subresource: '' }
  return withManager([], { ...writer, operation: 'Update', fields }, rules.nowMs)
}

const IDENTITY = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
]
const NEVER_OWNED = setOf(false, [
  ...['apiVersion', 'kind'].map((field) => [`f:${field}`, setOf(true, [])] as const),
  [
    'f:metadata',
    setOf(
      true,
      IDENTITY.map((field) => [`f:${field}`, setOf(true, [])] as const),
    ),
  ],
])

// A write to the status changes nothing else, and any other write does not change the status.
function ownable({ hasStatus }: FieldRules, subresource: string, fields: FieldSet): FieldSet {
  const own = difference({ ...fields, isMember: false }, NEVER_OWNED)
  if (!hasStatus) return own
  return withoutFields(own, (element) => (subresource === 'status' ? element !== 'f:status' : element === 'f:status'))
}
