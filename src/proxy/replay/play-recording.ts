import { dirname } from 'node:path'
import { makeDirectories } from '../../base/host/index.ts'
import type { HostFiles } from '../../base/host/index.ts'
import { CSI_RPCS, CsiError, printableMessage } from '../../csi/index.ts'
import type { CallOptions, Driver, Rpc } from '../../csi/index.ts'
import { parsePrintableMessage } from '../../csi/parse-printable-message.ts'
import type { RecordedCall, RecordedReply } from '../recording/recording.ts'
import { compareReplies } from './compare-replies.ts'
import type { Difference } from './compare-replies.ts'
import type { Recording } from './parse-recording.ts'
import { missingSecrets, translateRequest } from './translate-request.ts'
import type { RequestParts } from './translate-request.ts'
import { createValueMap } from './value-map.ts'

export type PlayedCall = { readonly call: RecordedCall; readonly rpc: string } & (
  | { readonly kind: 'same' }
  | { readonly kind: 'different'; readonly differences: readonly Difference[] }
  /** Not played, or played without comparing. */
  | { readonly kind: 'skipped'; readonly why: string }
)

export type PlayParts = Omit<RequestParts, 'values'> & {
  readonly driver: Driver
  readonly files: HostFiles
  readonly timeoutMs: number
  /** Whether a difference does not count. */
  isIgnored(rpc: string, field: string): boolean
  onPlayed?(played: PlayedCall): void
  readonly signal?: AbortSignal
}

/**
 * Plays the calls of a recording against a driver and compares its answers. The order is that of the recording: a call starts after every call that
 * had ended before its start, so that calls which overlapped overlap again.
 */
export async function playRecording({ calls }: Recording, parts: PlayParts): Promise<PlayedCall[]> {
  const values = createValueMap()
  const running = new Map<RecordedCall, Promise<PlayedCall>>()
  const played: PlayedCall[] = []
  const turns = calls
    .flatMap((call) => [
      { call, at: call.begins, isStart: true },
      { call, at: call.ends, isStart: false },
    ])
    .sort((one, other) => one.at - other.at)
  for (const { call, isStart } of turns) {
    parts.signal?.throwIfAborted()
    if (isStart) {
      running.set(call, playCall(call, { ...parts, values }))
      continue
    }
    const result = await running.get(call)
    if (!result) continue
    played.push(result)
    parts.onPlayed?.(result)
  }
  return played
}

const RPC_BY_PATH: ReadonlyMap<string, Rpc> = new Map(CSI_RPCS.values().map((rpc) => [rpc.path, rpc]))

async function playCall(call: RecordedCall, parts: PlayParts & RequestParts): Promise<PlayedCall> {
  const rpc = RPC_BY_PATH.get(call.rpc)
  const name = rpc?.name ?? call.rpc
  const skip = (why: string): PlayedCall => ({ call, rpc: name, kind: 'skipped', why })
  if (!rpc) return skip('it is not a call of CSI')
  if (!call.request) return skip('its request is not in the recording')
  if (!call.reply) return skip('it never reached the driver')
  const missing = missingSecrets(call.request, parts.secrets)
  const request = translateRequest(call.request, parts)
  await makeParents(request, parts.files)
  const actual = await callDriver(rpc, request, parts)
  if (call.reply.code === 'none') return skip('the recorded call has no answer to compare with')
  const differences = compareReplies(call.reply, actual, parts.values).filter(
    ({ field }) => !parts.isIgnored(rpc.name, field),
  )
  if (differences.length === 0) return { call, rpc: name, kind: 'same' }
  // The driver cannot do the same with other secrets.
  if (missing.length > 0 && actual.code !== 'OK' && call.reply.code === 'OK')
    return skip(`the recording does not have the secrets ${missing.join(', ')}; give them with --secrets`)
  return { call, rpc: name, kind: 'different', differences }
}

/** As a caller has to: the staging directory exists, and so does the directory of the target. */
async function makeParents(request: Readonly<Record<string, unknown>>, files: HostFiles): Promise<void> {
  const { staging_target_path: staging, target_path: target } = request
  if (typeof staging === 'string' && staging !== '') await makeDirectories(files, staging)
  if (typeof target === 'string' && target !== '') await makeDirectories(files, dirname(target))
}

const NO_REASON = CsiError.answered('UNKNOWN', '', '').detail

async function callDriver(
  rpc: Rpc,
  request: Readonly<Record<string, unknown>>,
  { driver, timeoutMs, signal }: PlayParts,
): Promise<RecordedReply> {
  // The table of calls and the interface come from the same definitions.
  const calls = driver as unknown as Readonly<Record<string, (request: object, options: CallOptions) => unknown>>
  const options = { timeoutMs, ...(signal ? { signal } : {}) }
  try {
    const answer = calls[rpc.key]?.(parsePrintableMessage(rpc.requestName, request), options)
    const print = (message: unknown) => printableMessage(rpc.responseName, message)
    if (!rpc.responseStream) return { code: 'OK', response: print(await answer) }
    const responses: ReturnType<typeof print>[] = []
    for await (const message of answer as AsyncIterable<unknown>) responses.push(print(message))
    return { code: 'OK', responses }
  } catch (error) {
    const { code, detail } = CsiError.from(error, rpc.name)
    // The client's words for a driver that gave no reason.
    return { code: code ?? 'none', ...(detail === NO_REASON ? {} : { message: detail }) }
  }
}
