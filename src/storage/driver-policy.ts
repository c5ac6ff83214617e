import type { CSIDriver, CSIDriverTokenRequest, FSGroupPolicy, VolumeLifecycleMode } from '../api/kinds/csi-driver.ts'
import { passesTokens, skipsAttach } from '../api/driver-gates.ts'
import type { DriverGates } from '../api/driver-gates.ts'
import { isMirror, POD_INFO_VERSION } from '../compat/mirror-csi-driver.ts'
import { alphaRequiresAttach } from '../compat/alpha-csi-driver.ts'
import type { AlphaCSIDriver } from '../compat/alpha-csi-driver.ts'
import { tokenRequestsOf } from '../compat/alpha-tokens.ts'

/**
 * Everything that a driver reports about itself. An absent field means that the object does not exist: an object that could not be read is an error
 * instead.
 */
export type DriverRecords = {
  /** `storage.k8s.io/v1`. */
  readonly csiDriver?: CSIDriver | undefined
  /** `csi.storage.k8s.io/v1alpha1`; see `chooseAlphaDriver` if several are about the driver. */
  readonly alphaDriver?: AlphaCSIDriver | undefined
  /** What the node's registrar returned from `GetCSIDriverInfo`. Default false. */
  readonly requiresPublishPod?: boolean | undefined
  readonly gates?: DriverGates | undefined
}

/** The prefix of the keys of pod data. */
export type PodInfoPrefix = 'csi.storage.k8s.io' | 'csi.kubernetes.io'

/** How the cluster treats a driver. */
export type DriverPolicy = {
  /** False: no VolumeAttachment is created, and mounting does not wait for one. */
  readonly attach: boolean
  /** The key prefixes of pod data in `NodePublishVolume`. Empty: no pod data is sent. */
  readonly podInfo: readonly PodInfoPrefix[]
  readonly lifecycleModes: readonly VolumeLifecycleMode[]
  readonly fsGroupPolicy: FSGroupPolicy
  readonly tokens: {
    readonly requests: readonly CSIDriverTokenRequest[]
    readonly passedIn: 'volumeContext' | 'secrets'
    /** Each token also has its expiration as `expiry` (alpha API). */
    readonly withExpiry: boolean
  }
  /** When `NodePublishVolume` is repeated: never, at each sync of the pod, or in each loop of the volume manager. */
  readonly republish: 'never' | 'eachSync' | 'eachLoop'
  readonly seLinuxMount: boolean
  readonly storageCapacity: boolean
  /** Default: the node's limit is read at registration only. */
  readonly allocatableUpdatePeriodSeconds?: number
}

/**
 * Combines both objects. A CSIDriver created by a user decides field by field; its false for pod data and for republishing is ignored, because the
 * API server sets it by default. A mirror only repeats the object of the alpha API, which is used instead.
 */
export function driverPolicyOf({
  csiDriver,
  alphaDriver,
  requiresPublishPod = false,
  gates = {},
}: DriverRecords): DriverPolicy {
  const today = csiDriver && alphaDriver && isMirror(csiDriver) ? undefined : csiDriver?.spec
  const alpha = alphaDriver?.spec
  const alphaTokens = alpha ? tokenRequestsOf(alpha) : []
  const ownTokens = today?.tokenRequests ?? []
  const withTokens = passesTokens(gates)
  const periodSeconds = csiDriver?.spec.nodeAllocatableUpdatePeriodSeconds
  return {
    attach: !skipsAttach(gates) || (today ? (today.attachRequired ?? true) : alpha ? alphaRequiresAttach(alpha) : true),
    podInfo: podInfoOf({
      'csi.storage.k8s.io': (today?.podInfoOnMount ?? false) || alpha?.podInfoOnMountVersion === POD_INFO_VERSION,
      'csi.kubernetes.io': requiresPublishPod || (alpha?.podInfoRequiredOnMount ?? false),
    }),
    lifecycleModes: nonEmpty(today ? today.volumeLifecycleModes : alpha?.volumeLifecycleModes) ?? ['Persistent'],
    fsGroupPolicy: csiDriver?.spec.fsGroupPolicy ?? 'ReadWriteOnceWithFSType',
    tokens: {
      requests: withTokens ? (nonEmpty(ownTokens) ?? alphaTokens) : [],
      passedIn: csiDriver?.spec.serviceAccountTokenInSecrets ? 'secrets' : 'volumeContext',
      withExpiry: withTokens && alphaTokens.length > 0,
    },
    republish: !withTokens
      ? 'never'
      : alpha?.requiresRemount
        ? 'eachLoop'
        : today?.requiresRepublish
          ? 'eachSync'
          : 'never',
    seLinuxMount: csiDriver?.spec.seLinuxMount ?? false,
    storageCapacity: csiDriver?.spec.storageCapacity ?? false,
    ...(periodSeconds === undefined ? {} : { allocatableUpdatePeriodSeconds: periodSeconds }),
  }
}

const podInfoOf = (wanted: Readonly<Record<PodInfoPrefix, boolean>>): PodInfoPrefix[] =>
  PREFIXES.filter((prefix) => wanted[prefix])
const PREFIXES: readonly PodInfoPrefix[] = ['csi.storage.k8s.io', 'csi.kubernetes.io']

const nonEmpty = <T>(list: readonly T[] | null | undefined): readonly T[] | undefined =>
  list?.length ? list : undefined
