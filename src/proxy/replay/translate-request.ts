import { join } from 'node:path'
import { REDACTED } from '../../base/logger.ts'
import type { Json } from '../recording/recording.ts'
import { CONTEXT_FIELDS, ID_FIELDS, PATH_FIELDS } from './value-map.ts'
import type { ValueMap } from './value-map.ts'

export type RequestParts = {
  readonly values: ValueMap
  /** Paths of the recording are below this directory in the replay. */
  readonly root: string
  /** Values for secrets that were left out of the recording, by key. */
  readonly secrets: Readonly<Record<string, string>>
}

/** A recorded request as the driver of the replay needs it: with its own IDs and contexts, and paths below the root. */
export function translateRequest(request: Json, parts: RequestParts): Json {
  return Object.fromEntries(Object.entries(request).map(([key, value]) => [key, translateMember(key, value, parts)]))
}

function translateMember(key: string, value: unknown, parts: RequestParts): unknown {
  const { values, root, secrets } = parts
  if (Array.isArray(value)) return value.map((item) => translateMember(key, item, parts))
  if (isObject(value)) {
    const entries = Object.entries(value)
    if (CONTEXT_FIELDS.has(key))
      return Object.fromEntries(entries.map(([name, text]) => [name, values.context(name, String(text))]))
    if (key === 'secrets')
      return Object.fromEntries(
        entries.map(([name, text]) => [name, text === REDACTED ? (secrets[name] ?? text) : text]),
      )
    return translateRequest(value, parts)
  }
  if (typeof value !== 'string') return value
  if (PATH_FIELDS.has(key) && value !== '') return join(root, value)
  return ID_FIELDS.has(key) ? (values.find(value) ?? value) : value
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The keys of secrets in a request whose values were left out of the recording, and are not given. */
export function missingSecrets(request: Json, secrets: Readonly<Record<string, string>>): string[] {
  const given = isObject(request['secrets']) ? Object.entries(request['secrets']) : []
  return given.filter(([key, value]) => value === REDACTED && !Object.hasOwn(secrets, key)).map(([key]) => key)
}
