/** What any option may say about itself besides its default and description. */
export type OptionExtras = {
  /** Name after the dashes. Default: the key in kebab-case, without the unit that the text carries itself (see `flagName`). */
  readonly flag?: string
  /** Further names that mean the same, left out of the help. */
  readonly aliases?: readonly string[]
  /** A name of one letter, shown beside the long one: `-n`. */
  readonly short?: string
  /** Accepted, but left out of the help and the docs. */
  readonly hidden?: boolean
  /** What to use instead. Giving the flag still works and leaves a warning. */
  readonly deprecated?: string
  /** Heading under which the help lists it. Default: the first list, without a heading of its own. */
  readonly section?: string
  /** What the number counts, for the help: `requests per second`. */
  readonly unit?: string
  /** A value to show in messages. Default: the default, or one that suits the kind. */
  readonly example?: string
}

/** The value, or a line for each thing wrong with the given words. */
export type Reading<T> = { readonly value: T } | { readonly problems: readonly string[] }

/** One option of a table. Created by `text`, `path`, `count` and similar functions. */
export type Option<T, Required extends boolean = boolean> = Omit<OptionExtras, 'example'> & {
  readonly description: string
  /** What stands for the value in the help. Absent for a boolean, which takes no word of its own. */
  readonly placeholder?: string
  /** A value that is right, for messages: `--timeout=15s`. */
  readonly example: string
  /** The unit in which code counts and which its key ends in, but the flag does not. */
  readonly keyUnit?: string
  readonly required: Required
  /** The value when the flag is not given; undefined also for a required one. */
  readonly fallback: T | undefined
  /** The default as the help shows it. Absent: nothing worth showing. */
  readonly fallbackText?: string
  /** More for the help, such as the names that may be given. */
  readonly details?: string
  /** Reads all words given for this flag, at least one, in order. */
  read(words: readonly string[]): Reading<T>
}

/** Options by the names under which code knows them. */
export type OptionTable = Readonly<Record<string, Option<unknown>>>

/** The complete, frozen configuration that a table describes. */
export type ConfigOf<Table extends OptionTable> = {
  readonly [Key in keyof Table]: Table[Key] extends Option<infer Value> ? Value : never
}
