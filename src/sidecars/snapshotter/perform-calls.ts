import type { KubeObject } from '../../api/object.ts'
import { removeFinalizerPatch } from '../../api/finalizers.ts'
import { refOf } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import { backoffDelayMs, backoffOf } from '../../base/backoff.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { outcomeOf } from '../../csi/outcome-of.ts'
import type { CsiRpc } from '../../csi/rpc.ts'
import { after, DONE, patchAsSeen } from '../../kube/controller/index.ts'
import type { ControllerRole, Pass, WorkResult } from '../../kube/controller/index.ts'
import { readSecret } from '../../storage/read-secret.ts'
import type { SecretRead } from '../../storage/read-secret.ts'
import type { Call, CallMemory, CallStep } from './driver-call.ts'
import type { SnapshotterConfig } from './snapshotter-options.ts'

type Content = KubeObject & {
  readonly status?: { readonly readyToUse?: boolean; readonly error?: { readonly message?: string } }
}

/** The differences between contents and group contents. */
export type CallWords = {
  readonly rpcOf: Readonly<Record<Call, CsiRpc>>
  readonly eventOf: Readonly<Record<Call, string>>
  /** The prefix of the message about a failed call. */
  readonly failed: Readonly<Record<Call, string>>
  readonly finalizer: string
  readonly beingCreated: string
}

/** A content that was deleted and created again starts from scratch. */
type Memory<Answer> = CallMemory<Answer> & { readonly uid: string }
type Reads = { readonly secret: SecretRead }
export type CallPass<View, Answer> = Pass<View, Memory<Answer>, Reads>
type StepOf<Kind extends CallStep<unknown>['kind'], Answer> = Extract<CallStep<Answer>, { kind: Kind }>

/** The steps for driver calls that every kind of content has, and the helpers of the calls themselves. */
export function createCallSteps<
  T extends Content,
  View extends { seen: { content: T } },
  Answer extends { isReady: boolean },
>({ api, clock, random, events }: ControllerRole, type: ResourceType<T>, config: SnapshotterConfig, words: CallWords) {
  type ThisPass = CallPass<View, Answer>
  const backoff = backoffOf(config)
  const uidOf = (pass: ThisPass): string => pass.view.seen.content.metadata.uid ?? ''
  const patchStatus = (content: T, status: object): Promise<unknown> =>
    api.patch(
      type,
      refOf(content),
      { type: 'merge', value: { metadata: { uid: content.metadata.uid }, status } },
      { subresource: 'status' },
    )

  const fail = (
    pass: ThisPass,
    failure: { call: Call; outcome: 'in-doubt' | 'final'; message: string },
  ): WorkResult => {
    const { memory } = pass
    const count = memory?.kind === 'failed' && memory.call === failure.call ? memory.count + 1 : 1
    const delayMs = backoffDelayMs(backoff, count, random)
    pass.memory = { kind: 'failed', uid: uidOf(pass), ...failure, count, retryAtMs: clock.monotonicMs() + delayMs }
    return after(delayMs)
  }

  /** Writes status and event. The same text is not written again. A failed deletion does not change the status. */
  const tell = async (pass: ThisPass, call: Call, text: string): Promise<void> => {
    const { content } = pass.view.seen
    if (call === 'delete') return pass.say(content, { type: 'Warning', event: words.eventOf.delete }, text)
    if (content.status?.error?.message === text) return
    events.record(content, 'Warning', words.eventOf[call], text)
    pass.log.warn('snapshot not taken', { content: content.metadata.name, why: text })
    await patchStatus(content, { readyToUse: false, error: { time: formatTimestamp(clock.nowMs()), message: text } })
  }

  /** Calls the driver; an error of the driver is reported and ends the pass. */
  const attempt =
    <Step>(
      call: Call,
      act: (step: Step, pass: ThisPass) => Promise<void>,
      describe = (text: string, _pass: ThisPass) => text,
    ) =>
    async (step: Step, pass: ThisPass): Promise<WorkResult | undefined> => {
      try {
        await act(step, pass)
        return undefined
      } catch (error) {
        pass.signal.throwIfAborted()
        if (!(error instanceof CsiError)) throw error
        const outcome = outcomeOf(words.rpcOf[call], error) === 'in-doubt' ? 'in-doubt' : 'final'
        const result = fail(pass, { call, outcome, message: error.message })
        await tell(pass, call, words.failed[call] + describe(error.message, pass))
        return result
      }
    }

  const answered = (pass: ThisPass, answer: Answer): void => {
    const polls = pass.memory?.kind === 'polling' ? pass.memory.count : 0
    pass.memory = { kind: 'answered', uid: uidOf(pass), answer, polls }
  }
  const deleted = (pass: ThisPass): void => {
    pass.memory = { kind: 'deleted', uid: uidOf(pass) }
  }
  /** Done once it is ready; otherwise it is checked again later, initially after a second. */
  const afterRecord = ({ isReady }: Answer, pass: ThisPass): WorkResult | undefined => {
    if (isReady) {
      pass.memory = undefined
      return undefined
    }
    const count = (pass.memory?.kind === 'answered' ? pass.memory.polls : 0) + 1
    const delayMs = backoffDelayMs(backoff, count, random)
    pass.memory = { kind: 'polling', uid: uidOf(pass), count, retryAtMs: clock.monotonicMs() + delayMs }
    return after(delayMs)
  }
  const mark = (content: T, value: 'yes' | null): Promise<void> =>
    patchAsSeen(api, type, content, {
      type: 'merge',
      value: { metadata: { uid: content.metadata.uid, annotations: { [words.beingCreated]: value } } },
    })

  return {
    attempt,
    answered,
    deleted,
    afterRecord,
    patchStatus,
    optionsOf: ({ signal }: ThisPass) => ({ timeoutMs: config.timeoutMs, signal }),
    secretsOf: ({ reads: { secret } }: ThisPass): Record<string, string> =>
      secret?.kind === 'read' ? { ...secret.values } : {},
    /** The memory of exactly this content. */
    memoryOf: (memory: Memory<Answer> | undefined, { metadata }: T): { memory?: CallMemory<Answer> } =>
      memory !== undefined && memory.uid === metadata.uid ? { memory } : {},
    perform: {
      refuse: async ({ call, reason }: StepOf<'refuse', Answer>, pass: ThisPass) => {
        const text = formatReason(reason)
        await tell(pass, call, call === 'delete' ? text : words.failed[call] + text)
        return fail(pass, { call, outcome: 'final', message: reason.message ?? text })
      },
      'read-secret': async ({ ref }: StepOf<'read-secret', Answer>, pass: ThisPass) => {
        pass.reads = { secret: await readSecret(api, ref) }
      },
      'mark-being-created': (_step: unknown, { view: { seen } }: ThisPass) => mark(seen.content, 'yes'),
      'unmark-being-created': (_step: unknown, { view: { seen } }: ThisPass) => mark(seen.content, null),
      release: async (_step: unknown, pass: ThisPass) => {
        const { content } = pass.view.seen
        await patchAsSeen(api, type, content, removeFinalizerPatch(content, words.finalizer))
        return DONE
      },
    },
  }
}
