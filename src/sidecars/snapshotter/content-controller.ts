import { VOLUME_SNAPSHOT_CONTENTS } from '../../api/kinds/volume-snapshot.ts'
import type { VolumeSnapshotClass, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import { int64Of } from '../../api/int64.ts'
import { formatReason } from '../../api/reason.ts'
import { CsiError } from '../../csi/csi-error.ts'
import type { Snapshot } from '../../csi/generated/csi/v1/csi.ts'
import type { Driver } from '../../csi/rpc.ts'
import { defineController } from '../../kube/controller/index.ts'
import type { ControllerRole, FollowedKind, Watch, WorkQueue, WorkResult } from '../../kube/controller/index.ts'
import { BEING_CREATED, CONTENT_FINALIZER } from '../../storage/snapshot-names.ts'
import { readContentView } from './content-view.ts'
import type { ContentView, SnapshotAnswer } from './content-view.ts'
import { nanosecondsOf } from './nanoseconds-of.ts'
import { nextContentStep } from './next-content-step.ts'
import type { ContentStep, CreateRequest } from './next-content-step.ts'
import { createCallSteps } from './perform-calls.ts'
import type { CallPass, CallWords } from './perform-calls.ts'
import { REASONS } from './reasons.ts'
import type { SnapshotterConfig } from './snapshotter-options.ts'

type ContentPass = CallPass<ContentView, SnapshotAnswer>

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

/** Takes, checks and deletes snapshots through the driver. */
export function defineContentController(
  role: ControllerRole,
  { driver, driverName, config, canList, queue, watch, contents, classes }: ContentParts,
) {
  const { clock } = role
  const names = { prefix: config.snapshotNamePrefix, uuidLength: config.snapshotNameUuidLength }
  const calls = createCallSteps<VolumeSnapshotContent, ContentView, SnapshotAnswer>(
    role,
    VOLUME_SNAPSHOT_CONTENTS,
    config,
    WORDS,
  )
  const { attempt, answered: answer, optionsOf, secretsOf } = calls

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
    // For a driver that does not list snapshots, the handle is assumed to exist and to be ready.
    if (!canList)
      return answer(pass, {
        snapshotHandle,
        creationTimeNs: nanosecondsOf(undefined, clock.nowMs()),
        sizeBytes: 0n,
        isReady: true,
      })
    const request = {
      maxEntries: 0,
      startingToken: '',
      sourceVolumeId: '',
      snapshotId: snapshotHandle,
      secrets: secretsOf(pass),
    }
    const [entry] = (await driver.listSnapshots(request, optionsOf(pass))).entries
    if (!entry?.snapshot)
      throw new CsiError('NOT_FOUND', formatReason(REASONS.SnapshotNotFound(snapshotHandle)), { rpc: 'ListSnapshots' })
    answer(pass, { ...answerOf(entry.snapshot, clock.nowMs()), snapshotHandle })
  }
  const record = async (answered: SnapshotAnswer, pass: ContentPass): Promise<WorkResult | undefined> => {
    const { content } = pass.view.seen
    const { snapshotHandle, readyToUse, creationTime, restoreSize, error } = content.status ?? {}
    // A snapshot that is still not ready changes nothing.
    if (snapshotHandle === answered.snapshotHandle && readyToUse === answered.isReady)
      return calls.afterRecord(answered, pass)
    await calls.patchStatus(content, {
      snapshotHandle: answered.snapshotHandle,
      readyToUse: answered.isReady,
      ...(creationTime === undefined ? { creationTime: int64Of(answered.creationTimeNs) } : {}),
      ...(restoreSize === undefined && answered.sizeBytes > 0n ? { restoreSize: int64Of(answered.sizeBytes) } : {}),
      ...(answered.groupHandle ? { volumeGroupSnapshotHandle: answered.groupHandle } : {}),
      ...(answered.isReady && error ? { error: null } : {}),
    })
    pass.log.info('snapshot recorded', {
      content: content.metadata.name,
      snapshot: answered.snapshotHandle,
      ready: answered.isReady,
    })
    pass.unsay()
    return calls.afterRecord(answered, pass)
  }

  return defineController({
    name: 'snapshotter',
    queue,
    watch,
    view: (key, { memory, reads }: Pick<ContentPass, 'memory' | 'reads'>): ContentView | undefined => {
      const seen = readContentView(contents.get(key), (name) => classes.get(name), driverName)
      if (!seen) return undefined
      const rules = { canList, names, passesMetadata: config.extraCreateMetadata }
      const held = { nowMs: clock.monotonicMs(), ...rules, ...reads, ...calls.memoryOf(memory, seen.content) }
      return { seen, held }
    },
    decide: nextContentStep,
    lifeOf: ({ seen }) => [seen.content.spec.volumeSnapshotRef.uid],
    perform: {
      ...calls.perform,
      create: attempt<Extract<ContentStep, { kind: 'create' }>>(
        'create',
        ({ request }, pass) => create(request, pass),
        (text, { view }) =>
          `failed to take snapshot of the volume ${view.seen.content.spec.source.volumeHandle ?? ''}: ${JSON.stringify(text)}`,
      ),
      check: attempt<Extract<ContentStep, { kind: 'check' }>>('check', ({ snapshotHandle }, pass) =>
        check(snapshotHandle, pass),
      ),
      record: ({ answer: answered }, pass) => record(answered, pass),
      delete: attempt<Extract<ContentStep, { kind: 'delete' }>>(
        'delete',
        async ({ snapshotHandle: snapshotId }, pass) => {
          await driver.deleteSnapshot({ snapshotId, secrets: secretsOf(pass) }, optionsOf(pass))
          calls.deleted(pass)
          pass.log.info('snapshot deleted', { content: pass.key, snapshot: snapshotId })
        },
      ),
    },
    report: { event: 'SnapshotCreationFailed', about: ({ seen }) => seen.content },
  })
}

const WORDS: CallWords = {
  rpcOf: { create: 'CreateSnapshot', check: 'ListSnapshots', delete: 'DeleteSnapshot' },
  eventOf: {
    create: 'SnapshotCreationFailed',
    check: 'SnapshotContentCheckandUpdateFailed',
    delete: 'SnapshotDeleteError',
  },
  failed: {
    create: 'Failed to create snapshot: ',
    check: 'Failed to check and update snapshot content: ',
    delete: 'Failed to delete snapshot: ',
  },
  finalizer: CONTENT_FINALIZER,
  beingCreated: BEING_CREATED,
}

function answerOf(
  { snapshotId, creationTime, sizeBytes, readyToUse, groupSnapshotId }: Snapshot,
  nowMs: number,
): SnapshotAnswer {
  const creationTimeNs = nanosecondsOf(creationTime, nowMs)
  const group = groupSnapshotId ? { groupHandle: groupSnapshotId } : {}
  return { snapshotHandle: snapshotId, creationTimeNs, sizeBytes, isReady: readyToUse, ...group }
}
