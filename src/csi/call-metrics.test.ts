import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Registry } from 'prom-client'
import { createCallMetrics } from './call-metrics.ts'
import { CODES, goCodeName } from './codes.ts'
import type { CallObserver } from './create-client.ts'
import { CSI_RPCS } from './rpc.ts'

function call(method: string, code: Parameters<CallObserver>[0]['code'], tookMs: number): Parameters<CallObserver>[0] {
  const rpc = CSI_RPCS.get(method)
  assert.ok(rpc)
  return { rpc, code, tookMs, request: {}, response: undefined, error: undefined }
}

describe('call metrics', () => {
  it('are what dashboards of the Go sidecars read', async () => {
    const registry = new Registry()
    const metrics = createCallMetrics(registry)
    metrics.setDriverName('test.holdfast.dev')
    metrics.observe(call('createVolume', 'OK', 300))
    metrics.observe(call('createVolume', 'OK', 700))
    const labels = 'driver_name="test.holdfast.dev",method_name="/csi.v1.Controller/CreateVolume",grpc_status_code="OK"'
    const bucket = (le: string, count: number): string =>
      `csi_sidecar_operations_seconds_bucket{le="${le}",${labels}} ${count}`
    assert.equal(
      await registry.metrics(),
      [
        '# HELP csi_sidecar_operations_seconds [ALPHA] Container Storage Interface operation duration with gRPC error code status total',
        '# TYPE csi_sidecar_operations_seconds histogram',
        bucket('0.1', 0),
        bucket('0.25', 0),
        bucket('0.5', 1),
        ...['1', '2.5', '5', '10', '15', '25', '50', '120', '300', '600', '+Inf'].map((le) => bucket(le, 2)),
        `csi_sidecar_operations_seconds_sum{${labels}} 1`,
        `csi_sidecar_operations_seconds_count{${labels}} 2`,
        '',
      ].join('\n'),
    )
  })

  it('call the driver unknown-driver until its name is known', async () => {
    const registry = new Registry()
    const metrics = createCallMetrics(registry)
    metrics.observe(call('getPluginInfo', 'OK', 1))
    metrics.setDriverName('known')
    metrics.observe(call('getPluginInfo', 'OK', 1))
    const text = await registry.metrics()
    for (const name of ['unknown-driver', 'known']) {
      assert.match(
        text,
        new RegExp(
          `_count\\{driver_name="${name}",method_name="/csi.v1.Identity/GetPluginInfo",grpc_status_code="OK"\\} 1`,
        ),
      )
    }
  })

  it('tell every code by its Go name, and a call without a status as unknown-non-grpc', async () => {
    const registry = new Registry()
    const metrics = createCallMetrics(registry)
    for (const code of [...CODES, undefined]) metrics.observe(call('probe', code, 1))
    const seen = Array.from(
      (await registry.metrics()).matchAll(/_count\{.*grpc_status_code="(.*)"\} 1/g),
      ([, name]) => name,
    )
    assert.deepEqual(seen, [...CODES.map(goCodeName), 'unknown-non-grpc'])
  })
})
