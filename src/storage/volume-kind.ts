import type { PersistentVolumeSpec } from '../api/kinds/persistent-volume.ts'
import type { Volume } from '../api/kinds/pod.ts'

/** The type of source of a pod's volume: `nfs`. A volume without a source is an emptyDir. */
export function volumeKindOf(volume: Volume): string {
  return findSource(volume, NOT_OF_VOLUMES) ?? 'emptyDir'
}

/** The type of source of a PersistentVolume: `nfs`. */
export function persistentVolumeKindOf(spec: PersistentVolumeSpec): string {
  return findSource(spec, NOT_OF_PERSISTENT_VOLUMES) ?? 'unknown'
}

// There are about twenty source types, most of them unknown here: any field that is not listed is one.
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
