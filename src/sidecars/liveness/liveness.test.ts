import { deepEqual, equal, match, rejects } from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { createSystemClock } from '../../base/clock.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { openTestDirectory } from '../../csi/testing/open-test-directory.ts'
import { defineTestDriver, serveTest } from '../../csi/testing/start-test-driver.ts'
import type { CsiHandlers } from '../../csi/kit/index.ts'
import { checkLivenessConfig, startLiveness } from './index.ts'
import type { LivenessConfig } from './index.ts'

const clock = createSystemClock()
const config = (csiAddress: string, more: Partial<LivenessConfig> = {}): LivenessConfig => ({
  csiAddress,
  probeTimeoutMs: 2000,
  httpEndpoint: '127.0.0.1:0',
  healthPort: '9808',
  metricsAddress: '',
  metricsPath: '/metrics',
  ...more,
})

async function open(context: TestContext, handlers: CsiHandlers, more: Partial<LivenessConfig> = {}) {
  const path = join(await openTestDirectory(context), 'csi.sock')
  const driver = await serveTest(context, path, defineTestDriver(handlers))
  const liveness = await startLiveness(config(path, more), {
    clock,
    log: createSilentLogger(),
    signal: new AbortController().signal,
  })
  context.after(() => liveness.stop())
  const get = async (route: string, port = liveness.httpPort): Promise<[number, string]> => {
    const answer = await fetch(`http://127.0.0.1:${port}${route}`)
    return [answer.status, await answer.text()]
  }
  return { path, driver, liveness, get }
}

describe('the liveness probe', () => {
  test('S3-132: answers as the driver does: ready, silent about it, not ready, failing', async (context) => {
    let answer: () => ReturnType<NonNullable<CsiHandlers['probe']>> = () => Promise.resolve({ ready: true })
    const { get, liveness } = await open(context, { probe: () => answer() })
    equal(liveness.driverName, 'test.holdfast.dev')
    deepEqual(await get('/healthz'), [200, 'ok'])
    answer = () => Promise.resolve({})
    deepEqual(await get('/healthz'), [200, 'ok'])
    deepEqual(await get('/readyz'), [200, 'ok'])
    answer = () => Promise.resolve({ ready: false })
    deepEqual(await get('/healthz'), [500, 'the driver is not ready'])
    answer = () => Promise.reject(new Error('the disk is gone'))
    const [status, text] = await get('/healthz')
    equal(status, 500)
    match(text, /Probe: Internal: the disk is gone/)
  })

  test('a driver that hangs fails within the timeout, and is asked only once at a time', async (context) => {
    let asked = 0
    const { get } = await open(context, { probe: () => (asked++, new Promise(() => {})) }, { probeTimeoutMs: 300 })
    const answers = await Promise.all([get('/healthz'), get('/healthz'), get('/healthz')])
    for (const [status, text] of answers) {
      equal(status, 500)
      match(text, /Probe: DeadlineExceeded: no answer within 300 ms/)
    }
    equal(asked, 1)
  })

  test('a driver that was restarted is well again with the next probe', async (context) => {
    const { get, driver, path } = await open(context, {}, { probeTimeoutMs: 500 })
    deepEqual(await get('/healthz'), [200, 'ok'])
    await driver.stop({ graceMs: 0 })
    equal((await get('/healthz'))[0], 500)
    await serveTest(context, path, defineTestDriver({}))
    deepEqual(await get('/healthz'), [200, 'ok'])
  })

  test('serves metrics beside health with --http-endpoint, and apart with --metrics-address', async (context) => {
    const beside = await open(context, {})
    await beside.get('/healthz')
    const [, text] = await beside.get('/metrics')
    match(
      text,
      /csi_sidecar_operations_seconds_count\{driver_name="test.holdfast.dev",method_name="\/csi.v1.Identity\/Probe",grpc_status_code="OK"\} 1/,
    )
    match(text, /holdfast_liveness_last_probe_seconds 0\.\d+/)
    const apart = await open(context, {}, { metricsAddress: '127.0.0.1:0', httpEndpoint: '', healthPort: '0' })
    equal((await apart.get('/metrics'))[0], 404)
    equal((await apart.get('/metrics', apart.liveness.metricsPort))[0], 200)
  })

  test('waits for its driver, and listens only then', async (context) => {
    const path = join(await openTestDirectory(context), 'csi.sock')
    const stopping = new AbortController()
    const starting = startLiveness(config(path), { clock, log: createSilentLogger(), signal: stopping.signal })
    await serveTest(context, path, defineTestDriver({}))
    const liveness = await starting
    await liveness.stop()
    const other = startLiveness(config(`${path}.none`), { clock, log: createSilentLogger(), signal: stopping.signal })
    stopping.abort(new Error('enough'))
    await rejects(other, /enough/)
  })

  test('flags that exclude each other', () => {
    equal(checkLivenessConfig(config('/x', { healthPort: '1' })).length, 1)
    equal(checkLivenessConfig(config('/x', { metricsAddress: ':1' })).length, 1)
    deepEqual(checkLivenessConfig(config('/x', { httpEndpoint: '', healthPort: '1', metricsAddress: ':1' })), [])
  })
})
