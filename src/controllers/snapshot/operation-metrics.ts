import { Gauge, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Clock } from '../../base/clock.ts'

/** The timed data of a VolumeSnapshot or a VolumeGroupSnapshot. */
export type TimedObject = {
  readonly of: 'Snapshot' | 'GroupSnapshot'
  readonly uid: string
  /** Undefined while it is unknown. */
  readonly driver: string | undefined
  readonly isStatic: boolean
  readonly isDeleted: boolean
  readonly isCreated: boolean
  readonly isReady: boolean
}

export interface OperationMetrics {
  /** The object was seen in this state. */
  seen(object: TimedObject): void
  /** The object is gone. */
  gone(object: TimedObject): void
}

type Started = { readonly atMs: number; readonly driver: string; readonly type: string }

const BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120, 300, 600]
const LABELS = ['driver_name', 'operation_name', 'snapshot_type', 'operation_status'] as const
const UNKNOWN = 'unknown'

/**
 * The metrics of the upstream snapshot-controller, with the same names: from the first time an object is seen to its creation, readiness and removal.
 * If called again for the same registry, counting continues.
 */
export function createOperationMetrics(registry: Registry, clock: Clock): OperationMetrics {
  const { latency, inFlight } = openMetrics(registry)
  const started = new Map<string, Started>()

  const start = (operation: string, { uid, driver = UNKNOWN, isStatic }: TimedObject): void => {
    const key = `${operation} ${uid}`
    if (started.has(key)) return
    started.set(key, { atMs: clock.monotonicMs(), driver, type: isStatic ? 'pre-provisioned' : 'dynamic' })
  }
  const end = (operation: string, { uid, driver }: TimedObject, status: 'success' | 'cancel'): void => {
    const key = `${operation} ${uid}`
    const { atMs, driver: firstDriver, type } = started.get(key) ?? {}
    if (atMs === undefined || type === undefined) return
    started.delete(key)
    latency.observe(
      {
        driver_name: driver ?? firstDriver ?? UNKNOWN,
        operation_name: operation,
        snapshot_type: type,
        operation_status: status,
      },
      (clock.monotonicMs() - atMs) / 1000,
    )
  }
  const seen = (object: TimedObject): void => {
    if (object.isDeleted) start(`Delete${object.of}`, object)
    else {
      if (!object.isCreated) start(`Create${object.of}`, object)
      if (!object.isReady) start(`Create${object.of}AndReady`, object)
    }
    if (object.isCreated) end(`Create${object.of}`, object, 'success')
    if (object.isReady) end(`Create${object.of}AndReady`, object, 'success')
    inFlight.set(started.size)
  }
  const gone = (object: TimedObject): void => {
    end(`Delete${object.of}`, object, 'success')
    end(`Create${object.of}`, object, 'cancel')
    end(`Create${object.of}AndReady`, object, 'cancel')
    inFlight.set(started.size)
  }
  return { seen, gone }
}

function openMetrics(registry: Registry) {
  const name = 'snapshot_controller_operation_total_seconds'
  const latency =
    (registry.getSingleMetric(name) as Histogram<(typeof LABELS)[number]> | undefined) ??
    new Histogram({
      name,
      help: 'Total number of seconds spent by the controller on an operation',
      labelNames: LABELS,
      buckets: BUCKETS,
      registers: [registry],
    })
  const inFlightName = 'snapshot_controller_operations_in_flight'
  const inFlight =
    (registry.getSingleMetric(inFlightName) as Gauge | undefined) ??
    new Gauge({ name: inFlightName, help: 'Total number of operations in flight', registers: [registry] })
  return { latency, inFlight }
}
