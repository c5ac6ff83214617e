import { ignoreNotFound } from '../../api/api-error.ts'
import { removeFinalizerPatch } from '../../api/finalizers.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_GROUP_SNAPSHOT_CONTENTS, VOLUME_GROUP_SNAPSHOTS } from '../../api/kinds/volume-group-snapshot.ts'
import type {
  VolumeGroupSnapshot,
  VolumeGroupSnapshotContent,
  VolumeGroupSnapshotStatus,
} from '../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import type { VolumeSnapshot, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import { keyOf, refOf } from '../../api/object-key.ts'
import { isOwnedBy } from '../../api/owner-references.ts'
import { formatReason } from '../../api/reason.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import { defineController, DONE, keyIfPresent, on, patchAsSeen } from '../../kube/controller/index.ts'
import type { ControllerRole, FollowedKind, Pass, Watch, WorkQueue } from '../../kube/controller/index.ts'
import { GROUP_BEING_DELETED, GROUP_BOUND_FINALIZER, GROUP_CONTENT_FINALIZER } from '../../storage/snapshot-names.ts'
import { GROUP_REASONS } from './group-reasons.ts'
import type { GroupReason } from './group-reasons.ts'
import { readGroupView } from './group-view.ts'
import type { GroupSources, GroupView } from './group-view.ts'
import { nextGroupStep } from './next-group-step.ts'
import type { GroupStep } from './next-group-step.ts'
import type { RecentCreations } from './recent-creations.ts'
import { annotate, asSeen, createOrGet, deleteIfPresent, holdClaim } from './snapshot-writes.ts'

/** The server's responses in this pass: created objects are not in the caches yet. */
type Reads = {
  readonly content: VolumeGroupSnapshotContent | undefined
  readonly members: readonly VolumeSnapshot[]
  readonly snapshots: ReadonlyMap<string, VolumeSnapshot>
  readonly contents: ReadonlyMap<string, VolumeSnapshotContent>
}
type GroupPass = Pass<GroupView, undefined, Reads>

export type GroupParts = {
  readonly queue: WorkQueue
  readonly watch: readonly Watch[]
  readonly passesVolumeMode: boolean
  readonly creations: RecentCreations
  nodeOf?(volume: PersistentVolume): string | undefined
}

/** Binds VolumeGroupSnapshots to contents, creates contents and members, and deletes them with their groups. */
export function defineGroupController(
  { api, clock, events }: ControllerRole,
  sources: GroupSources,
  { queue, watch, passesVolumeMode, nodeOf, creations }: GroupParts,
) {
  const patchGroup = (group: VolumeGroupSnapshot, value: object, subresource?: 'status'): Promise<void> =>
    patchAsSeen(api, VOLUME_GROUP_SNAPSHOTS, group, asSeen(group, value), subresource ? { subresource } : {})
  // Between its finalizer and the content, nothing else shows that a claim is needed.
  const holdAll = (pass: GroupPass, claims: readonly PersistentVolumeClaim[]): boolean =>
    claims.every((claim) => pass.hold(keyOf(claim)))

  return defineController<GroupView, GroupStep, undefined, Reads>({
    name: 'group-snapshot',
    queue,
    watch,
    view: (key, { reads }) => {
      const seen = readGroupView(withReads(sources, reads), key)
      const held = {
        passesVolumeMode,
        nowMs: clock.nowMs(),
        isContentConfirmed: 'content' in reads,
        areSnapshotsConfirmed: 'members' in reads,
        ...(nodeOf ? { nodeOf } : {}),
      }
      return seen && { seen, held }
    },
    decide: nextGroupStep,
    lifeOf: ({ seen }) => [seen.group.metadata.uid],
    perform: {
      wait: ({ reason, event }, { view: { seen }, say }) => {
        if (event) say(seen.group, { type: 'Warning', event }, formatReason(reason))
      },
      refuse: async ({ reason, event, keepsReady = false }, { view: { seen }, waitFor, log }) => {
        const { group } = seen
        const message = formatReason(reason)
        if (group.status?.error?.message !== message) {
          events.record(group, 'Warning', event, message)
          log.warn('group snapshot refused', { why: message })
          const error = { time: formatTimestamp(clock.nowMs()), message }
          await patchGroup(group, { status: { error, ...(keepsReady ? {} : { readyToUse: false }) } }, 'status')
        }
        waitFor({ reason })
        return DONE
      },
      'set-class': ({ className }, { view: { seen } }) =>
        patchGroup(seen.group, { spec: { volumeGroupSnapshotClassName: className } }),
      protect: (_step, { view: { seen } }) =>
        patchGroup(seen.group, {
          metadata: { finalizers: [...(seen.group.metadata.finalizers ?? []), GROUP_BOUND_FINALIZER] },
        }),
      'hold-claims': async ({ claims }, pass) => {
        if (!holdAll(pass, claims)) return DONE
        for (const claim of claims) await holdClaim(api, claim)
        return undefined
      },
      'create-content': async ({ content, claims }, pass) => {
        if (!holdAll(pass, claims)) return DONE
        const { group } = pass.view.seen
        creations.add(claims.map(keyOf))
        pass.reads = {
          ...pass.reads,
          content: await createOrGet(api, VOLUME_GROUP_SNAPSHOT_CONTENTS, content),
        }
        events.record(
          group,
          'Normal',
          'CreatingGroupSnapshot',
          `Waiting for a group snapshot ${keyOf(group)} to be created by the CSI driver.`,
        )
        return undefined
      },
      'bind-content': ({ content }, { view: { seen } }) =>
        patchAsSeen(
          api,
          VOLUME_GROUP_SNAPSHOT_CONTENTS,
          content,
          asSeen(content, {
            spec: {
              volumeGroupSnapshotRef: { ...content.spec.volumeGroupSnapshotRef, uid: seen.group.metadata.uid },
              ...(seen.group.spec.volumeGroupSnapshotClassName && !content.spec.volumeGroupSnapshotClassName
                ? { volumeGroupSnapshotClassName: seen.group.spec.volumeGroupSnapshotClassName }
                : {}),
            },
          }),
        ),
      'create-members': async ({ snapshots }, pass) => {
        const created = new Map(pass.reads.snapshots)
        for (const snapshot of snapshots)
          created.set(keyOf(snapshot), await createOrGet(api, VOLUME_SNAPSHOTS, snapshot))
        pass.reads = { ...pass.reads, snapshots: created }
      },
      'create-member-contents': async ({ contents }, pass) => {
        const created = new Map(pass.reads.contents)
        for (const content of contents)
          created.set(keyOf(content), await createOrGet(api, VOLUME_SNAPSHOT_CONTENTS, content))
        pass.reads = { ...pass.reads, contents: created }
      },
      'record-members': async ({ records }, pass) => {
        const recorded = new Map(pass.reads.contents)
        for (const { content, status } of records) {
          const patch = { type: 'merge', value: { metadata: { uid: content.metadata.uid }, status } } as const
          const after = await api.patch(VOLUME_SNAPSHOT_CONTENTS, refOf(content), patch, { subresource: 'status' })
          recorded.set(keyOf(content), after)
        }
        pass.reads = { ...pass.reads, contents: recorded }
      },
      record: async ({ status, removesError }, pass) => {
        const value = { status: { ...status, ...(removesError ? { error: null } : {}) } }
        await patchGroup(pass.view.seen.group, value, 'status')
        announce(pass, status)
      },
      'look-for-content': async ({ name }, pass) => {
        const content = await api.get(VOLUME_GROUP_SNAPSHOT_CONTENTS, { name }).catch(ignoreNotFound)
        pass.reads = { ...pass.reads, content }
      },
      'look-for-members': async (_step, pass) => {
        const { group } = pass.view.seen
        const { items } = await api.list(VOLUME_SNAPSHOTS, { namespace: group.metadata.namespace ?? '' })
        pass.reads = { ...pass.reads, members: items.filter((snapshot) => isOwnedBy(snapshot, group)) }
      },
      'mark-being-deleted': ({ content }) =>
        annotate(api, VOLUME_GROUP_SNAPSHOT_CONTENTS, content, GROUP_BEING_DELETED),
      'delete-content': ({ content }) => deleteIfPresent(api, VOLUME_GROUP_SNAPSHOT_CONTENTS, content),
      'release-content': ({ content }) =>
        patchAsSeen(
          api,
          VOLUME_GROUP_SNAPSHOT_CONTENTS,
          content,
          removeFinalizerPatch(content, GROUP_CONTENT_FINALIZER),
        ),
      'delete-members': async ({ snapshots }, pass) => {
        for (const snapshot of snapshots) await deleteIfPresent(api, VOLUME_SNAPSHOTS, snapshot)
        // Objects that were listed before the deletion would still look undeleted.
        const { members: _members, ...reads } = pass.reads
        pass.reads = reads
      },
      release: async (_step, { view: { seen } }) => {
        const finalizers = (seen.group.metadata.finalizers ?? []).filter((name) => name !== GROUP_BOUND_FINALIZER)
        await patchGroup(seen.group, { metadata: { finalizers } })
        return DONE
      },
    },
    report: { event: 'GroupSnapshotStatusUpdateFailed', about: ({ seen }) => seen.group },
  })

  function announce(
    { view: { seen }, unsay }: GroupPass,
    { creationTime, readyToUse }: VolumeGroupSnapshotStatus,
  ): void {
    const key = keyOf(seen.group)
    const tell = (event: string, text: string): void => events.record(seen.group, 'Normal', event, text)
    if (creationTime !== undefined)
      tell('GroupSnapshotCreated', `GroupSnapshot ${key} was successfully created by the CSI driver.`)
    if (!readyToUse) return
    tell('GroupSnapshotReady', `GroupSnapshot ${key} is ready to use.`)
    unsay()
  }
}

/** The caches, with the server's responses since. */
function withReads(sources: GroupSources, reads: Partial<Reads>): GroupSources {
  return {
    ...sources,
    groupContent: (name) => sources.groupContent(name) ?? reads.content,
    snapshot: (key) => sources.snapshot(key) ?? reads.snapshots?.get(key),
    content: (name) => {
      const cached = sources.content(name)
      const read = reads.contents?.get(name)
      return cached?.status ? cached : (read ?? cached)
    },
    snapshotsOf: (group) => reads.members ?? sources.snapshotsOf(group),
  }
}

/** With the gate disabled, VolumeGroupSnapshots are not processed: an event reports that. */
export const defineDisabledGroups = (groups: FollowedKind<VolumeGroupSnapshot>) =>
  defineController<VolumeGroupSnapshot, { readonly kind: 'wait'; readonly reason: GroupReason }>({
    name: 'disabled-group-snapshot',
    watch: [on(groups, keyIfPresent)],
    view: (key) => groups.get(key),
    decide: () => ({ kind: 'wait', reason: GROUP_REASONS.GroupSnapshotsDisabled }),
    perform: {
      wait: ({ reason }, { view, say }) =>
        say(view, { type: 'Warning', event: 'GroupSnapshotsDisabled' }, formatReason(reason)),
    },
  })
