import { createHash } from 'node:crypto'
import type { CSIDriver } from '../api/kinds/csi-driver.ts'
import type { CSIPersistentVolumeSource, PersistentVolumeSpec } from '../api/kinds/persistent-volume.ts'
import type { CSIVolumeSource } from '../api/kinds/pod.ts'
import type { SecretReference } from '../api/kinds/references.ts'
import { POD_HANDLES_ANNOTATION } from '../compat/mirror-csi-driver.ts'

// Attributes with which a pod in an unmodified cluster passes what its in-line source has no fields for. They are not passed to the driver.
const RESERVED = 'csi.kubernetes.io/inline.'
const HANDLE = `${RESERVED}volumeHandle`
const CONTROLLER_PUBLISH_SECRET = `${RESERVED}controllerPublishSecretName`
const NODE_STAGE_SECRET = `${RESERVED}nodeStageSecretName`

/** The handle in the pod's spec; undefined for a volume that the driver creates for the pod. */
export const inLineHandle = ({ volumeHandle, volumeAttributes }: CSIVolumeSource): string | undefined =>
  volumeHandle || volumeAttributes?.[HANDLE] || undefined

/** The secret, in the pod's namespace, with which the node stages the volume. */
export const inLineStageSecret = ({ nodeStageSecretRef, volumeAttributes }: CSIVolumeSource): string | undefined =>
  nodeStageSecretRef?.name ?? volumeAttributes?.[NODE_STAGE_SECRET]

/** The handle of a volume that the driver creates for the pod. */
export const ephemeralHandle = (podUid: string, podVolumeName: string): string =>
  `csi-${createHash('sha256').update(`${podUid}${podVolumeName}`).digest('hex')}`

/** Whether the driver supports in-line volumes. */
export const allowsInLine = (driver: CSIDriver | undefined): boolean =>
  driver?.spec.volumeLifecycleModes?.includes('Ephemeral') ?? false

export const allowsPodHandles = (driver: CSIDriver | undefined): boolean =>
  allowsInLine(driver) && driver?.metadata.annotations?.[POD_HANDLES_ANNOTATION] === 'true'

/** The attributes that are passed to the driver. */
export const withoutReservedAttributes = (attributes: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes).filter(([key]) => !key.startsWith(RESERVED)))

/**
 * A pod's volume that has a handle, as a PersistentVolumeSpec: complete, so that it can be detached when the pod is gone. Its secrets are in the
 * pod's namespace; a pod's source has no access modes, and is used by one node at a time.
 */
export function inLineVolumeSpec(
  source: CSIVolumeSource,
  handle: string,
  namespace: string,
): PersistentVolumeSpec & { csi: CSIPersistentVolumeSource } {
  const { driver, readOnly, fsType, volumeAttributes = {}, controllerPublishSecretRef, nodePublishSecretRef } = source
  const attributes = withoutReservedAttributes(volumeAttributes)
  const refTo = (name: string | undefined): SecretReference | undefined => (name ? { name, namespace } : undefined)
  const controllerSecret = refTo(controllerPublishSecretRef?.name ?? volumeAttributes[CONTROLLER_PUBLISH_SECRET])
  const stageSecret = refTo(inLineStageSecret(source))
  const publishSecret = refTo(nodePublishSecretRef?.name)
  return {
    accessModes: ['ReadWriteOnce'],
    volumeMode: 'Filesystem',
    csi: {
      driver,
      volumeHandle: handle,
      fsType: fsType || 'ext4',
      ...(readOnly === undefined ? {} : { readOnly }),
      ...(Object.keys(attributes).length === 0 ? {} : { volumeAttributes: attributes }),
      ...(controllerSecret ? { controllerPublishSecretRef: controllerSecret } : {}),
      ...(stageSecret ? { nodeStageSecretRef: stageSecret } : {}),
      ...(publishSecret ? { nodePublishSecretRef: publishSecret } : {}),
    },
  }
}
