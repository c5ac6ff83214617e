import { duration, flag, text } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'
import { POD_INFO_VERSION } from '../../compat/mirror-csi-driver.ts'

/** The flags that the program has had over time, and our own; those of the process are separate. */
export const clusterRegistrarOptions = {
  timeoutMs: duration('15s', 'Timeout of each CSI call.'),
  driverRequiresAttachment: flag.optional(
    'Whether volumes have to be attached before they are mounted. Default: true if the driver implements ControllerPublishVolume.',
  ),
  podInfoMount: flag(false, 'Pass pod data to NodePublishVolume, under csi.storage.k8s.io/*.'),
  podInfoMountVersion: text('', 'Older form of --pod-info-mount: v1.', { deprecated: '--pod-info-mount' }),
  podInfoRequiredOnMount: flag(
    false,
    'Pass pod information under csi.kubernetes.io/*, as in the alpha API. Only Holdfast supports it.',
  ),
  recreateOnImmutableChange: flag(
    false,
    'Delete and recreate the CSIDriver object that this program created if an immutable field has to change.',
  ),
  deleteOnExit: flag(
    false,
    'Delete the objects that this program created when it exits. Volumes in use may then be attached that were not before.',
  ),
  connectionTimeoutMs: duration('1m', 'Accepted for old manifests: the driver is waited for as long as it takes.', {
    hidden: true,
  }),
} satisfies OptionTable

export type ClusterRegistrarConfig = ConfigOf<typeof clusterRegistrarOptions>

export function checkClusterRegistrarConfig({ podInfoMountVersion }: ClusterRegistrarConfig): string[] {
  const isKnown = podInfoMountVersion === '' || podInfoMountVersion === POD_INFO_VERSION
  return isKnown ? [] : [`--pod-info-mount-version: the only version is ${POD_INFO_VERSION}`]
}
