/** What an option may define besides its default and description. */
export type OptionExtras = {
  /** Name after the dashes. Default: the key in kebab-case, without its unit (see `flagName`). */
  readonly flag?: string
  /** Further names with the same meaning, omitted from the help. */
  readonly aliases?: readonly string[]
  /** A one-letter name, shown beside the long one: `-n`. */
  readonly short?: string
  /** Accepted, but omitted from the help and the docs. */
  readonly hidden?: boolean
  /** What to use instead. The flag still works, but prints a warning. */
  readonly deprecated?: string
  /** Heading in the help. Default: the first list, which has no heading. */
  readonly section?: string
  /** Unit of the number, for the help: `requests per second`. */
  readonly unit?: string
  /** A value to show in messages. Default: the default, or one that fits the type. */
  readonly example?: string
}

/** The value, or a line for each problem with the given words. */
export type Reading<T> = { readonly value: T } | { readonly problems: readonly string[] }

/** One option of a table. Created by `text`, `path`, `count` and similar functions. */
export type Option<T, Required extends boolean = boolean> = Omit<OptionExtras, 'example'> & {
  readonly description: string
  /** Placeholder for the value in the help. Absent for a boolean, which takes no value. */
  readonly placeholder?: string
  /** A valid value, for messages: `--timeout=15s`. */
  readonly example: string
  /** The unit at the end of the key, which the flag does not have. */
  readonly keyUnit?: string
  readonly required: Required
  /** The value if the flag is not given; undefined also for a required option. */
  readonly fallback: T | undefined
  /** The default as the help shows it. Absent if it is not worth showing. */
  readonly fallbackText?: string
  /** More text for the help, such as the allowed names. */
  readonly details?: string
  /** Parses all words given for this flag, at least one, in order. */
  read(words: readonly string[]): Reading<T>
}

/** Options by their names in code. */
export type OptionTable = Readonly<Record<string, Option<unknown>>>

/** The complete, frozen configuration that a table describes. */
export type ConfigOf<Table extends OptionTable> = {
  readonly [Key in keyof Table]: Table[Key] extends Option<infer Value> ? Value : never
}
