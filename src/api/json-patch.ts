import type { JsonPatchOperation } from './api.ts'
import { isEqualJson } from './equal-json.ts'
import { JsonPatchError } from './json-patch-error.ts'
import { parseJsonPointer } from './json-pointer.ts'

type JsonObject = Readonly<Record<string, unknown>>

/**
 * RFC 6902: all operations in order, or a `JsonPatchError` that says which one failed and why. The document stays as it was; the
 * result shares with it, and with the values in the operations, what did not change.
 */
export function applyJsonPatch(document: unknown, operations: readonly JsonPatchOperation[]): unknown {
  return operations.reduce<unknown>((current, operation, index) => {
    try {
      return applyOperation(current, operation)
    } catch (error) {
      if (!(error instanceof PatchProblem)) throw error
      throw new JsonPatchError(error.kind, index, operation, error.message)
    }
  }, document)
}

/** What is wrong, before it is known which operation it was. */
class PatchProblem extends Error {
  readonly kind: JsonPatchError['kind']

  constructor(kind: JsonPatchError['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

const badPath = (message: string): PatchProblem => new PatchProblem('bad-path', message)

function applyOperation(document: unknown, operation: JsonPatchOperation): unknown {
  const path = pathOf(operation.path)
  switch (operation.op) {
    case 'add':
      return add(document, path, operation.value)
    case 'replace':
      return change(document, path, () => operation.value)
    case 'remove':
      return remove(document, path)
    case 'test':
      if (!isEqualJson(read(document, path), operation.value)) throw new PatchProblem('test-failed', 'the value there is another one')
      return document
    case 'copy':
      return add(document, path, read(document, pathOf(operation.from)))
    case 'move':
      return move(document, pathOf(operation.from), path)
  }
}

function pathOf(pointer: string): string[] {
  const path = parseJsonPointer(pointer)
  if (path === undefined) throw badPath(`${JSON.stringify(pointer)} is no JSON pointer`)
  return path
}

function move(document: unknown, from: readonly string[], path: readonly string[]): unknown {
  const isSelf = from.every((part, index) => path[index] === part)
  if (isSelf && from.length < path.length) throw badPath('nothing can be moved into itself')
  const value = read(document, from)
  return isSelf ? document : add(remove(document, from), path, value)
}

function read(document: unknown, path: readonly string[]): unknown {
  return path.reduce((value, part) => memberOf(value, part), document)
}

/** The document with another value at a place that exists. */
function change(document: unknown, path: readonly string[], update: (value: unknown) => unknown): unknown {
  const [part, ...rest] = path
  if (part === undefined) return update(document)
  const changed = change(memberOf(document, part), rest, update)
  return Array.isArray(document) ? document.with(Number(part), changed) : { ...(document as JsonObject), [part]: changed }
}

function add(document: unknown, path: readonly string[], value: unknown): unknown {
  const last = path.at(-1)
  if (last === undefined) return value
  return change(document, path.slice(0, -1), (parent) => {
    if (Array.isArray(parent)) return parent.toSpliced(last === '-' ? parent.length : indexIn(last, parent.length), 0, value)
    if (isJsonObject(parent)) return { ...parent, [last]: value }
    throw badPath(`what should hold ${JSON.stringify(last)} is neither object nor list`)
  })
}

function remove(document: unknown, path: readonly string[]): unknown {
  const last = path.at(-1)
  if (last === undefined) throw badPath('the whole document cannot be removed')
  return change(document, path.slice(0, -1), (parent) => {
    memberOf(parent, last)
    if (Array.isArray(parent)) return parent.toSpliced(Number(last), 1)
    const { [last]: _, ...rest } = parent as JsonObject
    return rest
  })
}

function memberOf(value: unknown, part: string): unknown {
  if (Array.isArray(value)) return value[indexIn(part, value.length - 1)]
  if (isJsonObject(value) && Object.hasOwn(value, part)) return value[part]
  throw badPath(`there is no ${JSON.stringify(part)}`)
}

function indexIn(part: string, largest: number): number {
  const index = /^(0|[1-9]\d*)$/.test(part) ? Number(part) : undefined
  if (index === undefined) throw badPath(`${JSON.stringify(part)} is no place in a list`)
  if (index > largest) throw badPath(`${part} is past the end of the list`)
  return index
}

const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)
