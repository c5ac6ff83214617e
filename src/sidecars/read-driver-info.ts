import { requireCsiDriverName } from '../api/csi-driver-name.ts'
import type { CallOptions } from '../csi/call-options.ts'
import type { Driver } from '../csi/rpc.ts'

/** Name and version of a driver. Every sidecar asks here, so that none works for a driver whose name is invalid. */
export async function readDriverInfo(
  driver: Driver,
  socket: string,
  options: CallOptions,
): Promise<{ name: string; version: string }> {
  const { name, vendorVersion } = await driver.getPluginInfo({}, options)
  return { name: requireCsiDriverName(name, socket), version: vendorVersion }
}
