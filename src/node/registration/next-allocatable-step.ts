import type { WaitStep } from '../../kube/controller/index.ts'
import { REASONS } from './reasons.ts'

/** Of a driver whose CSIDriver object has `nodeAllocatableUpdatePeriodSeconds`. */
export type AllocatableView = {
  /** When the driver is next asked for its limit. Undefined: not planned yet. */
  readonly dueInMs: number | undefined
  /** VolumeAttachments of volumes that the node needs and that are not attached. */
  readonly waiting: readonly string[]
  /** When these are next read. Undefined: not planned yet. */
  readonly lookInMs: number | undefined
}

export type AllocatableStep =
  | WaitStep
  | { readonly kind: 'plan' }
  /** Asks the driver, and publishes its limit. */
  | { readonly kind: 'refresh' }
  /** Reads the attachments: one that failed because the node is full shows that the limit is outdated. */
  | { readonly kind: 'look'; readonly attachments: readonly string[] }

/** When to ask a driver how many volumes the node can have. Nodes may not watch attachments, so they are read periodically. */
export function nextAllocatableStep({ dueInMs, waiting, lookInMs }: AllocatableView): AllocatableStep {
  const isWaiting = waiting.length > 0
  if (dueInMs === undefined || (isWaiting && lookInMs === undefined)) return { kind: 'plan' }
  if (dueInMs <= 0) return { kind: 'refresh' }
  if (!isWaiting || lookInMs === undefined) return { kind: 'wait', reason: REASONS.LimitCurrent, retryInMs: dueInMs }
  if (lookInMs <= 0) return { kind: 'look', attachments: waiting }
  return { kind: 'wait', reason: REASONS.LimitCurrent, retryInMs: Math.min(dueInMs, lookInMs) }
}
