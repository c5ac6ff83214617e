import { join, resolve } from 'node:path'
import { HostError } from '../base/host/index.ts'
import { createUuid } from '../base/random.ts'
import { choice, defineCommand, duration, flag } from '../base/options/index.ts'
import { DEMO_STEPS, demoShape, formatEnd, formatStep, runDemo } from '../cluster/demo/index.ts'
import type { StepReport } from '../cluster/demo/index.ts'
import { DEFAULT_DRIVER_NAME, findTooLongSocket, nodesOf } from '../cluster/index.ts'
import { createCommandModule } from './command-module.ts'
import { describeHostError } from './describe-host-error.ts'
import { createCommandLogger, loggingOptions } from './logging.ts'

const command = defineCommand({
  name: 'holdfast demo',
  summary:
    'Demonstrates the life of volumes on a temporary cluster: provision, attach, mount, unmount, detach, delete; then topology, inline volumes, pod information and tokens; then expansion, modification, snapshot and restore. Each step prints the objects and the calls to the driver, and what was checked. The exit code is 0 only if every step succeeds.',
  options: {
    json: flag(
      false,
      'Print the report as one JSON document at the end: the overall result, and each step with its objects, calls, checks and times.',
    ),
    timeoutMs: duration('30s', 'Timeout of each step.', { minimum: '1s' }),
    ...loggingOptions,
    logLevel: choice(['debug', 'info', 'warn', 'error'], 'error', 'Minimum log level.'),
  },
  examples: [
    { text: 'See how a claim becomes a mounted volume', command: 'holdfast demo' },
    { text: 'Which steps succeeded?', command: "holdfast demo --json | jq '.steps[] | [.name, .outcome]'" },
  ],
})

/** The walkthrough, told while it happens. */
export const demoCommand = createCommandModule(command, async (config, world) => {
  const { json, timeoutMs } = config
  const { host, clock, random, version, out, env } = world
  const log = createCommandLogger(config, world)
  const name = `holdfast-demo-${createUuid(random).slice(0, 8)}`
  const wished = resolve(env['TMPDIR'] || '/tmp', name)
  // Temporary directories of build machines are often too deep for sockets.
  const directory =
    findTooLongSocket(wished, nodesOf(demoShape(wished)), [DEFAULT_DRIVER_NAME]) === undefined
      ? wished
      : join('/tmp', name)
  const stopping = new AbortController()
  void world.untilStopped().then((signal) => stopping.abort(new Error(`stopped by ${signal}`)))
  const startedMs = clock.monotonicMs()
  const told: StepReport[] = []
  const running = runDemo(
    DEMO_STEPS,
    { host, clock, random, log, version },
    {
      directory,
      timeoutMs,
      signal: stopping.signal,
      onReady: ({ nodes, tookMs }) => {
        if (!json)
          out.write(
            `A cluster of ${nodes} nodes in ${directory}, ready in ${Math.round(tookMs)} ms. It is removed at the end.\n\n`,
          )
      },
      onStep: (report) => {
        told.push(report)
        if (!json) out.write(formatStep(report, told.length))
      },
    },
  )
  const reports = await running.catch((error: unknown) => {
    const isOfPlace = error instanceof HostError && error.path.startsWith(directory)
    throw isOfPlace
      ? new Error(`${describeHostError(error)}; set TMPDIR to a writable directory`, { cause: error })
      : error
  })
  const tookMs = clock.monotonicMs() - startedMs
  const held = reports.every(({ outcome }) => outcome === 'held')
  out.write(json ? `${JSON.stringify({ held, tookMs, steps: reports }, undefined, 2)}\n` : formatEnd(reports, tookMs))
  return held ? 0 : 1
})
