import { connect } from 'node:http2'
import { createConnection } from 'node:net'
import type { Rpc } from '../csi/rpc.ts'

/** The end of a call: a gRPC status, or what happened to the connection. */
export type RawReply = { status: string } | { problem: string }

const PREFIX_BYTES = 5

/** One call with any `:authority`. gRPC libraries do not let their users choose one, but old kubelets and sidecars sent such values. */
export function callWithAuthority(path: string, rpc: Rpc, authority: string, timeoutMs: number): Promise<RawReply> {
  return new Promise((resolve) => {
    const session = connect('http://localhost', { createConnection: () => createConnection(path) })
    const end = (reply: RawReply): void => {
      resolve(reply)
      session.destroy()
    }
    session.on('error', (error) => end({ problem: error.message }))
    session.setTimeout(timeoutMs, () => end({ problem: 'no answer' }))
    const stream = session.request({
      ':method': 'POST',
      ':path': rpc.path,
      ':authority': authority,
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    let status: string | undefined
    const take = (headers: Record<string, unknown>): void => {
      const found = headers['grpc-status']
      if (typeof found === 'string') status = found
    }
    stream.on('response', take)
    stream.on('trailers', take)
    stream.on('error', (error) => end({ problem: error.message }))
    stream.on('data', () => {})
    stream.on('close', () =>
      end(status === undefined ? { problem: 'the stream was closed without a status' } : { status }),
    )
    const message = Buffer.from(rpc.requestType.encode(rpc.requestType.fromPartial({})).finish())
    const prefix = Buffer.alloc(PREFIX_BYTES)
    prefix.writeUInt32BE(message.length, 1)
    stream.end(Buffer.concat([prefix, message]))
  })
}
