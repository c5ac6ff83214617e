import { join } from 'node:path'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { formatReason } from '../../api/reason.ts'
import type { Reason } from '../../api/reason.ts'
import type { Timer } from '../../base/clock.ts'
import { startWhole } from '../../base/stops.ts'
import type { Stops } from '../../base/stops.ts'
import { startController } from '../../kube/controller.ts'
import { createEventRecorder } from '../../kube/event-recorder.ts'
import { createWorkQueue } from '../../kube/work-queue.ts'
import { createAllocatableUpdates } from './allocatable-updates.ts'
import { askNodeInfo } from './ask-driver.ts'
import { createNameComparison } from './compare-names.ts'
import { createComplaints } from './complaints.ts'
import { createCsiDriver } from './create-csi-driver.ts'
import { createDriverStore } from './driver-store.ts'
import type { DriverStore } from './driver-store.ts'
import { checkNodeInfo } from './node-facts.ts'
import { createPluginRecords } from './plugin-records.ts'
import { startPublication } from './publication.ts'
import { createPluginReconciler } from './reconcile-plugin.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationConfig } from './registration-config.ts'
import type { RegistrationParts } from './registration-parts.ts'
import type { PluginRecord } from './registration-view.ts'
import type { RegistryPlace } from './scan-registry.ts'
import type { Sighting } from './sighting.ts'
import { startRegistryWatch } from './watch-registry.ts'

/** How one file of the watched directories stands, for people. */
export type PluginStatus = {
  readonly path: string
  /** Undefined as long as nobody has said. */
  readonly driver: string | undefined
  readonly state: 'found' | 'registered' | 'waiting' | 'failed' | 'ignored'
  readonly reason: Reason
}

export interface RunningRegistration {
  readonly drivers: DriverStore
  plugins(): readonly PluginStatus[]
  /** Asks the driver now how many volumes the node can have, and publishes it. Does nothing for a driver that is not registered. */
  refreshAllocatable(driver: string): Promise<void>
  isIdle(): boolean
  /** Nothing is unregistered by it: a node agent that is restarted finds everything as it was. */
  stop(): Promise<void>
}

// A socket that hangs takes a worker for some seconds, so there are more than sockets of decent drivers.
const WORKERS = 64
const CALL_TIMEOUT_MS = 15_000
// What is no failure of a registration has an event of its own.
const EVENT_REASONS: readonly string[] = ['CSINodeNotServed', 'DriverNameMismatch']

/** Follows the plugin directories and registers what it finds. Resolves after the first look, whatever the API server does. */
export async function startRegistration(
  config: RegistrationConfig,
  parts: RegistrationParts,
  signal: AbortSignal,
): Promise<RunningRegistration> {
  signal.throwIfAborted()
  return startWhole((stops) => assemble(config, { ...parts, log: parts.log.with({ part: 'registration' }) }, stops))
}

async function assemble(
  config: RegistrationConfig,
  parts: RegistrationParts,
  stops: Stops,
): Promise<RunningRegistration> {
  const { host, clock, random, log, api, informers, nodeName, rootDir } = parts
  const { onStop } = stops
  const ending = new AbortController()
  const events = createEventRecorder({ api, clock, log, component: 'holdfast-node', host: nodeName })
  const records = createPluginRecords()
  const store = createDriverStore()
  const csiDrivers = informers.get(CSI_DRIVERS)
  const queue = createWorkQueue({
    clock,
    random,
    lanes: { default: WORKERS },
    backoff: { initialMs: 500, maximumMs: 122_000 },
  })
  const enqueue = (path: string): void => queue.add(path)
  onStop(() => store.clear())

  const publication = startPublication({
    ...parts,
    config,
    onState: (driver) => records.all().forEach((record) => nameOf(record) === driver && enqueue(record.socket.path)),
    onUnserved: (reason) => report(reason),
  })
  onStop(() => publication.stop())

  const report = (reason: Reason): void => {
    const node = publication.findNode()
    if (node)
      events.record(
        node,
        'Warning',
        EVENT_REASONS.includes(reason.code) ? reason.code : 'DriverRegistrationFailed',
        formatReason(reason),
      )
  }
  const complaints = createComplaints(clock)
  const tell = (path: string, reason: Reason): void => {
    const text = formatReason(reason)
    if (!complaints.isNew(path, text)) return
    log.warn('a plugin is not registered', { path, why: text })
    // A socket that was left behind is no fault that somebody has to see in the cluster.
    if (reason !== REASONS.noServer) report(reason)
  }
  const warn = (path: string, reason: Reason): void => {
    const text = formatReason(reason)
    if (!complaints.isNew(path, text)) return
    log.warn('a registered driver has another name', { path, ...reason.detail })
    report(reason)
  }
  const compareNames = createNameComparison({ store, log, signal: ending.signal, warn })

  const departures = createDepartures()
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
      if (
        state.kind !== 'failed' ||
        state.reason.code !== 'DriverRegisteredTwice' ||
        state.reason.detail?.['driver'] !== name
      )
        continue
      records.set({ ...record, failures: 0, state: { ...state, retryAtMs: clock.monotonicMs() } })
      enqueue(socket.path)
    }
  }
  const onLeft = (socket: Sighting, name: string): void => {
    log.info('the registration of a driver has gone: it is kept for a while', {
      driver: name,
      path: socket.path,
      graceMs: config.graceMs,
    })
    const leave = (): void => {
      departures.cancel(socket)
      store.remove(socket)
      restore(name)
      onRemoved(name)
    }
    departures.set(socket, clock.setTimer(config.graceMs, leave))
    // Whoever was refused because of it need not wait.
    onRemoved(name)
  }
  onStop(() => departures.clear())

  const refreshAllocatable = async (name: string): Promise<void> => {
    const [driver, published] = [store.find(name), publication.factsOf(name)]
    if (!driver || !published) return
    const checked = checkNodeInfo(name, await askNodeInfo(driver.driver, parts, ending.signal))
    // Only the limit: what else differs is for the next registration.
    if ('facts' in checked && publication.factsOf(name) === published)
      publication.publish(name, { ...published, maxVolumes: checked.facts.maxVolumes })
  }
  const allocatable = createAllocatableUpdates({ clock, log, refresh: refreshAllocatable })
  onStop(() => allocatable.stop())
  onStop(store.onChange((name, driver) => allocatable.follow(name, driver !== undefined, csiDrivers.get(name))))
  onStop(csiDrivers.onChange(({ key, after }) => allocatable.follow(key, store.find(key) !== undefined, after)))

  const provideCsiDriver = async (name: string): Promise<void> => {
    await csiDrivers.synced(ending.signal)
    const registered = store.find(name)
    if (!registered || csiDrivers.get(name)) return
    const made = await createCsiDriver(
      name,
      registered.driver,
      { api, clock, timeoutMs: CALL_TIMEOUT_MS },
      ending.signal,
    )
    if (made === 'created') log.info('a CSIDriver object was made for the driver', { driver: name })
  }
  const onRegistered = (name: string, socket: Sighting): void => {
    complaints.forget(socket.path)
    compareNames(socket)
    if (!config.createCsiDrivers) return
    void provideCsiDriver(name).catch((error: unknown) => {
      if (ending.signal.aborted) return
      const reason = REASONS.csiDriverNotMade(name, error instanceof Error ? error.message : String(error))
      log.warn('no CSIDriver object was made for the driver', { driver: name, error })
      report(reason)
    })
  }

  const registry = await startRegistryWatch({
    files: host.files,
    clock,
    log,
    places: placesOf(config, rootDir),
    relistMs: config.relistMs,
    onChange: (path) => {
      records.abortWork(path)
      enqueue(path)
    },
  })
  onStop(() => registry.stop())

  const reconcile = createPluginReconciler({
    ...parts,
    files: host.files,
    endpointDirectories: [rootDir, ...config.endpointDirectories],
    findSocket: (path) => registry.find(path),
    records,
    store,
    publication,
    onLeft,
    onAdmitted: (socket) => departures.cancel(socket),
    restore,
    onRemoved,
    onRegistered,
    enqueue,
    tell,
    isNews: complaints.isNew,
    onRestarted: compareNames,
  })
  const controller = startController({ name: 'node-registration', queue, reconcile, log })
  onStop(() => controller.stop())
  onStop(() => ending.abort(new Error('registration was stopped')))

  // What an earlier life published is kept for those that are still to come back; a socket that does not answer may be one of them.
  let sweep: Timer | undefined
  const sweepLater = (): void => {
    sweep = clock.setTimer(config.graceMs, () => {
      const isUnclear = registry.all().some(({ path }) => isUnanswered(records.find(path)))
      if (isUnclear) sweepLater()
      else publication.withdrawStrangers((name) => store.find(name) !== undefined)
    })
  }
  sweepLater()
  onStop(() => sweep?.cancel())

  const plugins = (): readonly PluginStatus[] => [
    ...registry.all().map(({ path }) => statusOf(path, records.find(path), nodeName)),
    ...registry.ignored().map(({ path, reason }) => ({ path, driver: undefined, state: 'ignored' as const, reason })),
  ]
  return {
    drivers: store,
    plugins,
    refreshAllocatable,
    isIdle: () => queue.depth() === 0 && publication.isIdle() && registry.isIdle(),
    stop: stops.run,
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

/** Timers of those whose socket has gone. */
function createDepartures() {
  const timers = new Map<string, Timer>()
  const keyOf = ({ path, identity }: Pick<Sighting, 'path' | 'identity'>): string => `${path} ${identity}`
  const cancel = (socket: Sighting): void => {
    timers.get(keyOf(socket))?.cancel()
    timers.delete(keyOf(socket))
  }
  return {
    set: (socket: Sighting, timer: Timer): void => {
      cancel(socket)
      timers.set(keyOf(socket), timer)
    },
    cancel,
    clear: (): void => {
      for (const timer of timers.values()) timer.cancel()
      timers.clear()
    },
  }
}

const nameOf = ({ state }: PluginRecord): string | undefined => ('offer' in state ? state.offer.name : undefined)

function isUnanswered(record: PluginRecord | undefined): boolean {
  if (!record) return true
  const { state } = record
  return state.kind !== 'registered' && !(state.kind === 'failed' && !UNANSWERED.includes(state.reason.code))
}
const UNANSWERED: readonly string[] = [
  REASONS.noServer.code,
  'RegistrarNotAnswering',
  'RegistrationFailed',
  'RegistrarNotTold',
]

function statusOf(path: string, record: PluginRecord | undefined, nodeName: string): PluginStatus {
  const driver = record && nameOf(record)
  switch (record?.state.kind) {
    case undefined:
      return { path, driver, state: 'found', reason: { code: 'NotYetAsked' } }
    case 'failed':
      return { path, driver: record.state.reason.detail?.['driver'], state: 'failed', reason: record.state.reason }
    case 'offered':
      return {
        path,
        driver,
        state: 'waiting',
        reason: { code: 'AskingTheDriver', waitsFor: { kind: 'actor', name: `the driver ${driver ?? ''}` } },
      }
    case 'known':
      return { path, driver, state: 'waiting', reason: REASONS.publishing(nodeName) }
    case 'registered':
      return { path, driver, state: 'registered', reason: REASONS.registered(driver ?? '') }
  }
}
