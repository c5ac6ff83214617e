import type { BackoffOptions } from '../../base/backoff.ts'
import { ALPHA_CSI_DRIVER_CRD, ALPHA_CSI_NODE_INFO_CRD } from '../../compat/alpha-crds.ts'
import { CSI_NODE_INFOS, driversOfNodeInfo } from '../../compat/alpha-csi-node-info.ts'
import { startControllers } from '../../kube/controller/index.ts'
import type { WorkQueue } from '../../kube/controller/index.ts'
import type { RunningRole } from '../../kube/process/running-role.ts'
import type { ControllerWorld } from '../cluster-controller.ts'
import { BY_DRIVER, changedNames, defineDriverMirror, namesOf } from './driver-mirror.ts'
import type { MirrorParts } from './driver-mirror.ts'
import type { RegistryConfig } from './registry-options.ts'

/** Follows the registry's objects once the server has their kinds. */
export function followDrivers(config: RegistryConfig, world: ControllerWorld, backoff: BackoffOptions) {
  const ending = new AbortController()
  let findNodeInfos: MirrorParts['findNodeInfos'] = () => []
  let unwatch = (): void => {}
  let queue: WorkQueue | undefined
  let running: RunningRole | undefined

  const startNodeInfos = async (): Promise<void> => {
    const infos = world.informers.get(CSI_NODE_INFOS)
    infos.addIndex(BY_DRIVER, (info) => [...namesOf(driversOfNodeInfo(info))])
    findNodeInfos = (driver) => infos.byIndex(BY_DRIVER, driver)
    unwatch = infos.onChange(({ before, after }) => {
      for (const name of changedNames(driversOfNodeInfo(before), driversOfNodeInfo(after))) queue?.add(name)
    })
    await infos.synced(ending.signal)
  }
  const startDrivers = async (): Promise<void> => {
    running = await startControllers(world, ending.signal, (role) => {
      queue = role.createQueue({ name: 'registry-drivers', lanes: { default: 4 }, backoff })
      return [defineDriverMirror(config, role, { queue, findNodeInfos: (driver) => findNodeInfos(driver) })]
    })
  }
  const starts = new Map([
    [ALPHA_CSI_DRIVER_CRD.metadata.name, startDrivers],
    [ALPHA_CSI_NODE_INFO_CRD.metadata.name, startNodeInfos],
  ])
  const starting = new Set<Promise<void>>()
  return {
    /** A definition is served: from now on its objects are followed. */
    onUsable: (definition: string): void => {
      const start = starts.get(definition)
      if (!start || ending.signal.aborted) return
      starts.delete(definition)
      // Both only wait for caches, which fail only when they are stopped.
      const started = start().catch((error: unknown) =>
        world.log.debug('objects of the registry are not followed', { definition, error }),
      )
      starting.add(started)
      void started.finally(() => starting.delete(started))
    },
    isIdle: (): boolean => starting.size === 0 && (running?.isIdle() ?? true),
    stop: async (): Promise<void> => {
      ending.abort(new Error('the registry was stopped'))
      await Promise.all(starting)
      unwatch()
      await running?.stop()
    },
  }
}
