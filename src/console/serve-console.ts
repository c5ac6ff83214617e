import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../base/clock.ts'
import { repeat } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import { cookieName, judgeRequest } from './judge-request.ts'
import type { Session } from './judge-request.ts'
import type { PageFiles } from './page-files.ts'
import type { ObjectAnswer, StreamMessage } from './protocol.ts'

export type ConsoleSource = {
  /** Sends everything, then every change. The result ends it. */
  subscribe(send: (message: StreamMessage) => void): Promise<() => void>
  readObject(target: string): Promise<ObjectAnswer>
}

export interface ServedConsole {
  /** With a token that admits one browser. */
  readonly address: string
  close(): Promise<void>
}

const HEARTBEAT_MS = 15_000
// A browser that does not read any more is cut off instead of being buffered for.
const MOST_BUFFERED_BYTES = 64 * 2 ** 20

export async function serveConsole(
  { port, page, source }: { port: number; page: () => Promise<PageFiles>; source: ConsoleSource },
  { clock, random, log }: { clock: Clock; random: Random; log: Logger },
): Promise<ServedConsole> {
  const newSecret = (): string => Buffer.from(random.bytes(24)).toString('base64url')
  let session: Session = { port, token: newSecret(), secret: newSecret() }
  const common = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  }
  // For everything but the page itself, which needs its scripts.
  const nothingAllowed = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" }
  const answer = (response: ServerResponse, status: number, contentType: string, body: string): void =>
    void response.writeHead(status, { ...common, ...nothingAllowed, 'content-type': contentType }).end(body)
  const redirect = (response: ServerResponse, headers: Record<string, string> = {}): void =>
    void response.writeHead(303, { ...common, ...headers, location: '/' }).end()

  const stream = async (response: ServerResponse): Promise<void> => {
    response.writeHead(200, { ...common, ...nothingAllowed, 'content-type': 'text/event-stream' })
    response.flushHeaders()
    const send = (message: StreamMessage): void => {
      response.write(`data: ${JSON.stringify(message)}\n\n`)
      if (response.writableLength > MOST_BUFFERED_BYTES) response.destroy()
    }
    const beating = repeat(clock, HEARTBEAT_MS, () => void response.write(': still here\n\n'))
    const closed = new Promise<void>((resolve) => void response.once('close', resolve))
    void closed.then(() => beating[Symbol.dispose]())
    const end = await source.subscribe(send)
    void closed.then(end)
  }
  const serve = async (path: string, query: URLSearchParams, response: ServerResponse): Promise<void> => {
    if (path === '/stream') return stream(response)
    const { files, contentSecurityPolicy } = await page()
    const file = files.get(path)
    if (file)
      return void response
        .writeHead(200, {
          ...common,
          'content-security-policy': contentSecurityPolicy,
          'content-type': file.contentType,
        })
        .end(file.body)
    if (path !== '/object') return answer(response, 404, 'text/plain', 'There is nothing here.\n')
    const found = await source.readObject(query.get('target') ?? '')
    answer(response, 200, 'application/json', JSON.stringify(found))
  }
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '/', headers } = request
    const fetchSite = headers['sec-fetch-site']
    const seen = { method, url, host: headers.host, cookie: headers.cookie, origin: headers.origin }
    const judged = judgeRequest({ ...seen, fetchSite: typeof fetchSite === 'string' ? fetchSite : undefined }, session)
    switch (judged.kind) {
      case 'serve':
        return serve(judged.path, judged.query, response)
      case 'admit':
        session = { ...session, token: undefined }
        return redirect(response, {
          'set-cookie': `${cookieName(session)}=${session.secret}; HttpOnly; SameSite=Strict; Path=/`,
        })
      case 'to-start':
        return redirect(response)
      case 'refuse':
        return answer(response, judged.status, 'text/plain; charset=utf-8', `${judged.text}\n`)
    }
  }
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      log.error('a request to the console failed', { url: request.url?.split('?')[0], error })
      const message = error instanceof Error ? error.message : String(error)
      if (response.headersSent) response.destroy()
      else answer(response, 500, 'application/json', JSON.stringify({ problem: message } satisfies ObjectAnswer))
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new Error(`the console can't listen on 127.0.0.1:${port}: ${cause.message}`, { cause })),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  const bound = server.address()
  session = { ...session, port: typeof bound === 'object' && bound ? bound.port : port }
  return {
    address: `http://127.0.0.1:${session.port}/?token=${session.token}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
