import { ApiError } from '../../api/api-error.ts'
import { badRequest } from './refusals.ts'

/** Where a list continues: after this key, at this revision; undefined for the current one. */
export type ContinuePoint = { readonly revision: number | undefined; readonly after: string }

const VERSION = 'meta.k8s.io/v1'
// Upstream's value for a list that continues without its revision.
const ANY_REVISION = -1

export const formatContinueToken = ({ revision = ANY_REVISION, after }: ContinuePoint): string =>
  Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start: after })).toString('base64url')

export function parseContinueToken(token: string): ContinuePoint {
  const { v, rv, start } = readToken(token)
  if (v !== VERSION)
    throw badRequest(
      'invalid continue token: continue key is not valid: server does not recognize this encoded version',
    )
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || (rv <= 0 && rv !== ANY_REVISION))
    throw badRequest('invalid continue token: continue key is not valid: incorrect encoded start resourceVersion')
  if (typeof start !== 'string' || start === '')
    throw badRequest('invalid continue token: continue key is not valid: encoded start key empty')
  return { revision: rv === ANY_REVISION ? undefined : rv, after: start }
}

function readToken(token: string): { readonly [member: string]: unknown } {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
    if (typeof value === 'object' && value !== null) return value as { readonly [member: string]: unknown }
  } catch {
    // Rejected below.
  }
  throw badRequest('invalid continue token: continue key is not valid: it was not made by this server')
}

/** The revision of the token is no longer known. The client may start again, or continue with the token in this error. */
export const expiredToken = (after: string): ApiError =>
  new ApiError(
    'Expired',
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue ' +
      'parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided ' +
      'token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was ' +
      'returned and now may show up in the list.',
    { continueToken: formatContinueToken({ revision: undefined, after }) },
  )
