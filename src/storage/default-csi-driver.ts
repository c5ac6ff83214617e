import { isEqualJson } from '../api/equal-json.ts'
import type { CSIDriver } from '../api/kinds/csi-driver.ts'

/** Marks the CSIDriver that a cluster creates for its bundled driver, so that the driver is listed. */
export const DEFAULT_ANNOTATION = 'holdfast.dev/default'

// Every field is set, so that any change shows. Most values are the defaults of the API server.
const SPEC: CSIDriver['spec'] = {
  attachRequired: true,
  // The bundled driver recognises ephemeral volumes by it.
  podInfoOnMount: true,
  volumeLifecycleModes: ['Persistent', 'Ephemeral'],
  storageCapacity: false,
  fsGroupPolicy: 'ReadWriteOnceWithFSType',
  requiresRepublish: false,
  seLinuxMount: false,
}

export const createDefaultDriver = (name: string): CSIDriver => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name, annotations: { [DEFAULT_ANNOTATION]: 'true' } },
  spec: SPEC,
})

/** Whether it is as the cluster created it. Only then does the registry replace it; an object that a user has changed is left alone. */
export const isUntouchedDefault = ({ metadata: { annotations = {} }, spec }: CSIDriver): boolean =>
  isEqualJson(annotations, { [DEFAULT_ANNOTATION]: 'true' }) && isEqualJson(spec, SPEC)
