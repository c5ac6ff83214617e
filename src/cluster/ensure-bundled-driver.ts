import { isAlreadyExists } from '../api/api-error.ts'
import type { Api } from '../api/api.ts'
import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { createDefaultDriver } from '../storage/default-csi-driver.ts'

/** So that `kubectl get csidrivers` lists the bundled driver. A user may change or delete it; it is not restored before the next start. */
export async function ensureBundledDriver(api: Api, name: string): Promise<void> {
  try {
    await api.create(CSI_DRIVERS, createDefaultDriver(name))
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
