import type { Patch } from '../../api/api.ts'
import { findCondition } from '../../api/conditions.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimCondition } from '../../api/kinds/persistent-volume-claim.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import { NODE_EXPANSION_NOT_REQUIRED } from '../../storage/names.ts'
import type { Failure } from './expand-view.ts'
import { RESIZE_CONDITIONS } from '../../storage/resize-conditions.ts'

const MODIFY_CONDITIONS = ['ModifyingVolume', 'ModifyVolumeError']

/** Changes of a claim's status. Conditions merge by their type, so that those of other controllers stay. */
type ClaimChange = { readonly metadata?: object; readonly status: object }

// A patch that must not be applied to a claim that has changed since it was decided.
const asSeen = ({ metadata }: PersistentVolumeClaim, { metadata: changed, status }: ClaimChange): Patch => ({
  type: 'strategic',
  value: { metadata: { ...changed, resourceVersion: metadata.resourceVersion }, status },
})

// A result is recorded even if the claim has changed meanwhile; the UID protects another claim of the same name.
const asItIs = ({ metadata }: PersistentVolumeClaim, { status }: ClaimChange): Patch => ({
  type: 'strategic',
  value: { metadata: { uid: metadata.uid }, status },
})

const removed = ({ status }: PersistentVolumeClaim, types: readonly string[]): object[] =>
  types.filter((type) => findCondition(status?.conditions, type)).map((type) => ({ $patch: 'delete', type }))

const resizeCondition = (type: string, nowMs: number, message?: string): object => ({
  type,
  status: 'True',
  lastTransitionTime: formatTimestamp(nowMs),
  ...(message === undefined ? {} : { message }),
})

/** The target is saved before the driver is called. Conditions of an earlier target are dropped. */
export function beginExpansionPatch(
  claim: PersistentVolumeClaim,
  { target, isNewTarget }: { readonly target: string; readonly isNewTarget: boolean },
  nowMs: number,
): Patch {
  const outdated = isNewTarget
    ? removed(
        claim,
        RESIZE_CONDITIONS.filter((type) => type !== 'Resizing'),
      )
    : []
  return asSeen(claim, {
    metadata: { annotations: { [NODE_EXPANSION_NOT_REQUIRED]: null } },
    status: {
      conditions: [...outdated, resizeCondition('Resizing', nowMs)],
      allocatedResources: { storage: target },
      ...(isNewTarget ? { allocatedResourceStatuses: { storage: 'ControllerResizeInProgress' } } : {}),
    },
  })
}

/** The driver is done, so an error of an earlier attempt no longer holds; the node has to do the rest. */
export const nodeExpansionPatch = (claim: PersistentVolumeClaim, nowMs: number): Patch =>
  asSeen(claim, {
    status: {
      conditions: [
        ...removed(claim, ['ControllerResizeError']),
        resizeCondition(
          'FileSystemResizePending',
          nowMs,
          'Waiting for user to (re-)start a pod to finish file system resize of volume on node.',
        ),
      ],
      allocatedResourceStatuses: { storage: 'NodeResizePending' },
    },
  })

export const expansionDonePatch = (claim: PersistentVolumeClaim, size: string): Patch =>
  asSeen(claim, {
    metadata: { annotations: { [NODE_EXPANSION_NOT_REQUIRED]: 'true' } },
    status: {
      capacity: { storage: size },
      conditions: removed(claim, RESIZE_CONDITIONS),
      allocatedResourceStatuses: { storage: null },
    },
  })

export const expansionFailedPatch = (
  claim: PersistentVolumeClaim,
  { message, isInfeasible }: { readonly message: string; readonly isInfeasible: boolean },
  nowMs: number,
): Patch =>
  asItIs(claim, {
    status: {
      conditions: [resizeCondition('ControllerResizeError', nowMs, `failed to expand pvc with ${message}`)],
      ...(isInfeasible ? { allocatedResourceStatuses: { storage: 'ControllerResizeInfeasible' } } : {}),
    },
  })

export type ModifyProblem = {
  readonly code: string
  readonly message: string
  readonly outcome: Failure['outcome']
}

export const modifyPendingPatch = (claim: PersistentVolumeClaim): Patch =>
  asSeen(claim, { status: { modifyVolumeStatus: { status: 'Pending' } } })

export const beginModifyPatch = (claim: PersistentVolumeClaim, className: string, nowMs: number): Patch =>
  asSeen(claim, {
    status: {
      modifyVolumeStatus: { targetVolumeAttributesClassName: className, status: 'InProgress' },
      conditions: [
        modifyCondition(
          claim,
          { type: 'ModifyingVolume', message: `Modifying volume to ${quote(className)} is in progress.` },
          nowMs,
        ),
      ],
    },
  })

export function modifyFailedPatch(
  claim: PersistentVolumeClaim,
  { code, message, outcome }: ModifyProblem,
  nowMs: number,
): Patch {
  const className = claim.status?.modifyVolumeStatus?.targetVolumeAttributesClassName ?? ''
  const text =
    outcome === 'in-doubt'
      ? `Modifying volume to ${quote(className)} is still in progress.`
      : `Modifying volume to ${quote(className)} failed. Waiting for retry.`
  return asSeen(claim, {
    status: {
      modifyVolumeStatus: { status: outcome === 'infeasible' ? 'Infeasible' : 'InProgress' },
      conditions: [
        modifyCondition(claim, { type: 'ModifyingVolume', message: text }, nowMs),
        modifyCondition(claim, { type: 'ModifyVolumeError', reason: code, message }, nowMs),
      ],
    },
  })
}

export const modifyDonePatch = (claim: PersistentVolumeClaim, className: string): Patch =>
  asItIs(claim, {
    status: {
      currentVolumeAttributesClassName: className,
      modifyVolumeStatus: null,
      conditions: removed(claim, MODIFY_CONDITIONS),
    },
  })

export const modifyCanceledPatch = (claim: PersistentVolumeClaim): Patch =>
  asItIs(claim, { status: { conditions: removed(claim, ['ModifyingVolume']) } })

// The transition time changes only with the reason or the status.
function modifyCondition(
  { status }: PersistentVolumeClaim,
  condition: { readonly type: string; readonly reason?: string; readonly message: string },
  nowMs: number,
): PersistentVolumeClaimCondition {
  const now = formatTimestamp(nowMs)
  const before = findCondition(status?.conditions, condition.type)
  const isSame = before?.status === 'True' && (before.reason ?? '') === (condition.reason ?? '')
  const lastTransitionTime = isSame ? (before.lastTransitionTime ?? now) : now
  return { ...condition, status: 'True', lastProbeTime: now, lastTransitionTime }
}

const quote = (text: string): string => JSON.stringify(text)
