import { createServer } from 'node:http'
import type { Logger } from '../../base/logger.ts'

export type HttpAnswer = { status: number; contentType: string; body: string }

export const textAnswer = (status: number, body: string): HttpAnswer => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  body,
})

/** A page with the metrics of the registry. */
export const metricsPage =
  (registry: { readonly contentType: string; metrics(): Promise<string> }) => async (): Promise<HttpAnswer> => ({
    status: 200,
    contentType: registry.contentType,
    body: await registry.metrics(),
  })

/** Answers GET requests of a path: health and metrics. */
export type HttpRoutes = Readonly<Record<string, () => Promise<HttpAnswer>>>

export interface RunningHttp {
  readonly port: number
  close(): Promise<void>
}

/** Listens on `host:port`, `:port` or `port`. */
export async function serveHttp(address: string, routes: HttpRoutes, log: Logger): Promise<RunningHttp> {
  const { host, port } = parseAddress(address)
  const answer = async (method: string | undefined, url: string | undefined): Promise<HttpAnswer> => {
    if (method !== 'GET' && method !== 'HEAD')
      return { status: 405, contentType: 'text/plain', body: 'only GET is served\n' }
    const route = routes[(url ?? '/').split('?')[0] ?? '/']
    return (await route?.()) ?? { status: 404, contentType: 'text/plain', body: '404 page not found\n' }
  }
  const server = createServer((request, response) => {
    void answer(request.method, request.url)
      .catch((error: unknown): HttpAnswer => {
        log.error('an HTTP request failed', { url: request.url, error })
        return { status: 500, contentType: 'text/plain', body: 'internal error\n' }
      })
      .then(({ status, contentType, body }) => response.writeHead(status, { 'content-type': contentType }).end(body))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new Error(`can't listen on ${address}: ${cause.message}`, { cause })))
    server.listen(port, host, resolve)
  })
  const bound = server.address()
  return {
    port: typeof bound === 'object' && bound ? bound.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Without a host, all addresses, as in Go. */
export function parseAddress(address: string): { host: string | undefined; port: number } {
  const match = /^(?:(?:\[([^\]]+)\]|([^:[\]]*)):)?(\d+)$/.exec(address)
  const port = Number(match?.[3] ?? Number.NaN)
  if (!match || port > 65535) throw new Error(`${JSON.stringify(address)} is not an address: write host:port or :port`)
  return { host: match[1] || match[2] || undefined, port }
}
