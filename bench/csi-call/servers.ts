import { Server, ServerCredentials } from '@grpc/grpc-js'
import type { ServiceDefinition } from '@grpc/grpc-js'
import { createServer } from 'node:http2'
import { join } from 'node:path'
import { createSilentLogger, createSystemClock, createSystemHost, createSystemRandom } from '../../src/base/index.ts'
import { createLockTable, defineDriver, serve } from '../../src/csi/kit/index.ts'
import type { Dispatcher } from '../../src/csi/kit/index.ts'
import { createHostpathDriver, openHostpath } from '../../src/drivers/hostpath/index.ts'
import { createVolumeResponse, RESPONSE_BYTES } from './message.ts'

export const SERVER_KINDS = ['http2', 'grpc-js', 'holdfast', 'hostpath'] as const
export type ServerKind = (typeof SERVER_KINDS)[number]

export const METHOD_PATH = '/csi.v1.Controller/CreateVolume'

/** A gRPC message on the wire: one byte "not compressed", four bytes length, the message. */
export function frameMessage(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(5 + message.length)
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, 5)
  return frame
}

/** A driver that answers at once, with all that the kit does around its handlers. */
export const createEmptyDriver = (): Dispatcher =>
  defineDriver(
    { name: 'empty.example.com', version: '1.0.0' },
    {
      handlers: { createVolume: async (request) => createVolumeResponse(request), deleteVolume: async () => ({}) },
      log: createSilentLogger(),
    },
  )

/** Serves one kind on the socket `<folder>/<kind>.sock`. */
export async function startServer(kind: ServerKind, folder: string): Promise<void> {
  const path = join(folder, `${kind}.sock`)
  switch (kind) {
    case 'http2':
      return startHttp2(path)
    case 'grpc-js':
      return startGrpc(path)
    case 'holdfast':
      return serveDriver(path, createEmptyDriver())
    case 'hostpath':
      return serveDriver(path, await createBundledDriver(join(folder, 'volumes')))
  }
}

// The least that a unary gRPC call can be on node:http2: headers, one message, trailers.
function startHttp2(path: string): Promise<void> {
  const answer = frameMessage(RESPONSE_BYTES)
  const server = createServer()
  server.on('stream', (stream) => {
    stream.on('data', () => {})
    stream.on('end', () => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      stream.end(answer)
    })
  })
  return new Promise((resolve) => server.listen(path, resolve))
}

// The gRPC library by itself: bytes in, bytes out.
function startGrpc(path: string): Promise<void> {
  const server = new Server({ 'grpc.enable_channelz': 0 })
  const same = (bytes: Buffer): Buffer => bytes
  const codec = { requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same }
  const definition = { createVolume: { path: METHOD_PATH, requestStream: false, responseStream: false, ...codec } }
  const answer = Buffer.from(RESPONSE_BYTES)
  server.addService(definition as ServiceDefinition, {
    createVolume: (_call: unknown, callback: (error: null, response: Buffer) => void) => callback(null, answer),
  })
  return new Promise((resolve, reject) =>
    server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    ),
  )
}

async function createBundledDriver(root: string): Promise<Dispatcher> {
  const parts = {
    root,
    host: createSystemHost(),
    clock: createSystemClock(),
    random: createSystemRandom(),
    log: createSilentLogger(),
  }
  const hostpath = await openHostpath({ ...parts, capacityBytes: 1n << 60n })
  const { server } = await createHostpathDriver({
    hostpath,
    node: { id: 'node-1', topology: {}, attachLimit: 0 },
    name: 'hostpath.holdfast.dev',
    version: '0',
    attach: false,
    publish: 'link',
    locks: createLockTable(),
  })
  return server
}

async function serveDriver(endpoint: string, server: Dispatcher): Promise<void> {
  const { files } = createSystemHost()
  await serve({
    endpoint,
    servers: [server],
    files,
    random: createSystemRandom(),
    clock: createSystemClock(),
    log: createSilentLogger(),
  })
}
