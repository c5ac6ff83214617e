import type { Option, OptionTable } from './option.ts'

/** `csiAddress` as `csi-address`, `enableHTTPServer` as `enable-http-server`. */
export function kebabCase(key: string): string {
  return key
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
}

/**
 * The name after the dashes. A key ends in its unit in code (`timeoutMs`, `sizeBytes`), while a value on the command line has its own unit (`15s`,
 * `1Gi`): the flags are `--timeout` and `--size`.
 */
export function flagName(key: string, option: Option<unknown>): string {
  if (option.flag !== undefined) return option.flag
  const { keyUnit } = option
  return kebabCase(
    keyUnit && key.length > keyUnit.length && key.endsWith(keyUnit) ? key.slice(0, -keyUnit.length) : key,
  )
}

/** The flag as one would type it, with a valid value: `--timeout=15s`. */
export function formatExample(name: string, option: Option<unknown>): string {
  return option.placeholder === undefined ? `--${name}` : `--${name}=${option.example}`
}

/** One option with its key in the table and the name of its flag. */
export type NamedOption = { readonly key: string; readonly name: string; readonly option: Option<unknown> }

/** The options of a table in its order, with their names. */
export function nameOptions(options: OptionTable): readonly NamedOption[] {
  return Object.entries(options).map(([key, option]) => ({ key, name: flagName(key, option), option }))
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
const RESERVED: ReadonlySet<string> = new Set(['help', 'h'])

/** Every name that may be typed, including aliases and short names. Throws if two options share a name, which is a programming error. */
export function indexFlags(options: OptionTable): ReadonlyMap<string, NamedOption> {
  const index = new Map<string, NamedOption>()
  for (const named of nameOptions(options)) {
    const { short, aliases = [] } = named.option
    if (short !== undefined && short.length !== 1)
      throw new Error(`option ${named.key}: the short name ${short} is not one letter`)
    for (const name of [named.name, ...aliases, ...(short === undefined ? [] : [short])]) {
      if (!NAME.test(name)) throw new Error(`option ${named.key}: ${JSON.stringify(name)} cannot be the name of a flag`)
      if (RESERVED.has(name)) throw new Error(`option ${named.key}: the flag ${name} is reserved for help`)
      const other = index.get(name)
      if (other) throw new Error(`options ${other.key} and ${named.key} share the flag ${name}`)
      index.set(name, named)
    }
  }
  return index
}
