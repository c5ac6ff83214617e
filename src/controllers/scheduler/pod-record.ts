import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { keyOf } from '../../api/object-key.ts'
import { getOrAdd } from '../../base/get-or-add.ts'
import { inLineHandle } from '../../storage/in-line-volume.ts'
import { podClaimsOf } from '../../storage/pod-claims.ts'
import type { PodClaim } from '../../storage/pod-claims.ts'
import { requestsOf } from './resource-amounts.ts'
import type { Amounts } from './resource-amounts.ts'

/** A volume as the attach limit of its driver counts it. */
export type CountedVolume = { readonly driver: string; readonly handle: string }

/** Undefined for a volume without a CSI driver. */
export const countedOf = ({ spec: { csi } }: PersistentVolume): CountedVolume | undefined =>
  csi && { driver: csi.driver, handle: csi.volumeHandle }

/** Data that is read from a pod once. */
export type PodRecord = {
  readonly pod: Pod
  readonly key: string
  readonly requests: Amounts
  /** Without duplicates, in the order of the volumes. */
  readonly claims: readonly PodClaim[]
  /** Inline volumes with a handle (alpha API), which are attached. Others are created on the node, and no limit counts them. */
  readonly inLine: readonly CountedVolume[]
  /** The drivers of all inline volumes. */
  readonly inLineDrivers: readonly string[]
}

export function createPodRecord(pod: Pod): PodRecord {
  const claims = new Map<string, PodClaim>()
  for (const claim of podClaimsOf(pod)) getOrAdd(claims, claim.key, () => claim)
  const sources = (pod.spec.volumes ?? []).flatMap(({ csi }) => csi ?? [])
  const inLine = sources.flatMap((csi): CountedVolume[] => {
    const handle = inLineHandle(csi)
    return handle === undefined ? [] : [{ driver: csi.driver, handle }]
  })
  return {
    pod,
    key: keyOf(pod),
    requests: requestsOf(pod.spec),
    claims: [...claims.values()],
    inLine,
    inLineDrivers: sources.map(({ driver }) => driver),
  }
}
