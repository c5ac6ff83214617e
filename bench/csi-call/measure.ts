import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Call } from './callers.ts'
import type { ServerKind } from './servers.ts'

/** A server in a process of its own. */
export interface ServerProcess {
  /** CPU time that it has used since it was started, in microseconds. */
  cpuMicros(): Promise<number>
  stop(): Promise<void>
}

export async function startServerProcess(kind: ServerKind, folder: string): Promise<ServerProcess> {
  const child = fork(new URL('server-process.ts', import.meta.url), [kind, folder])
  const exited = once(child, 'exit')
  await Promise.race([
    once(child, 'message'),
    exited.then(() => Promise.reject(new Error(`the ${kind} server ended at once`))),
  ])
  const cpuMicros = async (): Promise<number> => {
    const answered = once(child, 'message')
    child.send('cpu')
    const [{ cpuMicros: used }] = (await answered) as [{ cpuMicros: number }]
    return used
  }
  const stop = async (): Promise<void> => {
    child.disconnect()
    await exited
  }
  return { cpuMicros, stop }
}

/** Times and CPU times of one call, in microseconds. */
export type Cost = { calls: number; wallMicros: number; clientMicros: number; serverMicros: number }

export type Run = {
  call: Call
  inFlight: number
  /** Undefined when caller and server are one process: then all CPU time counts as the client's. */
  server: ServerProcess | undefined
  /** Numbers of the calls, never the same twice. */
  nextNumber(): number
  /** Ends after this time, or after this many calls. Default: neither is a limit. */
  forMs?: number
  calls?: number
}

/** Keeps that many calls in flight until the time or the number of calls is up. */
export async function measure(run: Run): Promise<Cost> {
  const {
    call,
    inFlight,
    server,
    nextNumber,
    forMs = Number.POSITIVE_INFINITY,
    calls: most = Number.POSITIVE_INFINITY,
  } = run
  const serverBefore = (await server?.cpuMicros()) ?? 0
  const clientBefore = process.cpuUsage()
  const startMs = performance.now()
  const endMs = startMs + forMs
  let calls = 0
  const lane = async (): Promise<void> => {
    while (calls < most && performance.now() < endMs) {
      calls++
      await call(nextNumber())
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  const wallMs = performance.now() - startMs
  const { user, system } = process.cpuUsage(clientBefore)
  const serverMicros = ((await server?.cpuMicros()) ?? 0) - serverBefore
  return {
    calls,
    wallMicros: (wallMs * 1000) / calls,
    clientMicros: (user + system) / calls,
    serverMicros: serverMicros / calls,
  }
}

/** Member by member: one slow round, with something else on the machine, does not count. */
export function medianCost(costs: readonly Cost[]): Cost {
  const middle = (pick: (cost: Cost) => number): number =>
    costs.map(pick).sort((a, b) => a - b)[Math.floor(costs.length / 2)] ?? Number.NaN
  return {
    calls: costs.reduce((sum, { calls }) => sum + calls, 0),
    wallMicros: middle(({ wallMicros }) => wallMicros),
    clientMicros: middle(({ clientMicros }) => clientMicros),
    serverMicros: middle(({ serverMicros }) => serverMicros),
  }
}
