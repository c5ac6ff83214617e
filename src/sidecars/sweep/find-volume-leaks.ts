import { formatObject } from '../../api/object-key.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { ephemeralHandle, inLineHandle } from '../../storage/in-line-volume.ts'
import {
  BETA_STORAGE_PROVISIONER,
  DRIVER_NAME_LABEL,
  findAnnotation,
  STORAGE_PROVISIONER,
} from '../../storage/names.ts'
import type { DriverSide } from './read-driver-side.ts'
import type { IsOwn, Leak } from './leak.ts'
import { isLeaving, nameOf, sharedBy } from './known-objects.ts'
import type { ClusterSide } from './read-cluster-side.ts'

/** Volumes, PersistentVolumes, claims, and the capacities of classes. */
export function findVolumeLeaks({ volumes: listed }: DriverSide, cluster: ClusterSide, isOwn: IsOwn): Leak[] {
  const { driverName, claims, classes, capacities } = cluster
  const own = ownVolumes(cluster)
  const known = new Set([...own.map(handleOf), ...inLineHandles(cluster)])
  const names = new Set(cluster.volumes.map(nameOf))
  const classNames = new Set(classes.map(nameOf))
  const unknown = [...(listed ?? [])].filter(([handle]) => !known.has(handle))
  const gone = own.filter((volume) => listed && !listed.has(handleOf(volume)) && !isOnItsWay(volume))
  return [
    ...unknown.map(([handle, { sizeBytes }]): Leak => ({
      kind: isOwn(handle) ? 'own-volume-without-object' : 'volume-without-object',
      handle,
      sizeBytes,
    })),
    ...gone.map((volume): Leak => ({
      kind: 'object-without-volume',
      handle: handleOf(volume),
      object: formatObject(volume),
    })),
    ...sharedBy(own, handleOf).map(({ key, objects }): Leak => ({
      kind: 'objects-share-volume',
      handle: key,
      object: objects.map(formatObject).sort().join(', '),
    })),
    ...claims
      .filter((claim) => claim.status?.phase === 'Lost' && !names.has(claim.spec.volumeName ?? '') && !isLeaving(claim))
      .filter((claim) =>
        [STORAGE_PROVISIONER, BETA_STORAGE_PROVISIONER].some((name) => findAnnotation(claim, name) === driverName),
      )
      .map((claim): Leak => ({ kind: 'claim-without-volume', object: formatObject(claim) })),
    ...own.filter(isRetained).map((volume): Leak => ({
      kind: 'retained-volume',
      handle: handleOf(volume),
      object: formatObject(volume),
    })),
    ...capacities
      .filter(({ metadata }) => metadata.labels?.[DRIVER_NAME_LABEL] === driverName)
      .filter(({ storageClassName }) => !classNames.has(storageClassName))
      .map((capacity): Leak => ({ kind: 'capacity-without-class', object: formatObject(capacity) })),
  ]
}

export const handleOf = ({ spec }: PersistentVolume): string => spec.csi?.volumeHandle ?? ''

export const ownVolumes = ({ volumes, driverName }: ClusterSide): PersistentVolume[] =>
  volumes.filter(({ spec }) => spec.csi?.driver === driverName)

/** The handles of the volumes that pods have in their spec: they have no PersistentVolume. */
export const inLineHandles = ({ pods, driverName }: ClusterSide): string[] =>
  pods.flatMap(({ metadata, spec }) =>
    (spec.volumes ?? []).flatMap(({ name, csi }) =>
      csi?.driver === driverName ? [inLineHandle(csi) ?? ephemeralHandle(metadata.uid ?? '', name)] : [],
    ),
  )

/** The provisioner deletes the volume, and then the object. */
const isOnItsWay = (volume: PersistentVolume): boolean =>
  isLeaving(volume) || (volume.status?.phase === 'Released' && volume.spec.persistentVolumeReclaimPolicy === 'Delete')

const isRetained = (volume: PersistentVolume): boolean =>
  volume.status?.phase === 'Released' && volume.spec.persistentVolumeReclaimPolicy === 'Retain' && !isLeaving(volume)
