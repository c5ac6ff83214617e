import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { ALPHA_CSI_DRIVERS } from '../compat/alpha-csi-driver.ts'
import { clusterRegistrarRole } from './cluster-registrar-role.ts'
import { clusterRegistrarOptions } from './cluster-registrar/index.ts'
import type { ClusterRegistrarConfig } from './cluster-registrar/index.ts'
import { openSidecarWorld, TEST_DRIVER } from './testing/describe-sidecar.ts'

const DEFAULTS = Object.fromEntries(
  Object.entries(clusterRegistrarOptions).map(([key, { fallback }]) => [key, fallback]),
) as ClusterRegistrarConfig

test('S1-27: the registry and /readyz follow the driver as it goes and comes back', async (context) => {
  const { api, start, until } = await openSidecarWorld(context)
  const role = clusterRegistrarRole({ ...DEFAULTS, isExiting: () => false })
  const { connection, httpPort } = await start([role], { isThere: false, words: ['--http-endpoint=127.0.0.1:0'] })
  const readiness = async (): Promise<[number, string]> => {
    const response = await fetch(`http://127.0.0.1:${httpPort}/readyz`)
    return [response.status, await response.text()]
  }
  const isReady = async (): Promise<boolean | undefined> =>
    (await api.list(ALPHA_CSI_DRIVERS)).items.find(({ metadata }) => metadata.name === TEST_DRIVER)?.status?.ready
  deepEqual(await readiness(), [503, 'the driver is not registered\n'])
  equal(await isReady(), undefined)
  connection.come()
  await until(async () => (await isReady()) === true && (await readiness())[0] === 200)
  connection.go()
  await until(async () => (await isReady()) === false && (await readiness())[0] === 503)
  connection.come()
  await until(async () => (await isReady()) === true && (await readiness())[0] === 200)
})
