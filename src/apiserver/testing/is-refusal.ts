import { equal, match, ok } from 'node:assert/strict'
import { ApiError } from '../../api/api-error.ts'

/** For `rejects`: a refusal with this reason, whose text says this. */
export const isRefusal =
  (reason: string, message: RegExp) =>
  (error: unknown): true => {
    ok(error instanceof ApiError, String(error))
    equal(error.reason, reason, error.message)
    match(error.message, message)
    return true
  }
