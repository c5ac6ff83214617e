import type { Option, OptionExtras } from './option.ts'
import { parseBoolean, parseChoice, parseNumber, parseWholeNumber } from './parse-scalar.ts'
import { formatDuration, parseDuration } from './parse-duration.ts'
import { parseQuantity } from './quantity.ts'
import { readLast } from './read-words.ts'
import { quoteText, ValueError } from './value-error.ts'

/** Creates options of one type: with a default, as `.optional` (undefined if not given), or as `.required`. */
export type OptionMaker<T, Default, Extras extends OptionExtras = OptionExtras> = {
  (fallback: Default, description: string, extras?: Extras): Option<T, false>
  optional(description: string, extras?: Extras): Option<T | undefined, false>
  required(description: string, extras?: Extras): Option<T, true>
}

/** Inclusive bounds of a number. */
export type NumberExtras = OptionExtras & { readonly minimum?: number; readonly maximum?: number }
/** A duration is at least zero, unless a `minimum` is given or `negative` allows less. */
export type DurationExtras = OptionExtras & { readonly minimum?: string; readonly negative?: boolean }

/** Any text. Empty text counts as not given, where that makes a difference. */
export const text: OptionMaker<string, string> = createMaker(() => textKind('TEXT', 'NAME'))

/** A file, directory or socket, as typed. Its existence is not checked. */
export const path: OptionMaker<string, string> = createMaker(() => textKind('PATH', '/path'))

/** A boolean. `--name` alone means true; false is `--name=false`, because the next word is never its value. */
export const flag: OptionMaker<boolean, boolean> = createMaker(() => ({
  example: 'true',
  quietDefault: 'false',
  parse: parseBoolean,
}))

/** A whole number, at least 0. */
export const count: OptionMaker<number, number, NumberExtras> = createMaker((extras) =>
  numberKind(parseWholeNumber, { ...extras, minimum: Math.max(0, extras.minimum ?? 0) }),
)

/** A whole number, which may be negative. */
export const integer: OptionMaker<number, number, NumberExtras> = createMaker((extras) =>
  numberKind(parseWholeNumber, extras),
)

/** A number with a fraction. */
export const decimal: OptionMaker<number, number, NumberExtras> = createMaker((extras) =>
  numberKind(parseNumber, extras),
)

/** A duration in Go's syntax (`15s`, `1m30s`). The value is in milliseconds, so the key ends in `Ms`; the flag does not. */
export const duration: OptionMaker<number, string, DurationExtras> = createMaker(
  ({ minimum = '0s', negative = false }) => {
    const leastMs = negative ? Number.NEGATIVE_INFINITY : parseDuration(minimum)
    const parse = (word: string): number => {
      const valueMs = parseDuration(word)
      if (valueMs < leastMs)
        throw new ValueError(`${quoteText(word)} is too short: the minimum is ${formatDuration(leastMs)}`)
      return valueMs
    }
    return { placeholder: 'DURATION', example: '15s', keyUnit: 'Ms', parse }
  },
)

/** A Kubernetes quantity (`1Gi`, `500M`), at least 0. The value is in bytes, so the key ends in `Bytes`; the flag does not. */
export const quantity: OptionMaker<bigint, string> = createMaker(() => {
  const parse = (word: string): bigint => {
    const bytes = parseQuantity(word)
    if (bytes < 0n) throw new ValueError(`${quoteText(word)} is too small: the minimum is 0`)
    return bytes
  }
  return { placeholder: 'SIZE', example: '1Gi', keyUnit: 'Bytes', parse }
})

/** One of a few words. */
export const choice = Object.assign(
  <const V extends string>(
    values: readonly V[],
    fallback: NoInfer<V>,
    description: string,
    extras?: OptionExtras,
  ): Option<V, false> => choiceMaker(values)(fallback, description, extras),
  {
    optional: <const V extends string>(
      values: readonly V[],
      description: string,
      extras?: OptionExtras,
    ): Option<V | undefined, false> => choiceMaker(values).optional(description, extras),
    required: <const V extends string>(
      values: readonly V[],
      description: string,
      extras?: OptionExtras,
    ): Option<V, true> => choiceMaker(values).required(description, extras),
  },
)

type Kind<T> = {
  /** Absent for a boolean. */
  readonly placeholder?: string
  readonly example: string
  readonly keyUnit?: string
  /** Whether empty text means that nothing was given. */
  readonly emptyIsNone?: boolean
  /** A default that the help does not show. */
  readonly quietDefault?: string
  parse(word: string): T
}

// Defaults that mean "off" or "unlimited" make poor examples.
const POOR_EXAMPLES: readonly string[] = ['', '0', '0s', '-1']

function createMaker<T, Default extends string | number | boolean, Extras extends OptionExtras>(
  kindOf: (extras: Partial<Extras>) => Kind<T>,
): OptionMaker<T, Default, Extras> {
  const make = (fallback: Default, description: string, extras?: Extras): Option<T, false> => {
    const kind = kindOf(extras ?? {})
    const fallbackText = String(fallback)
    const example =
      POOR_EXAMPLES.includes(fallbackText) || fallbackText === kind.quietDefault ? kind.example : fallbackText
    return Object.freeze({
      ...describe(kind, description, { example, ...extras }),
      ...(fallbackText === (kind.quietDefault ?? '') ? {} : { fallbackText }),
      required: false as const,
      // The default is parsed like any value, so an invalid default fails where it is defined.
      fallback: kind.parse(fallbackText),
      read: (words) => readLast(words, kind.parse),
    })
  }
  const optional = (description: string, extras?: Extras): Option<T | undefined, false> => {
    const kind = kindOf(extras ?? {})
    const parse = (word: string): T | undefined => (kind.emptyIsNone && word === '' ? undefined : kind.parse(word))
    const read = (words: readonly string[]) => readLast(words, parse)
    return Object.freeze({
      ...describe(kind, description, extras),
      required: false as const,
      fallback: undefined,
      read,
    })
  }
  const required = (description: string, extras?: Extras): Option<T, true> => {
    const kind = kindOf(extras ?? {})
    const parse = (word: string): T => {
      if (kind.emptyIsNone && word === '') throw new ValueError('the value is empty')
      return kind.parse(word)
    }
    const read = (words: readonly string[]) => readLast(words, parse)
    return Object.freeze({ ...describe(kind, description, extras), required: true as const, fallback: undefined, read })
  }
  return Object.assign(make, { optional, required })
}

function describe(kind: Kind<unknown>, description: string, extras: OptionExtras = {}) {
  const { example, keyUnit, placeholder } = kind
  return { description, example, ...(placeholder && { placeholder }), ...(keyUnit && { keyUnit }), ...extras }
}

function textKind(placeholder: string, example: string): Kind<string> {
  return { placeholder, example, emptyIsNone: true, parse: (word) => word }
}

function numberKind(
  parse: (word: string) => number,
  { minimum = -Infinity, maximum = Infinity }: Partial<NumberExtras>,
): Kind<number> {
  const parseWithin = (word: string): number => {
    const value = parse(word)
    if (value < minimum) throw new ValueError(`${quoteText(word)} is too small: the minimum is ${minimum}`)
    if (value > maximum) throw new ValueError(`${quoteText(word)} is too large: the maximum is ${maximum}`)
    return value
  }
  return { placeholder: 'NUMBER', example: String(Math.min(Math.max(10, minimum), maximum)), parse: parseWithin }
}

function choiceMaker<V extends string>(values: readonly V[]): OptionMaker<V, V> {
  const parse = (word: string): V => parseChoice(values, word)
  return createMaker(() => ({ placeholder: values.join('|'), example: values[0] ?? '', parse }))
}
