import { duration, path, text } from '../../base/options/index.ts'
import type { ConfigOf } from '../../base/options/index.ts'

const DEFAULT_HEALTH_PORT = '9808'

export const livenessOptions = {
  csiAddress: path('/run/csi/socket', 'Socket of the CSI driver, as a path or unix:// address.'),
  probeTimeoutMs: duration(
    '3s',
    "Timeout of each Probe call. It should be less than timeoutSeconds of the container's liveness probe.",
  ),
  httpEndpoint: text('', 'Address for health checks and metrics, for example :9808.'),
  healthPort: text(DEFAULT_HEALTH_PORT, 'Port for health checks only, on all addresses.', {
    deprecated: '--http-endpoint',
  }),
  metricsAddress: text('', 'Address for metrics only.', { deprecated: '--http-endpoint' }),
  metricsPath: text('/metrics', 'HTTP path of the metrics.'),
}

export type LivenessConfig = ConfigOf<typeof livenessOptions>

export function checkLivenessConfig({ httpEndpoint, healthPort, metricsAddress }: LivenessConfig): string[] {
  if (httpEndpoint === '') return []
  return [
    ...(healthPort !== DEFAULT_HEALTH_PORT ? ['--http-endpoint and --health-port exclude each other'] : []),
    ...(metricsAddress !== '' ? ['--http-endpoint and --metrics-address exclude each other'] : []),
  ]
}
