import type { Life } from '../../base/life.ts'
import { createSystemSockets, parseEndpoint } from '../../csi/index.ts'
import type { CallObserver, CallStartObserver, Driver, Sockets } from '../../csi/index.ts'
import { recordInto } from '../case-context.ts'
import type { OpenCase } from '../case-context.ts'
import { createJournaledDriver } from '../journaled-driver.ts'
import type { RunCaseParts } from '../run-case.ts'
import type { ProcessParts } from './start-process.ts'

/**
 * Sockets for one process of the cluster. Calls to the driver are recorded with the case and go through the journal. The journal is not part of the
 * process: what it has to write down is written even if the process is killed.
 */
export function createCheckedSockets(
  { host, clock, random, log }: Pick<ProcessParts, 'host' | 'clock' | 'random' | 'log'>,
  { calls, entries }: Pick<OpenCase, 'calls' | 'entries'>,
  {
    journal,
    settings,
    nodes,
    onCall,
    onEnd,
  }: Pick<RunCaseParts, 'journal' | 'settings' | 'nodes'> & { onCall(rpc: string): void; readonly onEnd: CallObserver },
): (life: Life) => Sockets {
  return (life) => {
    const sockets = createSystemSockets({ files: host.files, clock: life.clock(clock), random, log })
    const nodeAt = (endpoint: string): string | undefined =>
      nodes.find((node) => node.endpoint === parseEndpoint(endpoint))?.features.id
    return {
      serve: async (endpoint, server) => {
        const running = await sockets.serve(endpoint, server)
        life.onEnd(() => void running.stop({ graceMs: 0 }).catch(() => {}))
        return running
      },
      connectDriver: (endpoint, options = {}) => {
        const record = recordInto(calls, nodeAt(endpoint))
        const observe: CallObserver = (call) => {
          if (!BORING.has(call.rpc.name)) record(call)
          onEnd(call)
          options.observe?.(call)
        }
        const observeStart: CallStartObserver = (call) => {
          options.observeStart?.(call)
          onCall(call.rpc.name)
        }
        const { driver, connection } = sockets.connectDriver(endpoint, { ...options, observe, observeStart })
        life.onEnd(() => connection.close())
        const journaled = createJournaledDriver({
          driver,
          journal,
          endpoint: parseEndpoint(endpoint),
          secrets: settings.secrets,
          mayRepeatDeletes: true,
          onEntry: (entry) => void entries.push(entry),
        })
        return { driver: driverThrough(journaled, life), connection }
      },
      connectRegistrar: (endpoint, options) => {
        const { registrar, connection } = sockets.connectRegistrar(endpoint, options)
        life.onEnd(() => connection.close())
        return { registrar, connection }
      },
    }
  }
}

// Calls that every process makes at its start. They would push the decisive calls out of the report of a failure.
const BORING: ReadonlySet<string> = new Set([
  'GetPluginInfo',
  'GetPluginCapabilities',
  'Probe',
  'ControllerGetCapabilities',
  'GroupControllerGetCapabilities',
  'NodeGetCapabilities',
])

function driverThrough(driver: Driver, life: Life): Driver {
  const calls = Object.entries(driver).map(([method, call]) => {
    if (method === 'getMetadataAllocated' || method === 'getMetadataDelta') return [method, call]
    const through = (...words: unknown[]): Promise<unknown> =>
      life.call(() => (call as (...words: unknown[]) => Promise<unknown>)(...words))
    return [method, through]
  })
  // The same keys with functions of the same types.
  return Object.fromEntries(calls) as Driver
}
