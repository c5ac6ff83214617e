import { MESSAGES } from './generated/message-table.ts'
import type { MessageField } from './generated/message-table.ts'

/** Each field of a message that has a value, with its definition; the members of a oneof are fields of their own. */
export function* fieldsOf(messageName: string, message: unknown): Generator<[MessageField, unknown], void> {
  const values = (message ?? {}) as Record<string, unknown>
  for (const field of MESSAGES[messageName] ?? []) {
    const value = field.oneof === undefined ? values[field.jsonName] : oneofValue(values[field.oneof], field.jsonName)
    if (value !== undefined) yield [field, value]
  }
}

function oneofValue(chosen: unknown, key: string): unknown {
  const { $case, value } = (chosen ?? {}) as { $case?: string; value?: unknown }
  return $case === key ? value : undefined
}

/** The values of a field that may be repeated. */
export const itemsOf = (field: MessageField, value: unknown): unknown[] =>
  field.repeated ? (value as unknown[]) : [value]
