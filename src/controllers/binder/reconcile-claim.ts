import { ignoreNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { keyOf } from '../../api/object-key.ts'
import { unreachable } from '../../base/abort.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { after, DONE } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import { within } from '../../kube/within.ts'
import type { WorkResult } from '../../kube/work-queue.ts'
import type { ClaimStep, ClaimView } from './binder-view.ts'
import type { BindingWriter } from './binding-writer.ts'
import { nextClaimStep } from './next-claim-step.ts'
import type { Notices } from './notices.ts'
import type { VolumeLocks } from './volume-locks.ts'

export type ClaimParts = {
  readonly api: Api
  readonly clock: Clock
  readonly podPatienceMs: number
  /** Undefined when the claim is gone. */
  readSeen(key: string): ClaimView['seen'] | undefined
  readonly write: BindingWriter
  readonly locks: VolumeLocks
  readonly notices: Notices
  enqueue(key: string): void
  /** The claim has had its turn: it took what it wanted, or waits. */
  onSettled(key: string): void
}

// A class, four steps of binding and a wait, with room for what changes meanwhile.
const MOST_STEPS = 10
// The server has a volume that the cache does not show, and may never show if it goes before.
const CACHE_BEHIND_MS = 1000

type Pass = { readonly key: string; readonly view: ClaimView; readonly signal: AbortSignal; readonly log: Logger }

/** One pass over one claim: as many steps as follow from each other, each decided on what the one before has written. */
export function createClaimReconciler(parts: ClaimParts): Reconciler {
  const { api, clock, podPatienceMs, write, locks, notices } = parts

  const reconcile: Reconciler = async (key, { log, signal }) => {
    try {
      for (let steps = 0; steps < MOST_STEPS; steps++) {
        signal.throwIfAborted()
        const seen = parts.readSeen(key)
        if (!seen) return settle(key)
        const view: ClaimView = { seen, held: { nowMs: clock.nowMs(), podPatienceMs, isVolumeConfirmed: false } }
        const decided = nextClaimStep(view)
        const step = decided.kind === 'look-at-volume' ? await confirm(decided.name, view, signal) : decided
        log.debug('claim step', { step: step.kind, ...('reason' in step ? { reason: step.reason } : {}) })
        const volume = volumeIn(step)
        if (volume && !locks.take(keyOf(volume), key)) {
          locks.whenFree(keyOf(volume), () => parts.enqueue(key))
          return DONE
        }
        const result = await perform(step, { key, view, signal, log })
        if (result) return result
      }
      return after(0)
    } finally {
      locks.releaseAll(key)
    }
  }

  /** Undefined: go on with the next step. */
  const perform = async (step: ClaimStep, { key, view, signal, log }: Pass): Promise<WorkResult | undefined> => {
    const { claim } = view.seen
    switch (step.kind) {
      case 'wait':
        if (step.notice) notices.tell(claim, step.notice, step.reason)
        settle(key)
        return step.retryInMs === undefined ? DONE : after(step.retryInMs)
      case 'look-at-volume':
        settle(key)
        return after(CACHE_BEHIND_MS)
      case 'reserve-volume':
        await write.reserveVolume(step.volume, claim, step.isChoice, signal)
        return undefined
      case 'mark-volume-bound':
        await write.setVolumePhase(step.volume, 'Bound', '', signal)
        return undefined
      case 'complete-claim':
        await write.completeClaim(claim, step.volume, step.isChoice, signal)
        return undefined
      case 'mark-claim-bound':
        await write.setClaimStatus(claim, step.status, signal)
        log.info('claim bound', { volume: step.volume.metadata.name })
        return undefined
      case 'mark-pending':
        await write.setClaimStatus(claim, withoutVolume(view, 'Pending'), signal)
        return undefined
      case 'mark-lost':
        await write.setClaimStatus(claim, withoutVolume(view, 'Lost'), signal)
        notices.tell(claim, step.notice, step.reason)
        log.warn('claim lost', { reason: step.reason })
        return undefined
      case 'set-class':
        await write.setClass(claim, step.className, signal)
        log.info('claim has got the default class', { storageClass: step.className })
        return undefined
      case 'mark-for-provisioner':
        await write.markForProvisioner(claim, step.provisioner, signal)
        notices.tell(claim, step.notice, step.reason)
        return undefined
      default:
        return unreachable(step)
    }
  }

  /** What to do when the volume is as the server has it. Where that is not the claim's end, the cache has to catch up first. */
  const confirm = async (name: string, { seen, held }: ClaimView, signal: AbortSignal): Promise<ClaimStep> => {
    const { volume: _cached, ...rest } = seen
    const volume = await within(clock, signal, (until) => api.get(PERSISTENT_VOLUMES, { name }, { signal: until })).catch(ignoreNotFound)
    const step = nextClaimStep({ seen: { ...rest, ...(volume ? { volume } : {}) }, ...(held ? { held: { ...held, isVolumeConfirmed: true } } : {}) })
    return step.kind === 'mark-lost' ? step : { kind: 'look-at-volume', name }
  }
  const settle = (key: string): WorkResult => {
    parts.onSettled(key)
    return DONE
  }
  return reconcile
}

const volumeIn = (step: ClaimStep): PersistentVolume | undefined => ('volume' in step ? step.volume : undefined)

function withoutVolume({ seen: { claim } }: ClaimView, phase: 'Pending' | 'Lost') {
  const { accessModes: _modes, capacity: _capacity, ...rest } = claim.status ?? {}
  return { ...rest, phase }
}
