import { ApiError } from '../../api/api-error.ts'

export const unsupportedMediaType = (accepted: readonly string[]): ApiError =>
  new ApiError(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )

export const notAcceptable = (accepted: readonly string[]): ApiError =>
  new ApiError('NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`)

/** With the message of Kubernetes. */
export const tooManyRequests = (): ApiError =>
  new ApiError('TooManyRequests', 'Too many requests, please try again later.', { details: { retryAfterSeconds: 1 } })

export const bodyStalled = (timeoutMs: number): ApiError =>
  new ApiError('Timeout', `the client sent nothing of the body of the request for ${timeoutMs / 1000} s`, { code: 408 })

export const bodyIncomplete = (): ApiError =>
  new ApiError('BadRequest', 'the client went before the body of the request was complete')

export const bodyTooLarge = (limitBytes: number): ApiError =>
  new ApiError('RequestEntityTooLarge', `Request entity too large: limit is ${limitBytes}`)
