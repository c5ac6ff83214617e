import { defineCommand } from '../base/options/index.ts'
import { checkLivenessConfig, livenessOptions, startLiveness } from '../sidecars/liveness/index.ts'
import { goProgramOptions, loggingOptions } from '../sidecars/standard-options.ts'
import { createCommandModule } from './command-module.ts'
import { createCommandLogger } from './logging.ts'

const command = defineCommand({
  name: 'holdfast livenessprobe',
  summary:
    "Serves /healthz with the result of Probe, for the liveness probe of the driver's container. " +
    'Accepts the flags of the Go program of that name, and needs no access to the API server.',
  options: { ...livenessOptions, ...loggingOptions, ...goProgramOptions },
  examples: [
    {
      text: 'In the pod of a driver',
      command: 'holdfast livenessprobe --csi-address=/csi/csi.sock --http-endpoint=:9808',
    },
  ],
  check: (config) => checkLivenessConfig(config),
})

/** The liveness probe as a process of its own. */
export const livenessprobeCommand = createCommandModule(command, async (config, world) => {
  const log = createCommandLogger(
    { logLevel: config.v >= 4 ? 'debug' : 'info', logFormat: config.loggingFormat },
    world,
  )
  const waiting = new AbortController()
  const stopped = world.untilStopped().then((signal) => {
    waiting.abort(new Error(`stopped by ${signal} before the driver responded`))
    return signal
  })
  const liveness = await startLiveness(config, { clock: world.clock, log, signal: waiting.signal }).catch(
    (error: unknown) => {
      // Asked to stop while there was nothing to probe yet: that is no failure.
      if (waiting.signal.aborted) return undefined
      throw error
    },
  )
  if (!liveness) return 0
  world.out.write(`ready http port ${liveness.httpPort} driver=${liveness.driverName}\n`)
  log.info('stopping', { signal: await stopped })
  await liveness.stop()
  return 0
})
