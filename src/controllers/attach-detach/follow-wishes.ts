import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import { keyOf, keyOfRef } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import { createSaidOnce } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { claimKeyOf } from '../../storage/claim-reference.ts'
import { podClaimKeysOf } from '../../storage/pod-claims.ts'
import type { VolumeLookup } from '../../storage/resolve-pod-volume.ts'
import type { AttachDetachConfig } from './attach-detach-options.ts'
import { createWishTable } from './wish-table.ts'
import type { WishTable } from './wish-table.ts'
import { wishesOfPod } from './wishes-of-pod.ts'

const BY_CLAIM = 'attach-detach/claim'

/** Keeps the table of what pods want. `onChange` gets the names of attachments about which pods say something new. */
export function followWishes(
  config: AttachDetachConfig,
  { follow, events, onStop }: ControllerRole,
  onChange: (names: readonly string[]) => void,
): { wishes: WishTable; readAll(): void } {
  const pods = follow(PODS, { indexes: { [BY_CLAIM]: podClaimKeysOf } })
  const claims = follow(PERSISTENT_VOLUME_CLAIMS)
  const volumes = follow(PERSISTENT_VOLUMES)
  const drivers = follow(CSI_DRIVERS)
  const wishes = createWishTable()
  const said = createSaidOnce()
  const lookup: VolumeLookup = {
    claim: (namespace, name) => claims.get(keyOfRef({ namespace, name })),
    volume: (name) => volumes.get(name),
    driver: (name) => drivers.get(name),
  }
  const readPod = (key: string): void => {
    const pod = pods.get(key)
    const { wishes: wished, refused } = pod ? wishesOfPod(pod, lookup, config) : { wishes: [], refused: [] }
    const changed = wishes.set(key, wished)
    if (changed.length > 0) onChange(changed)
    if (!pod || refused.length === 0) return said.forget(key)
    for (const { volume, reason } of refused) {
      const text = formatReason(reason)
      if (said.isNews(key, `${pod.metadata.uid} ${volume}`, text))
        events.record(pod, 'Warning', 'FailedAttachVolume', text)
    }
  }
  const readPodsOfClaim = (key: string | undefined): void => {
    if (key !== undefined) for (const pod of pods.byIndex(BY_CLAIM, key)) readPod(keyOf(pod))
  }
  const readAll = (): void => {
    for (const pod of pods.all()) readPod(keyOf(pod))
  }
  onStop(pods.onChange(({ key }) => readPod(key)))
  onStop(claims.onChange(({ key }) => readPodsOfClaim(key)))
  onStop(
    volumes.onChange(({ before, after }) => {
      for (const claim of new Set([before && claimKeyOf(before), after && claimKeyOf(after)])) readPodsOfClaim(claim)
    }),
  )
  onStop(
    drivers.onChange(({ before, after }) => {
      if (!isEqualJson(driverFacts(before), driverFacts(after))) readAll()
    }),
  )
  return { wishes, readAll }
}

const driverFacts = (driver: CSIDriver | undefined): unknown => [
  driver?.spec.attachRequired,
  driver?.spec.volumeLifecycleModes,
  driver?.metadata.annotations,
]
