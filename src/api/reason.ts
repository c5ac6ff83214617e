import { keyOfRef } from './object-key.ts'

/**
 * Why nothing happens, or why something was refused, as data: decisions give it, events, `holdfast why` and the console show it. Only
 * `formatReason` makes sentences of it.
 */
export type Reason = {
  /** In capitals and small letters, as conditions and events have it: `DriverNotRegistered`. */
  readonly code: string
  /** What has to change before something happens. Left out: nothing has to. */
  readonly waitsFor?: ObjectAwaited | ActorAwaited
  /** Facts by name, such as the driver or the size. Never secrets. */
  readonly detail?: Readonly<Record<string, string>>
  /** What a person can do about it, as an order: `Install the driver on the node.` */
  readonly cure?: string
}

export type ObjectAwaited = {
  readonly kind: 'object'
  readonly apiVersion?: string
  /** `PersistentVolume`. */
  readonly kindName: string
  readonly namespace?: string
  readonly name: string
}

/** Somebody who has to act: `the attacher of hostpath.csi`. */
export type ActorAwaited = { readonly kind: 'actor'; readonly name: string }

/** One or two sentences: `Driver not registered (driver: hostpath.csi); waits for CSINode n1. Install the driver on the node.` */
export function formatReason({ code, waitsFor, detail = {}, cure }: Reason): string {
  const facts = Object.entries(detail).map(([name, value]) => `${wordsOf(name)}: ${value}`)
  const what = `${capitalize(wordsOf(code))}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`
  const first = `${what}${waitsFor ? `; waits for ${formatAwaited(waitsFor)}` : ''}.`
  return cure === undefined || cure === '' ? first : `${first} ${endSentence(capitalize(cure))}`
}

function formatAwaited(awaited: ObjectAwaited | ActorAwaited): string {
  return awaited.kind === 'actor' ? awaited.name : `${awaited.kindName} ${keyOfRef(awaited)}`
}

/** `DriverNotRegistered` → `driver not registered`; what is all capitals stays: `CSINodeGone` → `CSI node gone`. */
function wordsOf(code: string): string {
  if (!/^[A-Za-z0-9]+$/.test(code)) return code
  const words = code.match(/[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+/g) ?? [code]
  return words.map((word) => (/^[A-Z]{2,}/.test(word) ? word : word.toLowerCase())).join(' ')
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const endSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
