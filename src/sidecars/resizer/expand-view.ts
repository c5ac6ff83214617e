import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { SecretRead } from '../../storage/read-secret.ts'

/** Everything known about the size of one claim. */
export type ExpandView = {
  readonly seen: {
    readonly claim: PersistentVolumeClaim
    /** The volume that the claim names. */
    readonly volume?: PersistentVolume
  }
  /** Undefined if called from outside. */
  readonly held?: ExpandHeld
}

export type ExpandHeld = {
  readonly nowMs: number
  /** The driver expands on the node only: the resizer calls nothing and hands the claim over. */
  readonly isNodeOnly: boolean
  /** A driver that refused because the volume was in use is not called again while a pod uses it. */
  readonly avoidsUsedVolumes: boolean
  /** The size before an expansion is kept on the volume until the node has finished. */
  readonly annotatesFsResize: boolean
  /** Of this pass. Undefined until it was read. */
  readonly secret?: SecretRead
  /** Pods that use the claim, as `namespace/name`. Of this pass. Undefined until they were read. */
  readonly users?: readonly string[]
  readonly memory?: ExpandMemory
}

/** The last call for a claim, until the objects show its result. `done`: the driver has completed it. */
export type CallMemory<Answer> = Failure | ({ readonly kind: 'done'; readonly target: string } & Answer)
export type Failure = {
  readonly kind: 'failed'
  /** The size, or the name of the VolumeAttributesClass. */
  readonly target: string
  /**
   * `in-doubt`: the call may still be running, so that nothing else may be tried. `final`: nothing is running. `in-use`: final, and possible
   * once no pod uses the volume. `infeasible`: final, and possible only with another target.
   */
  readonly outcome: 'in-doubt' | 'final' | 'in-use' | 'infeasible'
  readonly message: string
  readonly count: number
  readonly retryAtMs: number
}

export type ExpandAnswer = { readonly size: string; readonly needsNode: boolean }
export type ExpandMemory = CallMemory<ExpandAnswer>

/** The claim and its volume, if they concern this driver. */
export function readExpandView(
  claim: PersistentVolumeClaim | undefined,
  findVolume: (name: string) => PersistentVolume | undefined,
  driver: string,
): ExpandView['seen'] | undefined {
  if (!claim) return undefined
  const volume = claim.spec.volumeName ? findVolume(claim.spec.volumeName) : undefined
  // A volume that is not in the cache yet may turn out to be one of this driver.
  if (volume && volume.spec.csi?.driver !== driver) return undefined
  return { claim, ...(volume ? { volume } : {}) }
}
