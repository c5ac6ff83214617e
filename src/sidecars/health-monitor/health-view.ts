import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { claimKeyOf, isVolumeBoundToClaim } from '../../storage/claim-reference.ts'
import type { Finding } from './health-calls.ts'

/** All that is known about the health of one volume. */
export type HealthView = {
  readonly seen: {
    readonly volume: PersistentVolume
    /** The claim that the volume is bound to. */
    readonly claim?: PersistentVolumeClaim
  }
  readonly held: {
    /** Wall clock. */
    readonly nowMs: number
    /** The driver's last report, if any. */
    readonly finding?: Finding
    /** The condition that the last event on the claim reports. Undefined if there is none, or the volume has recovered. */
    readonly told?: ToldCondition
    /** When to query this volume. Undefined if its health comes from a list. */
    readonly askInMs?: number
  }
}

export type ToldCondition = { readonly message: string; readonly atMs: number }

/** The volume and its claim, if the volume is one of this driver that is not being deleted. */
export function readHealthView(
  volume: PersistentVolume | undefined,
  findClaim: (key: string) => PersistentVolumeClaim | undefined,
  driver: string,
): HealthView['seen'] | undefined {
  if (!volume || volume.metadata.deletionTimestamp || volume.spec.csi?.driver !== driver) return undefined
  const key = claimKeyOf(volume)
  if (key === undefined) return undefined
  const claim = findClaim(key)
  const isBound = claim && claim.spec.volumeName === volume.metadata.name && isVolumeBoundToClaim(volume, claim)
  return { volume, ...(isBound ? { claim } : {}) }
}
