import { duration, path, text } from '../../base/options/index.ts'
import type { ConfigOf } from '../../base/options/index.ts'

const DEFAULT_HEALTH_PORT = '9808'

/** The flags of the Go program of this name. */
export const livenessOptions = {
  csiAddress: path('/run/csi/socket', 'Socket of the CSI driver, as a path or unix:// address.'),
  probeTimeoutMs: duration(
    '3s',
    "Longest wait for one Probe; keep it below the timeoutSeconds of the container's probe.",
  ),
  httpEndpoint: text('', 'Address for health and metrics, for example :9808.'),
  healthPort: text(DEFAULT_HEALTH_PORT, 'Port for health alone, on all addresses.', { deprecated: '--http-endpoint' }),
  metricsAddress: text('', 'Address for metrics alone.', { deprecated: '--http-endpoint' }),
  metricsPath: text('/metrics', 'Path of the metrics.'),
}

export type LivenessConfig = ConfigOf<typeof livenessOptions>

/** What is wrong between these options. */
export function checkLivenessConfig({ httpEndpoint, healthPort, metricsAddress }: LivenessConfig): string[] {
  if (httpEndpoint === '') return []
  return [
    ...(healthPort !== DEFAULT_HEALTH_PORT ? ['--http-endpoint and --health-port exclude each other'] : []),
    ...(metricsAddress !== '' ? ['--http-endpoint and --metrics-address exclude each other'] : []),
  ]
}
