import { addFinalizerPatch, hasFinalizer, withFinalizers } from '../../api/finalizers.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { VolumeGroupSnapshotContent } from '../../api/kinds/volume-group-snapshot.ts'
import type { VolumeSnapshot, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { defineController, keyIfPresent, on, patchAsSeen, updateAsSeen } from '../../kube/controller/index.ts'
import type { ControllerRole, FollowedKind, Watch, WorkQueue } from '../../kube/controller/index.ts'
import { SNAPSHOT_SOURCE_CLAIM_FINALIZER } from '../../storage/snapshot-names.ts'
import { REASONS } from './reasons.ts'
import type { SnapshotReason } from './reasons.ts'

type WaitStep = { readonly kind: 'wait'; readonly reason: SnapshotReason; readonly retryInMs?: number }
type SourceClaimStep = WaitStep | { readonly kind: 'release' }
type ContentProtectionStep = WaitStep | { readonly kind: 'protect' }

const NOTHING_TO_DO: WaitStep = { kind: 'wait', reason: REASONS.Released }

type Parts = { readonly queue: WorkQueue; readonly watch: readonly Watch[] }

/** A snapshot that is being taken of a claim, and its content. */
export type SourceUse = { readonly snapshot: VolumeSnapshot; readonly content?: VolumeSnapshotContent | undefined }

/**
 * Whether a claim may be released as far as snapshots are concerned: once the driver has taken each of them. A snapshot without a content has not
 * started yet, so that an invalid one never blocks its claim.
 */
export function nextSourceClaimStep({ claim, uses, groupUses = [], lagsMs }: SourceClaimView): SourceClaimStep {
  if (!hasFinalizer(claim, SNAPSHOT_SOURCE_CLAIM_FINALIZER)) return NOTHING_TO_DO
  if (lagsMs !== undefined) return { ...NOTHING_TO_DO, retryInMs: lagsMs }
  const isUsed = uses.some(
    ({ snapshot, content }) =>
      content?.spec.volumeSnapshotRef.uid === snapshot.metadata.uid && content?.status?.readyToUse !== true,
  )
  const isUsedByGroup = groupUses.some(({ status }) => status?.readyToUse !== true)
  return isUsed || isUsedByGroup ? NOTHING_TO_DO : { kind: 'release' }
}

export type SourceClaimView = {
  readonly claim: PersistentVolumeClaim
  readonly uses: readonly SourceUse[]
  /** Contents of groups that include the volume of the claim. */
  readonly groupUses?: readonly VolumeGroupSnapshotContent[]
  /** How long the cache may still lack a content that was created for the claim. */
  readonly lagsMs?: number | undefined
}

/** Releases claims when no snapshot of them is being taken. */
export const defineSourceClaimController = (
  { api }: ControllerRole,
  read: (key: string) => SourceClaimView | undefined,
  { queue, watch }: Parts,
) =>
  defineController<SourceClaimView, SourceClaimStep>({
    name: 'snapshot-source-claim',
    queue,
    watch,
    view: read,
    // Not while a snapshot of the claim is between its finalizer and its content.
    resource: (_view, key) => key,
    decide: nextSourceClaimStep,
    lifeOf: ({ claim }) => [claim.metadata.uid],
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

/** A content that belongs to a snapshot keeps its finalizer until the driver's snapshot is deleted or abandoned. */
export const nextContentProtectionStep = (
  content: KubeObject,
  snapshotUid: string | undefined,
  finalizer: string,
): ContentProtectionStep =>
  snapshotUid && content.metadata.deletionTimestamp === undefined && !hasFinalizer(content, finalizer)
    ? { kind: 'protect' }
    : NOTHING_TO_DO

export type ProtectionParts<T extends KubeObject> = {
  readonly name: string
  readonly type: ResourceType<T>
  readonly finalizer: string
  readonly contents: FollowedKind<T>
  /** The UID of the snapshot that a content belongs to. */
  uidOf(content: T): string | undefined
  readonly queue: WorkQueue
}

export const defineContentProtection = <T extends KubeObject>(
  { api }: ControllerRole,
  { name, type, finalizer, contents, uidOf, queue }: ProtectionParts<T>,
) =>
  defineController<T, ContentProtectionStep>({
    name,
    queue,
    watch: [on(contents, keyIfPresent)],
    view: (key) => contents.get(key),
    decide: (content) => nextContentProtectionStep(content, uidOf(content), finalizer),
    perform: {
      protect: (_step, { view: content }) =>
        patchAsSeen(api, type, content, addFinalizerPatch(content, finalizer, { form: 'json' })),
    },
  })
