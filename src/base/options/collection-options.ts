import type { Option, OptionExtras, Reading } from './option.ts'
import { parseChoice } from './parse-scalar.ts'
import { readEach } from './read-words.ts'
import { quoteText, ValueError } from './value-error.ts'

/** How one flag accepts several items. */
export type CollectionExtras = OptionExtras & {
  /** Separator of the items in one word, or null if each word is one item. Default a comma. */
  readonly separator?: string | null
  /** Whether repeating the flag adds items; otherwise the last occurrence wins. Default true. */
  readonly repeated?: boolean
  /** Whether an empty item is skipped instead of rejected. Default false. */
  readonly skipEmpty?: boolean
}

/** Lists of text; `choices` are the only allowed items. */
export type ListExtras<V extends string> = CollectionExtras & { readonly choices?: readonly V[] }

export type MapExtras = CollectionExtras & {
  /** Separator between key and value. Default `=`. */
  readonly pairSeparator?: string
  /** Rejects a value that contains the pair separator again. Default false: the first one counts. */
  readonly exactlyOne?: boolean
}

type TextMap = Readonly<Record<string, string>>

/** Comma-separated items in a repeatable flag. Given items replace the default. `.required` requires at least one. */
export const list = Object.assign(
  <const V extends string = string>(
    fallback: readonly NoInfer<V>[],
    description: string,
    extras: ListExtras<V> = {},
  ): Option<readonly V[], false> => {
    for (const item of fallback) parseItem(extras, item)
    return Object.freeze({
      ...listBase(description, extras),
      ...(fallback.length > 0 && { fallbackText: fallback.join(extras.separator ?? ',') }),
      required: false as const,
      fallback: Object.freeze([...fallback]),
      read: (words) => readItems(words, extras, (item) => parseItem(extras, item)),
    })
  },
  {
    required: <const V extends string = string>(
      description: string,
      extras: ListExtras<V> = {},
    ): Option<readonly V[], true> =>
      Object.freeze({
        ...listBase(description, extras),
        required: true as const,
        fallback: undefined,
        read: (words) => atLeastOne(readItems(words, extras, (item) => parseItem(extras, item))),
      }),
  },
)

/** Comma-separated pairs of key and value in a repeatable flag; for equal keys the last one wins. Given pairs replace the default. */
export const map = Object.assign(
  (fallback: TextMap, description: string, extras: MapExtras = {}): Option<TextMap, false> => {
    const pairs = Object.entries(fallback).map((pair) => pair.join(extras.pairSeparator ?? '='))
    return Object.freeze({
      ...mapBase(description, extras),
      ...(pairs.length > 0 && { fallbackText: pairs.join(extras.separator ?? ',') }),
      required: false as const,
      fallback: Object.freeze({ ...fallback }),
      read: (words) => toRecord(readItems(words, extras, (item) => parsePair(extras, item))),
    })
  },
  {
    required: (description: string, extras: MapExtras = {}): Option<TextMap, true> =>
      Object.freeze({
        ...mapBase(description, extras),
        required: true as const,
        fallback: undefined,
        read: (words) => toRecord(atLeastOne(readItems(words, extras, (item) => parsePair(extras, item)))),
      }),
  },
)

/** The items of all words, split and trimmed according to the extras. Every word must be valid, even one that is overridden later. */
export function readItems<T>(
  words: readonly string[],
  extras: CollectionExtras,
  parse: (item: string) => T,
): Reading<readonly T[]> {
  const { separator = ',', repeated = true, skipEmpty = false } = extras
  const split = (word: string): string[] => {
    if (word.trim() === '') return []
    if (separator === null) return [word]
    const items = word.split(separator).map((item) => item.trim())
    return skipEmpty ? items.filter((item) => item !== '') : items
  }
  const all = readEach(words.flatMap(split), parse)
  if ('problems' in all) return all
  const counting = repeated ? all.value : all.value.slice(all.value.length - split(words.at(-1) ?? '').length)
  return { value: Object.freeze([...counting]) }
}

function listBase(description: string, { choices, ...extras }: ListExtras<string>) {
  const [first, second] = choices ?? ['a', 'b']
  const { separator = ',' } = extras
  const example = separator === null || second === undefined ? (first ?? '') : `${first}${separator}${second}`
  const placeholder = separator === null ? 'TEXT' : `TEXT${separator}…`
  return {
    description,
    placeholder,
    example,
    ...(choices && { details: `Possible: ${choices.join(', ')}.` }),
    ...extras,
  }
}

function parseItem<V extends string>({ choices }: ListExtras<V>, item: string): V {
  if (item === '') throw new ValueError('an item of the list is empty')
  // Without choices V is string: only they narrow it.
  return choices ? parseChoice(choices, item) : (item as V)
}

function mapBase(description: string, extras: MapExtras) {
  const { separator = ',', pairSeparator = '=' } = extras
  const placeholder = `KEY${pairSeparator}VALUE${separator === null ? '' : `${separator}…`}`
  return { description, placeholder, example: `key${pairSeparator}value`, ...extras }
}

function parsePair({ pairSeparator = '=', exactlyOne = false }: MapExtras, item: string): readonly [string, string] {
  const at = item.indexOf(pairSeparator)
  if (at < 0)
    throw new ValueError(
      `${quoteText(item)} is not a pair: ${quoteText(pairSeparator)} has to stand between key and value`,
    )
  const [key, value] = [item.slice(0, at).trim(), item.slice(at + pairSeparator.length).trim()]
  if (key === '') throw new ValueError(`${quoteText(item)} is not a pair: the key is empty`)
  if (exactlyOne && value.includes(pairSeparator))
    throw new ValueError(`${quoteText(item)} has more than one ${quoteText(pairSeparator)}`)
  return [key, value]
}

function atLeastOne<T>(reading: Reading<readonly T[]>): Reading<readonly T[]> {
  return 'value' in reading && reading.value.length === 0 ? { problems: ['at least one value is required'] } : reading
}

function toRecord(pairs: Reading<readonly (readonly [string, string])[]>): Reading<TextMap> {
  return 'problems' in pairs ? pairs : { value: Object.freeze(Object.fromEntries(pairs.value)) }
}
