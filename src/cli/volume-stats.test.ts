import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { PODS } from '../api/kinds/pod.ts'
import { createSystemClock } from '../base/clock.ts'
import { createSystemHost } from '../base/host/index.ts'
import { createSilentLogger } from '../base/logger.ts'
import { createSystemRandom } from '../base/random.ts'
import { startCluster } from '../cluster/index.ts'
import { createClaim, createPod, NAMESPACE } from '../cluster/testing/describe-cluster.ts'
import { openClusterDirectory } from '../cluster/testing/describe-up.ts'
import { startTestServer } from '../apiserver/testing/start-test-server.ts'
import { openTestDirectory } from '../csi/testing/open-test-directory.ts'
import { serveHttp } from '../kube/process/serve-http.ts'
import { createStatsRoutes } from '../node/index.ts'
import { startCommand } from './testing/cli-under-test.ts'

const LIMIT = { timeout: 60_000 }
const [host, log] = [createSystemHost(), createSilentLogger()]
const parts = { host, clock: createSystemClock(), random: createSystemRandom(), log, version: 'test' }

test(
  'stats: holdfast why shows how full a claim is, and the node agent serves it as a kubelet does',
  LIMIT,
  async (context) => {
    const dataDirectory = await openClusterDirectory(context)
    await using cluster = await startCluster(parts, { dataDirectory, inMemory: true, volumes: { statsMs: 50 } })
    const { api, nodes, untilObject } = cluster
    await createClaim(api, 'data')
    await createPod(api, 'web', 'data')
    await untilObject(PODS, { namespace: NAMESPACE, name: 'web' }, (pod) => pod?.status?.phase === 'Running')
    const [node] = nodes
    ok(node)
    // The driver is asked after 50 ms at the latest. A turn of the clock is enough between two looks.
    while (node.stats().length === 0) await new Promise((resolve) => void parts.clock.setTimer(10, () => resolve(0)))

    const why = startCommand(context, ['why', 'pvc/data'], { env: { KUBECONFIG: join(dataDirectory, 'kubeconfig') } })
    equal(await why.ended, 0, why.err())
    match(
      why.out(),
      /^Usage: [\d.]+\w* used, [\d.]+\w* available of [\d.]+\w*, \d+ of \d+ inodes used, measured at 20\S+Z$/m,
    )

    const http = await serveHttp('127.0.0.1:0', createStatsRoutes(nodes), log)
    context.after(() => http.close())
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${http.port}${path}`)).text()
    match(
      await get('/metrics'),
      /^kubelet_volume_stats_capacity_bytes\{namespace="default",persistentvolumeclaim="data"\} \d+$/m,
    )
    equal(await get('/healthz'), 'ok')
    const summary = JSON.parse(await get('/stats/summary')) as {
      pods: { podRef: { name: string }; volume: { pvcRef: object }[] }[]
    }
    deepEqual(
      summary.pods.map(({ podRef, volume }) => [podRef.name, volume.map(({ pvcRef }) => pvcRef)]),
      [['web', [{ name: 'data', namespace: 'default' }]]],
    )
  },
)

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

test(
  'stats: holdfast up --http-endpoint serves the metrics of its nodes, each with its summary',
  LIMIT,
  async (context) => {
    const [directory, port] = [await openClusterDirectory(context), await freePort()]
    const words = ['up', `--data=${directory}`, '--in-memory', '--nodes=2', `--http-endpoint=127.0.0.1:${port}`]
    const up = startCommand(context, words)
    await up.untilOut(/^ready/m)
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
    match(await get('/metrics'), /^# TYPE kubelet_volume_stats_used_bytes gauge$/m)
    deepEqual(JSON.parse(await get('/node-2/stats/summary')), { node: { nodeName: 'node-2' }, pods: [] })
    equal(await up.stop(), 0)
  },
)

test(
  'stats: holdfast node --http-endpoint serves the summary of its node where a kubelet has it',
  LIMIT,
  async (context) => {
    await using server = await startTestServer()
    const [root, port] = [await openTestDirectory(context), await freePort()]
    const words = [
      'node',
      '--name=node-1',
      '--impersonate',
      `--kubeconfig=${server.kubeconfigPath}`,
      `--root-dir=${root}`,
    ]
    const node = startCommand(context, [...words, `--http-endpoint=127.0.0.1:${port}`])
    await node.untilOut(/^ready/m)
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
    equal(await get('/healthz'), 'ok')
    deepEqual(JSON.parse(await get('/stats/summary')), { node: { nodeName: 'node-1' }, pods: [] })
    match(
      await get('/metrics'),
      /^# HELP kubelet_volume_stats_inodes_free \[ALPHA\] Number of free inodes in the volume$/m,
    )
    equal(await node.stop(), 0)
  },
)
