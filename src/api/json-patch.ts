import type { JsonPatchOperation } from './api.ts'
import { isEqualJson } from './equal-json.ts'
import { JsonPatchError } from './json-patch-error.ts'
import { parseJsonPointer } from './json-pointer.ts'
import { PatchedDocument, PatchProblem } from './patched-document.ts'

/**
 * RFC 6902: applies all operations in order, or throws a `JsonPatchError` that says which one failed and why. The document is not changed; the result
 * shares unchanged parts with the document and with the values in the operations.
 */
export function applyJsonPatch(document: unknown, operations: readonly JsonPatchOperation[]): unknown {
  const patched = new PatchedDocument(document)
  for (const [index, operation] of operations.entries()) {
    try {
      applyOperation(patched, operation)
    } catch (error) {
      if (!(error instanceof PatchProblem)) throw error
      throw new JsonPatchError(error.kind, index, operation, error.message)
    }
  }
  return patched.root
}

function applyOperation(document: PatchedDocument, operation: JsonPatchOperation): void {
  const path = pathOf(operation.path)
  switch (operation.op) {
    case 'add':
      return document.add(path, operation.value)
    case 'replace':
      return document.replace(path, operation.value)
    case 'remove':
      return document.remove(path)
    case 'test':
      if (!isEqualJson(document.read(path), operation.value))
        throw new PatchProblem('test-failed', 'the value there is another one')
      return undefined
    case 'copy':
      return document.copy(pathOf(operation.from), path)
    case 'move':
      return document.move(pathOf(operation.from), path)
  }
}

function pathOf(pointer: string): string[] {
  const path = parseJsonPointer(pointer)
  if (path === undefined) throw new PatchProblem('bad-path', `${JSON.stringify(pointer)} is no JSON pointer`)
  return path
}
