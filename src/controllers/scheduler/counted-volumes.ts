import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { keyOf } from '../../api/object-key.ts'
import { classNameOf, NO_PROVISIONER } from '../../storage/names.ts'
import type { ClusterView } from './cluster-view.ts'
import type { NodeEntry } from './node-entry.ts'

/** A volume as the attach limit of its driver counts it. */
export type CountedVolume = { readonly driver: string; readonly handle: string }

/** Undefined for a volume without a CSI driver. */
export const countedOf = ({ spec: { csi } }: PersistentVolume): CountedVolume | undefined =>
  csi && { driver: csi.driver, handle: csi.volumeHandle }

/** How the limit of its driver counts the claim's volume, also before it exists; undefined: not at all. */
export function countedVolumeOf(claim: PersistentVolumeClaim, world: ClusterView): CountedVolume | undefined {
  const { volumes, classes, shelves, reservations } = world
  const volume =
    volumes.get(claim.spec.volumeName || reservations.choiceFor(keyOf(claim))?.volume || '') ??
    shelves.reservedFor(claim).find(({ spec }) => spec.claimRef?.uid)
  if (volume) return countedOf(volume)
  // A volume that does not exist yet is counted under the claim's key, which no handle looks like.
  const provisioner = classes.get(classNameOf(claim))?.provisioner
  return provisioner === undefined || provisioner === NO_PROVISIONER
    ? undefined
    : { driver: provisioner, handle: `claim ${keyOf(claim)}` }
}

/** The volumes that count on a node: of its pods, and of attachments. */
export function* volumesOn({ pods, attachments }: NodeEntry, world: ClusterView): Iterable<CountedVolume> {
  for (const { claims, inLine } of pods.values()) {
    yield* inLine
    for (const { key } of claims) {
      const claim = world.claims.get(key)
      const counted = claim && countedVolumeOf(claim, world)
      if (counted) yield counted
    }
  }
  for (const { spec } of attachments.values()) {
    const { inlineVolumeSpec, persistentVolumeName = '' } = spec.source
    const handle = (inlineVolumeSpec ?? world.volumes.get(persistentVolumeName)?.spec)?.csi?.volumeHandle
    if (handle !== undefined) yield { driver: spec.attacher, handle }
  }
}
