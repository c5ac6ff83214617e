import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Logger } from '../base/logger.ts'
import { UsageError } from '../base/options/index.ts'
import { createCallMemory, findWatchedFiles, superviseDriver } from '../cluster/index.ts'
import type { CallMemory, ClusterNode, GivenDriver, Launched, SupervisedDriver } from '../cluster/index.ts'
import { createSystemSockets } from '../csi/index.ts'
import type { Rpc } from '../csi/index.ts'
import type { UpConfig } from './up-options.ts'
import type { World } from './world.ts'

/** The drivers of `--driver-command`, one for each node. */
export interface DriverCommands extends AsyncDisposable {
  readonly drivers: readonly GivenDriver[]
  /** Of all drivers together. */
  readonly calls: CallMemory
  /** Resolves once every driver is ready. What is wrong with one is logged meanwhile. */
  ready(signal: AbortSignal): Promise<void>
  /** What the node agents report, for the diagnosis. */
  reportMountedNothing(sentence: string): void
}

export type DriverCommandParts = {
  readonly config: UpConfig
  readonly nodes: readonly ClusterNode[]
  readonly dataDirectory: string
  /** Drivers of `--driver`: the sockets on which the command listens. */
  readonly given: readonly GivenDriver[]
  readonly log: Logger
  describe(rpc: Rpc, request: unknown): string
}

/** Refuses `--driver-watch` before anything is started. */
export async function refuseUnwatchable(paths: readonly string[], { host: { files } }: World): Promise<void> {
  for (const path of paths)
    if (!(await files.findStat(resolve(path))))
      throw new UsageError([`--driver-watch: ${path} does not exist; give a file or a directory`])
}

/** Starts the driver of `--driver-command` on each node, restarts it when it ends or changes, and logs what is wrong with it. */
export async function startDriverCommands(
  command: string,
  parts: DriverCommandParts,
  world: World,
): Promise<DriverCommands> {
  const { config, log } = parts
  const { clock, random, host } = world
  const directory = process.cwd()
  const watched = [
    ...(await findWatchedFiles(host.files, command, directory)),
    ...config.driverWatch.map((path) => resolve(directory, path)),
  ]
  const sockets = createSystemSockets({ files: host.files, clock, random, log })
  const calls = createCallMemory(clock, (rpc, request) => parts.describe(rpc, request))
  let mounted: string | undefined
  const drivers = driversOf(parts)
  const running: SupervisedDriver[] = drivers.map(({ node, endpoint }) => {
    const own = log.with({ node })
    return superviseDriver(
      {
        endpoint,
        watched,
        launch: () => launch(command, { ...world.env, CSI_ENDPOINT: endpoint, NODE_ID: node }, own),
        calls,
        mountedNothing: () => mounted,
        onMove: (what) => {
          mounted = undefined
          own.info(`driver ${what}`, { command })
        },
        onProblem: (sentence) => {
          if (sentence === undefined) own.info('nothing is wrong with the driver')
          else own.error(sentence)
        },
      },
      { clock, files: host.files, sockets },
    )
  })
  return {
    drivers,
    calls,
    ready: async (signal) => {
      const stopped = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
      )
      await Promise.race([Promise.all(running.map(({ ready }) => ready)), stopped])
    },
    reportMountedNothing: (sentence) => void (mounted = sentence),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(running.map((driver) => driver.stop()))
    },
  }
}

function driversOf({ nodes, dataDirectory, given }: DriverCommandParts): GivenDriver[] {
  if (given.length > 0) return [...given]
  return nodes.map(({ name }) => ({ node: name, endpoint: `unix://${join(dataDirectory, `${name}.sock`)}` }))
}

const GRACE_MS = 3000

/** Runs the command in a shell, in a process group of its own, so that what it starts ends with it. */
function launch(command: string, env: Readonly<Record<string, string | undefined>>, log: Logger): Launched {
  const child = spawn('/bin/sh', ['-c', command], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const show = (stream: Readable): void => {
    createInterface(stream).on('line', (line) => log.info(`driver | ${line}`))
  }
  show(child.stdout)
  show(child.stderr)
  const ended = new Promise<string>((done) => {
    child.on('error', (error) => done(error.message))
    child.on('close', (code, signal) => done(signal === null ? `exit code ${code}` : `signal ${signal}`))
  })
  const kill = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal)
    } catch {
      // It has ended by itself.
    }
  }
  return {
    ended,
    stop: async () => {
      kill('SIGTERM')
      const late = setTimeout(() => kill('SIGKILL'), GRACE_MS)
      await ended
      clearTimeout(late)
    },
  }
}
