import { defaultsOf } from '../../src/base/options/index.ts'
import { createSystemClock, createSystemHost, createSystemRandom } from '../../src/base/index.ts'
import { createSilentLogger } from '../../src/base/logger.ts'
import { startApiServer, writeAdminKubeconfig } from '../../src/apiserver/index.ts'
import { startSidecar } from '../../src/cluster/start-sidecar.ts'
import { controllerDefinitions, controllersOptions, runControllers } from '../../src/controllers/index.ts'
import { connectDriver } from '../../src/csi/index.ts'
import { NODE_GRACE_MS } from './objects.ts'

// A process of its own: one-process.ts KUBECONFIG SOCKET [DATA]. Server, controllers and sidecar as `holdfast up` has them.
const [kubeconfig = '', socket = '', data = ''] = process.argv.slice(2)
const parts = {
  clock: createSystemClock(),
  random: createSystemRandom(),
  log: createSilentLogger(),
  host: createSystemHost(),
  version: 'bench',
}
const apiServer = await startApiServer(
  { port: 0, authorizationMode: 'Node,RBAC', ...(data === '' ? {} : { dataDirectory: data }) },
  { ...parts, machine: parts.host },
)
await writeAdminKubeconfig(kubeconfig, apiServer, { machine: parts.host, random: parts.random })
const api = apiServer.server.core.as(
  { name: 'system:holdfast', groups: ['system:masters', 'system:authenticated'] },
  { userAgent: 'holdfast-bench' },
)
const definitions = controllerDefinitions({
  ...defaultsOf(controllersOptions),
  nodeMonitorGracePeriodMs: NODE_GRACE_MS,
  nodeStartupGracePeriodMs: NODE_GRACE_MS,
})
const controllers = runControllers(definitions, { ...parts, api })
await controllers.settled
const sidecar = await startSidecar(parts, {
  connect: (observe) => connectDriver({ endpoint: socket, clock: parts.clock, observe }),
  hostname: 'bench',
  api,
})
process.stdout.write('ready\n')
// Asked how much is live: bench/cluster/stage.ts reads the line from the log. Twice, because the first collection only queues what has finalizers.
process.on('SIGUSR2', () => {
  globalThis.gc?.()
  globalThis.gc?.()
  process.stderr.write(`heap ${process.memoryUsage().heapUsed}\n`)
})
process.once('SIGTERM', () => {
  void (async () => {
    await sidecar.stop()
    await controllers.stop()
    await apiServer.stop()
    process.exit(0)
  })()
})
