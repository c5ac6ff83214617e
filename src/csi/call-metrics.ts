import { Histogram } from 'prom-client'
import type { Registry } from 'prom-client'
import { goCodeName } from './codes.ts'
import type { CallObserver } from './create-client.ts'

const BUCKETS_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600]

/** Measures calls with the metric name and labels of the Go sidecars, so that their dashboards work. */
export interface CallMetrics {
  /** Sets the driver label of all later calls; `unknown-driver` until then. */
  setDriverName(name: string): void
  readonly observe: CallObserver
}

export function createCallMetrics(registry: Registry): CallMetrics {
  let driverName = 'unknown-driver'
  const histogram = new Histogram({
    name: 'csi_sidecar_operations_seconds',
    help: '[ALPHA] Container Storage Interface operation duration with gRPC error code status total',
    labelNames: ['driver_name', 'method_name', 'grpc_status_code'],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  })
  return {
    setDriverName: (name) => void (driverName = name),
    observe: ({ rpc, code, tookMs }) =>
      histogram.observe(
        {
          driver_name: driverName,
          method_name: rpc.path,
          grpc_status_code: code === undefined ? 'unknown-non-grpc' : goCodeName(code),
        },
        tookMs / 1000,
      ),
  }
}
