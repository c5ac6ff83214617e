import type { JsonPatchOperation } from './api.ts'
import type { PatchProblemKind } from './patched-document.ts'

/** An operation of a JSON patch that could not be done. The document is as it was. */
export class JsonPatchError extends Error {
  override readonly name = 'JsonPatchError'
  /**
   * `test-failed`: a `test` found another value, so the patch was decided on an older state. Its path missing is `bad-path`.
   * `too-large`: the operations would copy or move too much.
   */
  readonly kind: PatchProblemKind
  /** Which operation, from 0. */
  readonly index: number
  readonly operation: JsonPatchOperation

  constructor(kind: PatchProblemKind, index: number, operation: JsonPatchOperation, why: string) {
    super(`JSON patch operation ${index} (${operation.op} ${JSON.stringify(operation.path)}): ${why}`)
    this.kind = kind
    this.index = index
    this.operation = operation
  }
}
