import type { CSIDriver } from '../api/kinds/csi-driver.ts'

/** Without a CSIDriver, and where it does not say, volumes are attached. `skipAttach` is the gate `CSISkipAttach`: off, all are. */
export const needsAttach = (driver: CSIDriver | undefined, { skipAttach }: { skipAttach: boolean }): boolean =>
  !(skipAttach && driver?.spec.attachRequired === false)
