import type { Random } from '../../../src/base/random.ts'

export type Path = readonly (string | number)[]

/** One change of a valid object, and what to call it. */
export type Change = { readonly what: string; readonly path: Path; readonly value: unknown }

/** All paths in a value below the root, at every level. */
export function pathsOf(value: unknown, path: Path = []): Path[] {
  const below =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, member]) =>
          pathsOf(member, [...path, Array.isArray(value) ? Number(key) : key]),
        )
      : []
  return path.length === 0 ? below : [path, ...below]
}

export const valueAt = (root: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], root)

/** A copy with another value at one path; undefined removes it. */
export function withValue(root: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value
  if (Array.isArray(root)) {
    const copy: unknown[] = [...root]
    if (rest.length === 0 && value === undefined) copy.splice(Number(step), 1)
    else copy[Number(step)] = withValue(copy[Number(step)], rest, value)
    return copy
  }
  const record = { ...(root as Record<string, unknown>) }
  const changed = withValue(record[step], rest, value)
  if (changed === undefined) Reflect.deleteProperty(record, step)
  else record[step] = changed
  return record
}

const TEXTS = [
  '',
  'A B',
  'x'.repeat(64),
  'x'.repeat(254),
  'ok',
  'a.b',
  'a/b',
  'Always',
  'ReadWriteOnce',
  '1Gi',
  '-1',
  'é',
]
const NUMBERS = [0, -1, 1, 7, 65_536, 2 ** 31 - 1]

/** A change at a random place: mostly of the right type, so that the rules of the kind decide, and sometimes of a wrong one. */
export function randomChange(object: object, random: Random): Change {
  const places = pathsOf(object).filter(
    (path) => path[0] !== 'apiVersion' && path[0] !== 'kind' && path[0] !== 'metadata',
  )
  const path = pick(random, places.length === 0 ? pathsOf(object) : places)
  const present = valueAt(object, path)
  const [what, value] = randomValue(present, random)
  return { what: `${path.join('.')} ${what}`, path, value }
}

function randomValue(present: unknown, random: Random): [what: string, value: unknown] {
  const kind = random.below(10)
  if (kind === 0) return ['removed', undefined]
  if (kind === 1) return ['null', null]
  if (kind === 2) return ['of another type', typeof present === 'string' ? 7 : 'text']
  if (typeof present === 'string') {
    const text = pick(random, TEXTS)
    return [`= ${JSON.stringify(text.slice(0, 20))}`, text]
  }
  if (typeof present === 'number') {
    const number = pick(random, NUMBERS)
    return [`= ${number}`, number]
  }
  if (typeof present === 'boolean') return ['negated', !present]
  if (Array.isArray(present)) {
    if (kind < 5) return ['emptied', []]
    if (kind < 8) return ['with its first item twice', [...(present as unknown[]), present[0]]]
    return ['reversed', present.toReversed()]
  }
  if (kind < 5) return ['emptied', {}]
  return ['with an unknown field', { ...(present as object), unknownField: 'x' }]
}

export const pick = <T>(random: Random, from: readonly T[]): T => from[random.below(from.length)] as T
