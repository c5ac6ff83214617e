import type { HttpConnection, HttpConnectionParts, HttpRequest, HttpResponse } from './http-connection.ts'
import { NoHttp1Error, openHttp1Pool } from './http1-pool.ts'
import { openHttp2Sessions } from './http2-sessions.ts'

/**
 * Requests to one server; connections are opened when needed. Every Kubernetes API server speaks both protocols: HTTP/1.1 takes half the CPU time for
 * requests that are answered at once, and HTTP/2 carries all watches on one connection, on which pings detect a server that has vanished.
 */
export function openHttpConnection(parts: HttpConnectionParts): HttpConnection {
  const { send, close } = parts.server.protocol === 'https:' ? openSecure(parts) : openHttp1Pool(parts)
  const prefix = parts.server.pathname.replace(/\/+$/, '')
  return { send: (request) => send(prefix === '' ? request : { ...request, path: prefix + request.path }), close }
}

function openSecure(parts: HttpConnectionParts): HttpConnection {
  const short = openHttp1Pool(parts)
  const long = openHttp2Sessions(parts)
  let hasHttp1 = true
  const send = (request: HttpRequest): Promise<HttpResponse> => {
    if (!hasHttp1 || request.isEndless) return long.send(request)
    return short.send(request).catch((error: unknown) => {
      if (!(error instanceof NoHttp1Error)) throw error
      hasHttp1 = false
      return long.send(request)
    })
  }
  const close = (): void => {
    short.close()
    long.close()
  }
  return { send, close }
}
