import { formatTimestamp } from '../../api/timestamps.ts'
import { EMPTY_SET, formatFields, isEmptySet, isEqualSet, parseFields, union } from './field-set.ts'
import type { FieldSet } from './field-set.ts'

/** A manager and the fields it owns. */
export type Manager = {
  readonly name: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource: string
  /** The time of the last change, as in the object. */
  readonly time: string | undefined
  readonly fields: FieldSet
}

/** Whether two entries belong to the same manager. For an apply, the version does not matter. */
export const isSameManager = (left: Manager, right: Manager): boolean =>
  left.name === right.name &&
  left.operation === right.operation &&
  left.subresource === right.subresource &&
  (left.operation === 'Apply' || left.apiVersion === right.apiVersion)

/** Parses `metadata.managedFields`. Throws on invalid entries. */
export function parseManagers(entries: unknown): Manager[] {
  if (entries === undefined || entries === null) return []
  if (!Array.isArray(entries)) throw new Error('managedFields is not a list')
  return entries.map((entry: Readonly<Record<string, unknown>>, index): Manager => {
    const { manager = '', operation, apiVersion, subresource = '', time, fieldsType, fieldsV1 = {} } = entry
    if (operation !== 'Apply' && operation !== 'Update') throw new Error('operation must be `Apply` or `Update`')
    if (typeof apiVersion !== 'string' || apiVersion === '') throw new Error('apiVersion must not be empty')
    if (fieldsType !== 'FieldsV1') throw new Error(`invalid fieldsType in managed fields entry ${index}`)
    return {
      name: textOf(manager),
      operation,
      apiVersion,
      subresource: textOf(subresource),
      time: typeof time === 'string' ? time : undefined,
      fields: parseFields(fieldsV1),
    }
  })
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** An empty list, or a list with one empty entry, is how a client resets the owners. */
export const isReset = (entries: unknown): boolean =>
  Array.isArray(entries) &&
  (entries.length === 0 || (entries.length === 1 && Object.keys((entries[0] ?? {}) as object).length === 0))

/** The managers as stored in an object, without those that own no fields. */
export function formatManagers(managers: readonly Manager[]): object[] {
  return managers
    .filter(({ fields }) => !isEmptySet(fields))
    .sort(compareManagers)
    .map(({ name, operation, apiVersion, time, fields, subresource }) => ({
      manager: name,
      operation,
      apiVersion,
      ...(time !== undefined && { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: formatFields(fields),
      ...(subresource !== '' && { subresource }),
    }))
}

function compareManagers(left: Manager, right: Manager): number {
  const keysOf = ({ operation, time = '', name, apiVersion, subresource }: Manager): string[] => [
    operation,
    time,
    name,
    apiVersion,
    subresource,
  ]
  const others = keysOf(right)
  for (const [index, key] of keysOf(left).entries()) {
    const other = others[index] ?? ''
    if (key !== other) return key < other ? -1 : 1
  }
  return 0
}

/** The managers with one of them replaced or added. Its time is now if its fields have changed. */
export function withManager(managers: readonly Manager[], manager: Omit<Manager, 'time'>, nowMs: number): Manager[] {
  const next = { ...manager, time: formatTimestamp(nowMs) }
  const before = managers.find((other) => isSameManager(other, next))
  const others = managers.filter((other) => other !== before)
  const isSame = before && before.apiVersion === next.apiVersion && isEqualSet(before.fields, next.fields)
  return [...others, isSame ? before : next]
}

const MOST_UPDATERS = 10
const OLD_UPDATES = 'ancient-changes'

/** Merges the oldest entries of updates into one, so that their number stays limited. */
export function limitUpdaters(managers: readonly Manager[]): Manager[] {
  const updaters = managers.filter(({ operation }) => operation === 'Update').sort(compareManagers)
  if (updaters.length <= MOST_UPDATERS) return [...managers]
  const merged = new Map<string, Manager>()
  const replaced = new Set<Manager>()
  for (const updater of updaters) {
    if (updaters.length - replaced.size + merged.size <= MOST_UPDATERS) break
    const bucket = merged.get(updater.apiVersion)
    const fields = union(bucket?.fields ?? EMPTY_SET, updater.fields)
    merged.set(updater.apiVersion, { ...updater, name: OLD_UPDATES, subresource: '', fields })
    replaced.add(updater)
  }
  return [...managers.filter((manager) => !replaced.has(manager)), ...merged.values()]
}
