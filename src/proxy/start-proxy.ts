import type { ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { sleep } from '../base/clock.ts'
import type { Clock } from '../base/clock.ts'
import type { HostFiles } from '../base/host/index.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import { CSI_RPCS, parseEndpoint } from '../csi/index.ts'
import type { Rpc } from '../csi/index.ts'
import { ORIGINAL_AUTHORITY } from '../csi/http2/authority-repair.ts'
import { listenOnSocket } from '../csi/kit/listen-on-socket.ts'
import { applyFault } from './apply-fault.ts'
import type { Ending } from './apply-fault.ts'
import type { FaultChooser } from './faults/create-fault-chooser.ts'
import type { Fault } from './faults/fault.ts'
import { subjectsOf } from './faults/subjects-of.ts'
import { callDriver, sendReply } from './grpc/call-driver.ts'
import { joinConnections } from './grpc/join-connections.ts'
import type { IncomingCall } from './grpc/join-connections.ts'
import { headersOf, statusOf } from './grpc/reply.ts'
import type { Reply } from './grpc/reply.ts'
import { decodeOne } from './recording/create-recorder.ts'
import type { Recorder } from './recording/create-recorder.ts'

export type ProxyOptions = {
  /** A path or unix:// address that the proxy serves. */
  readonly listen: string
  /** That of the driver. It need not be served yet. */
  readonly to: string
  /** Default: every call is passed on unchanged. Several proxies may share it. */
  readonly faults?: FaultChooser
  readonly recorder?: Recorder
  readonly clock: Clock
  readonly random: Random
  readonly files: HostFiles
  readonly log: Logger
}

export interface RunningProxy {
  readonly path: string
  /** Closes the socket and all connections. */
  stop(): Promise<void>
}

/** Starts a proxy in front of a driver. Calls of every service pass through byte for byte, unless a fault applies to them. */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const { files, random, log } = options
  const to = parseEndpoint(options.to)
  const path = parseEndpoint(options.listen)
  if (to === path) throw new Error(`the proxy cannot listen on the driver's own socket ${to}`)
  const open = new Set<{ close(): void }>()
  const onConnection = (socket: Socket): void => {
    const joined = joinConnections(socket, {
      to,
      onCall: (call) =>
        void passCall(call, options).catch((error: unknown) => {
          log.error('call not passed on', { error })
          call.caller.destroy()
        }),
      onLost: (error) =>
        log.warn('no connection to the driver', { to, error: error?.message ?? 'closed by the driver' }),
    })
    open.add(joined)
    socket.once('close', () => open.delete(joined))
  }
  const listener = await listenOnSocket({
    path,
    files,
    random,
    onConnection,
    onError: (error) => log.error('connection not accepted', { error }),
  })
  const stop = async (): Promise<void> => {
    await listener.close()
    for (const joined of open) joined.close()
  }
  return { path, stop }
}

const RPC_BY_PATH: ReadonlyMap<string, Rpc> = new Map(CSI_RPCS.values().map((rpc) => [rpc.path, rpc]))
const LARGEST_REQUEST_BYTES = 64 * 1024 * 1024

async function passCall(incoming: IncomingCall, options: ProxyOptions): Promise<void> {
  const { caller, rawHeaders, session, cut } = incoming
  const { clock, log, recorder, faults } = options
  const { [ORIGINAL_AUTHORITY]: authority, ...headers } = headersOf(rawHeaders)
  if (authority !== undefined) headers[':authority'] = authority
  const path = String(headers[':path'])
  const rpc = RPC_BY_PATH.get(path)
  // A call of CSI has one request message: it is read whole, because faults are chosen by its content. Others may be streams.
  const body = rpc ? await readBody(caller) : undefined
  if (rpc && !body) return
  const request = rpc && body ? decodeOne(rpc.requestType, body) : undefined
  const fault = faults?.choose({
    rpc: rpc?.name ?? path,
    isKnown: rpc !== undefined,
    subjects: rpc ? subjectsOf(rpc.requestName, request) : [],
  })
  const record = recorder?.begin(path, rpc, body)
  // The answer of an unknown method is only needed for a recording: it may be an endless stream.
  const isKept = rpc !== undefined || recorder !== undefined
  const call = (isLive: boolean): Promise<Reply> => callDriver({ session, headers, body, caller, isLive, isKept })
  if (fault) log.info('fault applied', { fault: fault.label, rpc: rpc?.name ?? path, kind: kindOf(fault) })
  if (!fault || (fault.action.kind === 'none' && fault.delayMs === 0)) {
    const reply = await call(true)
    learnFrom(reply)
    record?.end({ reply })
    return
  }
  if (!(await delayed(clock, fault.delayMs, caller))) {
    record?.end({ fault: { label: fault.label } })
    return
  }
  const { action } = fault
  if (action.kind === 'none') {
    const reply = await call(true)
    learnFrom(reply)
    record?.end({ reply, fault: { label: fault.label } })
    return
  }
  const ending = await applyFault(action, { rpc, exchange: () => call(false) })
  if (ending.reply) learnFrom(ending.reply)
  show(caller, ending, cut)
  const seen = ending.seen.kind === 'reply' ? ending.seen.reply : ({ kind: 'reset', code: 0 } as const)
  record?.end({
    ...(ending.reply ? { reply: ending.reply } : {}),
    fault: { label: fault.label, ...(seen === ending.reply ? {} : { seen }) },
  })

  function learnFrom(reply: Reply): void {
    if (!rpc || rpc.responseStream || reply.kind !== 'answer' || statusOf(reply)?.code !== 'OK') return
    faults?.learn(rpc, request, decodeOne(rpc.responseType, reply.body))
  }
}

const kindOf = ({ action, delayMs }: Fault): string =>
  action.kind === 'none' ? 'delay' : delayMs > 0 ? `delay, ${action.kind}` : action.kind

function show(caller: ServerHttp2Stream, { seen }: Ending, cut: () => void): void {
  switch (seen.kind) {
    case 'reply':
      return sendReply(caller, seen.reply)
    case 'cut':
      return cut()
    case 'silence':
      // The caller gives up at its deadline.
      return
  }
}

/** False: the caller has gone in the meantime. */
async function delayed(clock: Clock, delayMs: number, caller: ServerHttp2Stream): Promise<boolean> {
  if (delayMs > 0) {
    const gone = new AbortController()
    const onClose = (): void => gone.abort(new Error('the caller has gone'))
    caller.once('close', onClose)
    await sleep(clock, delayMs, gone.signal).catch(() => {})
    caller.off('close', onClose)
  }
  return !caller.destroyed
}

/** The whole request; undefined if the caller goes before it is complete. */
function readBody(caller: ServerHttp2Stream): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    caller.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > LARGEST_REQUEST_BYTES) caller.destroy()
    })
    caller.once('end', () => resolve(Buffer.concat(chunks)))
    caller.once('close', () => resolve(undefined))
  })
}
