import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { formatLoad } from './report/format-text.ts'
import { openCheck } from './run-check.ts'
import { measureCalls } from './measure-calls.ts'
import type { RpcLoad } from './measure-calls.ts'
import { createLoadPhase } from './run-load.ts'
import { driverUnderCheck, volumesOf } from './testing/check-under-test.ts'

const call = (rpc: string, tookMs: number, code = 'OK') => ({ rpc, request: {}, code, tookMs })

test('rate and latency are measured for each RPC', () => {
  const calls = [
    ...Array.from({ length: 100 }, (_, index) => call('CreateVolume', index + 1)),
    call('DeleteVolume', 7, 'INTERNAL'),
  ]
  deepEqual(measureCalls(calls, 2000), [
    { rpc: 'CreateVolume', calls: 100, failed: 0, perSecond: 50, p50Ms: 50, p99Ms: 99 },
    { rpc: 'DeleteVolume', calls: 1, failed: 1, perSecond: 0.5, p50Ms: 7, p99Ms: 7 },
  ])
})

test('the load takes volumes through their life and leaves none', async (t) => {
  const under = await driverUnderCheck(t)
  let loads: readonly RpcLoad[] = []
  using session = await openCheck({ ...under.options, nodes: [] }, under.world)
  const phase = createLoadPhase({ volumes: 5, parallel: 2, onReport: (report) => void (loads = report) })
  const { results, left } = await session.run([], { onResult: () => {} }, [phase])
  equal(results[0]?.outcome.kind, 'passed')
  deepEqual(left, [])
  deepEqual(await volumesOf(under), [])
  for (const rpc of ['CreateVolume', 'DeleteVolume']) equal(loads.find((load) => load.rpc === rpc)?.calls, 5)
  ok(formatLoad(loads).includes('CreateVolume'))
})
