import { formatExactJson, parseExactJson } from '../../api/exact-json.ts'

/**
 * A set of fields of an object, as a tree of path elements. An element is `f:NAME` (a field or map key), `k:{…}` (a list item with
 * these keys), `v:VALUE` (an item of a set) or `i:INDEX`. Only nodes that are members or have members below them exist.
 */
export type FieldSet = {
  readonly isMember: boolean
  readonly children: ReadonlyMap<string, FieldSet>
}

const NO_CHILDREN: ReadonlyMap<string, FieldSet> = new Map()

export const EMPTY_SET: FieldSet = { isMember: false, children: NO_CHILDREN }
export const MEMBER: FieldSet = { isMember: true, children: NO_CHILDREN }

export const isEmptySet = ({ isMember, children }: FieldSet): boolean => !isMember && children.size === 0

/** A set with these children, without empty ones. */
export function setOf(isMember: boolean, children: Iterable<readonly [string, FieldSet]>): FieldSet {
  const kept = [...children].filter(([, child]) => !isEmptySet(child))
  return kept.length === 0 ? (isMember ? MEMBER : EMPTY_SET) : { isMember, children: new Map(kept) }
}

export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmptySet(left)) return right
  if (isEmptySet(right)) return left
  const children = new Map(left.children)
  for (const [element, child] of right.children) children.set(element, union(children.get(element) ?? EMPTY_SET, child))
  return { isMember: left.isMember || right.isMember, children }
}

/** The members of the left set that are not in the right one. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmptySet(right)) return left
  return setOf(
    left.isMember && !right.isMember,
    mapChildren(left, (child, element) => difference(child, right.children.get(element) ?? EMPTY_SET)),
  )
}

export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  return setOf(
    left.isMember && right.isMember,
    mapChildren(left, (child, element) => intersection(child, right.children.get(element) ?? EMPTY_SET)),
  )
}

const mapChildren = (
  { children }: FieldSet,
  change: (child: FieldSet, element: string) => FieldSet,
): (readonly [string, FieldSet])[] => [...children].map(([element, child]) => [element, change(child, element)])

/** Without the given top-level fields and everything below them. */
export const withoutFields = ({ isMember, children }: FieldSet, isDropped: (element: string) => boolean): FieldSet =>
  setOf(
    isMember,
    [...children].filter(([element]) => !isDropped(element)),
  )

export function isEqualSet(left: FieldSet, right: FieldSet): boolean {
  if (left.isMember !== right.isMember || left.children.size !== right.children.size) return false
  return [...left.children].every(([element, child]) => {
    const other = right.children.get(element)
    return other !== undefined && isEqualSet(child, other)
  })
}

/** The paths of all members, in order, as messages show them: `.spec.containers[name="a"].image`. */
export function formatPaths(set: FieldSet, prefix = ''): string[] {
  return sortedChildren(set).flatMap(([element, child]) => {
    const path = prefix + formatElement(element)
    return [...(child.isMember ? [path] : []), ...formatPaths(child, path)]
  })
}

function formatElement(element: string): string {
  const rest = element.slice(2)
  switch (element[0]) {
    case 'f':
      return `.${rest}`
    case 'k': {
      const keys = Object.entries(parseExactJson(rest) as Record<string, unknown>)
      return `[${keys.map(([name, value]) => `${name}=${formatExactJson(value)}`).join(',')}]`
    }
    case 'v':
      return `[=${rest}]`
    default:
      return `[${rest}]`
  }
}

/** The form in which `managedFields` stores a set. */
export type FieldsV1 = { [element: string]: FieldsV1 }

export function formatFields({ children, isMember }: FieldSet, isRoot = true): FieldsV1 {
  const fields: FieldsV1 = {}
  if (isMember && children.size > 0 && !isRoot) fields['.'] = {}
  for (const [element, child] of sortedChildren({ children, isMember })) fields[element] = formatFields(child, false)
  return fields
}

/** Throws on anything that is not a set of fields. */
export function parseFields(fields: unknown, isRoot = true): FieldSet {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw new Error('fieldsV1 is not an object')
  const entries = Object.entries(fields)
  const children = entries.filter(([element]) => element !== '.')
  for (const [element] of children)
    if (!ELEMENT.test(element)) throw new Error(`fieldsV1 has an invalid key ${formatExactJson(element)}`)
  const isMember = !isRoot && (children.length === 0 || children.length < entries.length)
  return setOf(
    isMember,
    children.map(([element, child]) => [normalElement(element), parseFields(child, false)] as const),
  )
}

const ELEMENT = /^(f:|k:\{|v:|i:\d)/

// Other writers may order the keys of an item differently, or add spaces.
function normalElement(element: string): string {
  if (element.startsWith('k:')) return keyElement(parseExactJson(element.slice(2)) as Record<string, unknown>)
  return element.startsWith('v:') ? `v:${formatExactJson(parseExactJson(element.slice(2)))}` : element
}

/** The element of a list item with these keys. */
export const keyElement = (keys: Readonly<Record<string, unknown>>): string =>
  `k:${formatExactJson(Object.fromEntries(Object.entries(keys).sort(([left], [right]) => (left < right ? -1 : 1))))}`

// Fields, then keyed items, then values, then indexes.
const sortedChildren = ({ children }: FieldSet): (readonly [string, FieldSet])[] =>
  [...children].sort(([left], [right]) =>
    left[0] === right[0] ? compareTexts(left, right) : rankOf(left) - rankOf(right),
  )

const rankOf = (element: string): number => 'fkvi'.indexOf(element[0] ?? '')
const compareTexts = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)
