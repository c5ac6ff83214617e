import { ignoreNotFound, isAlreadyExists, isNotFound } from '../../api/api-error.ts'
import type { Api, Patch } from '../../api/api.ts'
import { removeFinalizerPatch, withFinalizers } from '../../api/finalizers.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import type { VolumeSnapshot, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import { keyOf, refOf } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import { defineController, DONE, patchAsSeen, updateAsSeen } from '../../kube/controller/index.ts'
import type { ControllerRole, Pass, Watch, WorkQueue } from '../../kube/controller/index.ts'
import {
  BEING_DELETED,
  CONTENT_FINALIZER,
  SNAPSHOT_AS_SOURCE_FINALIZER,
  SNAPSHOT_BOUND_FINALIZER,
  SNAPSHOT_SOURCE_CLAIM_FINALIZER,
} from '../../storage/snapshot-names.ts'
import { nextSnapshotStep } from './next-snapshot-step.ts'
import type { SnapshotStep } from './next-snapshot-step.ts'
import { readSnapshotView } from './snapshot-view.ts'
import type { SnapshotSources, SnapshotView } from './snapshot-view.ts'

type Reads = { readonly content: VolumeSnapshotContent | undefined }
type SnapshotPass = Pass<SnapshotView, undefined, Reads>

/** The claim that a snapshot is taken of: passes about it exclude each other. */
export const claimResource = ({ metadata, spec }: VolumeSnapshot): string =>
  `${metadata.namespace}/${spec.source.persistentVolumeClaimName ?? ''}`

/** Binds VolumeSnapshots to contents, creates the contents, and deletes them with their snapshots. */
export function defineSnapshotController(
  { api, clock, events }: ControllerRole,
  sources: SnapshotSources,
  { queue, watch, passesVolumeMode }: { queue: WorkQueue; watch: readonly Watch[]; passesVolumeMode: boolean },
) {
  const patchSnapshot = (snapshot: VolumeSnapshot, value: object, subresource?: 'status'): Promise<void> =>
    patchAsSeen(api, VOLUME_SNAPSHOTS, snapshot, asSeen(snapshot, value), subresource ? { subresource } : {})

  return defineController<SnapshotView, SnapshotStep, undefined, Reads>({
    name: 'snapshot',
    queue,
    watch,
    view: (key, { reads }) => {
      const seen = readSnapshotView({ ...sources, content: (name) => sources.content(name) ?? reads.content }, key)
      return seen && { seen, held: { passesVolumeMode, isContentConfirmed: 'content' in reads } }
    },
    resource: ({ seen }) => claimResource(seen.snapshot),
    decide: nextSnapshotStep,
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
        await createContent(api, content)
        const { snapshot } = pass.view.seen
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
        pass.reads = { content: await api.get(VOLUME_SNAPSHOT_CONTENTS, { name }).catch(ignoreNotFound) }
      },
      'mark-being-deleted': ({ content }) =>
        patchAsSeen(api, VOLUME_SNAPSHOT_CONTENTS, content, {
          type: 'merge',
          value: { metadata: { uid: content.metadata.uid, annotations: { [BEING_DELETED]: 'yes' } } },
        }),
      'delete-content': ({ content }) => deleteContent(api, content),
      'release-content': ({ content }) =>
        patchAsSeen(api, VOLUME_SNAPSHOT_CONTENTS, content, removeFinalizerPatch(content, CONTENT_FINALIZER)),
      release: async (_step, { view: { seen } }) => {
        const ours = [SNAPSHOT_AS_SOURCE_FINALIZER, SNAPSHOT_BOUND_FINALIZER]
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

/** A merge patch that is refused when the object has changed since it was decided. */
const asSeen = ({ metadata }: VolumeSnapshot, value: object & { metadata?: object }): Patch => ({
  type: 'merge',
  value: { ...value, metadata: { ...value.metadata, resourceVersion: metadata.resourceVersion } },
})

const holdClaim = (api: Api, claim: PersistentVolumeClaim): Promise<void> =>
  updateAsSeen(
    api,
    PERSISTENT_VOLUME_CLAIMS,
    withFinalizers(claim, [...(claim.metadata.finalizers ?? []), SNAPSHOT_SOURCE_CLAIM_FINALIZER]),
  )

async function createContent(api: Api, content: VolumeSnapshotContent): Promise<void> {
  try {
    await api.create(VOLUME_SNAPSHOT_CONTENTS, content)
  } catch (error) {
    // Its name comes from the uid of the snapshot: it is ours, or the next look says that it is not.
    if (!isAlreadyExists(error)) throw error
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

async function deleteContent(api: Api, content: VolumeSnapshotContent): Promise<void> {
  try {
    await api.delete(VOLUME_SNAPSHOT_CONTENTS, refOf(content), { preconditions: { uid: content.metadata.uid ?? '' } })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
