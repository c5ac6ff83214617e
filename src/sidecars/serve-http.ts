import { createServer } from 'node:http'

/** Answers GET requests of a path: health and metrics. */
export type HttpRoutes = Readonly<Record<string, () => Promise<{ status: number; contentType: string; body: string }>>>

export interface RunningHttp {
  readonly port: number
  close(): Promise<void>
}

/** Listens on `host:port`, `:port` or `port`. */
export async function serveHttp(address: string, routes: HttpRoutes): Promise<RunningHttp> {
  const { host, port } = parseAddress(address)
  const server = createServer((request, response) => {
    const route = routes[(request.url ?? '/').split('?')[0] ?? '/']
    const answer = route?.() ?? Promise.resolve({ status: 404, contentType: 'text/plain', body: '404 page not found\n' })
    void answer
      .catch((error: unknown) => ({ status: 500, contentType: 'text/plain', body: `${error instanceof Error ? error.message : String(error)}\n` }))
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

/** All addresses when no host is given, as in Go. */
export function parseAddress(address: string): { host: string | undefined; port: number } {
  const match = /^(?:(?:\[([^\]]+)\]|([^:[\]]*)):)?(\d+)$/.exec(address)
  const port = Number(match?.[3] ?? Number.NaN)
  if (!match || port > 65535) throw new Error(`${JSON.stringify(address)} is not an address: write host:port or :port`)
  return { host: match[1] || match[2] || undefined, port }
}
