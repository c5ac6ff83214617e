import { isEqualJson } from '../api/equal-json.ts'
import type { CSIDriver } from '../api/kinds/csi-driver.ts'

/** Marks the object that a cluster makes for its bundled driver, so that the driver is listed. */
export const DEFAULT_ANNOTATION = 'holdfast.dev/default'

// All of them said, so that a change of any can be seen. Most are what the server assumes anyway.
const SPEC: CSIDriver['spec'] = {
  attachRequired: true,
  // By it the bundled driver tells a volume of the pod's own from another.
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

/** As the cluster made it: it gives way to an object of the registry about the same driver. Once somebody has changed it, it is theirs. */
export const isUntouchedDefault = ({ metadata: { annotations = {} }, spec }: CSIDriver): boolean =>
  isEqualJson(annotations, { [DEFAULT_ANNOTATION]: 'true' }) && isEqualJson(spec, SPEC)
