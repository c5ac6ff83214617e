import { ApiError } from '../../api/api-error.ts'

export const unsupportedMediaType = (accepted: readonly string[]): ApiError =>
  new ApiError('UnsupportedMediaType', `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`)

export const notAcceptable = (accepted: readonly string[]): ApiError =>
  new ApiError('NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`)

export const bodyTooLarge = (limitBytes: number): ApiError => new ApiError('RequestEntityTooLarge', `Request entity too large: limit is ${limitBytes}`)
