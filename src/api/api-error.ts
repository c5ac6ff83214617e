import type { Status, StatusCause, StatusDetails } from './object.ts'

/** The reasons that the API server gives, with the HTTP status that goes with each. */
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

/** A request that the API server refused, or could not answer. */
export class ApiError extends Error {
  /** HTTP status; 0 when there was no answer at all. */
  readonly code: number
  /** A reason this program does not know is kept as it came. */
  readonly reason: StatusReason | (string & {})
  readonly details: StatusDetails | undefined
  /** With an expired page: continues the list at the current state instead. */
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

  /** How long the server asks to wait before the next try. */
  get retryAfterMs(): number | undefined {
    const seconds = this.details?.retryAfterSeconds
    return seconds === undefined ? undefined : seconds * 1000
  }

  /** As the server sends it. */
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

  /** From a Status that came over the wire. */
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
/** The watch or the list page is older than what the server remembers: list again. */
export const isExpired = (error: unknown): error is ApiError => isApiError(error, 'Expired', 'Gone')
export const isTooManyRequests = (error: unknown): error is ApiError => isApiError(error, 'TooManyRequests')
/** For `catch`, where what is not there needs nothing done to it. */
export function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error
  return undefined
}
/** For `catch`, where it does not matter who has created the object. */
export function ignoreAlreadyExists(error: unknown): undefined {
  if (!isAlreadyExists(error)) throw error
  return undefined
}
/** For `catch`, where the object is gone or has changed meanwhile, and that change brings us back. */
export function ignoreRace(error: unknown): undefined {
  if (!isNotFound(error) && !isConflict(error)) throw error
  return undefined
}
/** Nothing was wrong with the request: the same one may succeed later. */
export const isRetriable = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.code === 0 || error.code === 429 || error.code >= 500)
/** The server refused, and another try alone does not change that: neither was the view old, nor the server unwell. */
export const isLasting = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.reason !== 'Conflict' && !isRetriable(error)
