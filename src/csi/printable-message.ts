import { REDACTED } from '../base/logger.ts'
import { ENUMS } from './generated/message-table.ts'
import type { MessageField } from './generated/message-table.ts'
import type { Timestamp } from './generated/google/protobuf/timestamp.ts'
import { fieldsOf, itemsOf } from './message-fields.ts'

// Kubernetes passes tokens to drivers in a map that the CSI definition does not mark as secret.
const SECRET_KEYS = new Set(['csi.storage.k8s.io/serviceAccount.tokens'])

export type PrintOptions = {
  /** Default false: every value marked as secret is replaced. */
  readonly showSecrets?: boolean
}

/**
 * A message for a log line or a screen: names as in the protocol, enums by name, without empty members, and with every value marked as secret
 * replaced.
 */
export function printableMessage(
  messageName: string,
  message: unknown,
  options: PrintOptions = {},
): Record<string, unknown> {
  const printable: Record<string, unknown> = {}
  for (const [field, value] of fieldsOf(messageName, message)) {
    if (isEmpty(field, value)) continue
    printable[field.name] = printableValue(field, value, options)
  }
  return printable
}

function printableValue(field: MessageField, value: unknown, options: PrintOptions): unknown {
  if (field.type === 'map') return printableMap(field, value as Record<string, unknown>, options)
  if (field.secret && !options.showSecrets) return REDACTED
  const one = (item: unknown): unknown => {
    if (field.type === 'message') return printableInner(field.typeName ?? '', item, options)
    if (field.type === 'enum') return ENUMS[field.typeName ?? '']?.[Number(item)] ?? Number(item)
    return typeof item === 'bigint' ? item.toString() : item
  }
  return field.repeated ? (value as unknown[]).map(one) : one(value)
}

function printableInner(messageName: string, message: unknown, options: PrintOptions): unknown {
  if (messageName === 'google.protobuf.Timestamp') {
    const { seconds, nanos } = message as Timestamp
    const time = new Date(Number(seconds) * 1000 + nanos / 1e6)
    // A driver may return any number, even one outside the range of dates.
    return Number.isNaN(time.getTime()) ? `${seconds}s` : time.toISOString()
  }
  // Wrappers of plain values are plain values in our types.
  if (messageName.startsWith('google.protobuf.')) return typeof message === 'bigint' ? message.toString() : message
  return printableMessage(messageName, message, options)
}

// The keys of secrets are kept: they show which one is missing.
const printableMap = (
  field: MessageField,
  map: Record<string, unknown>,
  { showSecrets = false }: PrintOptions,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(map).map(([key, value]) => [
      key,
      !showSecrets && (field.secret || SECRET_KEYS.has(key)) ? REDACTED : value,
    ]),
  )

/**
 * The text, written by the other side, with every secret value of the message replaced. Finds each value as it is, with outer white space trimmed,
 * quoted as in JSON or Go, and, for a JSON value such as the tokens of Kubernetes, each string in it.
 */
export function hideSecrets(messageName: string, message: unknown, text: string): string {
  const forms = new Set(Iterator.from(secretsOf(messageName, message)).flatMap(formsOf))
  const spans = Iterator.from(forms)
    .flatMap((form) => spansOf(form, text))
    .toArray()
  let hidden = ''
  let end = 0
  for (const span of spans.sort((a, b) => a.start - b.start)) {
    // Overlapping spans are merged: one secret may be part of another.
    if (span.start >= end) hidden += text.slice(end, span.start) + REDACTED
    end = Math.max(end, span.end)
  }
  return hidden + text.slice(end)
}

function* spansOf(part: string, text: string): Generator<{ start: number; end: number }, void> {
  for (let start = text.indexOf(part); start >= 0; start = text.indexOf(part, start + 1))
    yield { start, end: start + part.length }
}

// Replacing shorter values would hide ordinary words without protecting anything that is hard to guess.
const SHORTEST_HIDDEN = 4

function formsOf(secret: string): string[] {
  const values = [secret.trim(), ...stringsIn(secret)]
  return values
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
    .filter((form) => form.length >= SHORTEST_HIDDEN)
}

function stringsIn(secret: string): string[] {
  if (!/^\s*[[{]/.test(secret)) return []
  const strings: string[] = []
  try {
    JSON.parse(secret, (_key, value: unknown) => void (typeof value === 'string' && strings.push(value)))
  } catch {
    // The value is not JSON.
  }
  return strings
}

function* secretsOf(messageName: string, message: unknown): Generator<string, void> {
  for (const [field, value] of fieldsOf(messageName, message)) {
    if (field.type === 'map') {
      for (const [key, item] of Object.entries(value as Record<string, string>)) {
        if (field.secret || SECRET_KEYS.has(key)) yield item
      }
    } else if (field.type === 'message') {
      for (const item of itemsOf(field, value)) yield* secretsOf(field.typeName ?? '', item)
    }
  }
}

function isEmpty(field: MessageField, value: unknown): boolean {
  if (field.type === 'map') return Object.keys(value as object).length === 0
  if (field.repeated) return (value as unknown[]).length === 0
  // The presence of a message has a meaning even if it is empty: `block: {}`, `ready: false`.
  if (field.type === 'message') return false
  return value === '' || value === 0 || value === 0n || value === false
}
