import type { ConfigOf, OptionTable } from './option.ts'

/** The configuration when nothing is given. Of a table in which nothing is required. */
export function defaultsOf<T extends OptionTable>(table: T): ConfigOf<T> {
  // The table's keys are those of the configuration.
  return Object.fromEntries(Object.entries(table).map(([key, { fallback }]) => [key, fallback])) as ConfigOf<T>
}
