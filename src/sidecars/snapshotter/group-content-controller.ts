import { VOLUME_GROUP_SNAPSHOT_CONTENTS } from '../../api/kinds/volume-group-snapshot.ts'
import type { VolumeGroupSnapshotClass, VolumeGroupSnapshotContent } from '../../api/kinds/volume-group-snapshot.ts'
import { int64Of } from '../../api/int64.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import { CsiError } from '../../csi/csi-error.ts'
import type { VolumeGroupSnapshot } from '../../csi/generated/csi/v1/csi.ts'
import type { CsiRpc, Driver } from '../../csi/rpc.ts'
import { defineController } from '../../kube/controller/index.ts'
import type { ControllerRole, FollowedKind, Watch, WorkQueue, WorkResult } from '../../kube/controller/index.ts'
import { GROUP_BEING_CREATED, GROUP_CONTENT_FINALIZER } from '../../storage/snapshot-names.ts'
import { readGroupContentView } from './group-content-view.ts'
import type { GroupAnswer, GroupContentView, MemberAnswer } from './group-content-view.ts'
import { judgeGroupAnswer } from './judge-group-answer.ts'
import { nextGroupContentStep } from './next-group-content-step.ts'
import type { GroupContentStep } from './next-group-content-step.ts'
import { createCallSteps } from './perform-calls.ts'
import type { CallPass, CallWords } from './perform-calls.ts'
import type { SnapshotterConfig } from './snapshotter-options.ts'

type GroupPass = CallPass<GroupContentView, GroupAnswer>
type StepOf<Kind> = Extract<GroupContentStep, { kind: Kind }>

export type GroupContentParts = {
  readonly driver: Driver
  readonly driverName: string
  readonly config: SnapshotterConfig
  readonly canTakeGroups: boolean
  readonly queue: WorkQueue
  readonly watch: readonly Watch[]
  readonly contents: FollowedKind<VolumeGroupSnapshotContent>
  readonly classes: FollowedKind<VolumeGroupSnapshotClass>
}

/** Takes, checks and deletes group snapshots through the driver. */
export function defineGroupContentController(
  role: ControllerRole,
  { driver, driverName, config, canTakeGroups, queue, watch, contents, classes }: GroupContentParts,
) {
  const { clock } = role
  const names = { prefix: config.groupsnapshotNamePrefix, uuidLength: config.groupsnapshotNameUuidLength }
  const calls = createCallSteps<VolumeGroupSnapshotContent, GroupContentView, GroupAnswer>(
    role,
    VOLUME_GROUP_SNAPSHOT_CONTENTS,
    config,
    WORDS,
  )
  const { attempt, optionsOf, secretsOf } = calls
  const judge = (answered: VolumeGroupSnapshot | undefined, sources: readonly string[] | undefined, rpc: CsiRpc) => {
    const answer = judgeGroupAnswer(answered, sources, clock.nowMs())
    if (!answer) throw new CsiError('INTERNAL', 'the driver answered without a group snapshot', { rpc })
    return answer
  }

  const record = async (answer: GroupAnswer, pass: GroupPass): Promise<WorkResult | undefined> => {
    const { content } = pass.view.seen
    const {
      volumeGroupSnapshotHandle,
      readyToUse,
      creationTime,
      volumeSnapshotInfoList = [],
      error,
    } = content.status ?? {}
    const hasNews = volumeGroupSnapshotHandle !== answer.groupHandle || readyToUse !== answer.isReady
    // A group snapshot that is still not ready changes nothing.
    if (!hasNews && error?.message === answer.problem) return calls.afterRecord(answer, pass)
    await calls.patchStatus(content, {
      volumeGroupSnapshotHandle: answer.groupHandle,
      readyToUse: answer.isReady,
      ...(creationTime === undefined ? { creationTime: formatTimestamp(answer.creationTimeMs) } : {}),
      // The members are fixed by the first response.
      ...(volumeSnapshotInfoList.length === 0 && answer.members.length > 0
        ? { volumeSnapshotInfoList: answer.members.map(infoOf) }
        : {}),
      ...(answer.problem === undefined
        ? error && answer.isReady
          ? { error: null }
          : {}
        : { error: { time: formatTimestamp(clock.nowMs()), message: answer.problem } }),
    })
    if (answer.problem !== undefined)
      pass.say(content, { type: 'Warning', event: WORDS.eventOf.create }, WORDS.failed.create + answer.problem)
    else pass.unsay()
    pass.log.info('group snapshot recorded', { group: answer.groupHandle, ready: answer.isReady })
    return calls.afterRecord(answer, pass)
  }

  return defineController({
    name: 'group-snapshotter',
    queue,
    watch,
    view: (key, { memory, reads }: Pick<GroupPass, 'memory' | 'reads'>): GroupContentView | undefined => {
      const seen = readGroupContentView(contents.get(key), (name) => classes.get(name), driverName)
      if (!seen) return undefined
      const rules = { canTakeGroups, names, passesMetadata: config.extraCreateMetadata }
      const held = { nowMs: clock.monotonicMs(), ...rules, ...reads, ...calls.memoryOf(memory, seen.content) }
      return { seen, held }
    },
    decide: nextGroupContentStep,
    lifeOf: ({ seen }) => [seen.content.spec.volumeGroupSnapshotRef.uid],
    perform: {
      ...calls.perform,
      create: attempt<StepOf<'create'>>(
        'create',
        async ({ request: { name, sourceVolumeIds, parameters } }, pass) => {
          const { groupSnapshot } = await driver.createVolumeGroupSnapshot(
            { name, sourceVolumeIds: [...sourceVolumeIds], parameters: { ...parameters }, secrets: secretsOf(pass) },
            optionsOf(pass),
          )
          calls.answered(pass, judge(groupSnapshot, sourceVolumeIds, 'CreateVolumeGroupSnapshot'))
        },
        (text, { view }) =>
          `failed to take group snapshot of the volumes [${(view.seen.content.spec.source.volumeHandles ?? []).join(' ')}]: ${JSON.stringify(text)}`,
      ),
      check: attempt<StepOf<'check'>>('check', async ({ groupHandle, snapshotHandles }, pass) => {
        const { groupSnapshot } = await driver.getVolumeGroupSnapshot(
          { groupSnapshotId: groupHandle, snapshotIds: [...snapshotHandles], secrets: secretsOf(pass) },
          optionsOf(pass),
        )
        const answer = judge(groupSnapshot, undefined, 'GetVolumeGroupSnapshot')
        // The members of a pre-provisioned group snapshot are also pre-provisioned: they are not created from the response.
        calls.answered(pass, { ...answer, groupHandle, members: [] })
      }),
      record: ({ answer }, pass) => record(answer, pass),
      delete: attempt<StepOf<'delete'>>('delete', async ({ groupHandle, snapshotHandles }, pass) => {
        await driver.deleteVolumeGroupSnapshot(
          { groupSnapshotId: groupHandle, snapshotIds: [...snapshotHandles], secrets: secretsOf(pass) },
          optionsOf(pass),
        )
        calls.deleted(pass)
        pass.log.info('group snapshot deleted', { content: pass.key, group: groupHandle })
      }),
    },
    report: { event: 'GroupSnapshotCreationFailed', about: ({ seen }) => seen.content },
  })
}

const WORDS: CallWords = {
  rpcOf: {
    create: 'CreateVolumeGroupSnapshot',
    check: 'GetVolumeGroupSnapshot',
    delete: 'DeleteVolumeGroupSnapshot',
  },
  eventOf: {
    create: 'GroupSnapshotCreationFailed',
    check: 'GroupSnapshotContentCheckandUpdateFailed',
    delete: 'GroupSnapshotDeleteError',
  },
  failed: {
    create: 'Failed to create group snapshot: ',
    check: 'Failed to check and update group snapshot content: ',
    delete: 'Failed to delete group snapshot: ',
  },
  finalizer: GROUP_CONTENT_FINALIZER,
  beingCreated: GROUP_BEING_CREATED,
}

const infoOf = ({ volumeHandle, snapshotHandle, creationTimeNs, sizeBytes, isReady }: MemberAnswer) => ({
  volumeHandle,
  snapshotHandle,
  creationTime: int64Of(creationTimeNs),
  readyToUse: isReady,
  ...(sizeBytes > 0n ? { restoreSize: int64Of(sizeBytes) } : {}),
})
