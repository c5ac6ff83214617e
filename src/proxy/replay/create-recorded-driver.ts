import { dirname, join } from 'node:path'
import { sleep } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import { makeDirectories, removeFileIfPresent } from '../../base/host/index.ts'
import type { HostFiles } from '../../base/host/index.ts'
import type { Logger } from '../../base/logger.ts'
import { CSI_RPCS, CsiError, printableMessage } from '../../csi/index.ts'
import type { CallContext, Rpc } from '../../csi/index.ts'
import type { Dispatcher } from '../../csi/kit/index.ts'
import { parsePrintableMessage } from '../../csi/parse-printable-message.ts'
import type { Json, RecordedReply } from '../recording/recording.ts'
import { nextAnswerStep, NO_ANSWERS } from './next-answer-step.ts'
import type { Recording } from './parse-recording.ts'

export type RecordedDriverParts = {
  readonly clock: Clock
  readonly files: HostFiles
  readonly log: Logger
  /** Directory for the volumes that are published. They are empty, and published as links. */
  readonly root: string
  /** Whether an answer takes as long as the recorded one. Default false: as fast as possible. */
  readonly isTimed?: boolean
}

/** A driver that answers as the one of a recording did. */
export function createRecordedDriver({ calls }: Recording, parts: RecordedDriverParts): Dispatcher {
  const { clock, log, isTimed = false } = parts
  let state = NO_ANSWERS
  const rpcs = new Map(CSI_RPCS.values().map((rpc) => [rpc.path, rpc]))

  const answer = async (path: string, bytes: Uint8Array, { signal }: CallContext): Promise<Uint8Array[]> => {
    const rpc = rpcs.get(path)
    if (!rpc) throw new CsiError('UNIMPLEMENTED', `${path} is not a call of CSI`)
    const request = printableMessage(rpc.requestName, rpc.requestType.decode(bytes))
    const step = nextAnswerStep(calls, { rpc: rpc.name, request }, state)
    state = step.state
    if (step.kind === 'unknown') {
      log.warn('call without a recorded answer', { rpc: rpc.name, problem: step.problem })
      throw new CsiError('INTERNAL', step.problem)
    }
    if (step.kind === 'nothing-to-undo') log.warn('call without a recorded answer', { rpc: rpc.name, answer: 'OK' })
    else log.info('recorded answer', { rpc: rpc.name, call: step.call.call, code: step.reply.code })
    if (isTimed && step.kind === 'answer') await sleep(clock, step.call.tookMs, signal)
    const messages = step.kind === 'answer' ? messagesOf(rpc, step.reply) : [encode(rpc, {})]
    await showOnDisk(rpc.name, request, parts)
    return messages
  }
  return {
    rpcs,
    unary: async (path, bytes, call) => (await answer(path, bytes, call))[0] ?? new Uint8Array(),
    serverStream: async function* (path, bytes, call) {
      yield* await answer(path, bytes, call)
    },
  }
}

function messagesOf(rpc: Rpc, { code, message = '', response = {}, responses = [] }: RecordedReply): Uint8Array[] {
  if (code === 'none') throw new CsiError('UNAVAILABLE', `the recorded call ended without a status: ${message}`)
  if (code !== 'OK') throw new CsiError(code, message)
  return rpc.responseStream ? responses.map((each) => encode(rpc, each)) : [encode(rpc, response)]
}

const encode = (rpc: Rpc, json: Json): Uint8Array =>
  rpc.responseType.encode(rpc.responseType.fromPartial(parsePrintableMessage(rpc.responseName, json))).finish()

/** A node agent finds at the target what it expects there: a link to an empty volume. */
async function showOnDisk(rpc: string, request: Json, { files, root }: RecordedDriverParts): Promise<void> {
  const { target_path: target, volume_id: id, volume_capability: capability } = request
  if (typeof target !== 'string' || typeof id !== 'string') return
  if (rpc === 'NodeUnpublishVolume') {
    if ((await files.findStat(target))?.kind === 'symlink') await removeFileIfPresent(files, target)
    return
  }
  if (rpc !== 'NodePublishVolume' || (await files.findStat(target))) return
  const place = join(root, Buffer.from(id).toString('hex').slice(0, 64))
  const isBlock = typeof capability === 'object' && capability !== null && 'block' in capability
  await makeDirectories(files, isBlock ? dirname(place) : place)
  if (isBlock && !(await files.findStat(place))) await files.writeFile(place, new Uint8Array())
  await files.makeSymlink(place, target)
}
