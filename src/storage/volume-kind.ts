import type { PersistentVolumeSpec } from '../api/kinds/persistent-volume.ts'
import type { Volume } from '../api/kinds/pod.ts'

/** Which of its possible sources a pod's volume has: `nfs`. One that says nothing is an emptyDir. */
export function volumeKindOf(volume: Volume): string {
  return findSource(volume, NOT_OF_VOLUMES) ?? 'emptyDir'
}

/** Which of its possible sources a PersistentVolume has: `nfs`. */
export function persistentVolumeKindOf(spec: PersistentVolumeSpec): string {
  return findSource(spec, NOT_OF_PERSISTENT_VOLUMES) ?? 'unknown'
}

// There are some twenty sources, of which we know few: what is none of the other members is one.
const NOT_OF_VOLUMES = new Set(['name'])
const NOT_OF_PERSISTENT_VOLUMES = new Set([
  'capacity',
  'accessModes',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'mountOptions',
  'volumeMode',
  'nodeAffinity',
  'volumeAttributesClassName',
])

const findSource = (members: object, others: ReadonlySet<string>): string | undefined =>
  Object.entries(members).find(
    ([name, value]: [string, unknown]) => !others.has(name) && typeof value === 'object' && value !== null,
  )?.[0]
