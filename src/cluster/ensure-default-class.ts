import { isAlreadyExists } from '../api/api-error.ts'
import type { Api } from '../api/api.ts'
import { STORAGE_CLASSES } from '../api/kinds/storage-class.ts'

/** Creates the default class. A user may change or delete it; it is not restored before the next start. */
export async function ensureDefaultClass(api: Api, driver: string, { hasZones }: { hasZones: boolean }): Promise<void> {
  try {
    await api.create(STORAGE_CLASSES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: driver,
      reclaimPolicy: 'Delete',
      // Where volumes have a place, the pod's node has to be known first.
      volumeBindingMode: hasZones ? 'WaitForFirstConsumer' : 'Immediate',
      allowVolumeExpansion: true,
    })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
