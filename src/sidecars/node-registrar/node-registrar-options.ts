import { count, duration, flag, path, text } from '../../base/options/index.ts'
import type { ConfigOf } from '../../base/options/index.ts'

/** The flags of the Go program of this name, and one that asks for pods in NodePublishVolume. */
export const nodeRegistrarOptions = {
  csiAddress: path('/run/csi/socket', 'Socket of the CSI driver, as a path or unix:// address.'),
  kubeletRegistrationPath: path.required('Socket of the CSI driver as the node agent sees it: a path on the host.', {
    example: '/var/lib/kubelet/plugins/csi.example.com/csi.sock',
  }),
  pluginRegistrationPath: path(
    '/registration',
    'Directory for the registration socket: the plugins_registry of the node agent.',
  ),
  requiresPublishPod: flag(false, 'Pass pod information to NodePublishVolume.'),
  timeoutMs: duration('1s', 'Timeout of each CSI call and of the check of the registration socket.'),
  httpEndpoint: text('', 'Address for health checks, for example :9809. Empty: none.'),
  healthPort: count(0, 'Port for health checks, on all addresses.', { maximum: 65_535, deprecated: '--http-endpoint' }),
  mode: text('', 'Only kubelet-registration-probe is supported, which exits successfully without doing anything.', {
    deprecated: 'the health endpoint',
  }),
  connectionTimeoutMs: duration('0s', 'Accepted for old manifests.', {
    hidden: true,
    deprecated: 'nothing: it has no effect',
  }),
  enablePprof: flag(false, 'Accepted for Go manifests; there is nothing to profile so here.', { hidden: true }),
}

export type NodeRegistrarConfig = ConfigOf<typeof nodeRegistrarOptions>

export function checkNodeRegistrarConfig({
  healthPort,
  httpEndpoint,
}: Pick<NodeRegistrarConfig, 'healthPort' | 'httpEndpoint'>): string[] {
  return healthPort > 0 && httpEndpoint !== '' ? ['--http-endpoint and --health-port exclude each other'] : []
}
