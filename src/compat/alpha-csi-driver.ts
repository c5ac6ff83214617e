import type { VolumeLifecycleMode } from '../api/kinds/csi-driver.ts'
import type { ObjectMeta } from '../api/object.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { ALPHA_GROUP, ALPHA_VERSION } from './alpha-crds.ts'

/** The registry's own `CSIDriver`. Its name is free: `spec.driver` says which driver it is about. */
export type AlphaCSIDriver = {
  readonly apiVersion: 'csi.storage.k8s.io/v1alpha1'
  readonly kind: 'CSIDriver'
  readonly metadata: ObjectMeta
  readonly spec: AlphaCSIDriverSpec
  readonly status?: AlphaCSIDriverStatus
}

/** The document serialises what is unset as null: null always means the same as absence. */
export type AlphaCSIDriverSpec = {
  /** As `GetPluginInfo` answers. Required since; an object that was stored without it is about the driver of its own name. */
  readonly driver?: string
  /** Default true. */
  readonly attachRequired?: boolean | null
  /** The opposite of `attachRequired`, under the name that the document uses once. */
  readonly skipAttach?: boolean | null
  /** Pod data under `csi.kubernetes.io/*`. Default false. */
  readonly podInfoRequiredOnMount?: boolean | null
  /** Only `v1` is known: pod data under `csi.storage.k8s.io/*`. */
  readonly podInfoOnMountVersion?: string | null
  readonly requiresRemount?: boolean | null
  readonly serviceAccountTokens?: readonly ServiceAccountToken[] | null
  /** Default `['Persistent']`. */
  readonly volumeLifecycleModes?: readonly VolumeLifecycleMode[] | null
}

/** The example of the document has a list of one where its type has a text; anything may have been stored. */
export type ServiceAccountToken = { readonly audience?: unknown; readonly expirationSeconds?: number | null }

export type AlphaCSIDriverStatus = {
  /** Set by who made the object. Absent: not known; nothing waits for it. */
  readonly ready?: boolean
  /** On how many nodes the driver is registered. */
  readonly nodes?: number
}

export const ALPHA_CSI_DRIVERS: ResourceType<AlphaCSIDriver> = {
  group: ALPHA_GROUP,
  version: ALPHA_VERSION,
  kind: 'CSIDriver',
  plural: 'csidrivers',
  namespaced: false,
}

/** The driver that an object is about. */
export const driverNamedBy = ({ metadata, spec }: Pick<AlphaCSIDriver, 'metadata' | 'spec'>): string =>
  spec.driver || (metadata.name ?? '')

/** Must volumes be attached before they are mounted? */
export const alphaRequiresAttach = ({ attachRequired, skipAttach }: AlphaCSIDriverSpec): boolean =>
  attachRequired ?? !(skipAttach ?? false)
