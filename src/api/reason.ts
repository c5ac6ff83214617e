import { keyOfRef } from './object-key.ts'
import { apiVersionOf } from './resource-type.ts'
import type { ResourceType } from './resource-type.ts'

/**
 * Why nothing happens, or why something was rejected, as data: decisions return it; events, `holdfast why` and the console show it. Only
 * `formatReason` turns it into sentences.
 */
export type Reason<Code extends string = string> = {
  /** In PascalCase, as in conditions and events: `DriverNotRegistered`. */
  readonly code: Code
  /** The situation in one sentence without a full stop. Default: `formatReason` derives one from the code and the details. */
  readonly message?: string
  /** What must change before something happens. Absent if nothing has to. */
  readonly waitsFor?: ObjectAwaited | ActorAwaited
  /** Facts by name, such as the driver or the size. Never secrets. */
  readonly detail?: Readonly<Record<string, string>>
  /** What a person can do about it, as an imperative: `Install the driver on the node.` */
  readonly cure?: string
}

export type ObjectAwaited = {
  readonly kind: 'object'
  readonly apiVersion?: string
  /** For example `PersistentVolume`. */
  readonly kindName: string
  readonly namespace?: string
  readonly name: string
}

/** A component or person that must act: `the attacher of hostpath.csi`. */
export type ActorAwaited = { readonly kind: 'actor'; readonly name: string }

/** A reason whose code the compiler knows. The message begins like upstream's for the same situation, because people search for it. */
export const reason = <const Code extends string>(
  code: Code,
  message: string,
  rest: Omit<Reason, 'code' | 'message'> = {},
): Reason<Code> => ({ code, message, ...rest })

/** The text of a reason, for a table whose keys are the codes. */
export const because = (message: string, rest: Omit<Reason, 'code' | 'message'> = {}): Because => ({ message, ...rest })

type Because = Omit<Reason, 'code'>
type Entry = string | Because | Reason

/**
 * The reasons of a folder, each under its code: a message, a message with more (`because`), or a function that returns one of them. Only an entry that
 * shares its code with another one names it (`reason`).
 */
export function defineReasons<const Table extends Readonly<Record<string, Entry | ((...args: never[]) => Entry)>>>(
  table: Table,
): Reasons<Table> {
  const withCode = (code: string, entry: Entry): Reason =>
    typeof entry === 'string' ? { code, message: entry } : { code, ...entry }
  const reasons = Object.entries(table).map(([code, entry]) => [
    code,
    typeof entry === 'function' ? (...args: never[]) => withCode(code, entry(...args)) : withCode(code, entry),
  ])
  // Each entry has become what the type says.
  return Object.fromEntries(reasons) as Reasons<Table>
}

type Reasons<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Reason<CodeFor<Name, Result>>
    : Reason<CodeFor<Name, Table[Name]>>
}
type CodeFor<Name, Given> = Given extends { readonly code: infer Code extends string } ? Code : Name & string

/** For a reason that waits for a component or person. */
export const awaitingActor = (name: string) => ({ waitsFor: { kind: 'actor', name } }) as const

/** For a reason that waits for an object. */
export const awaiting = (type: ResourceType, ref: { readonly namespace?: string; readonly name?: string }) => ({
  waitsFor: objectAwaited(type, ref),
})

/** The object that a reason waits for. */
export const objectAwaited = (
  type: ResourceType,
  { namespace = '', name = '' }: { readonly namespace?: string; readonly name?: string },
): ObjectAwaited => ({
  kind: 'object',
  apiVersion: apiVersionOf(type),
  kindName: type.kind,
  ...(type.namespaced ? { namespace } : {}),
  name,
})

/** Every reason of a folder's table, as a closed union of codes: comparing with an unknown code is a compile error. */
export type ReasonIn<Table> = Reason<{ [Name in keyof Table]: CodeOf<Table[Name]> }[keyof Table]>

type CodeOf<Entry> =
  Entry extends Reason<infer Code> ? Code : Entry extends (...args: never[]) => Reason<infer Code> ? Code : never

/** One or two sentences: `Driver not registered (driver: hostpath.csi); waits for CSINode n1. Install the driver on the node.` */
export function formatReason({ code, message, waitsFor, detail = {}, cure }: Reason): string {
  if (message !== undefined)
    return [message, cure]
      .filter(Boolean)
      .map((text) => endSentence(text ?? ''))
      .join(' ')
  const facts = Object.entries(detail).map(([name, value]) => `${wordsOf(name)}: ${value}`)
  const what = `${capitalize(wordsOf(code))}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`
  const first = `${what}${waitsFor ? `; waits for ${formatAwaited(waitsFor)}` : ''}.`
  return cure === undefined || cure === '' ? first : `${first} ${endSentence(capitalize(cure))}`
}

function formatAwaited(awaited: ObjectAwaited | ActorAwaited): string {
  return awaited.kind === 'actor' ? awaited.name : `${awaited.kindName} ${keyOfRef(awaited)}`
}

/** `DriverNotRegistered` → `driver not registered`; acronyms are kept: `CSINodeGone` → `CSI node gone`. */
function wordsOf(code: string): string {
  if (!/^[A-Za-z0-9]+$/.test(code)) return code
  const words = code.match(/[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+/g) ?? [code]
  return words.map((word) => (/^[A-Z]{2,}/.test(word) ? word : word.toLowerCase())).join(' ')
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const endSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
