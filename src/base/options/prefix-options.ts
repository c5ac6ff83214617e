import { flagName, kebabCase } from './flag-name.ts'
import type { ConfigOf, Option, OptionTable } from './option.ts'
import { UsageError } from './usage-error.ts'

/** The table with a prefix. Required options are optional here, because the part may not run at all; `pickPrefixed` checks them. */
export type PrefixedTable<Table extends OptionTable, Prefix extends string> = {
  readonly [Key in keyof Table & string as `${Prefix}${Capitalize<Key>}`]: Table[Key] extends Option<
    infer Value,
    infer Required
  >
    ? Option<Required extends true ? Value | undefined : Value, false>
    : never
}

/**
 * The same options for one of several parts in a process: with the prefix `provisioner`, `workerThreads` becomes `provisionerWorkerThreads` and its
 * flag `--provisioner-worker-threads`. Short names are removed. The help lists the options under the section.
 */
export function prefixOptions<Table extends OptionTable, const Prefix extends string>(
  options: Table,
  prefix: Prefix,
  section: string = kebabCase(prefix),
): PrefixedTable<Table, Prefix> {
  const withPrefix = (name: string): string => `${kebabCase(prefix)}-${name}`
  const entries = Object.entries(options).map(([key, option]) => [
    prefixedKey(prefix, key),
    Object.freeze({
      ...option,
      short: undefined,
      flag: withPrefix(flagName(key, option)),
      section,
      required: false,
      ...(option.aliases && { aliases: option.aliases.map(withPrefix) }),
      ...(option.required && { details: [option.details, `Required for ${section}.`].filter(Boolean).join(' ') }),
    }),
  ])
  // One entry was made for every key of Table.
  return Object.freeze(Object.fromEntries(entries)) as PrefixedTable<Table, Prefix>
}

const prefixedKey = (prefix: string, key: string): string => `${prefix}${key.charAt(0).toUpperCase()}${key.slice(1)}`

/** The result of parsing a prefixed table, optionally with options of the same keys that all parts share. */
export type PrefixedConfig<Table extends OptionTable, Prefix extends string> = {
  readonly config: ConfigOf<PrefixedTable<Table, Prefix>> & {
    readonly [Key in keyof Table]?: ConfigOf<Table>[Key] | undefined
  }
  readonly given: ReadonlySet<string>
}

/**
 * The configuration of one part: its own flag (`--provisioner-timeout`) takes precedence over the shared one (`--timeout`), and that over the part's
 * default. Throws a `UsageError` if a required option was given in neither form.
 */
export function pickPrefixed<Table extends OptionTable, const Prefix extends string>(
  parsed: PrefixedConfig<Table, Prefix>,
  options: Table,
  prefix: Prefix,
): ConfigOf<Table> {
  // Looked up by computed names, which the type of `parsed` has already checked.
  const config: Readonly<Record<string, unknown>> = parsed.config
  const problems: string[] = []
  const entries = Object.entries(options).map(([key, option]) => {
    const name = flagName(key, option)
    const source = [prefixedKey(prefix, key), key].find(
      (candidate) => parsed.given.has(candidate) && config[candidate] !== undefined,
    )
    if (source === undefined && option.required) {
      problems.push(
        `--${kebabCase(prefix)}-${name} is required; write for example --${kebabCase(prefix)}-${name}=${option.example}`,
      )
    }
    return [key, source === undefined ? option.fallback : config[source]]
  })
  if (problems.length > 0) throw new UsageError(problems)
  return Object.freeze(Object.fromEntries(entries)) as ConfigOf<Table>
}
