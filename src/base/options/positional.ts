import { kebabCase } from './flag-name.ts'

type Presence = 'required' | 'optional' | 'rest'

/** One argument that is no flag. Its place is its place in the table. */
export type Positional<P extends Presence = Presence> = {
  readonly presence: P
  readonly description: string
  /** How the help calls it. Default: the key in capitals, `SOCKET`. */
  readonly name?: string
  /** How many a `rest` takes at least. Default 0. */
  readonly minimum?: number
}

/** Arguments in their order: required ones, then optional ones, then perhaps one that takes the rest. */
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

/** Makes positional arguments for a command's table. */
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

/** `SOCKET` for the key `socket`, unless the table says otherwise. */
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

/** Throws when words could not be told apart by their place: that is a mistake in code. */
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
