import type { PersistentVolumeClaim, PersistentVolumeClaimStatus } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume, PersistentVolumePhase } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import type { Reason } from '../../api/reason.ts'

export type ClaimView = {
  readonly seen: {
    readonly claim: PersistentVolumeClaim
    /** The one that the claim names. */
    readonly volume?: PersistentVolume
    /** The best one for a claim that names none. */
    readonly match?: PersistentVolume
    /** The class of the claim. */
    readonly storageClass?: StorageClass
    /** The class that the claim would have had, had there been one in time. */
    readonly defaultClass?: StorageClass
    /** Those that use the claim and have no node yet. */
    readonly waitingPods?: readonly Pod[]
  }
  /** Undefined when asked from outside. */
  readonly held?: {
    readonly nowMs: number
    readonly podPatienceMs: number
    /** `volume` is what the server has, not only what the cache shows. */
    readonly isVolumeConfirmed: boolean
  }
}

/** An event that goes with a reason. */
export type Notice = { readonly type: 'Normal' | 'Warning'; readonly event: string }

export type ClaimStep =
  | { readonly kind: 'wait'; readonly reason: Reason; readonly notice?: Notice; readonly retryInMs?: number }
  /** The cache shows what would be the end of the claim: ask the server. */
  | { readonly kind: 'look-at-volume'; readonly name: string }
  /** The volume is to name the claim. */
  | { readonly kind: 'reserve-volume'; readonly volume: PersistentVolume; readonly isChoice: boolean }
  | { readonly kind: 'mark-volume-bound'; readonly volume: PersistentVolume }
  /** The claim is to name the volume. */
  | { readonly kind: 'complete-claim'; readonly volume: PersistentVolume; readonly isChoice: boolean }
  | {
      readonly kind: 'mark-claim-bound'
      readonly volume: PersistentVolume
      readonly status: PersistentVolumeClaimStatus
    }
  | { readonly kind: 'mark-pending' }
  | { readonly kind: 'mark-lost'; readonly reason: Reason; readonly notice: Notice }
  | { readonly kind: 'set-class'; readonly className: string }
  | {
      readonly kind: 'mark-for-provisioner'
      readonly provisioner: string
      readonly reason: Reason
      readonly notice: Notice
    }

export type VolumeView = {
  readonly seen: {
    readonly volume: PersistentVolume
    /** The one of the name that the volume has; it may be another than the one that was meant. */
    readonly claim?: PersistentVolumeClaim
  }
  /** Undefined when asked from outside. */
  readonly held?: {
    /** That the claim is not there is what the server says, not only what the cache shows. */
    readonly isClaimConfirmed: boolean
  }
}

export type VolumeStep =
  | {
      readonly kind: 'wait'
      readonly reason: Reason
      readonly notice?: Notice
      readonly tellClaim?: PersistentVolumeClaim
    }
  | { readonly kind: 'look-at-claim' }
  | {
      readonly kind: 'set-phase'
      readonly phase: PersistentVolumePhase
      readonly reason: Reason
      readonly notice?: Notice
    }
  /** The claim has another volume: let this one go. What a person wrote stays, all but the uid. */
  | { readonly kind: 'unbind'; readonly keeps: 'nothing' | 'the name' }
