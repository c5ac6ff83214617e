import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { startDeadline } from '../../base/abort.ts'
import { startWhole } from '../../base/stops.ts'
import type { Stops } from '../../base/stops.ts'
import { chooseAlphaDriver } from '../../compat/choose-alpha-driver.ts'
import { ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import { startController } from '../../kube/controller.ts'
import { startOptionalCache } from '../../kube/optional-cache.ts'
import { createWorkQueue } from '../../kube/work-queue.ts'
import type { RoleParts, RunningRole } from '../role.ts'
import type { ClusterRegistrarConfig } from './cluster-registrar-options.ts'
import { createRegistrationReconciler, SEED, TODAY } from './reconcile-registration.ts'
import { createRegistrationReader } from './registration-reader.ts'
import { createRegistrationWriter } from './registration-writer.ts'
import { isOurs, wantedObjects } from './wanted-objects.ts'

const BACKOFF = { initialMs: 500, maximumMs: 120_000 }
const LAST_WRITES_MS = 5000

export type RegistrarConfig = ClusterRegistrarConfig & {
  /** Does the process itself end? Else the role only stops for a while, as when its driver is being restarted. */
  isExiting(): boolean
}

export interface RunningRegistrar extends RunningRole {
  /** Are the driver's objects in place, as far as they are ours to make? */
  isRegistered(): boolean
}

/** The registrar of a cluster: the driver has its objects, and the registry says that it serves for as long as it does. */
export async function startClusterRegistrar(
  config: RegistrarConfig,
  parts: RoleParts,
  signal: AbortSignal,
): Promise<RunningRegistrar> {
  return startWhole((stops) =>
    assemble(config, { ...parts, log: parts.log.with({ driver: parts.facts.name }) }, signal, stops),
  )
}

async function assemble(
  config: RegistrarConfig,
  parts: RoleParts,
  signal: AbortSignal,
  stops: Stops,
): Promise<RunningRegistrar> {
  const { api, clock, random, events, facts, informers, log } = parts
  // One worker: today's object comes first, so that the registry finds it there and makes no mirror.
  const queue = createWorkQueue({
    clock,
    random,
    lanes: { default: 1 },
    backoff: BACKOFF,
    observe: parts.queues?.observerOf('cluster-driver-registrar'),
  })
  const read = createRegistrationReader({ api, clock })
  const write = createRegistrationWriter({ api, clock })
  const settled = new Set<string>()
  const reconcile = createRegistrationReconciler({
    read,
    write,
    events,
    clock,
    wanted: wantedObjects(facts, config),
    recreate: config.recreateOnImmutableChange,
    settled,
  })

  queue.add(TODAY)
  queue.add(SEED)
  // The caches only tell when to look again.
  const csiDrivers = informers.get(CSI_DRIVERS, { fieldSelector: `metadata.name=${facts.name}` })
  stops.onStop(csiDrivers.onChange(() => queue.add(TODAY)))
  const alphaDrivers = await startOptionalCache(ALPHA_CSI_DRIVERS, parts, () => queue.add(SEED), signal)
  stops.onStop(() => alphaDrivers.stop())

  const tellEnd = async (): Promise<void> => {
    using limit = startDeadline(clock, LAST_WRITES_MS, () => new Error(`no answer within ${LAST_WRITES_MS / 1000} s`))
    const { signal: until } = limit
    try {
      const { chosen } = chooseAlphaDriver(facts.name, (await read.alphaDrivers(until)) ?? [])
      const deleting = config.deleteOnExit && config.isExiting()
      if (chosen && deleting && isOurs(chosen)) await write.remove(ALPHA_CSI_DRIVERS, chosen, until)
      else if (chosen?.status?.ready) await write.setReady(chosen, false, until)
      const own = deleting ? await read.csiDriver(facts.name, until) : undefined
      if (own && isOurs(own)) await write.remove(CSI_DRIVERS, own, until)
    } catch (error) {
      log.warn('that the driver no longer serves was not told', { error })
    }
  }
  stops.onStop(tellEnd)
  const controller = startController({ name: 'cluster-registrar', queue, reconcile, log })
  stops.onStop(() => controller.stop())
  return { isIdle: () => queue.depth() === 0, isRegistered: () => settled.size === 2, stop: stops.run }
}
