import { CSI_RPCS } from '../../csi/index.ts'
import type { Json, RecordedCall, RecordedReply } from '../recording/recording.ts'

/** Which answers of a recording were given, and which recorded name stands for each name of the cluster. */
export type AnswerState = {
  /** How many answers were given, by call and subject. */
  readonly given: ReadonlyMap<string, number>
  /** The recorded name, by call and the name that the cluster uses. */
  readonly names: ReadonlyMap<string, string>
}

export const NO_ANSWERS: AnswerState = { given: new Map(), names: new Map() }

export type AnswerStep =
  | { readonly kind: 'answer'; readonly call: RecordedCall; readonly reply: RecordedReply; readonly state: AnswerState }
  /** The recording has no such call; undoing what was never done here is no error. */
  | { readonly kind: 'nothing-to-undo'; readonly state: AnswerState }
  | { readonly kind: 'unknown'; readonly problem: string; readonly state: AnswerState }

/** These calls undo something. A cluster makes them to clean up, whether or not the recording goes that far. */
const UNDOING: ReadonlySet<string> = new Set([
  'DeleteVolume',
  'DeleteSnapshot',
  'DeleteVolumeGroupSnapshot',
  'ControllerUnpublishVolume',
  'NodeUnstageVolume',
  'NodeUnpublishVolume',
])

/**
 * The recorded answer to a call of a cluster. Calls about one volume get the answers about one recorded volume, in order; the last one is repeated. A
 * name that the cluster chose stands for the next recorded name that no other stands for. IDs are those of the recording.
 */
export function nextAnswerStep(
  calls: readonly RecordedCall[],
  { rpc, request }: { rpc: string; request: Json },
  state: AnswerState,
): AnswerStep {
  const path = pathOf(rpc)
  const recorded = calls.filter((call) => call.rpc === path && seenReply(call))
  const named = typeof request['name'] === 'string' ? request['name'] : undefined
  const standIn = named === undefined ? undefined : findStandIn(recorded, { rpc, name: named }, state)
  if (named !== undefined && standIn === undefined)
    return unknown(`the recording has no ${rpc} for another name than those in use; asked for ${named}`, state)
  const names =
    named === undefined || standIn === undefined ? state.names : withEntry(state.names, nameKey(rpc, named), standIn)
  const subject = standIn ?? subjectOf(request)
  const answers = recorded.filter((call) => subjectOf(call.request ?? {}) === subject)
  const key = `${rpc} ${subject}`
  const count = state.given.get(key) ?? 0
  const call = answers[Math.min(count, answers.length - 1)]
  const reply = call && seenReply(call)
  if (!call || !reply) {
    if (UNDOING.has(rpc)) return { kind: 'nothing-to-undo', state }
    return unknown(`the recording has no ${rpc}${subject === '' ? '' : ` for ${subject}`}`, state)
  }
  return { kind: 'answer', call, reply, state: { names, given: withEntry(state.given, key, count + 1) } }
}

/** What the caller saw: a fault of the proxy included. */
const seenReply = ({ reply, fault }: RecordedCall): RecordedReply | undefined => fault?.reply ?? reply

const pathOf = (rpc: string): string | undefined => CSI_RPCS.values().find(({ name }) => name === rpc)?.path

const nameKey = (rpc: string, name: string): string => `${rpc} ${name}`

function findStandIn(
  recorded: readonly RecordedCall[],
  { rpc, name }: { rpc: string; name: string },
  { names }: AnswerState,
): string | undefined {
  const known = names.get(nameKey(rpc, name))
  if (known !== undefined) return known
  const all = recorded.map(({ request }) => subjectOf(request ?? {}))
  // A cluster with the recorded names itself keeps them.
  if (all.includes(name) && !isTaken(rpc, name, names)) return name
  return all.find((each) => !isTaken(rpc, each, names))
}

const isTaken = (rpc: string, recorded: string, names: ReadonlyMap<string, string>): boolean =>
  [...names].some(([key, value]) => key.startsWith(`${rpc} `) && value === recorded)

const SUBJECTS = ['name', 'volume_id', 'snapshot_id', 'group_snapshot_id', 'target_snapshot_id'] as const

/** What a request is about; empty for a call about the driver itself. */
function subjectOf(request: Json): string {
  const found = SUBJECTS.map((key) => request[key]).find((value) => typeof value === 'string' && value !== '')
  return typeof found === 'string' ? found : ''
}

const unknown = (problem: string, state: AnswerState): AnswerStep => ({ kind: 'unknown', problem, state })

const withEntry = <V>(map: ReadonlyMap<string, V>, key: string, value: V): ReadonlyMap<string, V> =>
  new Map([...map, [key, value]])
