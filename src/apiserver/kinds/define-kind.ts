import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { Draft, FieldProblem, KindDefinition, Subresource, Verb } from '../core/kind-definition.ts'
import { findSchema } from '../schema/find-schema.ts'
import { normalize } from '../schema/normalize.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import type { TypedColumn } from './columns.ts'
import type { Loose } from './loose.ts'
import { storageOf } from '../core/stored-object.ts'

/** The declaration of a kind: its type, and everything that differs from the defaults. `defineKind` adds the rest. */
export type KindTable<T extends KubeObject = KubeObject> = Partial<
  Omit<KindDefinition, 'type' | 'schema' | 'columns' | 'fieldLabels' | keyof TypedRules<T>>
> &
  TypedRules<T> & {
    readonly type: ResourceType<T>
    readonly columns: readonly TypedColumn<T>[]
    readonly fieldLabels?: Readonly<Record<string, (object: Loose<T>) => string>>
    /** Whether a status in a new object is kept instead of cleared. Default false. */
    readonly keepsStatusOnCreate?: boolean
  }

/** The rules of `KindDefinition`, with the kind's own type. */
type TypedRules<T> = {
  applyDefaults?(object: Loose<T>): void
  prepareForCreate?(object: Loose<T>, nowMs: number): void
  prepareForUpdate?(object: Loose<T>, old: Loose<T>, nowMs: number): void
  prepareForStatusUpdate?(object: Loose<T>, old: Loose<T>, nowMs: number): void
  validate?(object: Loose<T>, old?: Loose<T>): FieldProblem[]
  validateUpdate?(object: Loose<T>, old: Loose<T>): FieldProblem[]
  validateStatusUpdate?(object: Loose<T>, old: Loose<T>): FieldProblem[]
  warnings?(object: Loose<T>, old?: Loose<T>): string[]
  gracePeriodSeconds?(object: Loose<T>, asked: number | undefined): number
  prepareForDelete?(object: Loose<T>): void
  isHeld?(object: Loose<T>): boolean
}

/** A declaration without its type: objects have passed the kind's schema before any rule sees them, so they have that shape. */
export const kindTable = <T extends KubeObject>(table: KindTable<T>): KindTable => table as unknown as KindTable

export const ALL_VERBS: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
]

const READ_AND_CHANGE: Subresource = { verbs: ['get', 'patch', 'update'] }

export const SCALE: Subresource = {
  kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  verbs: ['get', 'patch', 'update'],
}

/** The complete definition of a kind. Throws for a kind that is not in the schema table. */
export function defineKind(table: KindTable): KindDefinition {
  const { group, version, kind } = table.type
  const schema = findSchema(group, version, kind)
  if (!schema) throw new Error(`there is no schema for ${kind} of ${group || 'the core group'} ${version}`)
  const { keepsStatusOnCreate = false, hasStatus = false, ...rest } = table
  const resetStatus = hasStatus && !keepsStatusOnCreate ? statusReset(schema) : undefined
  const definition = {
    listKind: `${kind}List`,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    storage: storageOf(table.type),
    verbs: ALL_VERBS,
    name: 'subdomain',
    unconditionalUpdate: true,
    createOnUpdate: false,
    generation: 'none',
    deleteAnswer: 'status',
    statusKeepsMetadata: false,
    fieldLabels: {},
    ...rest,
    hasStatus,
    schema,
    subresources: { ...(hasStatus ? { status: READ_AND_CHANGE } : {}), ...table.subresources },
    ...(resetStatus && {
      prepareForCreate(object: Draft, nowMs: number): void {
        resetStatus(object)
        table.prepareForCreate?.(object as Loose<KubeObject>, nowMs)
      },
    }),
  }
  // The rules take a `Loose<KubeObject>`, and the server passes the decoded draft: the same JSON object.
  return definition as unknown as KindDefinition
}

// The status of a new object: the fields that the type always writes, and nothing from the client.
function statusReset(schema: ObjectSchema): (object: Draft) => void {
  const property = schema.properties.get('status')
  if (!property) throw new Error(`${schema.name} has no status`)
  return (object) => {
    if (property.whenEmpty === 'omit') delete object['status']
    else object['status'] = normalize(property.schema, {}).value
  }
}
