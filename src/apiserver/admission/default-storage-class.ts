import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { findTimestamp } from '../../api/timestamps.ts'
import type { StateView } from '../core/stored-object.ts'
import { storageOf } from '../core/stored-object.ts'
import type { Loose } from '../kinds/loose.ts'
import { findClaimClass } from '../kinds/persistent-volume-claim.ts'
import { isDefaultClass } from '../kinds/storage-class.ts'
import type { AdmissionPlugin } from './admission.ts'

/** A new claim that names no class gets the default one. An empty name is a name: it asks for none. */
export const defaultStorageClass: AdmissionPlugin = {
  name: 'DefaultStorageClass',
  mutate({ operation, kind, subresource, object, view }) {
    if (operation !== 'CREATE' || subresource !== '' || kind.storage !== storageOf(PERSISTENT_VOLUME_CLAIMS) || !object) return
    const claim = object as Loose<PersistentVolumeClaim>
    if (findClaimClass(claim) !== undefined) return
    const name = findDefaultClass(view)?.metadata.name
    if (name !== undefined) claim.spec = { ...claim.spec, storageClassName: name }
  },
}

/** Of several default classes the newest counts, then the first by name. */
export function findDefaultClass(view: StateView): StorageClass | undefined {
  const classes = view.list(storageOf(STORAGE_CLASSES)).map(({ object }) => object as StorageClass)
  return classes.filter((one) => isDefaultClass(one as Loose<StorageClass>)).sort(compareAge)[0]
}

function compareAge(one: StorageClass, other: StorageClass): number {
  const [left, right] = [findTimestamp(one.metadata.creationTimestamp) ?? 0, findTimestamp(other.metadata.creationTimestamp) ?? 0]
  if (left !== right) return right - left
  return (one.metadata.name ?? '') < (other.metadata.name ?? '') ? -1 : 1
}
