import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../../api/api-error.ts'
import type { Credentials } from '../authentication/authenticator.ts'
import { parseImpersonation } from '../authentication/impersonation.ts'
import type { ConnectionInfo, Exchange } from './exchange.ts'

/** The credentials of a request. A request whose only credential is an invalid certificate is rejected, not anonymous. */
export function readCredentials({
  headers,
  rawHeaders,
  connection,
}: Pick<Exchange, 'headers' | 'rawHeaders'> & { readonly connection: ConnectionInfo }): Credentials {
  const bearerToken = headers.authorization === undefined ? undefined : parseBearer(headers.authorization)
  const { certificate: clientCertificate, certificateProblem } = connection
  if (certificateProblem !== undefined && bearerToken === undefined) {
    throw new ApiError('Unauthorized', 'Unauthorized', {
      cause: new Error(`the client certificate is not accepted: ${certificateProblem}`),
    })
  }
  const impersonation = asksForImpersonation(headers) ? parseImpersonation(distinct(rawHeaders)) : undefined
  return {
    ...(bearerToken !== undefined && { bearerToken }),
    ...(clientCertificate && { clientCertificate }),
    ...(impersonation && { impersonation }),
  }
}

// Other schemes are ignored; an unreadable Bearer is an invalid token, not a missing one.
function parseBearer(header: string): string | undefined {
  if (!/^Bearer\b/i.test(header)) return undefined
  const token = /^Bearer +(\S+) *$/i.exec(header)?.[1]
  if (token === undefined)
    throw new ApiError('Unauthorized', 'Unauthorized', { cause: new Error('the Authorization header is malformed') })
  return token
}

function asksForImpersonation(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (name.startsWith('impersonate-')) return true
  return false
}

function distinct(rawHeaders: readonly string[]): Record<string, string[]> {
  const values: Record<string, string[]> = {}
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    if (!name.startsWith('impersonate-')) continue
    ;(values[name] ??= []).push(rawHeaders[index + 1] ?? '')
  }
  return values
}
