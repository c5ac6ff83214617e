import { ignoreNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { ObjectReference } from '../../api/kinds/references.ts'
import { formatReason } from '../../api/reason.ts'
import { unreachable } from '../../base/abort.ts'
import type { Clock } from '../../base/clock.ts'
import { after, DONE } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import { within } from '../../kube/within.ts'
import type { VolumeView } from './binder-view.ts'
import type { BindingWriter } from './binding-writer.ts'
import { nextVolumeStep } from './next-volume-step.ts'
import type { Notices } from './notices.ts'
import type { VolumeLocks } from './volume-locks.ts'

export type VolumeParts = {
  readonly api: Api
  readonly clock: Clock
  /** Undefined when the volume is gone. */
  readSeen(name: string): VolumeView['seen'] | undefined
  /** Was seen to go: nobody has to be asked. */
  isKnownGone(claimUid: string): boolean
  readonly write: BindingWriter
  readonly locks: VolumeLocks
  readonly notices: Notices
  enqueue(name: string): void
}

const MOST_STEPS = 6
// The server has a claim that the cache does not show, and may never show if it goes before.
const CACHE_BEHIND_MS = 1000

/** One pass over one volume. It only writes while no claim is being bound to the volume. */
export function createVolumeReconciler(parts: VolumeParts): Reconciler {
  const { api, clock, write, locks, notices } = parts

  /** What the server has, where it has the claim that is meant; the cache is behind then. */
  const isThere = async ({ namespace, name = '', uid }: ObjectReference, signal: AbortSignal): Promise<boolean> => {
    const claim = await within(clock, signal, (until) => api.get(PERSISTENT_VOLUME_CLAIMS, { name, ...(namespace ? { namespace } : {}) }, { signal: until })).catch(ignoreNotFound)
    return claim !== undefined && claim.metadata.uid === uid
  }

  return async (name, { log, signal }) => {
    // Claims are known by their key, which has a slash or is another text than this.
    const holder = `volume ${name}`
    let isClaimConfirmed = false
    try {
      for (let steps = 0; steps < MOST_STEPS; steps++) {
        signal.throwIfAborted()
        const seen = parts.readSeen(name)
        if (!seen) return DONE
        const { volume } = seen
        const { claimRef = {} } = volume.spec
        isClaimConfirmed ||= parts.isKnownGone(claimRef.uid ?? '')
        const step = nextVolumeStep({ seen, held: { isClaimConfirmed } })
        log.debug('volume step', { step: step.kind, ...('reason' in step ? { reason: step.reason } : {}) })
        if (step.kind === 'wait') {
          if (step.notice) notices.tell(volume, step.notice, step.reason)
          if (step.notice && step.tellClaim) notices.tell(step.tellClaim, step.notice, step.reason)
          return DONE
        }
        if (step.kind === 'look-at-claim') {
          if (await isThere(claimRef, signal)) return after(CACHE_BEHIND_MS)
          isClaimConfirmed = true
          continue
        }
        if (!locks.take(name, holder)) {
          locks.whenFree(name, () => parts.enqueue(name))
          return DONE
        }
        switch (step.kind) {
          case 'set-phase':
            await write.setVolumePhase(volume, step.phase, step.phase === 'Failed' ? formatReason(step.reason) : '', signal)
            if (step.notice) notices.tell(volume, step.notice, step.reason)
            log.info('volume phase', { phase: step.phase })
            break
          case 'unbind':
            await write.unbindVolume(volume, step.keeps, signal)
            break
          default:
            return unreachable(step)
        }
      }
      return after(0)
    } finally {
      locks.releaseAll(holder)
    }
  }
}
