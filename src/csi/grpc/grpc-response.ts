import { codeOf } from '../codes.ts'
import type { Code } from '../codes.ts'
import type { HeaderField } from '../http2/header-block.ts'
import type { StreamReceiver } from './http2-client.ts'

/** How a call ended. */
export type GrpcStatus = { code: Code; detail: string }

export type ResponseEvents = {
  message(bytes: Buffer): void
  /** Once, and nothing follows. */
  done(status: GrpcStatus): void
}

export type ResponseOptions = {
  maxMessageBytes: number
  /** The status of a call whose connection has ended. */
  lost(): GrpcStatus
}

// Precedes each message: whether it is compressed, and its length.
export const MESSAGE_PREFIX_BYTES = 5

/** Makes messages and a status of the frames of one response. */
export function receiveResponse({ message, done }: ResponseEvents, options: ResponseOptions): StreamReceiver {
  let status: GrpcStatus | undefined
  let httpStatus = ''
  // What has arrived of the next message. It is joined once it is complete, however many frames it has.
  let parts: Buffer[] = []
  let size = 0
  let needed = MESSAGE_PREFIX_BYTES

  const finish = (end: GrpcStatus): void => {
    if (status) return
    status = end
    done(end)
  }
  const data = (bytes: Buffer): void => {
    if (httpStatus !== '200') return
    parts.push(bytes)
    size += bytes.length
    while (!status && size >= needed) {
      const [first = bytes] = parts
      const unread = parts.length === 1 ? first : Buffer.concat(parts)
      const length = unread.readUInt32BE(1)
      if (length > options.maxMessageBytes) return finish(tooLarge(length, options.maxMessageBytes))
      if (unread[0] !== 0) return finish({ code: 'INTERNAL', detail: 'the response is compressed' })
      const end = MESSAGE_PREFIX_BYTES + length
      if (end > size) {
        parts = [unread]
        needed = end
        return
      }
      message(unread.subarray(MESSAGE_PREFIX_BYTES, end))
      parts = end < size ? [unread.subarray(end)] : []
      size -= end
      needed = MESSAGE_PREFIX_BYTES
    }
  }
  return {
    headers: (fields) => {
      const first = httpStatus === '' ? valueOf(fields, ':status') : undefined
      // 1xx announces the headers that count.
      if (first?.startsWith('1')) return
      if (first !== undefined) httpStatus = first
      const end = statusIn(fields)
      if (end) finish(end.code === 'OK' && size > 0 ? { code: 'INTERNAL', detail: 'the response is incomplete' } : end)
    },
    data,
    end: () => finish(statusOfHttp(httpStatus)),
    reset: (code) => finish(statusOfReset(code)),
    lost: () => finish(options.lost()),
  }
}

const tooLarge = (length: number, limit: number): GrpcStatus => ({
  code: 'RESOURCE_EXHAUSTED',
  detail: `Received message larger than max (${length} vs ${limit})`,
})

const valueOf = (fields: readonly HeaderField[], name: string): string | undefined =>
  fields.find((field) => field.name === name)?.value

function statusIn(fields: readonly HeaderField[]): GrpcStatus | undefined {
  const code = valueOf(fields, 'grpc-status')
  if (code === undefined) return undefined
  return { code: codeOf(Number(code)), detail: decodeMessage(valueOf(fields, 'grpc-message') ?? '') }
}

/** Percent-encoded UTF-8. A server that does not encode it sends UTF-8 as it is. */
function decodeMessage(value: string): string {
  const bytes = value.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

// As gRPC over HTTP/2 defines it for responses without grpc-status.
const CODES_OF_HTTP: Readonly<Record<string, Code>> = {
  400: 'INTERNAL',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'UNIMPLEMENTED',
  429: 'UNAVAILABLE',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'UNAVAILABLE',
}

const statusOfHttp = (httpStatus: string): GrpcStatus => ({
  code: CODES_OF_HTTP[httpStatus] ?? 'UNKNOWN',
  detail:
    httpStatus === '200'
      ? 'the response ended without a gRPC status'
      : `the server responded with HTTP status ${httpStatus} and no gRPC status`,
})

const CODES_OF_RESET: Readonly<Record<number, Code>> = {
  7: 'UNAVAILABLE',
  8: 'CANCELLED',
  11: 'RESOURCE_EXHAUSTED',
  12: 'PERMISSION_DENIED',
}

const statusOfReset = (code: number): GrpcStatus => ({
  code: CODES_OF_RESET[code] ?? 'INTERNAL',
  detail: `the server reset the call with the HTTP/2 error code ${code}`,
})
