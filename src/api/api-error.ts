import type { Status, StatusCause, StatusDetails } from './object.ts'

/** The reasons that the API server returns, each with its HTTP status. */
export const REASON_CODES = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  Gone: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServerTimeout: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
  InsufficientStorage: 507,
} as const

export type StatusReason = keyof typeof REASON_CODES

/** A request that the API server rejected or could not answer. */
export class ApiError extends Error {
  /** HTTP status; 0 if there was no response. */
  readonly code: number
  /** An unknown reason is kept unchanged. */
  readonly reason: StatusReason | (string & {})
  readonly details: StatusDetails | undefined
  /** Set if a page of a list has expired: continues the list at the current state instead. */
  readonly continueToken: string | undefined

  constructor(
    reason: StatusReason | (string & {}),
    message: string,
    options: { code?: number; details?: StatusDetails; continueToken?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'ApiError'
    this.reason = reason
    this.code = options.code ?? (REASON_CODES as Readonly<Record<string, number>>)[reason] ?? 500
    this.details = options.details
    this.continueToken = options.continueToken
  }

  get causes(): readonly StatusCause[] {
    return this.details?.causes ?? []
  }

  /** How long the server asks the client to wait before the next attempt. */
  get retryAfterMs(): number | undefined {
    const seconds = this.details?.retryAfterSeconds
    return seconds === undefined ? undefined : seconds * 1000
  }

  /** The Status as the server sends it. */
  toStatus(): Status {
    const { message, reason, details, continueToken, code } = this
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: continueToken === undefined ? {} : { continue: continueToken },
      status: 'Failure',
      message,
      reason,
      ...(details && { details }),
      code,
    }
  }

  /** From a Status received from the server. */
  static fromStatus(status: Status, cause?: unknown): ApiError {
    const { message = 'the server gave no reason', reason = 'InternalError', details, metadata, code } = status
    return new ApiError(reason, message, {
      ...(code === undefined ? {} : { code }),
      ...(details && { details }),
      continueToken: metadata?.continue,
      ...(cause === undefined ? {} : { cause }),
    })
  }
}

/** True for an ApiError with one of these reasons. */
export function isApiError(error: unknown, ...reasons: StatusReason[]): error is ApiError {
  return error instanceof ApiError && (reasons as string[]).includes(error.reason)
}

export const isNotFound = (error: unknown): error is ApiError => isApiError(error, 'NotFound')
export const isAlreadyExists = (error: unknown): error is ApiError => isApiError(error, 'AlreadyExists')
export const isConflict = (error: unknown): error is ApiError => isApiError(error, 'Conflict')
export const isForbidden = (error: unknown): error is ApiError => isApiError(error, 'Forbidden')
export const isInvalid = (error: unknown): error is ApiError => isApiError(error, 'Invalid')
/** The watch or the page of a list is too old for the server's history: list again. */
export const isExpired = (error: unknown): error is ApiError => isApiError(error, 'Expired', 'Gone')
export const isTooManyRequests = (error: unknown): error is ApiError => isApiError(error, 'TooManyRequests')
/** For `catch`, if a missing object means that nothing is left to do. */
export function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error
  return undefined
}
/** For `catch`, if it does not matter who created the object. */
export function ignoreAlreadyExists(error: unknown): undefined {
  if (!isAlreadyExists(error)) throw error
  return undefined
}
/** For `catch`, if the object may be gone or changed: that change triggers another reconcile. */
export function ignoreRace(error: unknown): undefined {
  if (!isNotFound(error) && !isConflict(error)) throw error
  return undefined
}
/** The request itself was valid: the same request may succeed later. */
export const isRetriable = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.code === 0 || error.code === 429 || error.code >= 500)
/** The server rejected the request, and a retry alone does not help: neither a stale view nor a server problem is the cause. */
export const isLasting = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.reason !== 'Conflict' && !isRetriable(error)
