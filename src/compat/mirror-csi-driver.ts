import type { CSIDriver, CSIDriverSpec } from '../api/kinds/csi-driver.ts'
import type { KubeObject } from '../api/object.ts'
import { validateDnsSubdomain } from '../api/names.ts'
import { passesTokens, skipsAttach } from '../api/driver-gates.ts'
import type { DriverGates } from '../api/driver-gates.ts'
import type { AlphaCSIDriver, AlphaCSIDriverSpec } from './alpha-csi-driver.ts'
import { driverNamedBy, alphaRequiresAttach } from './alpha-csi-driver.ts'
import { tokenRequestsOf } from './alpha-tokens.ts'

/** Marks an object of today that stands for one of the registry's, which its value names. Without the mark it is somebody's own. */
export const MIRROR_ANNOTATION = 'holdfast.dev/mirror-of'

/** On a CSIDriver of either kind with the value `true`: pods may name handles of this driver's volumes. They reach volumes of others, so it is off unless said. */
export const POD_HANDLES_ANNOTATION = 'csi.holdfast.dev/allow-inline-volume-handles'

/** The only version of pod data that there ever was. */
export const POD_INFO_VERSION = 'v1'

const LONGEST_DRIVER_NAME = 63

/** What a mirror says about a driver; all else in it is left as it is. */
export type MirroredFields = Required<
  Pick<
    CSIDriverSpec,
    'attachRequired' | 'podInfoOnMount' | 'requiresRepublish' | 'tokenRequests' | 'volumeLifecycleModes'
  >
>

export const isMirror = ({ metadata }: Pick<KubeObject, 'metadata'>): boolean =>
  metadata.annotations?.[MIRROR_ANNOTATION] !== undefined

/** Why no object of today can bear this driver's name: such names are in small letters. Empty: one can. */
export const mirrorNameProblems = (driver: string): string[] =>
  driver.length > LONGEST_DRIVER_NAME
    ? [`must be no more than ${LONGEST_DRIVER_NAME} characters`]
    : validateDnsSubdomain(driver)

/**
 * What an unmodified cluster has to know of an object of the registry. Pod data only where the keys are today's: a kubelet would
 * send today's keys to a driver that asked for the document's.
 */
export function mirroredFields(spec: AlphaCSIDriverSpec, gates: DriverGates = {}): MirroredFields {
  const { podInfoOnMountVersion, requiresRemount, volumeLifecycleModes } = spec
  return {
    attachRequired: !skipsAttach(gates) || alphaRequiresAttach(spec),
    podInfoOnMount: podInfoOnMountVersion === POD_INFO_VERSION,
    requiresRepublish: passesTokens(gates) && (requiresRemount ?? false),
    tokenRequests: passesTokens(gates) ? tokenRequestsOf(spec) : [],
    volumeLifecycleModes: volumeLifecycleModes?.length ? volumeLifecycleModes : ['Persistent'],
  }
}

/** The annotations of a mirror; others may have added more. Null: it must not have this one. */
export const mirroredAnnotations = ({
  metadata: { name = '', annotations },
}: Pick<AlphaCSIDriver, 'metadata'>): Readonly<Record<string, string | null>> => ({
  [MIRROR_ANNOTATION]: name,
  [POD_HANDLES_ANNOTATION]: annotations?.[POD_HANDLES_ANNOTATION] ?? null,
})

/** Today's object for one of the registry, marked as its mirror. */
export function createMirror(alpha: AlphaCSIDriver, gates: DriverGates = {}): CSIDriver {
  const { tokenRequests, ...fields } = mirroredFields(alpha.spec, gates)
  const annotations = Object.fromEntries(
    Object.entries(mirroredAnnotations(alpha)).filter((entry): entry is [string, string] => entry[1] !== null),
  )
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: driverNamedBy(alpha), annotations },
    spec: { ...fields, ...(tokenRequests.length > 0 ? { tokenRequests } : {}) },
  }
}

/** The same wishes as an object of today's in the registry's own words. What those have no word for is lost. */
export function alphaDriverOf({ metadata: { name = '' }, spec }: CSIDriver): AlphaCSIDriver {
  const { attachRequired = true, podInfoOnMount, requiresRepublish, tokenRequests = [], volumeLifecycleModes } = spec
  return {
    apiVersion: 'csi.storage.k8s.io/v1alpha1',
    kind: 'CSIDriver',
    metadata: { name: name.toLowerCase() },
    spec: {
      driver: name,
      attachRequired,
      ...(podInfoOnMount ? { podInfoOnMountVersion: POD_INFO_VERSION } : {}),
      ...(requiresRepublish ? { requiresRemount: true } : {}),
      ...(tokenRequests.length > 0 ? { serviceAccountTokens: tokenRequests } : {}),
      ...(volumeLifecycleModes ? { volumeLifecycleModes } : {}),
    },
  }
}
