import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { createOperationMetrics } from './operation-metrics.ts'
import type { TimedObject } from './operation-metrics.ts'

const of = (change: Partial<TimedObject> = {}): TimedObject => ({
  of: 'Snapshot',
  uid: 'u1',
  driver: 'd',
  isStatic: false,
  isDeleted: false,
  isCreated: false,
  isReady: false,
  ...change,
})

function open() {
  const clock = createSimulatedClock()
  const registry = new Registry()
  const metrics = createOperationMetrics(registry, clock)
  /** Operation, type, status, driver and seconds of each measurement. */
  const measured = async (): Promise<string[]> => {
    const histogram = await registry.getSingleMetric('snapshot_controller_operation_total_seconds')?.get()
    return (histogram?.values ?? [])
      .filter((value) => 'metricName' in value && String(value.metricName).endsWith('_sum'))
      .map(
        ({ labels, value }) =>
          `${labels['operation_name']} ${labels['snapshot_type']} ${labels['operation_status']} ${labels['driver_name']} ${value}`,
      )
  }
  const inFlight = async (): Promise<number> =>
    (await registry.getSingleMetric('snapshot_controller_operations_in_flight')?.get())?.values[0]?.value ?? 0
  return { clock, registry, metrics, measured, inFlight }
}

test('times creation, readiness and deletion from the first sight', async () => {
  const { clock, metrics, measured, inFlight } = open()
  metrics.seen(of({ driver: undefined }))
  deepEqual(await inFlight(), 2)
  await clock.advance(2000)
  metrics.seen(of({ isCreated: true }))
  await clock.advance(3000)
  metrics.seen(of({ isCreated: true, isReady: true }))
  metrics.seen(of({ isCreated: true, isReady: true, isDeleted: true }))
  await clock.advance(1000)
  metrics.gone(of({ isCreated: true, isReady: true, isDeleted: true }))
  deepEqual(await measured(), [
    'CreateSnapshot dynamic success d 2',
    'CreateSnapshotAndReady dynamic success d 5',
    'DeleteSnapshot dynamic success d 1',
  ])
  deepEqual(await inFlight(), 0)
})

test('a creation that a deletion ends is cancelled', async () => {
  const { metrics, measured } = open()
  metrics.seen(of({ of: 'GroupSnapshot', isStatic: true }))
  metrics.seen(of({ of: 'GroupSnapshot', isStatic: true, isDeleted: true }))
  metrics.gone(of({ of: 'GroupSnapshot', isStatic: true, isDeleted: true }))
  deepEqual(await measured(), [
    'DeleteGroupSnapshot pre-provisioned success d 0',
    'CreateGroupSnapshot pre-provisioned cancel d 0',
    'CreateGroupSnapshotAndReady pre-provisioned cancel d 0',
  ])
})

test('what was ready before the controller started is not measured', async () => {
  const { metrics, measured } = open()
  metrics.seen(of({ isCreated: true, isReady: true }))
  deepEqual(await measured(), [])
})

test('a controller that starts again finds its metrics in the registry', async () => {
  const { clock, registry, metrics, measured } = open()
  metrics.seen(of())
  metrics.seen(of({ isCreated: true }))
  const again = createOperationMetrics(registry, clock)
  again.seen(of({ uid: 'u2' }))
  again.seen(of({ uid: 'u2', isCreated: true }))
  deepEqual(await measured(), ['CreateSnapshot dynamic success d 0'])
})
