import { createServer } from 'node:net'
import type { Server as SocketServer } from 'node:net'
import { join } from 'node:path'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import type { UntypedServiceImplementation } from '@grpc/grpc-js'
import { createSystemClock } from '../../base/clock.ts'
import { createSystemHost, removeFileIfPresent } from '../../base/host/index.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { createSystemRandom } from '../../base/random.ts'
import { codeNumber, CSI_RPCS, CSI_SERVICES, joinDriver } from '../../csi/index.ts'
import type { Code, CsiMethods, Driver, HandlersOf } from '../../csi/index.ts'
import { createDispatcher, createLockTable, serve } from '../../csi/kit/index.ts'
import type { Dispatcher } from '../../csi/kit/index.ts'
import { createHostpathDriver, openHostpath } from '../../drivers/hostpath/index.ts'
import type { Fault } from './fault.ts'

/** The bundled driver on sockets of its own, correct or with one fault. */
export type FaultyDriver = {
  /** One socket for each node; the first also serves the controller. */
  readonly endpoints: readonly string[]
  /** Stops the driver at once, as kill -9 does, and starts it again on the same data. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export type FaultyDriverOptions = {
  directory: string
  fault?: Fault
  nodes?: number
  attachLimit?: number
}

const CALL_MS = 10 * 60_000

export async function startFaultyDriver({
  directory,
  fault,
  nodes = 2,
  attachLimit = 8,
}: FaultyDriverOptions): Promise<FaultyDriver> {
  const nodeIds = Array.from({ length: nodes }, (_, index) => `node-${index + 1}`)
  const endpoints = nodeIds.map((id) => join(directory, `${id}.sock`))
  const [host, clock, random, log] = [
    createSystemHost(),
    createSystemClock(),
    createSystemRandom(),
    createSilentLogger(),
  ]

  const start = async (): Promise<() => Promise<void>> => {
    const root = join(directory, 'data')
    const hostpath = await openHostpath({ root, host, clock, random, log, capacityBytes: 1024n ** 4n })
    const locks = createLockTable()
    const stops: (() => Promise<void>)[] = []
    for (const [index, id] of nodeIds.entries()) {
      const { server } = await createHostpathDriver({
        hostpath,
        node: { id, topology: { 'topology.holdfast.dev/zone': 'a' }, attachLimit },
        name: 'hostpath.holdfast.dev',
        version: '1.0.0',
        attach: true,
        publish: 'auto',
        locks,
      })
      const real = joinDriver(server, { clock, timeoutMs: CALL_MS })
      const handlers = fault?.handlers?.({ real, host, clock, hostpath, nodeId: id }) ?? {}
      const planted = createDispatcher<CsiMethods>({
        services: CSI_SERVICES,
        handlers: { ...passThrough(real), ...handlers },
        log,
      })
      const served = fault?.server?.(planted) ?? planted
      const path = endpoints[index] ?? ''
      await removeFileIfPresent(host.files, path)
      if (fault?.refusesAuthority) stops.push(await serveStrictly(path, served))
      else {
        const running = await serve({ endpoint: path, servers: [served], files: host.files, random, clock, log })
        stops.push(() => running.stop({ graceMs: 0 }))
      }
    }
    return async () => {
      for (const stop of stops) await stop()
    }
  }

  let stop = await start()
  return {
    endpoints,
    restart: async () => {
      await stop()
      stop = await start()
    },
    stop: () => stop(),
  }
}

// Every call of the correct driver. The keys and types of both sides come from the same service definitions.
function passThrough(real: Driver): HandlersOf<CsiMethods> {
  const calls = real as unknown as Record<string, (request: object, options?: object) => unknown>
  const handlers = [...CSI_RPCS.values()].map((rpc) => [
    rpc.key,
    (request: object) => calls[rpc.key]?.(request, { timeoutMs: CALL_MS }),
  ])
  return Object.fromEntries(handlers) as HandlersOf<CsiMethods>
}

type Callback = (error: object | null, value?: Buffer) => void

/** Serves as gRPC for Node.js does by itself: connections with an unusual `:authority` fail. */
async function serveStrictly(path: string, dispatcher: Dispatcher): Promise<() => Promise<void>> {
  const server = new Server({ 'grpc.enable_channelz': 0 })
  const bytes = (value: Buffer): Buffer => value
  for (const rpc of dispatcher.rpcs.values()) {
    if (rpc.responseStream) continue
    const definition = {
      path: rpc.path,
      requestStream: false,
      responseStream: false,
      requestSerialize: bytes,
      requestDeserialize: bytes,
      responseSerialize: bytes,
      responseDeserialize: bytes,
    }
    const answer = async (call: { request: Buffer }, callback: Callback): Promise<void> => {
      try {
        const value = await dispatcher.unary(rpc.path, call.request, { signal: new AbortController().signal })
        callback(null, Buffer.from(value))
      } catch (error) {
        const { code = 'INTERNAL', detail = '' } = error as { code?: Code; detail?: string }
        callback({ code: codeNumber(code), details: detail })
      }
    }
    const implementation: UntypedServiceImplementation = {}
    implementation[rpc.key] = (call: { request: Buffer }, callback: Callback) => void answer(call, callback)
    server.addService({ [rpc.key]: definition }, implementation)
  }
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure())
  const listener: SocketServer = createServer((socket) => {
    socket.on('error', () => {})
    injector.injectConnection(socket)
  })
  await new Promise<void>((resolve) => listener.listen(path, resolve))
  return async () => {
    injector.destroy()
    server.forceShutdown()
    await new Promise((resolve) => listener.close(resolve))
  }
}
