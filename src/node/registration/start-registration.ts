import { join } from 'node:path'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import type { Timer } from '../../base/clock.ts'
import { startControllers } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import type { RunningRole } from '../../kube/process/running-role.ts'
import { defineAllocatable } from './allocatable-controller.ts'
import { createCsiDriver } from './create-csi-driver.ts'
import { defineDepartures } from './departure-controller.ts'
import { createDriverStore } from './driver-store.ts'
import type { DriverStore } from './driver-store.ts'
import { definePlugins, PLUGIN_BACKOFF } from './plugin-controller.ts'
import { createPluginNotices } from './plugin-notices.ts'
import { createPluginRecords } from './plugin-records.ts'
import { messageOf } from './plugin-refusal.ts'
import { createPublication } from './publication-controller.ts'
import { readNodeFacts } from './read-node-facts.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationReason } from './reasons.ts'
import type { RegistrationConfig } from './registration-options.ts'
import type { RegistrationParts } from './registration-parts.ts'
import { offeredName } from './registration-view.ts'
import type { PluginRecord } from './registration-view.ts'
import type { RegistryPlace, Sighting } from './scan-registry.ts'
import { startRegistryWatch } from './watch-registry.ts'

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
const NAME_TIMEOUT_MS = 5000

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
    const { controllers, ...rest } = await assemble(config, { ...parts, ...role })
    registration = () => rest
    return controllers
  })
  return { ...registration(), ...running }
}

async function assemble(config: RegistrationConfig, parts: RegistrationParts & ControllerRole) {
  const { host, clock, log, api, nodeName, rootDir, signal } = parts
  const records = createPluginRecords()
  const store = createDriverStore()
  parts.onStop(store.clear)
  const csiDrivers = parts.follow(CSI_DRIVERS, { isAwaited: false })
  const queue = parts.createQueue({
    name: 'node-registration',
    lanes: { default: WORKERS },
    backoff: PLUGIN_BACKOFF,
  })
  const departures = parts.createQueue({ name: 'node-departures' })
  const onState = (driver: string): void => {
    for (const record of records.all()) if (offeredName(record) === driver) queue.add(record.socket.path)
  }
  const publication = createPublication(parts, { nodeName, config, onState })
  const notices = createPluginNotices(parts, publication.findNode)

  const restore = (name: string): void => {
    const [key, left] = [store.servingKey(name), store.find(name)]
    if (!key || !left) return publication.withdraw(name)
    if (!left.facts) return
    records.setPublishing(name, key)
    publication.publish(name, left.facts)
  }
  const onRemoved = (name: string): void => {
    for (const record of records.all()) {
      const { state, socket } = record
      if (state.kind !== 'failed' || state.duplicateOf !== name) continue
      records.set({ ...record, failures: 0, state: { ...state, retryAtMs: clock.monotonicMs() } })
      queue.add(socket.path)
    }
  }
  const onLeft = (socket: Sighting, name: string): void => {
    const { graceMs } = config
    log.info('the registration of a driver is gone: keeping it for a while', { driver: name, ...socket, graceMs })
    store.leave(socket, clock.monotonicMs() + graceMs)
    departures.add(name)
    // A plugin that was refused because of this one need not wait.
    onRemoved(name)
  }

  /** Kubernetes never compares the two names, so a difference is only reported. */
  const compareNames = async (socket: Sighting): Promise<void> => {
    const registered = store.get(socket)
    if (!registered) return
    const { name } = await registered.driver.getPluginInfo({}, { timeoutMs: NAME_TIMEOUT_MS, signal })
    if (name !== registered.name)
      notices.warn(socket.path, REASONS.otherName(registered.name, name, registered.endpoint), {
        registered: registered.name,
        reported: name,
      })
  }
  const onRestarted = (socket: Sighting): void =>
    void compareNames(socket).catch((error: unknown) => {
      if (!signal.aborted)
        log.debug('failed to read the name of the driver', { path: socket.path, error: messageOf(error) })
    })
  const provideCsiDriver = async (name: string): Promise<void> => {
    await csiDrivers.synced(signal)
    const registered = store.find(name)
    if (!registered || csiDrivers.get(name)) return
    if ((await createCsiDriver(name, registered.driver, api, signal)) === 'created')
      log.info('CSIDriver object created', { driver: name })
  }
  const onRegistered = (name: string, socket: Sighting): void => {
    notices.forget(socket.path)
    onRestarted(socket)
    if (!config.createCsiDrivers) return
    void provideCsiDriver(name).catch((error: unknown) => {
      if (signal.aborted) return
      log.warn('failed to create the CSIDriver object', { driver: name, error })
      notices.report(REASONS.csiDriverNotMade(name, messageOf(error)))
    })
  }
  const refreshAllocatable = async (name: string): Promise<void> => {
    const [driver, published] = [store.find(name), publication.factsOf(name)]
    if (!driver || !published) return
    const { maxVolumes } = await readNodeFacts(name, driver.driver, parts, signal)
    // Only the limit: anything else that differs has to wait for the next registration.
    if (publication.factsOf(name) === published) publication.publish(name, { ...published, maxVolumes })
  }

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
  parts.onStop(registry.stop)
  parts.onIdle(registry.isIdle)

  // What was published before the agent started is kept for drivers that may come back; a socket that does not answer may be one of them.
  let sweep: Timer | undefined
  const sweepLater = (): void => {
    sweep = clock.setTimer(config.graceMs, () => {
      if (registry.all().some(({ path }) => isUnanswered(records.find(path)))) sweepLater()
      else publication.withdrawStrangers((name) => store.find(name) !== undefined)
    })
  }
  sweepLater()
  parts.onStop(() => sweep?.cancel())

  return {
    drivers: store,
    refreshAllocatable,
    plugins: (): readonly PluginStatus[] => [
      ...registry.all().map(({ path }) => statusOf(path, records.find(path), nodeName)),
      ...registry.ignored().map((file) => ({ ...file, driver: undefined, state: 'ignored' as const })),
    ],
    controllers: [
      publication.controller,
      defineAllocatable(parts, csiDrivers, store, refreshAllocatable),
      defineDepartures(parts, departures, store, (name) => {
        restore(name)
        onRemoved(name)
      }),
      definePlugins({
        ...parts,
        ...notices,
        endpointDirectories: [rootDir, ...config.endpointDirectories],
        findSocket: registry.find,
        queue,
        records,
        store,
        publication,
        onLeft,
        restore,
        onRemoved,
        onRegistered,
        onRestarted,
      }),
    ],
  }
}

function placesOf({ watchLegacyDirectory, assumeDriverSockets }: RegistrationConfig, rootDir: string): RegistryPlace[] {
  const plugins = join(rootDir, 'plugins')
  return [
    { directory: join(rootDir, 'plugins_registry'), via: 'registrar', isWanted: () => true },
    ...(watchLegacyDirectory
      ? [{ directory: plugins, via: 'registrar' as const, isWanted: (path: string) => path.endsWith('-reg.sock') }]
      : []),
    ...(assumeDriverSockets
      ? [{ directory: plugins, via: 'driver' as const, isWanted: (path: string) => /^[^/]+\/csi\.sock$/.test(path) }]
      : []),
  ]
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
  switch (state.kind) {
    case 'offered':
      return { path, driver, state: 'waiting', reason: REASONS.askingDriver(driver) }
    case 'known':
      return { path, driver, state: 'waiting', reason: REASONS.publishing(nodeName) }
    case 'registered':
      return { path, driver, state: 'registered', reason: REASONS.registered(driver) }
  }
}
