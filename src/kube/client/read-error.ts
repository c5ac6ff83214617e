import { ApiError } from '../../api/api-error.ts'
import type { StatusReason } from '../../api/api-error.ts'
import type { Status } from '../../api/object.ts'
import type { HttpResponse } from './http-connection.ts'

const REASONS: Readonly<Record<number, StatusReason>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

/** The error that a response with a status of 400 or more stands for. */
export async function readError(
  request: { readonly method: string; readonly path: string },
  response: HttpResponse,
): Promise<ApiError> {
  const { status: code, headers } = response
  const text = await response.text().catch(() => '')
  // The header is the fallback for a body without the delay; a date in it is ignored.
  const retryAfterSeconds = Number(headers['retry-after'] ?? Number.NaN)
  const fromHeader = Number.isFinite(retryAfterSeconds) ? { retryAfterSeconds } : {}
  const reason = REASONS[code] ?? (code >= 500 ? 'InternalError' : 'BadRequest')
  const status = findStatus(text)
  const all = { ...fromHeader, ...status?.details }
  const details = Object.keys(all).length > 0 ? { details: all } : {}
  if (status) return ApiError.fromStatus({ reason, ...status, code, ...details })
  return new ApiError(reason, `${request.method} ${request.path}: HTTP ${code}: ${text.slice(0, 200)}`, {
    code,
    ...details,
  })
}

// A proxy in between does not send Status objects.
function findStatus(text: string): Status | undefined {
  try {
    const status = JSON.parse(text) as Status | null
    return status?.kind === 'Status' ? status : undefined
  } catch {
    return undefined
  }
}
