import { formatExactJson } from './exact-json.ts'
import type { JsonPatchOperation } from './api.ts'

/** A request body that is not a JSON patch. */
export class JsonPatchSyntaxError extends Error {
  override readonly name = 'JsonPatchSyntaxError'
}

/** The operations in a parsed body; throws a `JsonPatchSyntaxError` that says which one is invalid. */
export function parseJsonPatch(body: unknown): JsonPatchOperation[] {
  if (!Array.isArray(body)) throw new JsonPatchSyntaxError('a JSON patch is a list of operations')
  return body.map((entry: unknown, index) => {
    try {
      return parseOperation(entry)
    } catch (error) {
      if (!(error instanceof JsonPatchSyntaxError)) throw error
      throw new JsonPatchSyntaxError(`JSON patch operation ${index}: ${error.message}`)
    }
  })
}

function parseOperation(entry: unknown): JsonPatchOperation {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw new JsonPatchSyntaxError('it is not an object')
  const { op, value } = entry as Readonly<Record<string, unknown>>
  const path = textOf(entry, 'path')
  switch (op) {
    case 'add':
    case 'replace':
    case 'test':
      if (!Object.hasOwn(entry, 'value')) throw new JsonPatchSyntaxError(`${op} needs a "value"`)
      return { op, path, value }
    case 'remove':
      return { op, path }
    case 'move':
    case 'copy':
      return { op, from: textOf(entry, 'from'), path }
    default:
      throw new JsonPatchSyntaxError(
        `"op" has to be add, remove, replace, move, copy or test, not ${formatExactJson(op)}`,
      )
  }
}

function textOf(entry: object, member: string): string {
  const text: unknown = (entry as Readonly<Record<string, unknown>>)[member]
  if (typeof text !== 'string') throw new JsonPatchSyntaxError(`it needs a "${member}"`)
  return text
}
