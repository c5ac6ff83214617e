import { defineCommand } from '../base/options/index.ts'
import { createSystemSockets } from '../csi/index.ts'
import { checkNodeRegistrarConfig, nodeRegistrarOptions, startNodeRegistrar } from '../sidecars/node-registrar/index.ts'
import { goProgramOptions, loggingOptions } from '../sidecars/standard-options.ts'
import { createCommandModule } from './command-module.ts'
import { createCommandLogger } from './logging.ts'

const command = defineCommand({
  name: 'holdfast node-driver-registrar',
  summary:
    'Registers a CSI driver with the node agent: serves a registration socket in the plugins_registry directory that reports the endpoint of the driver. Accepts the flags of the Go program of that name, and needs no access to the API server.',
  options: { ...nodeRegistrarOptions, ...loggingOptions, ...goProgramOptions },
  examples: [
    {
      text: 'In the pod of a driver',
      command:
        'holdfast node-driver-registrar --csi-address=/csi/csi.sock --kubelet-registration-path=/var/lib/kubelet/plugins/csi.example.com/csi.sock',
    },
  ],
  check: (config) => checkNodeRegistrarConfig(config),
})

const PROBE_MODE = 'kubelet-registration-probe'

/** The registrar of a node as a process of its own. */
export const nodeDriverRegistrarCommand = createCommandModule(command, async (config, world) => {
  // Manifests still run it as a liveness probe. The health endpoint tells more.
  if (config.mode === PROBE_MODE) return 0
  const log = createCommandLogger(
    { logLevel: config.v >= 4 ? 'debug' : 'info', logFormat: config.loggingFormat },
    world,
  )
  const { clock, random, host } = world
  const stopped = world.untilStopped()
  const registrar = await startNodeRegistrar(
    config,
    { files: host.files, sockets: createSystemSockets({ files: host.files, clock, random, log }), clock, random, log },
    { onRefusal: 'end' },
  )
  world.out.write(`ready unix://${registrar.socketPath()} driver=${registrar.driverName()}\n`)
  const ending = await Promise.race([
    stopped.then((signal) => ({ signal })),
    registrar.refused.then((error) => ({ error })),
  ])
  await registrar.stop()
  // A restart creates a new socket, which makes the node agent retry.
  if ('error' in ending) throw new Error(`the node agent rejected the driver: ${ending.error}`)
  log.info('stopped', { signal: ending.signal })
  return 0
})
