import { removeFinalizerPatch } from '../../api/finalizers.ts'
import { VOLUME_SNAPSHOT_CONTENTS } from '../../api/kinds/volume-snapshot.ts'
import type { VolumeSnapshotClass, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import { refOf } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import { CsiError } from '../../csi/csi-error.ts'
import type { Snapshot } from '../../csi/generated/csi/v1/csi.ts'
import { outcomeOf } from '../../csi/outcome-of.ts'
import type { Driver } from '../../csi/rpc.ts'
import { after, defineController, DONE, patchAsSeen } from '../../kube/controller/index.ts'
import type { ControllerRole, FollowedKind, Pass, Watch, WorkQueue, WorkResult } from '../../kube/controller/index.ts'
import { readSecret } from '../../storage/read-secret.ts'
import type { SecretRead } from '../../storage/read-secret.ts'
import { BEING_CREATED, CONTENT_FINALIZER } from '../../storage/snapshot-names.ts'
import { readContentView } from './content-view.ts'
import type { ContentMemory, ContentView, SnapshotAnswer } from './content-view.ts'
import { nextContentStep } from './next-content-step.ts'
import type { ContentStep, CreateRequest } from './next-content-step.ts'
import { REASONS } from './reasons.ts'
import type { SnapshotterConfig } from './snapshotter-options.ts'

export type ContentParts = {
  readonly driver: Driver
  readonly driverName: string
  readonly config: SnapshotterConfig
  readonly canList: boolean
  readonly queue: WorkQueue
  readonly watch: readonly Watch[]
  readonly contents: FollowedKind<VolumeSnapshotContent>
  readonly classes: FollowedKind<VolumeSnapshotClass>
}

/** A content that was deleted and created again starts from scratch. */
type Memory = ContentMemory & { readonly uid: string }
type Reads = { readonly secret: SecretRead }
type ContentPass = Pass<ContentView, Memory, Reads>
type Failure = Extract<ContentMemory, { kind: 'failed' }>

/** Takes, checks and deletes snapshots through the driver. */
export function defineContentController(
  { api, clock, random, events }: ControllerRole,
  { driver, driverName, config, canList, queue, watch, contents, classes }: ContentParts,
) {
  const backoff = { initialMs: config.retryIntervalStartMs, maximumMs: config.retryIntervalMaxMs }
  const names = { prefix: config.snapshotNamePrefix, uuidLength: config.snapshotNameUuidLength }
  const optionsOf = ({ signal }: ContentPass) => ({ timeoutMs: config.timeoutMs, signal })
  const secretsOf = ({ reads: { secret } }: ContentPass): Record<string, string> =>
    secret?.kind === 'read' ? { ...secret.values } : {}
  const patchStatus = (content: VolumeSnapshotContent, status: object): Promise<unknown> =>
    api.patch(
      VOLUME_SNAPSHOT_CONTENTS,
      refOf(content),
      { type: 'merge', value: { metadata: { uid: content.metadata.uid }, status } },
      { subresource: 'status' },
    )
  const uidOf = (pass: ContentPass): string => pass.view.seen.content.metadata.uid ?? ''

  const fail = (pass: ContentPass, failure: Pick<Failure, 'call' | 'outcome' | 'message'>): WorkResult => {
    const { memory } = pass
    const count = memory?.kind === 'failed' && memory.call === failure.call ? memory.count + 1 : 1
    const delayMs = backoffDelayMs(backoff, count, random)
    pass.memory = { kind: 'failed', uid: uidOf(pass), ...failure, count, retryAtMs: clock.monotonicMs() + delayMs }
    return after(delayMs)
  }

  /** Status and event. The same text is not written again. */
  const tell = async (pass: ContentPass, event: string, text: string): Promise<void> => {
    const { content } = pass.view.seen
    if (content.status?.error?.message === text) return
    events.record(content, 'Warning', event, text)
    pass.log.warn('snapshot not taken', { content: content.metadata.name, why: text })
    await patchStatus(content, { readyToUse: false, error: { time: formatTimestamp(clock.nowMs()), message: text } })
  }

  /** Calls the driver; an error of the driver is reported and ends the pass. */
  const attempt =
    <Step>(call: Failure['call'], act: (step: Step, pass: ContentPass) => Promise<void>) =>
    async (step: Step, pass: ContentPass): Promise<WorkResult | undefined> => {
      try {
        await act(step, pass)
        return undefined
      } catch (error) {
        pass.signal.throwIfAborted()
        if (!(error instanceof CsiError)) throw error
        const outcome = outcomeOf(RPC_OF[call], error) === 'in-doubt' ? 'in-doubt' : 'final'
        const result = fail(pass, { call, outcome, message: error.message })
        await report(call, error.message, pass)
        return result
      }
    }
  const report = async (call: Failure['call'], message: string, pass: ContentPass): Promise<void> => {
    const { content } = pass.view.seen
    const { volumeHandle = '' } = content.spec.source
    if (call === 'delete')
      pass.say(content, { type: 'Warning', event: 'SnapshotDeleteError' }, `Failed to delete snapshot: ${message}`)
    else if (call === 'check')
      await tell(pass, 'SnapshotContentCheckandUpdateFailed', `Failed to check and update snapshot content: ${message}`)
    else
      await tell(
        pass,
        'SnapshotCreationFailed',
        `Failed to create snapshot: failed to take snapshot of the volume ${volumeHandle}: ${JSON.stringify(message)}`,
      )
  }
  const answer = (pass: ContentPass, answered: SnapshotAnswer): void => {
    const polls = pass.memory?.kind === 'polling' ? pass.memory.count : 0
    pass.memory = { kind: 'answered', uid: uidOf(pass), answer: answered, polls }
  }

  const create = async (request: CreateRequest, pass: ContentPass): Promise<void> => {
    const { snapshot } = await driver.createSnapshot(
      { ...request, parameters: { ...request.parameters }, secrets: secretsOf(pass) },
      optionsOf(pass),
    )
    if (!snapshot?.snapshotId)
      throw new CsiError('INTERNAL', 'the driver answered without a snapshot', { rpc: 'CreateSnapshot' })
    answer(pass, answerOf(snapshot, clock.nowMs()))
  }
  const check = async (snapshotHandle: string, pass: ContentPass): Promise<void> => {
    // A driver that lists nothing is believed: the handle exists and is ready.
    if (!canList)
      return answer(pass, { snapshotHandle, creationTimeNs: nsOf(clock.nowMs()), sizeBytes: 0n, isReady: true })
    const request = {
      maxEntries: 0,
      startingToken: '',
      sourceVolumeId: '',
      snapshotId: snapshotHandle,
      secrets: secretsOf(pass),
    }
    const [entry] = (await driver.listSnapshots(request, optionsOf(pass))).entries
    if (!entry?.snapshot)
      throw new CsiError('NOT_FOUND', formatReason(REASONS.snapshotNotFound(snapshotHandle)), { rpc: 'ListSnapshots' })
    answer(pass, { ...answerOf(entry.snapshot, clock.nowMs()), snapshotHandle })
  }
  const record = async (answered: SnapshotAnswer, pass: ContentPass): Promise<WorkResult | undefined> => {
    const { content } = pass.view.seen
    const { snapshotHandle, readyToUse, creationTime, restoreSize, error } = content.status ?? {}
    // A snapshot that is still not ready has nothing new to say.
    if (snapshotHandle === answered.snapshotHandle && readyToUse === answered.isReady) return next(answered, pass)
    await patchStatus(content, {
      snapshotHandle: answered.snapshotHandle,
      readyToUse: answered.isReady,
      ...(creationTime === undefined ? { creationTime: Number(answered.creationTimeNs) } : {}),
      ...(restoreSize === undefined && answered.sizeBytes > 0n ? { restoreSize: Number(answered.sizeBytes) } : {}),
      ...(answered.groupHandle ? { volumeGroupSnapshotHandle: answered.groupHandle } : {}),
      ...(answered.isReady && error ? { error: null } : {}),
    })
    pass.log.info('snapshot recorded', {
      content: content.metadata.name,
      snapshot: answered.snapshotHandle,
      ready: answered.isReady,
    })
    pass.unsay()
    return next(answered, pass)
  }
  const next = ({ isReady }: SnapshotAnswer, pass: ContentPass): WorkResult | undefined => {
    if (!isReady) return poll(pass)
    pass.memory = undefined
    return undefined
  }
  /** Asks again later, at first after a second. */
  const poll = (pass: ContentPass): WorkResult => {
    const count = (pass.memory?.kind === 'answered' ? pass.memory.polls : 0) + 1
    const delayMs = backoffDelayMs(backoff, count, random)
    pass.memory = { kind: 'polling', uid: uidOf(pass), count, retryAtMs: clock.monotonicMs() + delayMs }
    return after(delayMs)
  }

  return defineController<ContentView, ContentStep, Memory, Reads>({
    name: 'snapshotter',
    queue,
    watch,
    view: (key, { memory, reads }) => {
      const seen = readContentView(contents.get(key), (name) => classes.get(name), driverName)
      if (!seen) return undefined
      const isOfContent = memory !== undefined && memory.uid === seen.content.metadata.uid
      const rules = { canList, names, passesMetadata: config.extraCreateMetadata }
      return { seen, held: { nowMs: clock.monotonicMs(), ...rules, ...reads, ...(isOfContent ? { memory } : {}) } }
    },
    decide: nextContentStep,
    perform: {
      refuse: async ({ call, reason }, pass) => {
        const text = formatReason(reason)
        if (call === 'delete') pass.say(pass.view.seen.content, { type: 'Warning', event: 'SnapshotDeleteError' }, text)
        else
          await tell(
            pass,
            call === 'create' ? 'SnapshotCreationFailed' : 'SnapshotContentCheckandUpdateFailed',
            REFUSED[call] + text,
          )
        return fail(pass, { call, outcome: 'final', message: reason.message ?? text })
      },
      'read-secret': async ({ ref }, pass) => {
        pass.reads = { secret: await readSecret(api, ref) }
      },
      'mark-being-created': (_step, { view: { seen } }) => markBeingCreated(api, seen.content, 'yes'),
      'unmark-being-created': (_step, { view: { seen } }) => markBeingCreated(api, seen.content, null),
      create: attempt<Extract<ContentStep, { kind: 'create' }>>('create', ({ request }, pass) => create(request, pass)),
      check: attempt<Extract<ContentStep, { kind: 'check' }>>('check', ({ snapshotHandle }, pass) =>
        check(snapshotHandle, pass),
      ),
      record: ({ answer: answered }, pass) => record(answered, pass),
      delete: attempt<Extract<ContentStep, { kind: 'delete' }>>(
        'delete',
        async ({ snapshotHandle: snapshotId }, pass) => {
          await driver.deleteSnapshot({ snapshotId, secrets: secretsOf(pass) }, optionsOf(pass))
          pass.memory = { kind: 'deleted', uid: uidOf(pass) }
          pass.log.info('snapshot deleted', { content: pass.key, snapshot: snapshotId })
        },
      ),
      release: async (_step, pass) => {
        const { content } = pass.view.seen
        await patchAsSeen(api, VOLUME_SNAPSHOT_CONTENTS, content, removeFinalizerPatch(content, CONTENT_FINALIZER))
        return DONE
      },
    },
    report: { event: 'SnapshotCreationFailed', about: ({ seen }) => seen.content },
  })
}

const RPC_OF = { create: 'CreateSnapshot', check: 'ListSnapshots', delete: 'DeleteSnapshot' } as const
const REFUSED = {
  create: 'Failed to create snapshot: ',
  check: 'Failed to check and update snapshot content: ',
} as const

const markBeingCreated = (
  api: ControllerRole['api'],
  content: VolumeSnapshotContent,
  value: 'yes' | null,
): Promise<void> =>
  patchAsSeen(api, VOLUME_SNAPSHOT_CONTENTS, content, {
    type: 'merge',
    value: { metadata: { uid: content.metadata.uid, annotations: { [BEING_CREATED]: value } } },
  })

function answerOf(
  { snapshotId, creationTime, sizeBytes, readyToUse, groupSnapshotId }: Snapshot,
  nowMs: number,
): SnapshotAnswer {
  const creationTimeNs = creationTime ? creationTime.seconds * 1_000_000_000n + BigInt(creationTime.nanos) : nsOf(nowMs)
  const group = groupSnapshotId ? { groupHandle: groupSnapshotId } : {}
  return { snapshotHandle: snapshotId, creationTimeNs, sizeBytes, isReady: readyToUse, ...group }
}

const nsOf = (ms: number): bigint => BigInt(Math.trunc(ms)) * 1_000_000n
