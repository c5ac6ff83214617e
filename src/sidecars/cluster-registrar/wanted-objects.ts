import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import type { KubeObject } from '../../api/object.ts'
import { POD_INFO_VERSION } from '../../compat/mirror-csi-driver.ts'
import type { AlphaCSIDriver } from '../../compat/alpha-csi-driver.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import type { DriverFacts } from '../discover-driver.ts'
import type { ClusterRegistrarConfig } from './cluster-registrar-options.ts'

/** Marks the objects that this program created. It never changes or deletes an object without this mark. */
export const REGISTRAR_ANNOTATION = 'holdfast.dev/registered-by'
const MARK = { [REGISTRAR_ANNOTATION]: 'cluster-driver-registrar' }

export const isOurs = ({ metadata }: Pick<KubeObject, 'metadata'>): boolean =>
  metadata.annotations?.[REGISTRAR_ANNOTATION] === MARK[REGISTRAR_ANNOTATION]

/** The objects of a driver, as they should be. */
export type WantedObjects = {
  readonly driver: string
  readonly csiDriver: CSIDriver & {
    readonly spec: { readonly attachRequired: boolean; readonly podInfoOnMount: boolean }
  }
  readonly alphaDriver: AlphaCSIDriver
}

type Wishes = Pick<
  ClusterRegistrarConfig,
  'driverRequiresAttachment' | 'podInfoMount' | 'podInfoMountVersion' | 'podInfoRequiredOnMount'
>

export function wantedObjects(facts: Pick<DriverFacts, 'name' | 'controller'>, config: Wishes): WantedObjects {
  const { name, controller } = facts
  const attachRequired = config.driverRequiresAttachment ?? controller.has(Capability.PUBLISH_UNPUBLISH_VOLUME)
  const podInfoOnMount = config.podInfoMount || config.podInfoMountVersion === POD_INFO_VERSION
  return {
    driver: name,
    csiDriver: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name, annotations: MARK },
      spec: { attachRequired, podInfoOnMount },
    },
    alphaDriver: {
      apiVersion: 'csi.storage.k8s.io/v1alpha1',
      kind: 'CSIDriver',
      // A driver's name may have capitals, an object's may not.
      metadata: { name: name.toLowerCase(), annotations: MARK },
      spec: {
        driver: name,
        attachRequired,
        ...(podInfoOnMount ? { podInfoOnMountVersion: POD_INFO_VERSION } : {}),
        ...(config.podInfoRequiredOnMount ? { podInfoRequiredOnMount: true } : {}),
      },
    },
  }
}
