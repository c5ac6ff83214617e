import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import type { Stops } from '../../base/stops.ts'
import { SEED_CSI_DRIVER_CRD, SEED_CSI_NODE_INFO_CRD } from '../../compat/seed-crds.ts'
import { driverNamedBy, SEED_CSI_DRIVERS } from '../../compat/seed-csi-driver.ts'
import { CSI_NODE_INFOS, driversOfCsiNode, driversOfNodeInfo } from '../../compat/seed-csi-node-info.ts'
import type { CSINodeInfo, RegisteredDriver } from '../../compat/seed-csi-node-info.ts'
import { startController } from '../../kube/controller.ts'
import type { Informer } from '../../kube/informer.ts'
import { createOwnWrites } from '../../kube/own-writes.ts'
import type { WorkQueue } from '../../kube/work-queue.ts'
import type { ControllerWorld } from '../cluster-controller.ts'
import type { DriverView } from './next-driver-step.ts'
import { createDriverReconciler } from './reconcile-driver.ts'
import type { RegistryConfig } from './registry-options.ts'

const BY_DRIVER = 'registry/driver'

export interface DriverFollower {
  /** A definition is served: from now on its objects are followed. */
  onUsable(definition: string): void
  isIdle(): boolean
  /** Begins nothing more; what has begun is stopped with the rest. */
  stop(): Promise<void>
}

/** Follows the registry's objects once the server has their kinds, and has a driver looked at when something about it changes. */
export function followDrivers(config: RegistryConfig, world: ControllerWorld, queue: WorkQueue, { onStop }: Stops): DriverFollower {
  const { api, clock, events, informers, log } = world
  const ending = new AbortController()
  const csiNodes = informers.get(CSI_NODES)
  const csiDrivers = informers.get(CSI_DRIVERS)
  let nodeInfos: Pick<Informer<CSINodeInfo>, 'byIndex'> | undefined
  let working = false

  // A node tells much; only which drivers it has is of interest.
  const onNode = (before: readonly RegisteredDriver[], after: readonly RegisteredDriver[]): void => {
    const [had, has] = [namesOf(before), namesOf(after)]
    for (const name of had.symmetricDifference(has)) queue.add(name)
  }
  csiNodes.addIndex(BY_DRIVER, (node) => [...namesOf(driversOfCsiNode(node))])
  onStop(csiNodes.onChange(({ before, after }) => onNode(driversOfCsiNode(before), driversOfCsiNode(after))))

  const startNodeInfos = async (): Promise<void> => {
    const infos = informers.get(CSI_NODE_INFOS)
    infos.addIndex(BY_DRIVER, (info) => [...namesOf(driversOfNodeInfo(info))])
    nodeInfos = infos
    onStop(infos.onChange(({ before, after }) => onNode(driversOfNodeInfo(before), driversOfNodeInfo(after))))
    await infos.synced(ending.signal)
  }
  const startDrivers = async (): Promise<void> => {
    const seeds = informers.get(SEED_CSI_DRIVERS)
    // All must be known before anything is decided: what is not there yet is no reason to delete a mirror.
    await Promise.all([seeds.synced(ending.signal), csiDrivers.synced(ending.signal), csiNodes.synced(ending.signal)])
    seeds.addIndex(BY_DRIVER, (seed) => [driverNamedBy(seed)])
    const [originals, mirrors] = [createOwnWrites(seeds), createOwnWrites(csiDrivers)]
    onStop(() => originals.stop())
    onStop(() => mirrors.stop())
    const readSeen = (driver: string): DriverView['seen'] => {
      const claims = seeds.byIndex(BY_DRIVER, driver).map((seed) => originals.get(seed.metadata.name ?? '') ?? seed)
      const nodes = [...csiNodes.byIndex(BY_DRIVER, driver), ...(nodeInfos?.byIndex(BY_DRIVER, driver) ?? [])]
      return { driver, claims, csiDriver: mirrors.get(driver), nodes: new Set(nodes.map(({ metadata }) => metadata.name)).size }
    }
    onStop(
      seeds.onChange(({ before, after }) => {
        if (before) queue.add(driverNamedBy(before))
        if (after) queue.add(driverNamedBy(after))
      }),
    )
    onStop(csiDrivers.onChange(({ key }) => queue.add(key)))
    const { gates = {}, statusIntervalMs } = config
    const reconcile = createDriverReconciler({ api, clock, events, gates, statusIntervalMs, mirrors, originals, readSeen })
    const controller = startController({ name: 'registry-drivers', queue, reconcile, log })
    onStop(() => controller.stop())
    working = true
  }

  const starts = new Map([
    [SEED_CSI_DRIVER_CRD.metadata.name, startDrivers],
    [SEED_CSI_NODE_INFO_CRD.metadata.name, startNodeInfos],
  ])
  const running = new Set<Promise<void>>()
  const onUsable = (definition: string): void => {
    const start = starts.get(definition)
    if (!start || ending.signal.aborted) return
    starts.delete(definition)
    // Both wait for caches alone, which fail only when they are stopped.
    const started = start().catch((error: unknown) => log.debug('objects of the registry are not followed', { definition, error }))
    running.add(started)
    void started.finally(() => running.delete(started))
  }
  const stop = async (): Promise<void> => {
    ending.abort(new Error('the registry stops'))
    await Promise.all(running)
  }
  return { onUsable, isIdle: () => running.size === 0 && (!working || queue.depth() === 0), stop }
}

const namesOf = (drivers: readonly RegisteredDriver[]): ReadonlySet<string> => new Set(drivers.map(({ name }) => name))
