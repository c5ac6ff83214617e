import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createSimulatedClock } from '../base/simulated-clock.ts'
import type { CallObserver, Rpc } from '../csi/index.ts'
import { createCallLog } from './call-log.ts'

const call = (
  name: string,
  request: object,
  more: Partial<Parameters<CallObserver>[0]> = {},
): Parameters<CallObserver>[0] => ({
  rpc: { name } as Rpc,
  request,
  response: undefined,
  code: 'OK',
  error: undefined,
  tookMs: 10,
  ...more,
})

test('the calls for a volume are found by its name and by its handle, newest first', () => {
  const log = createCallLog(createSimulatedClock())
  const observe = log.observe('sidecars', 'd')
  observe(call('CreateVolume', { name: 'pvc-1' }, { response: { volume: { volumeId: 'handle-1' } } }))
  observe(call('ControllerPublishVolume', { volumeId: 'handle-1' }))
  observe(call('ControllerPublishVolume', { volumeId: 'handle-2' }))
  observe(call('Probe', {}))
  deepEqual(
    log.callsFor('pvc-1', 'handle-1').map(({ method, by }) => [method, by]),
    [
      ['ControllerPublishVolume', 'sidecars'],
      ['CreateVolume', 'sidecars'],
    ],
  )
  deepEqual(
    log.callsFor('pvc-1', undefined).map(({ method }) => method),
    ['CreateVolume'],
  )
})

test('the summary of a driver counts its own calls', () => {
  const log = createCallLog(createSimulatedClock())
  const drivers: string[] = []
  log.onCall((driver) => drivers.push(driver))
  for (let ms = 1; ms <= 100; ms++)
    log.observe('node-1', 'one')(call('NodePublishVolume', { volumeId: 'v' }, { tookMs: ms }))
  log.observe('node-1', 'two')(call('NodePublishVolume', { volumeId: 'v' }, { code: 'INTERNAL', tookMs: 7 }))
  deepEqual(log.summaryOf('one'), { count: 100, failed: 0, p50Ms: 51, p99Ms: 100 })
  deepEqual(log.summaryOf('two'), { count: 1, failed: 1, p50Ms: 7, p99Ms: 7 })
  equal(log.summaryOf('three'), undefined)
  equal(drivers.filter((driver) => driver === 'two').length, 1)
})
