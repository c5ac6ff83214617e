import type { Api } from '../../api/api.ts'
import type { Clock } from '../../base/clock.ts'
import { hostThrough } from '../../base/host/index.ts'
import type { Host, HostFiles } from '../../base/host/index.ts'
import { createLife } from '../../base/life.ts'
import type { Life } from '../../base/life.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { MachineParts, StartedPart } from '../../cluster/cluster-options.ts'
import type { Sockets } from '../../csi/index.ts'
import { apiThrough } from './api-through.ts'

export type ProcessParts = {
  readonly host: Host
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly socketsOf: (life: Life) => Sockets
}

/** A part of the cluster that can be killed. */
export interface ClusterProcess {
  /** Ends it as kill -9 does. */
  kill(): void
  /** Starts it again after a kill. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** Starts what runs in the process. Its API is `through` it. */
export type Begin = (parts: MachineParts, through: (api: Api) => Api) => Promise<readonly StartedPart[]>

export async function startProcess(name: string, parts: ProcessParts, begin: Begin): Promise<ClusterProcess> {
  const { clock, random, log, socketsOf } = parts
  let life = createLife(name)
  let running: readonly StartedPart[] = []
  const start = async (): Promise<void> => {
    const own = createLife(name)
    life = own
    const files = closingWatches(parts.host.files, own)
    const host = hostThrough({ ...parts.host, files }, (act) => own.call(act))
    const machine = { host, clock: own.clock(clock), random, log, sockets: socketsOf(own), version: 'check' }
    running = await begin(machine, (api) => apiThrough(api, own))
  }
  await start()
  return {
    kill: () => life.kill(),
    start,
    stop: async () => {
      if (!life.isOver()) for (const part of running.toReversed()) await part.stop()
      life.kill()
    },
  }
}

/** A watch of the real machine would outlive the process. */
const closingWatches = (files: HostFiles, life: Life): HostFiles => ({
  ...files,
  watch: async (path, onHint) => {
    const watch = await files.watch(path, () => (life.isOver() ? undefined : onHint()))
    life.onEnd(() => watch.close())
    return watch
  },
})
