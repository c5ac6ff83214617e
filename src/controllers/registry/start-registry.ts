import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/kinds/custom-resource-definition.ts'
import { startWhole } from '../../base/stops.ts'
import type { Stops } from '../../base/stops.ts'
import { SEED_CRDS } from '../../compat/seed-crds.ts'
import { after, startController } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import { createWorkQueue } from '../../kube/work-queue.ts'
import type { ControllerWorld, StartClusterController, WorkingController } from '../cluster-controller.ts'
import { ensureNodeAccess } from './ensure-node-access.ts'
import { followDrivers } from './follow-drivers.ts'
import { createCrdReconciler } from './reconcile-crd.ts'
import type { RegistryConfig } from './registry-options.ts'

const NODE_ACCESS_KEY = 'node access'
const BACKOFF = { initialMs: 200, maximumMs: 60_000 }

/** The driver registry: has its definitions installed, mirrors its objects for the rest of the cluster, and counts nodes. */
export const startRegistry: StartClusterController<RegistryConfig> = async (config, world, signal) => {
  return startWhole((stops) => assemble(config, { ...world, log: world.log.with({ part: 'registry' }) }, signal, stops))
}

async function assemble(config: RegistryConfig, world: ControllerWorld, signal: AbortSignal, stops: Stops): Promise<WorkingController> {
  const { api, clock, random, events, informers, log } = world
  const definitions = createWorkQueue({ clock, random, lanes: { default: 1 }, backoff: BACKOFF, observe: world.queues?.observerOf('registry-definitions') })
  const drivers = createWorkQueue({ clock, random, lanes: { default: 4 }, backoff: BACKOFF, observe: world.queues?.observerOf('registry-drivers') })
  const follower = followDrivers(config, world, drivers, stops)

  // Only these two of all definitions: a cluster may have hundreds, and they are large.
  const caches = SEED_CRDS.map(({ metadata: { name = '' } }) => {
    const cache = informers.get(CUSTOM_RESOURCE_DEFINITIONS, { fieldSelector: `metadata.name=${name}` })
    stops.onStop(cache.onChange(({ key }) => definitions.add(key)))
    definitions.add(name)
    return cache
  })
  if (config.nodeAccess) definitions.add(NODE_ACCESS_KEY)

  const wanted = new Map(SEED_CRDS.map((crd) => [crd.metadata.name ?? '', crd]))
  const reconcileCrd = createCrdReconciler({ api, clock, events, checkMs: config.crdCheckMs, wanted, onUsable: follower.onUsable })
  const reconcile: Reconciler = async (key, context) => {
    if (key !== NODE_ACCESS_KEY) return reconcileCrd(key, context)
    await ensureNodeAccess({ api, clock, log: context.log }, context.signal)
    return after(config.crdCheckMs)
  }
  await Promise.all(caches.map((cache) => cache.synced(signal)))
  const controller = startController({ name: 'registry-definitions', queue: definitions, reconcile, log })
  stops.onStop(() => controller.stop())
  // First of all: nothing may begin while the rest is being stopped.
  stops.onStop(() => follower.stop())
  return { isIdle: () => definitions.depth() === 0 && follower.isIdle(), stop: stops.run }
}
