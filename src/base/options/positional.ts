import { kebabCase } from './flag-name.ts'

type Presence = 'required' | 'optional' | 'rest'

/** One argument that is not a flag. Its position is its position in the table. */
export type Positional<P extends Presence = Presence> = {
  readonly presence: P
  readonly description: string
  /** Its name in the help. Default: the key in capitals, `SOCKET`. */
  readonly name?: string
  /** Minimum number of arguments for a `rest`. Default 0. */
  readonly minimum?: number
}

/** Arguments in order: required ones, then optional ones, then at most one that takes the rest. */
export type PositionalTable = Readonly<Record<string, Positional>>

export type PositionalsOf<Table extends PositionalTable> = {
  readonly [Key in keyof Table]: Table[Key] extends Positional<'required'>
    ? string
    : Table[Key] extends Positional<'optional'>
      ? string | undefined
      : readonly string[]
}

type NameExtra = { readonly name?: string }
type RestExtras = NameExtra & { readonly minimum?: number }

/** Creates positional arguments for a command's table. */
export const positional = {
  required: (description: string, extras?: NameExtra): Positional<'required'> => ({
    presence: 'required',
    description,
    ...extras,
  }),
  optional: (description: string, extras?: NameExtra): Positional<'optional'> => ({
    presence: 'optional',
    description,
    ...extras,
  }),
  rest: (description: string, extras?: RestExtras): Positional<'rest'> => ({
    presence: 'rest',
    description,
    ...extras,
  }),
}

/** `SOCKET` for the key `socket`, unless the table has a name. */
export const positionalName = (key: string, argument: Positional): string =>
  argument.name ?? kebabCase(key).toUpperCase()

/** The arguments as a usage line shows them: `SOCKET [NODE] [FILE]...`. */
export function formatPositionals(table: PositionalTable): string {
  const forms = Object.entries(table).map(([key, argument]) => {
    const name = positionalName(key, argument)
    if (argument.presence === 'required') return name
    if (argument.presence === 'optional') return `[${name}]`
    return (argument.minimum ?? 0) > 0 ? `${name}...` : `[${name}]...`
  })
  return forms.join(' ')
}

const ORDER: readonly Presence[] = ['required', 'optional', 'rest']

/** Throws if words cannot be assigned by position, which is a programming error. */
export function assertPositionalOrder(table: PositionalTable): void {
  let last = 0
  for (const [key, { presence, minimum = 0 }] of Object.entries(table)) {
    const rank = ORDER.indexOf(presence)
    const isAmbiguous = presence === 'rest' && minimum > 0 && last === ORDER.indexOf('optional')
    if (rank < last || last === ORDER.indexOf('rest') || isAmbiguous)
      throw new Error(`the argument ${key} is ambiguous at its position`)
    last = rank
  }
}
