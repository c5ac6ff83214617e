import { duration, flag, text } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'
import { POD_INFO_VERSION } from '../../compat/mirror-csi-driver.ts'

/** The flags that the program has had over time, and our own; those of the process are apart. */
export const clusterRegistrarOptions = {
  timeoutMs: duration('15s', 'Longest wait for one driver call.'),
  driverRequiresAttachment: flag.optional(
    'Whether volumes have to be attached before they are mounted. Left out: so if the driver has ControllerPublishVolume.',
  ),
  podInfoMount: flag(false, 'Pass pod data to NodePublishVolume, under csi.storage.k8s.io/*.'),
  podInfoMountVersion: text('', 'Older way to say --pod-info-mount: v1.', { deprecated: '--pod-info-mount' }),
  podInfoRequiredOnMount: flag(
    false,
    'Pass pod data under csi.kubernetes.io/*, as the first design documents have it. Only Holdfast does.',
  ),
  recreateOnImmutableChange: flag(
    false,
    'Delete and make anew the object that this program made, where it has to differ in what can not be changed.',
  ),
  deleteOnExit: flag(
    false,
    'Delete at the end what this program made. Volumes in use may then be attached that were not before.',
  ),
  connectionTimeoutMs: duration('1m', 'Accepted for old manifests: the driver is waited for as long as it takes.', {
    hidden: true,
  }),
} satisfies OptionTable

export type ClusterRegistrarConfig = ConfigOf<typeof clusterRegistrarOptions>

/** What is wrong between these options. */
export function checkClusterRegistrarConfig({ podInfoMountVersion }: ClusterRegistrarConfig): string[] {
  const isKnown = podInfoMountVersion === '' || podInfoMountVersion === POD_INFO_VERSION
  return isKnown ? [] : [`--pod-info-mount-version: the only version is ${POD_INFO_VERSION}`]
}
