import type { CSIDriver } from '../api/kinds/csi-driver.ts'

/**
 * Volumes are attached unless their CSIDriver says otherwise. `skipAttach` is the feature gate `CSISkipAttach`: if it is disabled, all are attached.
 */
export const needsAttach = (driver: CSIDriver | undefined, { skipAttach }: { skipAttach: boolean }): boolean =>
  !(skipAttach && driver?.spec.attachRequired === false)
