import type { MessageField } from '../generated/message-table.ts'
import { fieldsOf, itemsOf } from '../message-fields.ts'

const STRING_BYTES = 128
const MAP_BYTES = 4096

// Fields for which the specification sets another limit. The operating system limits paths.
const STRING_LIMITS: Readonly<Record<string, number>> = {
  node_id: 256,
  published_node_ids: 256,
  staging_target_path: 4096,
  target_path: 4096,
  volume_path: 4096,
  volume_publish_path: 4096,
}
// Lists of strings that are limited only as a whole.
const LIST_LIMITS: Readonly<Record<string, number>> = { mount_flags: 4096 }
// Human-readable text, or a token that only its creator reads.
const UNBOUNDED = new Set(['message', 'starting_token', 'next_token'])
// Kubernetes puts complete service account tokens under this key; they alone exceed the specification's limit for a map.
const UNCOUNTED_KEY = 'csi.storage.k8s.io/serviceAccount.tokens'

/** The first field of a message that exceeds its size limit in the CSI specification, or undefined. */
export function findOversize(messageName: string, message: object): string | undefined {
  for (const [field, value] of fieldsOf(messageName, message)) {
    if (UNBOUNDED.has(field.name)) continue
    const problem =
      field.type === 'map' ? oversizedMap(field.name, value as Record<string, string>) : oversizedValue(field, value)
    if (problem !== undefined) return problem
  }
  return undefined
}

function oversizedValue(field: MessageField, value: unknown): string | undefined {
  const listLimit = LIST_LIMITS[field.name]
  if (listLimit !== undefined) return oversized(field.name, sumOf(value as string[]), listLimit)
  for (const item of itemsOf(field, value)) {
    if (field.type === 'message' && field.typeName !== undefined) {
      const inner = findOversize(field.typeName, item as object)
      if (inner !== undefined) return `${field.name}: ${inner}`
    }
    if (field.type === 'string') {
      const problem = oversized(
        field.name,
        Buffer.byteLength(item as string),
        STRING_LIMITS[field.name] ?? STRING_BYTES,
      )
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

function oversizedMap(name: string, map: Record<string, string>): string | undefined {
  const counted = Object.entries(map).filter(([key]) => key !== UNCOUNTED_KEY)
  return oversized(name, sumOf(counted.flat()), MAP_BYTES)
}

const sumOf = (texts: readonly string[]): number => texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0)

const oversized = (name: string, bytes: number, limit: number): string | undefined =>
  bytes > limit ? `${name} has ${bytes} bytes, at most ${limit} are allowed` : undefined
