import type { ConfigOf, OptionTable } from './option.ts'

/** The configuration if no flag is given, for a table without required options. */
export function defaultsOf<T extends OptionTable>(table: T): ConfigOf<T> {
  // The table's keys are those of the configuration.
  return Object.fromEntries(Object.entries(table).map(([key, { fallback }]) => [key, fallback])) as ConfigOf<T>
}
