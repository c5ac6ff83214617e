import type { TestContext } from 'node:test'
import type { Api } from '../../api/api.ts'
import { LEASES } from '../../api/kinds/lease.ts'
import type { Lease } from '../../api/kinds/lease.ts'
import { createLogger } from '../../base/logger.ts'
import { defineCommand, parseArguments } from '../../base/options/index.ts'
import { createSeededRandom } from '../../base/random.ts'
import type { SimulatedClock } from '../../base/simulated-clock.ts'
import { openTestCore } from '../../apiserver/testing/open-test-core.ts'
import { joinDriver } from '../../csi/index.ts'
import type { ConnectionState } from '../../csi/index.ts'
import type { CsiHandlers, Dispatcher } from '../../csi/kit/index.ts'
import { defineTestDriver } from '../../csi/testing/start-test-driver.ts'
import type { DriverConnection } from '../follow-driver.ts'
import type { RoleDefinition, RoleParts } from '../role.ts'
import { runSidecar } from '../run-sidecar.ts'
import type { RunningSidecar, SidecarParts } from '../run-sidecar.ts'
import { standardOptions } from '../standard-options.ts'
import type { StandardConfig } from '../standard-options.ts'

export const TEST_DRIVER = 'test.holdfast.dev'
export const PUBLISHING: CsiHandlers = {
  controllerPublishVolume: async () => ({}),
  controllerUnpublishVolume: async () => ({}),
}

export function configOf(...words: string[]): StandardConfig {
  const parsed = parseArguments(defineCommand({ name: 'x', summary: 'X.', options: standardOptions }), words)
  if (parsed.kind !== 'run') throw new Error('expected a run')
  return parsed.config
}

/** A role that only records its lifecycle; tests can wait for each line. */
export function recordedRole(name = 'recorded', more: Partial<RoleDefinition> = {}) {
  const lines: string[] = []
  const started: RoleParts[] = []
  const waiters = new Set<() => void>()
  const add = (line: string): void => {
    lines.push(line)
    for (const waiter of [...waiters]) waiter()
  }
  const role: RoleDefinition = {
    name,
    component: (driver) => `${name} ${driver}`,
    leaseName: (driver) => `${name}-${driver}`,
    notNeeded: () => undefined,
    start: async (parts) => {
      started.push(parts)
      add(`starts for ${parts.facts.name}`)
      return { isIdle: () => true, stop: async () => add('stops') }
    },
    ...more,
  }
  const until = (count: number): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (lines.length < count) return
        waiters.delete(check)
        resolve()
      }
      waiters.add(check)
      check()
    })
  return { role, lines, started, until }
}

/** A driver connected in memory, whose process the test starts and ends. */
export interface ScriptedConnection extends DriverConnection {
  come(): void
  go(): void
}

export function scriptedConnection(): ScriptedConnection {
  const listeners = new Set<(state: ConnectionState) => void>()
  let state: ConnectionState = { kind: 'connecting' }
  let times = 0
  const move = (next: ConnectionState): void => {
    state = next
    for (const listener of [...listeners]) listener(next)
  }
  const watch = (listener: (state: ConnectionState) => void): (() => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const ready = (signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (state.kind === 'ready') return resolve()
      const unwatch = watch(({ kind }) => {
        if (kind !== 'ready') return
        unwatch()
        resolve()
      })
      signal?.addEventListener('abort', () => {
        unwatch()
        reject(signal.reason)
      })
    })
  return {
    path: '/run/csi/socket',
    state: () => state,
    watch,
    ready,
    close: () => move({ kind: 'closed' }),
    come: () => move({ kind: 'ready', times: ++times }),
    go: () => move({ kind: 'lost', times }),
  }
}

export type SidecarWorld = {
  readonly api: Api
  readonly clock: SimulatedClock
  /** Log lines of all sidecars. */
  readonly log: string[]
  start(
    roles: readonly RoleDefinition[],
    options?: StartOptions,
  ): Promise<RunningSidecar & { readonly connection: ScriptedConnection }>
  lease(name: string): Promise<Lease>
  /** Advances time until the condition holds. */
  until(holds: () => boolean | Promise<boolean>, mostMs?: number): Promise<void>
}

export type StartOptions = {
  words?: readonly string[]
  driver?: CsiHandlers | Dispatcher
  isThere?: boolean
  identity?: string
  /** The API of this replica. */
  apiOf?: (api: Api) => Api
  parts?: Partial<SidecarParts>
}

/** Sidecars in process on a real API server in memory, under the simulated clock. */
export async function openSidecarWorld(context: TestContext): Promise<SidecarWorld> {
  const { api, clock } = await openTestCore(context)
  const log: string[] = []
  const start: SidecarWorld['start'] = async (
    roles,
    { words = [], driver = PUBLISHING, isThere = true, identity = 'me', apiOf, parts = {} } = {},
  ) => {
    const connection = scriptedConnection()
    const own = apiOf?.(api) ?? api
    const sidecar = await runSidecar(roles, {
      config: configOf(...words),
      callTimeoutMs: 5000,
      connect: (observe) => ({
        driver: joinDriver('rpcs' in driver ? driver : defineTestDriver(driver), { clock, observe }),
        connection,
      }),
      api: own,
      electionApi: own,
      identity,
      namespace: 'default',
      clock,
      random: createSeededRandom(identity.length),
      log: createLogger({ clock, level: 'debug', format: 'json', write: (line) => void log.push(line) }),
      ...parts,
    })
    // In a separate turn: stopping may need time to advance.
    context.after(async () => {
      let stopped = false
      void sidecar.stop().finally(() => (stopped = true))
      while (!stopped) await clock.advance(1000)
    })
    if (isThere) connection.come()
    return { ...sidecar, connection }
  }
  const until: SidecarWorld['until'] = async (holds, mostMs = 120_000) => {
    for (let passedMs = 0; !(await holds()); passedMs += 100) {
      if (passedMs > mostMs) throw new Error('it never came so far')
      await clock.advance(100)
    }
  }
  return { api, clock, log, start, lease: (name) => api.get(LEASES, { namespace: 'default', name }), until }
}
