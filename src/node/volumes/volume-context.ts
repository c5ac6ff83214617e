import { isEqualJson } from '../../api/equal-json.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Host } from '../../base/host/index.ts'
import { driverNamedBy, ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import { chooseAlphaDriver } from '../../compat/choose-alpha-driver.ts'
import { createChangeSource } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import type { CacheChange } from '../../kube/cache/object-cache.ts'
import { startOptionalCache } from '../../kube/cache/optional-cache.ts'
import { driverPolicyOf } from '../../storage/driver-policy.ts'
import type { DriverPolicy } from '../../storage/driver-policy.ts'
import type { DriverStore } from '../registration/index.ts'
import { createDriverAccess } from './driver-access.ts'
import { PODS_KNOWN } from './reasons.ts'
import { createSecretReader } from './secret-reader.ts'
import { createTokenCache } from './token-cache.ts'
import type { VolumeConfig } from './volume-config.ts'
import type { VolumeFiles } from './volume-files.ts'
import type { VolumeTable } from './volume-table.ts'

export type ContextParts = {
  readonly config: VolumeConfig
  readonly host: Host
  readonly nodeName: string
  readonly drivers: Pick<DriverStore, 'find' | 'onChange'>
  readonly table: VolumeTable
  readonly files: VolumeFiles
}

/** What the controllers of pods, mounts and devices share. */
export type VolumeContext = Awaited<ReturnType<typeof createVolumeContext>>

const BY_UID = 'volumes/uid'

export async function createVolumeContext(
  role: ControllerRole,
  { drivers: store, config, host, nodeName, table, files }: ContextParts,
  starting: AbortSignal,
) {
  const drivers = createDriverAccess(store)
  const pods = role.follow(PODS, {
    scope: { fieldSelector: `spec.nodeName=${nodeName}` },
    indexes: { [BY_UID]: ({ metadata }) => [metadata.uid ?? ''] },
  })
  const nodes = role.follow(NODES, { scope: { fieldSelector: `metadata.name=${nodeName}` } })
  const csiDrivers = role.follow(CSI_DRIVERS)

  const driverChanges = createChangeSource<string>()
  role.onStop(
    store.onChange((name, driver) => {
      if (!driver) drivers.forget(name)
      driverChanges.tell(name)
    }),
  )
  role.onStop(csiDrivers.onChange((change) => isSpecChange(change) && driverChanges.tell(change.key)))
  const alphas = await startOptionalCache(
    ALPHA_CSI_DRIVERS,
    role,
    ({ before, after }) => [before, after].forEach((each) => each && driverChanges.tell(driverNamedBy(each))),
    starting,
  )
  role.onStop(() => alphas.stop())

  const untried = new Set<string>()
  role.onReady(() => {
    for (const { metadata } of pods.all()) if (metadata.uid) untried.add(metadata.uid)
  })
  return {
    ...role,
    config,
    host,
    nodeName,
    table,
    files,
    drivers,
    secrets: createSecretReader({ ...role, keepMs: config.secretKeepMs }),
    tokens: createTokenCache(role),
    pods,
    nodes,
    csiDrivers,
    /** Names of drivers that have registered, restarted or gone, or whose policy has changed. */
    driverChanges,
    /** Options of every call to a driver. */
    call: { timeoutMs: config.callTimeoutMs, signal: role.signal },
    findPod: (uid: string): Pod | undefined => {
      const [cached] = pods.byIndex(BY_UID, uid)
      const newest = cached && pods.get(keyOf(cached))
      return newest?.metadata.uid === uid ? newest : cached
    },
    findNode: () => nodes.get(nodeName),
    policyOf: (name: string): DriverPolicy =>
      driverPolicyOf({
        csiDriver: csiDrivers.get(name),
        alphaDriver: chooseAlphaDriver(name, alphas.all()).chosen,
        requiresPublishPod: drivers.requiresPublishPod(name),
        gates: config.gates,
      }),
    /** The volumes of every pod of the node have been looked up once. Before that nothing is undone. */
    isReady: () => untried.size === 0,
    /** The volumes of the pod have been looked up. */
    markTried: (uid: string): void => {
      if (untried.delete(uid) && untried.size === 0) role.report(PODS_KNOWN)
    },
  }
}

/** The pods that a change is about: a pod may have been replaced by another one of the same name. */
export const uidsOf = ({ before, after }: CacheChange<Pod>): string[] => [
  ...new Set([before, after].flatMap((pod) => pod?.metadata.uid ?? [])),
]

/** Whether the driver is to be treated differently from now on. */
export const isSpecChange = ({ before, after }: CacheChange<CSIDriver>): boolean =>
  !isEqualJson(before?.spec ?? null, after?.spec ?? null) ||
  !isEqualJson(before?.metadata.annotations ?? {}, after?.metadata.annotations ?? {})
