import { join } from 'node:path'
import type { Timer } from '../../base/clock.ts'
import { startControllers } from '../../kube/controller/index.ts'
import type { RunningRole } from '../../kube/process/running-role.ts'
import { defineAllocatable } from './allocatable-controller.ts'
import { createDriverStore } from './driver-store.ts'
import type { DriverStore } from './driver-store.ts'
import { definePlugins } from './plugin-controller.ts'
import { createPluginNotices } from './plugin-notices.ts'
import { createPublication } from './publication-controller.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationReason } from './reasons.ts'
import type { RegistrationContext } from './registration-context.ts'
import type { RegistrationConfig, RegistrationParts } from './registration-options.ts'
import { driverTopic } from './registration-view.ts'
import type { PluginRecord } from './registration-view.ts'
import { createRegistry } from './watch-registry.ts'
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
}

/** Watches the plugin directories and registers the drivers that it finds. Resolves after the first scan, whatever the state of the API server. */
export async function startRegistration(
  config: RegistrationConfig,
  parts: RegistrationParts,
  signal: AbortSignal,
): Promise<RunningRegistration> {
  signal.throwIfAborted()
  const { clock, host, nodeName, rootDir } = parts
  const log = parts.log.with({ part: 'registration' })
  const records = new Map<string, PluginRecord>()
  const sockets = createRegistry({
    files: host.files,
    log,
    places: placesOf(config, rootDir),
    relistMs: config.relistMs,
  })
  let wake = (_topic: string): void => {}
  const store = createDriverStore(clock, config.graceMs, (name) => wake(driverTopic(name)))
  const running = await startControllers({ ...parts, log }, signal, (role) => {
    wake = role.report
    role.onStop(store.clear)
    role.onStop(sockets.close)
    const whole = { ...parts, ...role, config }
    const publication = createPublication(whole, store)
    const notices = createPluginNotices(role, publication.findNode)
    const context: RegistrationContext = { ...whole, sockets, records, store, publication, notices }
    startSweep(context)
    return [sockets.controller, publication.controller, defineAllocatable(context), definePlugins(context)]
  })
  await sockets.looked
  return {
    ...running,
    drivers: store,
    plugins: () => [
      ...sockets.all().map(({ path }) => statusOf(path, records.get(path), nodeName)),
      ...Array.from(
        sockets.ignored(),
        ([path, reason]) => ({ path, driver: undefined, state: 'ignored', reason }) as const,
      ),
    ],
  }
}

/** What was published before the agent started is kept for drivers that may come back; a socket that does not answer may be one of them. */
function startSweep({ clock, config, sockets, records, publication, onStop }: RegistrationContext): void {
  let timer: Timer
  const sweepLater = (): void => {
    timer = clock.setTimer(config.graceMs, () => {
      if (sockets.all().some(({ path }) => isUnanswered(records.get(path)))) sweepLater()
      else publication.withdrawStrangers()
    })
  }
  sweepLater()
  onStop(() => timer.cancel())
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
  if (!record) return { path, driver: undefined, state: 'found', reason: REASONS.NotYetAsked }
  const { state } = record
  if (state.kind === 'failed')
    return { path, driver: state.reason.detail?.['driver'], state: 'failed', reason: state.reason }
  const { name: driver } = state.offer
  if (state.kind === 'registered') return { path, driver, state: 'registered', reason: REASONS.Registered(driver) }
  const reason = state.kind === 'offered' ? REASONS.AskingTheDriver(driver) : REASONS.NotYetPublished(nodeName)
  return { path, driver, state: 'waiting', reason }
}
