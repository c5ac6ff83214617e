import { isForbidden, isInvalid, isNotFound } from '../../../api/api-error.ts'
import type { Api } from '../../../api/api.ts'
import { CSI_STORAGE_CAPACITIES } from '../../../api/kinds/csi-storage-capacity.ts'

// No server takes it, so nothing is made.
const ILLEGAL_NAME = '%'

/** Resolves when objects could be published in the namespace. Asked before any work, since a server that refuses them does so each time. */
export async function probeCapacityApi(api: Api, namespace: string, signal: AbortSignal): Promise<void> {
  try {
    const object = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIStorageCapacity',
      metadata: { namespace, name: ILLEGAL_NAME },
      storageClassName: ILLEGAL_NAME,
    } as const
    await api.create(CSI_STORAGE_CAPACITIES, object, { dryRun: true, signal })
  } catch (cause) {
    if (isInvalid(cause)) return
    if (isForbidden(cause))
      throw new Error(
        `room can't be published in namespace ${namespace}: allow get, list, watch, create, update and delete of csistoragecapacities there`,
        { cause },
      )
    if (isNotFound(cause))
      throw new Error(
        `room can't be published: the server has no storage.k8s.io/v1 csistoragecapacities, or no namespace ${namespace}`,
        { cause },
      )
    throw cause
  }
}
