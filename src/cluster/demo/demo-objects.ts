import type { Api } from '../../api/api.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import type { CSIDriverSpec } from '../../api/kinds/csi-driver.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaimSpec } from '../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { PodSpec, Volume } from '../../api/kinds/pod.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import { SERVICE_ACCOUNTS } from '../../api/kinds/service-account.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../api/kinds/volume-attributes-class.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import { ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import { DEFAULT_DRIVER_NAME } from '../../drivers/hostpath/index.ts'

export const NAMESPACE = 'default'
export const DRIVER = DEFAULT_DRIVER_NAME

/** The objects that a user applies, each in one line. */
export const createClass = (api: Api, name: string, more: Partial<StorageClass>): Promise<unknown> =>
  api.create(STORAGE_CLASSES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: DRIVER,
    ...more,
  })

export const createClaim = (
  api: Api,
  name: string,
  storageClassName: string,
  { size = '64Mi', ...more }: Partial<PersistentVolumeClaimSpec> & { readonly size?: string } = {},
): Promise<unknown> =>
  api.create(PERSISTENT_VOLUME_CLAIMS, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: NAMESPACE, name },
    spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } }, ...more },
  })

/** A pod with one volume. */
export const createPod = (
  api: Api,
  name: string,
  volume: Omit<Volume, 'name'>,
  more: Partial<PodSpec> = {},
): Promise<unknown> =>
  api.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: NAMESPACE, name },
    spec: {
      containers: [{ name: 'main', image: 'busybox', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      volumes: [{ name: 'data', ...volume }],
      ...more,
    },
  })

export const createAttributesClass = (
  api: Api,
  name: string,
  parameters: Readonly<Record<string, string>>,
): Promise<unknown> =>
  api.create(VOLUME_ATTRIBUTES_CLASSES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttributesClass',
    metadata: { name },
    driverName: DRIVER,
    parameters,
  })

export const createSnapshotClass = (api: Api, name: string): Promise<unknown> =>
  api.create(VOLUME_SNAPSHOT_CLASSES, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata: { name },
    driver: DRIVER,
    deletionPolicy: 'Delete',
  })

export const createSnapshot = (
  api: Api,
  name: string,
  { claim, className }: { readonly claim: string; readonly className: string },
): Promise<unknown> =>
  api.create(VOLUME_SNAPSHOTS, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: { namespace: NAMESPACE, name },
    spec: { volumeSnapshotClassName: className, source: { persistentVolumeClaimName: claim } },
  })

export const createSecret = (api: Api, name: string, stringData: Readonly<Record<string, string>>): Promise<unknown> =>
  api.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: NAMESPACE, name }, stringData })

export const createServiceAccount = (api: Api, name: string): Promise<unknown> =>
  api.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: NAMESPACE, name } })

export const createDriver = (api: Api, spec: CSIDriverSpec): Promise<unknown> =>
  api.create(CSI_DRIVERS, { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: DRIVER }, spec })

export const changeDriver = (api: Api, spec: CSIDriverSpec): Promise<unknown> =>
  api.patch(CSI_DRIVERS, { name: DRIVER }, { type: 'merge', value: { spec } })

/** As the first design documents describe a driver. */
export const createAlphaDriver = (api: Api): Promise<unknown> =>
  api.create(ALPHA_CSI_DRIVERS, {
    apiVersion: 'csi.storage.k8s.io/v1alpha1',
    kind: 'CSIDriver',
    metadata: { name: DRIVER },
    spec: { driver: DRIVER, podInfoRequiredOnMount: true },
  })

export const deletePod = (api: Api, name: string): Promise<unknown> => api.delete(PODS, { namespace: NAMESPACE, name })
export const deleteClaim = (api: Api, name: string): Promise<unknown> =>
  api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name })
