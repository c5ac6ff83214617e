import { ignoreNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { removeFinalizerPatch } from '../../api/finalizers.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_GROUP_SNAPSHOTS } from '../../api/kinds/volume-group-snapshot.ts'
import type { VolumeGroupSnapshot } from '../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import type { VolumeSnapshot, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import { keyOf } from '../../api/object-key.ts'
import { ownerReferenceTo } from '../../api/owner-references.ts'
import { formatReason } from '../../api/reason.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import { defineController, DONE, patchAsSeen } from '../../kube/controller/index.ts'
import type { ControllerRole, Pass, Watch, WorkQueue } from '../../kube/controller/index.ts'
import {
  BEING_DELETED,
  CONTENT_FINALIZER,
  SNAPSHOT_AS_SOURCE_FINALIZER,
  SNAPSHOT_BOUND_FINALIZER,
  SNAPSHOT_IN_GROUP_FINALIZER,
} from '../../storage/snapshot-names.ts'
import { nextSnapshotStep } from './next-snapshot-step.ts'
import type { SnapshotStep } from './next-snapshot-step.ts'
import type { RecentCreations } from './recent-creations.ts'
import { annotate, asSeen, createOrGet, deleteIfPresent, holdClaim } from './snapshot-writes.ts'
import { readSnapshotView } from './snapshot-view.ts'
import type { SnapshotSources, SnapshotView } from './snapshot-view.ts'

type Reads = {
  readonly content: VolumeSnapshotContent | undefined
  readonly group: VolumeGroupSnapshot | undefined
}
type SnapshotPass = Pass<SnapshotView, undefined, Reads>

/** The claim of a snapshot: passes about it exclude each other. */
export const claimResource = ({ metadata, spec }: VolumeSnapshot): string =>
  `${metadata.namespace}/${spec.source.persistentVolumeClaimName ?? ''}`

export type SnapshotParts = {
  readonly queue: WorkQueue
  readonly watch: readonly Watch[]
  readonly passesVolumeMode: boolean
  readonly followsGroups: boolean
  readonly creations: RecentCreations
  nodeOf?(volume: PersistentVolume): string | undefined
}

/** Binds VolumeSnapshots to contents, creates the contents, and deletes them with their snapshots. */
export function defineSnapshotController(
  { api, clock, events }: ControllerRole,
  sources: SnapshotSources,
  { queue, watch, creations, ...rules }: SnapshotParts,
) {
  const patchSnapshot = (snapshot: VolumeSnapshot, value: object, subresource?: 'status'): Promise<void> =>
    patchAsSeen(api, VOLUME_SNAPSHOTS, snapshot, asSeen(snapshot, value), subresource ? { subresource } : {})

  return defineController<SnapshotView, SnapshotStep, undefined, Reads>({
    name: 'snapshot',
    queue,
    watch,
    view: (key, { reads }) => {
      const content = (name: string) => sources.content(name) ?? reads.content
      const group = (groupKey: string) => sources.group(groupKey) ?? reads.group
      const seen = readSnapshotView({ ...sources, content, group }, key)
      const held = {
        ...rules,
        nowMs: clock.nowMs(),
        isContentConfirmed: 'content' in reads,
        isGroupConfirmed: 'group' in reads,
      }
      return seen && { seen, held }
    },
    resource: ({ seen }) => claimResource(seen.snapshot),
    decide: nextSnapshotStep,
    lifeOf: ({ seen }) => [seen.snapshot.metadata.uid, seen.claim?.metadata.uid],
    perform: {
      wait: ({ reason, event }, { view: { seen }, say }) => {
        if (event) say(seen.snapshot, { type: 'Warning', event }, formatReason(reason))
      },
      refuse: async ({ reason, event, keepsReady = false }, { view: { seen }, waitFor, log }) => {
        const { snapshot } = seen
        const message = formatReason(reason)
        if (snapshot.status?.error?.message !== message) {
          events.record(snapshot, 'Warning', event, message)
          log.warn('snapshot refused', { why: message })
          const error = { time: formatTimestamp(clock.nowMs()), message }
          await patchSnapshot(snapshot, { status: { error, ...(keepsReady ? {} : { readyToUse: false }) } }, 'status')
        }
        waitFor({ reason })
        return DONE
      },
      'set-class': ({ className }, { view: { seen } }) =>
        patchSnapshot(seen.snapshot, { spec: { volumeSnapshotClassName: className } }),
      protect: ({ finalizers }, { view: { seen } }) =>
        patchSnapshot(seen.snapshot, {
          metadata: { finalizers: [...(seen.snapshot.metadata.finalizers ?? []), ...finalizers] },
        }),
      'hold-claim': ({ claim }) => holdClaim(api, claim),
      'create-content': async ({ content }, pass) => {
        const { snapshot } = pass.view.seen
        creations.add([claimResource(snapshot)])
        // The cache shows it later.
        pass.reads = { ...pass.reads, content: await createOrGet(api, VOLUME_SNAPSHOT_CONTENTS, content) }
        events.record(
          snapshot,
          'Normal',
          'CreatingSnapshot',
          `Waiting for a snapshot ${keyOf(snapshot)} to be created by the CSI driver.`,
        )
      },
      'bind-content': ({ content }, { view: { seen } }) => bindContent(api, content, seen.snapshot),
      record: async ({ status, removesError }, pass) => {
        await patchSnapshot(
          pass.view.seen.snapshot,
          { status: { ...status, ...(removesError ? { error: null } : {}) } },
          'status',
        )
        announce(pass, status)
      },
      'look-for-content': async ({ name }, pass) => {
        const content = await api.get(VOLUME_SNAPSHOT_CONTENTS, { name }).catch(ignoreNotFound)
        pass.reads = { ...pass.reads, content }
      },
      'look-for-group': async ({ ref }, pass) => {
        pass.reads = { ...pass.reads, group: await api.get(VOLUME_GROUP_SNAPSHOTS, ref).catch(ignoreNotFound) }
      },
      'join-group': ({ group }, { view: { seen } }) =>
        patchSnapshot(seen.snapshot, {
          metadata: { ownerReferences: [...(seen.snapshot.metadata.ownerReferences ?? []), ownerReferenceTo(group)] },
        }),
      'mark-being-deleted': ({ content }) => annotate(api, VOLUME_SNAPSHOT_CONTENTS, content, BEING_DELETED),
      'delete-content': ({ content }) => deleteIfPresent(api, VOLUME_SNAPSHOT_CONTENTS, content),
      'release-content': ({ content }) =>
        patchAsSeen(api, VOLUME_SNAPSHOT_CONTENTS, content, removeFinalizerPatch(content, CONTENT_FINALIZER)),
      release: async (_step, { view: { seen } }) => {
        const ours = [SNAPSHOT_AS_SOURCE_FINALIZER, SNAPSHOT_BOUND_FINALIZER, SNAPSHOT_IN_GROUP_FINALIZER]
        const finalizers = (seen.snapshot.metadata.finalizers ?? []).filter((finalizer) => !ours.includes(finalizer))
        await patchSnapshot(seen.snapshot, { metadata: { finalizers } })
        return DONE
      },
    },
    report: { event: 'SnapshotStatusUpdateFailed', about: ({ seen }) => seen.snapshot },
  })

  function announce(
    { view: { seen }, unsay }: SnapshotPass,
    { creationTime, readyToUse }: VolumeSnapshot['status'] & object,
  ): void {
    const key = keyOf(seen.snapshot)
    if (creationTime !== undefined)
      events.record(
        seen.snapshot,
        'Normal',
        'SnapshotCreated',
        `Snapshot ${key} was successfully created by the CSI driver.`,
      )
    if (!readyToUse) return
    events.record(seen.snapshot, 'Normal', 'SnapshotReady', `Snapshot ${key} is ready to use.`)
    unsay()
  }
}

const bindContent = (api: Api, content: VolumeSnapshotContent, { metadata, spec }: VolumeSnapshot): Promise<void> =>
  patchAsSeen(api, VOLUME_SNAPSHOT_CONTENTS, content, {
    type: 'merge',
    value: {
      metadata: { resourceVersion: content.metadata.resourceVersion },
      spec: {
        volumeSnapshotRef: { ...content.spec.volumeSnapshotRef, uid: metadata.uid },
        ...(spec.volumeSnapshotClassName ? { volumeSnapshotClassName: spec.volumeSnapshotClassName } : {}),
      },
    },
  })
