import { addFinalizerPatch, hasFinalizer, withFinalizers } from '../../api/finalizers.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { VOLUME_SNAPSHOT_CONTENTS } from '../../api/kinds/volume-snapshot.ts'
import type { VolumeSnapshot, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import { defineController, patchAsSeen, updateAsSeen } from '../../kube/controller/index.ts'
import type { ControllerRole, Watch, WorkQueue } from '../../kube/controller/index.ts'
import { CONTENT_FINALIZER, SNAPSHOT_SOURCE_CLAIM_FINALIZER } from '../../storage/snapshot-names.ts'
import { REASONS } from './reasons.ts'
import type { SnapshotReason } from './reasons.ts'

type WaitStep = { readonly kind: 'wait'; readonly reason: SnapshotReason }
type SourceClaimStep = WaitStep | { readonly kind: 'release' }
type ContentProtectionStep = WaitStep | { readonly kind: 'protect' }

const NOTHING_TO_DO: WaitStep = { kind: 'wait', reason: REASONS.released }

type Parts = { readonly queue: WorkQueue; readonly watch: readonly Watch[] }

/** A snapshot that is being taken of a claim, and its content. */
export type SourceUse = { readonly snapshot: VolumeSnapshot; readonly content?: VolumeSnapshotContent | undefined }

/**
 * Whether a claim may go as far as snapshots are concerned: once the driver has taken each of them. A snapshot without a content has nothing
 * to take yet, so that an invalid one never keeps its claim.
 */
export function nextSourceClaimStep(claim: PersistentVolumeClaim, uses: readonly SourceUse[]): SourceClaimStep {
  if (!hasFinalizer(claim, SNAPSHOT_SOURCE_CLAIM_FINALIZER)) return NOTHING_TO_DO
  const isUsed = uses.some(
    ({ snapshot, content }) =>
      content?.spec.volumeSnapshotRef.uid === snapshot.metadata.uid && content?.status?.readyToUse !== true,
  )
  return isUsed ? NOTHING_TO_DO : { kind: 'release' }
}

/** Releases claims of which no snapshot is being taken any more. */
export const defineSourceClaimController = (
  { api }: ControllerRole,
  read: (key: string) => { claim: PersistentVolumeClaim; uses: readonly SourceUse[] } | undefined,
  { queue, watch }: Parts,
) =>
  defineController<NonNullable<ReturnType<typeof read>>, SourceClaimStep>({
    name: 'snapshot-source-claim',
    queue,
    watch,
    view: read,
    // Not while a snapshot of the claim is between its finalizer and its content.
    resource: (_view, key) => key,
    decide: ({ claim, uses }) => nextSourceClaimStep(claim, uses),
    perform: {
      release: (_step, { view: { claim } }) =>
        updateAsSeen(
          api,
          PERSISTENT_VOLUME_CLAIMS,
          withFinalizers(
            claim,
            (claim.metadata.finalizers ?? []).filter((name) => name !== SNAPSHOT_SOURCE_CLAIM_FINALIZER),
          ),
        ),
    },
  })

/** A content that belongs to a snapshot keeps its finalizer until the driver's snapshot is deleted or given up. */
export const nextContentProtectionStep = (content: VolumeSnapshotContent): ContentProtectionStep =>
  content.spec.volumeSnapshotRef.uid &&
  content.metadata.deletionTimestamp === undefined &&
  !hasFinalizer(content, CONTENT_FINALIZER)
    ? { kind: 'protect' }
    : NOTHING_TO_DO

export const defineContentProtection = (
  { api }: ControllerRole,
  read: (name: string) => VolumeSnapshotContent | undefined,
  { queue, watch }: Parts,
) =>
  defineController<VolumeSnapshotContent, ContentProtectionStep>({
    name: 'snapshot-content',
    queue,
    watch,
    view: read,
    decide: nextContentProtectionStep,
    perform: {
      protect: (_step, { view: content }) =>
        patchAsSeen(
          api,
          VOLUME_SNAPSHOT_CONTENTS,
          content,
          addFinalizerPatch(content, CONTENT_FINALIZER, { form: 'json' }),
        ),
    },
  })
