import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import { keyOf, keyOfRef } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import { Groups } from '../../base/groups.ts'
import { createSaidOnce } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { claimKeysOf } from '../../storage/claim-reference.ts'
import { podClaimKeysOf } from '../../storage/pod-claims.ts'
import type { VolumeLookup } from '../../storage/resolve-pod-volume.ts'
import type { AttachDetachConfig } from './attach-detach-options.ts'
import { wishesOfPod } from './attachment-view.ts'
import type { PodWish } from './attachment-view.ts'

export type Wishes = ReturnType<typeof followWishes>

/** The volumes that all pods need, indexed by attachment, by volume and by node. `onChange` gets the names of attachments that are affected. */
export function followWishes(
  config: AttachDetachConfig,
  { follow, events }: ControllerRole,
  onChange: (names: readonly string[]) => void,
) {
  const pods = follow(PODS)
  const podsOf = pods.indexBy(podClaimKeysOf)
  const claims = follow(PERSISTENT_VOLUME_CLAIMS)
  const volumes = follow(PERSISTENT_VOLUMES)
  const drivers = follow(CSI_DRIVERS)
  const lookup: VolumeLookup = {
    claim: (namespace, name) => claims.get(keyOfRef({ namespace, name })),
    volume: volumes.get,
    driver: drivers.get,
  }
  const said = createSaidOnce()
  const ofPod = new Map<string, readonly PodWish[]>()
  const [byName, byVolume, byNode] = [new Groups<PodWish>(), new Groups<PodWish>(), new Groups<PodWish>()]

  const change = (how: 'add' | 'delete', wish: PodWish): void => {
    byName[how](wish.name, wish)
    byVolume[how](wish.volume.uniqueName, wish)
    byNode[how](wish.nodeName, wish)
  }
  const readPod = (key: string): void => {
    const pod = pods.get(key)
    const { wishes, refused } = pod ? wishesOfPod(pod, lookup, config) : { wishes: [], refused: [] }
    const before = ofPod.get(key) ?? []
    for (const wish of before) change('delete', wish)
    for (const wish of wishes) change('add', wish)
    if (wishes.length === 0) ofPod.delete(key)
    else ofPod.set(key, wishes)
    const changed = [...namesOnlyIn(before, wishes), ...namesOnlyIn(wishes, before)]
    if (changed.length > 0) onChange(changed)
    if (!pod || refused.length === 0) return said.forget(key)
    for (const { podVolumeName, reason } of refused) {
      const text = formatReason(reason)
      if (said.isNews(key, `${pod.metadata.uid} ${podVolumeName}`, text))
        events.record(pod, 'Warning', 'FailedAttachVolume', text)
    }
  }
  const readPodsOfClaim = (key: string): void => {
    for (const pod of podsOf(key)) readPod(keyOf(pod))
  }
  const readAll = (): void => {
    for (const pod of pods.all()) readPod(keyOf(pod))
  }
  pods.onChange(({ key }) => readPod(key))
  claims.onChange(({ key }) => readPodsOfClaim(key))
  volumes.onChange(({ before, after }) => claimKeysOf(before, after).forEach(readPodsOfClaim))
  drivers.onChange(({ before, after }) => {
    if (!isEqualJson(driverFacts(before), driverFacts(after))) readAll()
  })
  return {
    byName: (name: string): PodWish[] => [...byName.get(name)],
    byVolume: (uniqueName: string): PodWish[] => [...byVolume.get(uniqueName)],
    byNode: (nodeName: string): PodWish[] => [...byNode.get(nodeName)],
    names: () => byName.names(),
    readAll,
  }
}

const driverFacts = (driver: CSIDriver | undefined): unknown => [
  driver?.spec.attachRequired,
  driver?.spec.volumeLifecycleModes,
  driver?.metadata.annotations,
]

const namesOnlyIn = (list: readonly PodWish[], other: readonly PodWish[]): string[] =>
  list.filter((wish) => !other.some((each) => isSame(wish, each))).map(({ name }) => name)

// Changes of the pod don't matter here; those of its volume do.
const isSame = (a: PodWish, b: PodWish): boolean =>
  a.name === b.name &&
  a.pod.metadata.uid === b.pod.metadata.uid &&
  a.volume.persistentVolume === b.volume.persistentVolume
