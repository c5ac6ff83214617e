import { findNearest } from '../base/options/find-nearest.ts'
import { ENUMS, MESSAGES } from './generated/message-table.ts'
import type { MessageField } from './generated/message-table.ts'

/** The JSON does not fit the message. The message of the error names the member. */
export class PrintedMessageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PrintedMessageError'
  }
}

/**
 * The members of a message from the JSON that `printableMessage` makes of it: names as in the protocol, enums by name. The result is for `fromPartial`.
 * Null removes a member. Throws `PrintedMessageError`.
 */
export function parsePrintableMessage(messageName: string, json: unknown, at = ''): Record<string, unknown> {
  const message: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(asObject(json, at || messageName))) {
    const path = at === '' ? name : `${at}.${name}`
    const field = requireField(messageName, name, path)
    if (value === null) continue
    const parsed = parseField(field, value, path)
    if (field.oneof === undefined) message[field.jsonName] = parsed
    else message[field.oneof] = { $case: field.jsonName, value: parsed }
  }
  return message
}

/** The field of a message by its name in the protocol. Throws `PrintedMessageError`. */
export function requireField(messageName: string, name: string, path: string): MessageField {
  const fields = MESSAGES[messageName] ?? []
  const field = fields.find((each) => each.name === name)
  if (field) return field
  const names = fields.map((each) => each.name)
  const nearest = findNearest(name, names)
  const advice =
    nearest === undefined
      ? names.length > 0
        ? `; its fields are ${names.join(', ')}`
        : '; it has no fields'
      : `; did you mean ${nearest}?`
  throw new PrintedMessageError(`${path}: ${shortName(messageName)} has no field ${JSON.stringify(name)}${advice}`)
}

const shortName = (messageName: string): string => messageName.replace(/^csi\.v1\./, '')

function parseField(field: MessageField, value: unknown, path: string): unknown {
  if (field.type === 'map') return parseMap(value, path)
  if (!field.repeated) return parseOne(field, value, path)
  if (!Array.isArray(value)) throw new PrintedMessageError(`${path}: expected a list`)
  return value.map((item, index) => parseOne(field, item, `${path}[${index}]`))
}

function parseMap(value: unknown, path: string): Record<string, string> {
  const entries = Object.entries(asObject(value, path))
  const wrong = entries.find(([, item]) => typeof item !== 'string')
  if (wrong) throw new PrintedMessageError(`${path}.${wrong[0]}: expected a string`)
  return Object.fromEntries(entries) as Record<string, string>
}

function parseOne(field: MessageField, value: unknown, path: string): unknown {
  switch (field.type) {
    case 'message':
      return parseInner(field.typeName ?? '', value, path)
    case 'enum':
      return parseEnum(field.typeName ?? '', value, path)
    case 'string':
      if (typeof value !== 'string') throw new PrintedMessageError(`${path}: expected a string`)
      return value
    case 'bool':
      if (typeof value !== 'boolean') throw new PrintedMessageError(`${path}: expected true or false`)
      return value
    case 'int64':
    case 'uint64':
      return parseBigInt(value, path)
    default:
      if (typeof value !== 'number') throw new PrintedMessageError(`${path}: expected a number`)
      return value
  }
}

function parseInner(messageName: string, value: unknown, path: string): unknown {
  switch (messageName) {
    case 'google.protobuf.Timestamp':
      return parseTimestamp(value, path)
    case 'google.protobuf.BoolValue':
      if (typeof value !== 'boolean') throw new PrintedMessageError(`${path}: expected true or false`)
      return value
    case 'google.protobuf.Int64Value':
      return parseBigInt(value, path)
    default:
      return parsePrintableMessage(messageName, value, path)
  }
}

function parseTimestamp(value: unknown, path: string): { seconds: bigint; nanos: number } {
  const text = typeof value === 'string' ? value : ''
  // Written for a time outside the range of dates.
  const [, beyond] = /^(-?\d+)s$/.exec(text) ?? []
  if (beyond !== undefined) return { seconds: BigInt(beyond), nanos: 0 }
  const ms = /^\d{4,}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms))
    throw new PrintedMessageError(`${path}: expected a time such as 2026-01-31T12:00:00Z, as a string`)
  const seconds = Math.floor(ms / 1000)
  return { seconds: BigInt(seconds), nanos: (ms - seconds * 1000) * 1e6 }
}

function parseEnum(enumName: string, value: unknown, path: string): number {
  if (typeof value === 'number') return value
  const names = Object.entries(ENUMS[enumName] ?? {})
  const found = names.find(([, name]) => name === value)
  if (found) return Number(found[0])
  throw new PrintedMessageError(`${path}: expected one of ${names.map(([, name]) => name).join(', ')}`)
}

function parseBigInt(value: unknown, path: string): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  if (typeof value === 'string' && /^-?\d{1,19}$/.test(value)) return BigInt(value)
  throw new PrintedMessageError(`${path}: expected a whole number`)
}

function asObject(value: unknown, path: string): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new PrintedMessageError(`${path}: expected an object`)
}
