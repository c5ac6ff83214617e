import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { unreachable } from '../../base/abort.ts'
import { after, DONE } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import { nextClaimProtectionStep } from './next-claim-protection-step.ts'
import type { ClaimProtectionView } from './next-claim-protection-step.ts'
import type { ReadPods } from './read-pods.ts'
import type { WriteFinalizer } from './write-finalizer.ts'

export type ClaimParts = {
  /** Undefined when the claim is gone. */
  readSeen(key: string): ClaimProtectionView['seen'] | undefined
  readonly readPods: ReadPods
  readonly write: WriteFinalizer<PersistentVolumeClaim>
}

// The server has a pod that the cache does not show, and may never show if it goes before.
const CACHE_BEHIND_MS = 1000

/** One pass over the protection of one claim. */
export function createClaimReconciler({ readSeen, readPods, write }: ClaimParts): Reconciler {
  return async (key, { log, signal }) => {
    const seen = readSeen(key)
    if (!seen) return DONE
    const { claim } = seen
    let isCacheBehind = false
    let step = nextClaimProtectionStep({ seen, held: { arePodsConfirmed: false } })
    if (step.kind === 'look-at-pods') {
      const pods = (await readPods(claim.metadata.namespace ?? '', signal)).get(key) ?? []
      step = nextClaimProtectionStep({ seen: { claim, pods }, held: { arePodsConfirmed: true } })
      isCacheBehind = step.kind === 'wait'
    }
    log.debug('claim protection step', { step })
    switch (step.kind) {
      case 'wait':
      case 'look-at-pods':
        return isCacheBehind ? after(CACHE_BEHIND_MS) : DONE
      case 'add-finalizer':
        return write(claim, 'add', signal)
      case 'remove-finalizer':
        return write(claim, 'remove', signal)
      default:
        return unreachable(step)
    }
  }
}
