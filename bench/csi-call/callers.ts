import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectSocket } from 'node:net'
import { createSystemClock } from '../../src/base/index.ts'
import { connectDriver, joinDriver } from '../../src/csi/index.ts'
import type { Driver } from '../../src/csi/index.ts'
import { createVolumeRequest, REQUEST_BYTES } from './message.ts'
import { createEmptyDriver, frameMessage, METHOD_PATH } from './servers.ts'

/** Makes call number `number` and resolves when it has been answered. */
export type Call = (number: number) => Promise<unknown>
export type Caller = { call: Call; close(): void }

/** What `startHttp2` answers. */
export function connectBare(path: string): Caller {
  const session = connectHttp2('http://localhost', { createConnection: () => connectSocket(path) })
  const headers = { ':method': 'POST', ':path': METHOD_PATH, 'content-type': 'application/grpc', te: 'trailers' }
  const request = frameMessage(REQUEST_BYTES)
  const call: Call = () =>
    new Promise((resolve, reject) => {
      const stream = session.request(headers)
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk))
      stream.on('error', reject)
      stream.on('end', () => resolve(Buffer.concat(chunks)))
      stream.end(request)
    })
  return { call, close: () => session.destroy() }
}

/** What `startGrpc` answers. */
export function connectGrpc(path: string): Caller {
  const options = { 'grpc.default_authority': 'localhost', 'grpc.enable_retries': 0, 'grpc.enable_channelz': 0 }
  const client = new Client(`unix:${path}`, credentials.createInsecure(), options)
  const same = (bytes: Buffer): Buffer => bytes
  const request = Buffer.from(REQUEST_BYTES)
  const call: Call = () =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(METHOD_PATH, same, same, request, new Metadata(), {}, (error, answer) =>
        error ? reject(error) : resolve(answer),
      )
    })
  return { call, close: () => client.close() }
}

/** Our client. */
export function connectHoldfast(path: string): Caller & { driver: Driver } {
  const { driver, connection } = connectDriver({ endpoint: path, clock: createSystemClock() })
  return { driver, call: (number) => driver.createVolume(createVolumeRequest(number)), close: () => connection.close() }
}

/** Our client and the driver in one process. */
export function joinHoldfast(): Caller {
  const driver = joinDriver(createEmptyDriver(), { clock: createSystemClock() })
  return { call: (number) => driver.createVolume(createVolumeRequest(number)), close: () => {} }
}
