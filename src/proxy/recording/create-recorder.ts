import type { Clock } from '../../base/clock.ts'
import { hideSecrets, printableMessage } from '../../csi/index.ts'
import type { Rpc } from '../../csi/index.ts'
import { splitMessages } from '../grpc/grpc-messages.ts'
import { statusOf } from '../grpc/reply.ts'
import type { Reply } from '../grpc/reply.ts'
import type { Json, RecordedCall, RecordedReply, RecordingHeader } from './recording.ts'

export type RecorderParts = {
  readonly clock: Clock
  /** Writes one line, without its newline. */
  write(line: string): void
  /** Default false: the values of secrets are replaced, and messages of methods that are not CSI's are left out. */
  readonly showSecrets?: boolean
}

/** A call that is running. */
export interface RunningRecord {
  /** `reply`: what the driver answered, if it got the call. `seen`: what the caller got, if that differs. Undefined: nothing. */
  end(outcome: { reply?: Reply; fault?: { label: string; seen?: Reply } }): void
}

export interface Recorder {
  begin(path: string, rpc: Rpc | undefined, body: Buffer | undefined): RunningRecord
}

/** Writes the calls of a proxy as lines of JSON. Secrets are left out unless they are asked for. */
export function createRecorder({ clock, write, showSecrets = false }: RecorderParts): Recorder {
  const startedMs = clock.monotonicMs()
  const header: RecordingHeader = {
    recording: 'holdfast',
    version: 1,
    secrets: showSecrets ? 'kept' : 'hidden',
    startedAt: new Date(clock.nowMs()).toISOString(),
  }
  write(JSON.stringify(header))
  let calls = 0
  let turns = 0

  const begin = (path: string, rpc: Rpc | undefined, body: Buffer | undefined): RunningRecord => {
    const call = ++calls
    const begins = ++turns
    const beganMs = clock.monotonicMs()
    const request = rpc && body ? decodeOne(rpc.requestType, body) : undefined
    const describe = (reply: Reply): RecordedReply => describeReply(reply, { rpc, request, showSecrets })
    const end: RunningRecord['end'] = ({ reply, fault }) => {
      const line: RecordedCall = {
        call,
        rpc: path,
        startedMs: rounded(beganMs - startedMs),
        tookMs: rounded(clock.monotonicMs() - beganMs),
        begins,
        ends: ++turns,
        ...(rpc && request !== undefined
          ? { request: printableMessage(rpc.requestName, request, { showSecrets }) }
          : bodyOf(body, showSecrets, 'requestBody')),
        ...(reply ? { reply: describe(reply) } : {}),
        ...(fault ? { fault: { label: fault.label, ...(fault.seen ? { reply: describe(fault.seen) } : {}) } } : {}),
      }
      write(JSON.stringify(line))
    }
    return { end }
  }
  return { begin }
}

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000

const bodyOf = (body: Buffer | undefined, showSecrets: boolean, key: 'body' | 'requestBody'): object =>
  body && body.length > 0 && showSecrets ? { [key]: body.toString('base64') } : {}

type Described = { rpc: Rpc | undefined; request: unknown; showSecrets: boolean }

function describeReply(reply: Reply, { rpc, request, showSecrets }: Described): RecordedReply {
  if (reply.kind === 'reset') return { code: 'none', message: `the call was reset with HTTP/2 code ${reply.code}` }
  const status = statusOf(reply)
  const hide = (text: string): string =>
    rpc && request !== undefined && !showSecrets ? hideSecrets(rpc.requestName, request, text) : text
  const text = status?.message ?? 'the answer has no gRPC status'
  // Some servers say "OK" to a success.
  const said = text === '' || status?.code === 'OK' ? {} : { message: hide(text) }
  const responses = rpc ? decodeAll(rpc, reply.body, showSecrets) : undefined
  const code = status?.code ?? 'none'
  if (!rpc || !responses) return { code, ...said, ...bodyOf(reply.body, showSecrets, 'body') }
  if (rpc.responseStream) return { code, ...said, responses }
  const [response] = responses
  return { code, ...said, ...(response ? { response } : {}) }
}

/** Undefined if a message cannot be read. */
function decodeAll(rpc: Rpc, body: Buffer, showSecrets: boolean): Json[] | undefined {
  const messages = splitMessages(body)
  try {
    return messages?.map((bytes) => printableMessage(rpc.responseName, rpc.responseType.decode(bytes), { showSecrets }))
  } catch {
    return undefined
  }
}

/** The message of a body that holds exactly one; undefined if it cannot be read. */
export function decodeOne(type: Rpc['requestType'], body: Buffer): unknown {
  const messages = splitMessages(body)
  const [bytes] = messages ?? []
  if (!bytes || messages?.length !== 1) return undefined
  try {
    return type.decode(bytes)
  } catch {
    return undefined
  }
}
