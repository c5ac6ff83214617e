import { parsePrintableMessage, PrintedMessageError, requireField } from '../../csi/parse-printable-message.ts'
import { printableMessage } from '../../csi/printable-message.ts'
import { MESSAGES } from '../../csi/generated/message-table.ts'

type Json = Record<string, unknown>

/** The message with these values, as members for `fromPartial`. Paths are names as in the protocol, `volume.capacity_bytes`; null removes. */
export function alterMessage(
  messageName: string,
  message: unknown,
  changes: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  let json = printableMessage(messageName, message, { showSecrets: true })
  for (const [path, value] of Object.entries(changes)) json = withValue(messageName, json, path.split('.'), value, path)
  return parsePrintableMessage(messageName, json)
}

/** What is wrong with a change, or undefined. Checked without a message: a list is taken to be long enough. */
export function findChangeProblem(messageName: string, path: string, value: unknown): string | undefined {
  try {
    parsePrintableMessage(messageName, withValue(messageName, {}, path.split('.'), value, path))
    return undefined
  } catch (error) {
    if (error instanceof PrintedMessageError) return error.message
    throw error
  }
}

function withValue(
  messageName: string,
  json: Json,
  [name = '', ...rest]: readonly string[],
  value: unknown,
  path: string,
): Json {
  const field = requireField(messageName, name, path)
  const others = without(json, [name, ...rivalsOf(messageName, name)])
  if (rest.length === 0) return value === null ? others : { ...others, [name]: value }
  const inner = json[name]
  // The rest of the path is one key: keys of Kubernetes contain dots.
  if (field.type === 'map') return { ...others, [name]: withEntry(asObject(inner), rest.join('.'), value) }
  const change = (item: unknown, left: readonly string[]): unknown => {
    if (left.length === 0) return value
    if (field.type !== 'message' || field.typeName?.startsWith('google.'))
      throw new PrintedMessageError(`${path}: ${name} has no fields`)
    return withValue(field.typeName ?? '', asObject(item), left, value, path)
  }
  if (!field.repeated) return { ...others, [name]: change(inner, rest) }
  const [at = '', ...left] = rest
  if (!/^\d{1,6}$/.test(at))
    throw new PrintedMessageError(`${path}: ${name} is a list; write ${name}.0 for its first item`)
  return { ...others, [name]: withItem(Array.isArray(inner) ? inner : [], Number(at), (item) => change(item, left)) }
}

/** The other members of the same oneof. */
function rivalsOf(messageName: string, name: string): string[] {
  const fields = MESSAGES[messageName] ?? []
  const oneof = fields.find((field) => field.name === name)?.oneof
  return oneof === undefined ? [] : fields.filter((field) => field.oneof === oneof).map((field) => field.name)
}

const without = (json: Json, names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(json).filter(([key]) => !names.includes(key)))

const withEntry = (map: Json, key: string, value: unknown): Json =>
  value === null ? without(map, [key]) : { ...map, [key]: value }

/** A null item is removed. An index behind the end adds an item. */
function withItem(list: readonly unknown[], index: number, change: (item: unknown) => unknown): unknown[] {
  const at = Math.min(index, list.length)
  const item = change(list[at])
  return [...list.slice(0, at), ...(item === null ? [] : [item]), ...list.slice(at + 1)]
}

const asObject = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})
