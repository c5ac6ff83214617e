import type { JsonPatchOperation } from './api.ts'
import type { PatchProblemKind } from './patched-document.ts'

/** A failed operation of a JSON patch. The document is unchanged. */
export class JsonPatchError extends Error {
  override readonly name = 'JsonPatchError'
  /**
   * `test-failed`: a `test` found a different value, so the patch is based on an older state. If its path is missing, it is `bad-path`. `too-large`:
   * the operations would copy or move too much.
   */
  readonly kind: PatchProblemKind
  /** Index of the operation, from 0. */
  readonly index: number
  readonly operation: JsonPatchOperation

  constructor(kind: PatchProblemKind, index: number, operation: JsonPatchOperation, why: string) {
    super(`JSON patch operation ${index} (${operation.op} ${JSON.stringify(operation.path)}): ${why}`)
    this.kind = kind
    this.index = index
    this.operation = operation
  }
}
