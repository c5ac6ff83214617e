import { join } from 'node:path'
import type { Timer } from '../../base/clock.ts'
import { startControllers } from '../../kube/controller/index.ts'
import type { RunningRole } from '../../kube/process/running-role.ts'
import { defineAllocatable, refreshAllocatable } from './allocatable-controller.ts'
import { createDriverChanges } from './driver-changes.ts'
import type { RegistrationContext } from './driver-changes.ts'
import { createDriverStore } from './driver-store.ts'
import type { DriverStore } from './driver-store.ts'
import { definePlugins, PLUGIN_BACKOFF } from './plugin-controller.ts'
import { createPluginNotices } from './plugin-notices.ts'
import { createPublication } from './publication-controller.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationReason } from './reasons.ts'
import type { RegistrationConfig, RegistrationParts, RegistrationRole } from './registration-options.ts'
import { createPluginRecords, offeredName } from './registration-view.ts'
import type { PluginRecord } from './registration-view.ts'
import { startRegistryWatch } from './watch-registry.ts'
import type { RegistryPlace } from './watch-registry.ts'

/** The state of one file in the watched directories, for people. */
export type PluginStatus = {
  readonly path: string
  /** Undefined until the plugin has answered. */
  readonly driver: string | undefined
  readonly state: 'found' | 'registered' | 'waiting' | 'failed' | 'ignored'
  readonly reason: RegistrationReason
}

/** Stopping it unregisters nothing: a node agent that is restarted finds everything as it was. */
export interface RunningRegistration extends RunningRole {
  readonly drivers: DriverStore
  plugins(): readonly PluginStatus[]
  /** Asks the driver now how many volumes the node can have, and publishes it. Does nothing for a driver that is not registered. */
  refreshAllocatable(driver: string): Promise<void>
}

// A socket that hangs takes a worker for some seconds, so there are more workers than sockets of well-behaved drivers.
const WORKERS = 64

/** Follows the plugin directories and registers what it finds. Resolves after the first look, whatever the API server does. */
export async function startRegistration(
  config: RegistrationConfig,
  parts: RegistrationParts,
  signal: AbortSignal,
): Promise<RunningRegistration> {
  signal.throwIfAborted()
  const world = { ...parts, log: parts.log.with({ part: 'registration' }) }
  let registration = (): Omit<RunningRegistration, keyof RunningRole> => {
    throw new Error('registration was not started')
  }
  const running = await startControllers(world, signal, async (role) => {
    const { controllers, ...rest } = await assemble({ ...parts, ...role, config })
    registration = () => rest
    return controllers
  })
  return { ...registration(), ...running }
}

async function assemble(role: RegistrationRole) {
  const { host, clock, log, config, nodeName, rootDir } = role
  const records = createPluginRecords()
  const store = createDriverStore()
  role.onStop(store.clear)
  const queue = role.createQueue({ name: 'node-registration', lanes: { default: WORKERS }, backoff: PLUGIN_BACKOFF })
  const publication = createPublication(role, (driver) => {
    for (const record of records.all()) if (offeredName(record) === driver) queue.add(record.socket.path)
  })
  const notices = createPluginNotices(role, publication.findNode)
  const registry = await startRegistryWatch({
    files: host.files,
    clock,
    log,
    places: placesOf(config, rootDir),
    relistMs: config.relistMs,
    onChange: (path) => {
      records.abortWork(path)
      queue.add(path)
    },
  })
  role.onStop(registry.stop)
  role.onIdle(registry.isIdle)
  const context: RegistrationContext = { ...role, queue, records, store, publication, notices }
  const changes = createDriverChanges(context)

  // What was published before the agent started is kept for drivers that may come back; a socket that does not answer may be one of them.
  let sweep: Timer | undefined
  const sweepLater = (): void => {
    sweep = clock.setTimer(config.graceMs, () => {
      if (registry.all().some(({ path }) => isUnanswered(records.find(path)))) sweepLater()
      else publication.withdrawStrangers((name) => store.find(name) !== undefined)
    })
  }
  sweepLater()
  role.onStop(() => sweep?.cancel())

  return {
    drivers: store,
    refreshAllocatable: (driver: string) => refreshAllocatable(driver, context),
    plugins: (): readonly PluginStatus[] => [
      ...registry.all().map(({ path }) => statusOf(path, records.find(path), nodeName)),
      ...registry.ignored().map((file) => ({ ...file, driver: undefined, state: 'ignored' as const })),
    ],
    controllers: [
      publication.controller,
      changes.departureController,
      defineAllocatable(context),
      definePlugins(context, changes, registry.find),
    ],
  }
}

function placesOf({ watchLegacyDirectory, assumeDriverSockets }: RegistrationConfig, rootDir: string): RegistryPlace[] {
  const plugins = join(rootDir, 'plugins')
  const places: RegistryPlace[] = [{ directory: join(rootDir, 'plugins_registry'), via: 'registrar', pattern: /./ }]
  if (watchLegacyDirectory) places.push({ directory: plugins, via: 'registrar', pattern: /-reg\.sock$/ })
  if (assumeDriverSockets) places.push({ directory: plugins, via: 'driver', pattern: /^[^/]+\/csi\.sock$/ })
  return places
}

function isUnanswered(record: PluginRecord | undefined): boolean {
  if (!record) return true
  const { state } = record
  return state.kind === 'failed' ? state.isUnanswered === true : state.kind !== 'registered'
}

function statusOf(path: string, record: PluginRecord | undefined, nodeName: string): PluginStatus {
  if (!record) return { path, driver: undefined, state: 'found', reason: REASONS.notYetAsked }
  const { state } = record
  if (state.kind === 'failed')
    return { path, driver: state.reason.detail?.['driver'], state: 'failed', reason: state.reason }
  const { name: driver } = state.offer
  if (state.kind === 'registered') return { path, driver, state: 'registered', reason: REASONS.registered(driver) }
  const reason = state.kind === 'offered' ? REASONS.askingDriver(driver) : REASONS.publishing(nodeName)
  return { path, driver, state: 'waiting', reason }
}
