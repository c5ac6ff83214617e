import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../api/kinds/csi-node.ts'
import type { ClusterReader } from './cluster-reader.ts'

/** Whether a CSIDriver or a CSINode names the driver. True if that may not be read. */
export async function isDriverKnown(driver: string, reader: ClusterReader): Promise<boolean> {
  const [registered, csiDriver] = [await reader.list(CSI_NODES), await reader.get(CSI_DRIVERS, { name: driver })]
  return (
    csiDriver.kind !== 'absent' ||
    registered === undefined ||
    registered.some(({ spec }) => spec.drivers?.some(({ name }) => name === driver))
  )
}
