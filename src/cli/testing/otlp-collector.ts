import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { BinaryReader } from '@bufbuild/protobuf/wire'
import type { TestContext } from 'node:test'

/** A span as a collector receives it. */
export type ReceivedSpan = {
  readonly service: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number
  readonly startNs: bigint
  readonly endNs: bigint
  readonly error: string
  readonly attributes: Readonly<Record<string, string>>
}

export interface Collector {
  readonly endpoint: string
  spans(): readonly ReceivedSpan[]
  /** The content type and path of each request. */
  requests(): readonly string[]
}

/** A collector for OTLP/HTTP with protobuf, on loopback. */
export async function startCollector(test: Pick<TestContext, 'after'>, { status = 200 } = {}): Promise<Collector> {
  const spans: ReceivedSpan[] = []
  const requests: string[] = []
  const server = createServer(
    (request, response) =>
      void bodyOf(request).then((body) => {
        requests.push(`${request.method} ${request.url} ${request.headers['content-type']}`)
        if (status === 200) spans.push(...decodeSpans(body))
        response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end()
      }),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  test.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return { endpoint: `http://127.0.0.1:${port}`, spans: () => spans, requests: () => requests }
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const body = Buffer.concat(await request.toArray())
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
}

type Fields = ReadonlyMap<number, readonly unknown[]>

/** All fields of a message by their number, as far as their wire type says what they are. */
function fieldsOf(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes)
  const fields = new Map<number, unknown[]>()
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag()
    const read = {
      0: () => reader.uint64(),
      1: () => reader.fixed64(),
      2: () => reader.bytes(),
      5: () => reader.fixed32(),
    }
    fields.set(number, [...(fields.get(number) ?? []), read[type as keyof typeof read]()])
  }
  return fields
}

const messages = (fields: Fields, number: number): Fields[] =>
  (fields.get(number) ?? []).map((bytes) => fieldsOf(bytes as Uint8Array))
const text = (fields: Fields, number: number): string =>
  Buffer.from((fields.get(number)?.[0] as Uint8Array | undefined) ?? []).toString()
const hex = (fields: Fields, number: number): string =>
  Buffer.from((fields.get(number)?.[0] as Uint8Array | undefined) ?? []).toString('hex')
const attributesOf = (fields: Fields, number: number): Record<string, string> =>
  Object.fromEntries(
    messages(fields, number).map((pair) => [text(pair, 1), text(messages(pair, 2)[0] ?? new Map(), 1)]),
  )

/** The numbers of opentelemetry/proto/trace/v1/trace.proto. */
const decodeSpans = (body: Uint8Array): ReceivedSpan[] =>
  messages(fieldsOf(body), 1).flatMap((resourceSpans) => {
    const service = attributesOf(messages(resourceSpans, 1)[0] ?? new Map(), 1)['service.name'] ?? ''
    return messages(resourceSpans, 2)
      .flatMap((scopeSpans) => messages(scopeSpans, 2))
      .map((span): ReceivedSpan => ({
        service,
        traceId: hex(span, 1),
        spanId: hex(span, 2),
        parentSpanId: hex(span, 4),
        name: text(span, 5),
        kind: Number(span.get(6)?.[0] ?? 0),
        startNs: BigInt(span.get(7)?.[0] as bigint),
        endNs: BigInt(span.get(8)?.[0] as bigint),
        attributes: attributesOf(span, 9),
        error: text(messages(span, 15)[0] ?? new Map(), 2),
      }))
  })
