import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { findDefaultClass } from '../../storage/default-class.ts'
import { storageOf } from '../core/stored-object.ts'
import type { Loose } from '../kinds/loose.ts'
import { findClaimClass } from '../kinds/persistent-volume-claim.ts'
import type { AdmissionPlugin } from './admission.ts'

/** Sets the default class of a new claim that names none. An empty name is a name: it requests no class. */
export const defaultStorageClass: AdmissionPlugin = {
  name: 'DefaultStorageClass',
  mutate({ operation, kind, subresource, object, view }) {
    if (operation !== 'CREATE' || subresource !== '' || kind.storage !== storageOf(PERSISTENT_VOLUME_CLAIMS) || !object)
      return
    const claim = object as Loose<PersistentVolumeClaim>
    if (findClaimClass(claim) !== undefined) return
    const name = findDefaultClass(view.list(storageOf(STORAGE_CLASSES)).map((stored) => stored.object as StorageClass))
      ?.metadata.name
    if (name !== undefined) claim.spec = { ...claim.spec, storageClassName: name }
  },
}
