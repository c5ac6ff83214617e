import type { OutgoingHttpHeaders } from 'node:http2'
import { codeNumber, codeOf } from '../../csi/index.ts'
import type { Code } from '../../csi/index.ts'
import { decodeStatusMessage, encodeStatusMessage } from './grpc-messages.ts'

/** What a driver answered to a call, or that it reset the call with this HTTP/2 code. */
export type Reply =
  | {
      readonly kind: 'answer'
      readonly headers: OutgoingHttpHeaders
      readonly body: Buffer
      readonly trailers: OutgoingHttpHeaders | undefined
    }
  | { readonly kind: 'reset'; readonly code: number }

/** The header fields of one header block, with the values of a repeated field as a list. Raw headers alternate names and values. */
export function headersOf(raw: readonly string[]): OutgoingHttpHeaders {
  const headers: Record<string, string | string[]> = {}
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name = '', value = ''] = [raw[index], raw[index + 1]]
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined
    headers[name] = before === undefined ? value : [before, value].flat()
  }
  return headers
}

/** The gRPC status of an answer; undefined if it has none. */
export function statusOf(reply: Reply): { code: Code; message: string } | undefined {
  if (reply.kind === 'reset') return undefined
  const { trailers, headers } = reply
  const last = trailers ?? headers
  const status = Number(last['grpc-status'])
  if (last['grpc-status'] === undefined || !Number.isInteger(status)) return undefined
  return { code: codeOf(status), message: decodeStatusMessage(String(last['grpc-message'] ?? '')) }
}

/** An answer with this error. */
export const errorReply = (code: Code, message: string): Reply => ({
  kind: 'answer',
  headers: {
    ':status': '200',
    'content-type': 'application/grpc',
    'grpc-status': String(codeNumber(code)),
    'grpc-message': encodeStatusMessage(message),
  },
  body: Buffer.alloc(0),
  trailers: undefined,
})
