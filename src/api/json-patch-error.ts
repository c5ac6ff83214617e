import type { JsonPatchOperation } from './api.ts'

/** An operation of a JSON patch that could not be done. The document is as it was. */
export class JsonPatchError extends Error {
  override readonly name = 'JsonPatchError'
  /** `test-failed`: a `test` found another value, so the patch was decided on an older state. Its path missing is `bad-path`. */
  readonly kind: 'test-failed' | 'bad-path'
  /** Which operation, from 0. */
  readonly index: number
  readonly operation: JsonPatchOperation

  constructor(kind: JsonPatchError['kind'], index: number, operation: JsonPatchOperation, why: string) {
    super(`JSON patch operation ${index} (${operation.op} ${JSON.stringify(operation.path)}): ${why}`)
    this.kind = kind
    this.index = index
    this.operation = operation
  }
}
