import { compareQuantities } from '../../api/quantity.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import { storageOf } from '../core/stored-object.ts'
import type { Loose } from '../kinds/loose.ts'
import { findClaimClass } from '../kinds/persistent-volume-claim.ts'
import type { AdmissionPlugin } from './admission.ts'
import { forbid } from './forbid.ts'

type Claim = Loose<PersistentVolumeClaim>

/** A claim can be expanded only if it is bound and its class allows volume expansion. */
export const claimResize: AdmissionPlugin = {
  name: 'PersistentVolumeClaimResize',
  validate(request) {
    const { operation, kind, subresource, view } = request
    if (operation !== 'UPDATE' || subresource !== '' || kind.storage !== storageOf(PERSISTENT_VOLUME_CLAIMS)) return
    const [claim, before] = [(request.object ?? {}) as Claim, (request.old ?? {}) as Claim]
    if (compareQuantities(sizeOf(claim), sizeOf(before)) <= 0) return
    if (before.status?.phase !== 'Bound') throw forbid(request, 'Only bound persistent volume claims can be expanded')
    const className = findClaimClass(claim)
    const found =
      className && className === findClaimClass(before) ? view.find(storageOf(STORAGE_CLASSES), className) : undefined
    if ((found?.object as StorageClass | undefined)?.allowVolumeExpansion) return
    throw forbid(
      request,
      'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    )
  },
}

const sizeOf = ({ spec }: Claim): string => spec?.resources?.requests?.['storage'] ?? '0'
