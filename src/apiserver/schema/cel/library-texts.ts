import type { CostMeter } from '../cost-meter.ts'
import { CelError } from './cel-error.ts'
import type { CelFunction } from './cel-function.ts'
import { compareValues, isEqual, listOf, noOverload, numberOf, textOf, textUnits } from './values.ts'

const method = (
  least: number,
  most: number,
  call: CelFunction['call'],
): [CelFunction['style'], number, number, CelFunction['call']] => ['method', least, most, call]

const TABLE: Readonly<Record<string, ReturnType<typeof method>>> = {
  charAt: method(2, 2, ([text, index], meter) => charAt(charactersOf(text, meter), indexOf(index))),
  indexOf: method(2, 3, ([where, what, from], meter) => findIndex(where, what, from, meter)),
  lastIndexOf: method(2, 3, ([where, what, from], meter) => findLastIndex(where, what, from, meter)),
  lowerAscii: method(1, 1, ([text], meter) =>
    traversed(text, meter, 1).replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  ),
  upperAscii: method(1, 1, ([text], meter) =>
    traversed(text, meter, 1).replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase()),
  ),
  trim: method(1, 1, ([text], meter) => traversed(text, meter, 1).trim()),
  replace: method(3, 4, replace),
  split: method(2, 3, split),
  substring: method(2, 3, ([text, start, end], meter) =>
    substring(charactersOf(text, meter), indexOf(start), end === undefined ? undefined : indexOf(end)),
  ),
  join: method(1, 2, join),
  isSorted: method(1, 1, ([list], meter) =>
    listOf(list).every((item, index, items) => index === 0 || compareValues(items[index - 1], item, meter) <= 0),
  ),
  sum: method(1, 1, ([list], meter) =>
    traversedList(list, meter).reduce((sum: number, item) => sum + numberOf(item), 0),
  ),
  min: method(1, 1, ([list], meter) => extreme(list, meter, -1)),
  max: method(1, 1, ([list], meter) => extreme(list, meter, 1)),
}

/** The functions that Kubernetes adds to CEL for strings and lists. Characters are code points, as there. */
export const TEXT_FUNCTIONS: readonly [name: string, definition: CelFunction][] = Object.entries(TABLE).map(
  ([name, [style, least, most, call]]) => [name, { style, least, most, call }],
)

function traversed(value: unknown, meter: CostMeter, times: number): string {
  const text = textOf(value)
  meter.spend(Math.max(1, textUnits(text)) * times)
  return text
}

function traversedList(value: unknown, meter: CostMeter): readonly unknown[] {
  const list = listOf(value)
  meter.spend(list.length)
  return list
}

// A list of characters takes longer than the string: one unit each.
function charactersOf(value: unknown, meter: CostMeter): readonly string[] {
  const text = textOf(value)
  meter.spend(text.length)
  return Array.from(text)
}

function indexOf(value: unknown): number {
  const index = numberOf(value)
  if (!Number.isInteger(index)) throw noOverload()
  return index
}

const outOfRange = (index: number): CelError => new CelError(`index out of range: ${index}`)

function charAt(characters: readonly string[], index: number): string {
  if (index < 0 || index > characters.length) throw outOfRange(index)
  return characters[index] ?? ''
}

function substring(characters: readonly string[], start: number, end = characters.length): string {
  if (start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`)
  if (start < 0 || start > characters.length) throw outOfRange(start)
  if (end > characters.length) throw outOfRange(end)
  return characters.slice(start, end).join('')
}

function findIndex(where: unknown, what: unknown, from: unknown, meter: CostMeter): number {
  if (Array.isArray(where)) return where.findIndex((item) => isEqual(item, what, meter))
  const characters = charactersOf(where, meter)
  const searched = charactersOf(what, meter)
  const start = from === undefined ? 0 : indexOf(from)
  if (start < 0 || (start > 0 && start >= characters.length)) throw outOfRange(start)
  for (let at = start; at + searched.length <= characters.length; at++)
    if (standsAt(characters, searched, at, meter)) return at
  return -1
}

function findLastIndex(where: unknown, what: unknown, from: unknown, meter: CostMeter): number {
  if (Array.isArray(where)) return where.findLastIndex((item) => isEqual(item, what, meter))
  const characters = charactersOf(where, meter)
  const searched = charactersOf(what, meter)
  const start = from === undefined ? characters.length : indexOf(from)
  if (from !== undefined && (start < 0 || (start > 0 && start >= characters.length))) throw outOfRange(start)
  for (let at = Math.min(start, characters.length - searched.length); at >= 0; at--)
    if (standsAt(characters, searched, at, meter)) return at
  return -1
}

function standsAt(characters: readonly string[], searched: readonly string[], at: number, meter: CostMeter): boolean {
  return searched.every((character, index) => {
    meter.spend(0.5)
    return characters[at + index] === character
  })
}

// A short string may become a long one: the replacements are charged in advance.
function replace([value, from, to, most]: readonly unknown[], meter: CostMeter): string {
  const text = traversed(value, meter, 2)
  const [searched, inserted] = [textOf(from), textOf(to)]
  const count = most === undefined ? -1 : indexOf(most)
  const places = searched === '' ? text.length + 1 : Math.floor(text.length / searched.length)
  meter.spend((count < 0 ? places : Math.min(places, count)) * (1 + textUnits(inserted)))
  if (count < 0) return text.replaceAll(searched, () => inserted)
  let left = count
  return text.replaceAll(searched, (found) => (left-- > 0 ? inserted : found))
}

function split([value, by, most]: readonly unknown[], meter: CostMeter): string[] {
  const text = traversed(value, meter, 2)
  const separator = textOf(by)
  const count = most === undefined ? -1 : indexOf(most)
  if (count === 0) return []
  meter.spend(text.length)
  const parts = separator === '' ? Array.from(text) : text.split(separator)
  if (count < 0 || parts.length <= count) return parts
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)]
}

function join([value, by = '']: readonly unknown[], meter: CostMeter): string {
  const separator = textOf(by)
  const texts = traversedList(value, meter).map(textOf)
  meter.spend(texts.reduce((units, text) => units + 2 * (textUnits(text) + textUnits(separator)), 0))
  return texts.join(separator)
}

function extreme(value: unknown, meter: CostMeter, sign: -1 | 1): unknown {
  const [first, ...others] = traversedList(value, meter)
  if (first === undefined) throw new CelError(sign < 0 ? 'min called on empty list' : 'max called on empty list')
  return others.reduce((best, item) => (compareValues(item, best, meter) * sign > 0 ? item : best), first)
}
