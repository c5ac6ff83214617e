import type { Api } from '../../api/api.ts'
import { createHttpApi } from './http-api.ts'
import type { HttpApiParts } from './http-api.ts'
import { openHttpConnection } from './open-http-connection.ts'

/** The `Api` of the server in the credentials, on a separate connection. Connects on first use. */
export function connectApi(parts: Omit<HttpApiParts, 'connection'>): { api: Api; close(): void } {
  const { credentials, clock } = parts
  const connection = openHttpConnection({ server: credentials.server, tls: () => credentials.tls(), clock })
  return { api: createHttpApi({ ...parts, connection }), close: () => connection.close() }
}
