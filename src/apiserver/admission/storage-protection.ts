import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../api/kinds/volume-attributes-class.ts'
import { metaOf } from '../core/drafts.ts'
import { storageOf } from '../core/stored-object.ts'
import type { AdmissionPlugin } from './admission.ts'

const FINALIZERS = new Map([
  [storageOf(PERSISTENT_VOLUMES), 'kubernetes.io/pv-protection'],
  [storageOf(PERSISTENT_VOLUME_CLAIMS), 'kubernetes.io/pvc-protection'],
  [storageOf(VOLUME_ATTRIBUTES_CLASSES), 'kubernetes.io/vac-protection'],
])

/** Adds the protection finalizer to new volumes, claims and attributes classes, which keeps them while they are in use. */
export const storageProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  mutate({ operation, kind, subresource, object }) {
    const finalizer = FINALIZERS.get(kind.storage)
    if (operation !== 'CREATE' || subresource !== '' || finalizer === undefined || !object) return
    const meta = metaOf(object)
    const finalizers = meta.finalizers ?? []
    if (!finalizers.includes(finalizer)) meta.finalizers = [...finalizers, finalizer]
  },
}
