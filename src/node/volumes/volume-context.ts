import type { DriverGates } from '../../api/driver-gates.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { Host } from '../../base/host/index.ts'
import type { Tracer } from '../../base/tracing/index.ts'
import { ALPHA_CSI_DRIVERS, driverNamedBy } from '../../compat/alpha-csi-driver.ts'
import { chooseAlphaDriver } from '../../compat/choose-alpha-driver.ts'
import { isCsiError } from '../../csi/csi-error.ts'
import type { NodeServiceCapability_RPC_Type as NodeCapability } from '../../csi/generated/csi/v1/csi.ts'
import type { Driver } from '../../csi/rpc.ts'
import type { CacheChange } from '../../kube/cache/object-cache.ts'
import { createChangeSource } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { driverPolicyOf } from '../../storage/driver-policy.ts'
import type { DriverPolicy } from '../../storage/driver-policy.ts'
import type { DriverStore, RegisteredDriver } from '../registration/index.ts'
import { createSecretReader, createTokenCache } from '../credentials/index.ts'
import { readFileContext } from '../se-linux/index.ts'
import { PODS_KNOWN } from './reasons.ts'
import type { VolumeFiles } from './volume-files.ts'
import type { VolumeTable } from './volume-table.ts'

export type VolumeConfig = {
  /** Longest wait for one call of a driver. */
  readonly callTimeoutMs: number
  /** Between two calls of NodePublishVolume for a driver with `requiresRemount`. */
  readonly remountMs: number
  /** The same for one with `requiresRepublish`, with up to half of it added at random. */
  readonly republishMs: number
  /** How often the claim of a mounted volume is read, in case it has grown; with up to half added. */
  readonly claimLookMs: number
  /** How often a driver is asked for the usage and health of a mounted volume; with up to as much again added. */
  readonly statsMs: number
  /** How long a secret may be used again for calls that come ten times a second. */
  readonly secretKeepMs: number
  /** Accept a NodePublishVolume that mounts nothing, as mock drivers do. */
  readonly allowUnmounted: boolean
  readonly gates: DriverGates
}

export const DEFAULT_VOLUMES: VolumeConfig = {
  callTimeoutMs: 120_000,
  remountMs: 100,
  republishMs: 60_000,
  claimLookMs: 60_000,
  statsMs: 60_000,
  secretKeepMs: 10_000,
  allowUnmounted: false,
  gates: {},
}

export type Capabilities = ReadonlySet<NodeCapability>

type Known = { readonly lives: number; readonly capabilities: Capabilities }

/** The drivers of the node and their capabilities. Each process of a driver is asked for them once. */
export function createDriverAccess(store: Pick<DriverStore, 'find'>) {
  const known = new WeakMap<Driver, Known>()
  const require = (name: string): RegisteredDriver => {
    const registered = store.find(name)
    if (!registered) throw new Error(`driver name ${name} not found in the list of registered CSI drivers`)
    return registered
  }
  return {
    isRegistered: (name: string): boolean => store.find(name) !== undefined,
    /** Throws if the driver is not registered. */
    get: (name: string): Driver => require(name).driver,
    /** Undefined until the driver was asked. */
    capabilities: (name: string): Capabilities | undefined => {
      const registered = store.find(name)
      const entry = registered && known.get(registered.driver)
      return entry?.lives === livesOf(registered) ? entry?.capabilities : undefined
    },
    probe: async (name: string, options: { timeoutMs: number; signal: AbortSignal }): Promise<Capabilities> => {
      const registered = require(name)
      const answer = await registered.driver.nodeGetCapabilities({}, options)
      const capabilities = new Set(answer.capabilities.flatMap(({ type }) => (type ? [type.value.type] : [])))
      known.set(registered.driver, { lives: livesOf(registered), capabilities })
      return capabilities
    },
    /** Forgets the capabilities of a driver that does not implement a call after all. */
    doubt: (name: string, error: unknown): void => {
      const registered = store.find(name)
      if (registered && isCsiError(error, 'UNIMPLEMENTED')) known.delete(registered.driver)
    },
    requiresPublishPod: (name: string): boolean => store.find(name)?.requiresPublishPod ?? false,
  }
}

/** A connection that becomes ready again may lead to another process. */
function livesOf(registered: RegisteredDriver | undefined): number {
  const state = registered?.connection.state()
  return state && 'times' in state ? state.times : 0
}

export type ContextParts = {
  readonly config: VolumeConfig
  readonly host: Host
  readonly nodeName: string
  readonly drivers: Pick<DriverStore, 'find' | 'onChange'>
  readonly table: VolumeTable
  readonly files: VolumeFiles
  readonly tracer?: Tracer | undefined
}

/** What the controllers of pods, mounts and devices share. */
export type VolumeContext = Awaited<ReturnType<typeof createVolumeContext>>

const BY_UID = 'volumes/uid'

export async function createVolumeContext(role: ControllerRole, parts: ContextParts) {
  const { drivers: store, config, host, nodeName, table, files, tracer } = parts
  const drivers = createDriverAccess(store)
  const pods = role.follow(PODS, {
    scope: { fieldSelector: `spec.nodeName=${nodeName}` },
    indexes: { [BY_UID]: ({ metadata }) => [metadata.uid ?? ''] },
  })
  const nodes = role.follow(NODES, { scope: { fieldSelector: `metadata.name=${nodeName}` } })
  const csiDrivers = role.follow(CSI_DRIVERS)

  const driverChanges = createChangeSource<string>()
  role.onStop(store.onChange(driverChanges.tell))
  csiDrivers.onChange((change) => isSpecChange(change) && driverChanges.tell(change.key))
  const alphas = await role.followOptional(ALPHA_CSI_DRIVERS, ({ before, after }) =>
    [before, after].forEach((each) => each && driverChanges.tell(driverNamedBy(each))),
  )

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
    tracer,
    drivers,
    secrets: createSecretReader(role, config.secretKeepMs),
    tokens: createTokenCache(role),
    pods,
    nodes,
    csiDrivers,
    /** The SELinux context of files of containers. Undefined on a machine without SELinux. */
    fileContext: await readFileContext(host),
    /** Names of drivers that have registered, restarted or gone, or whose policy has changed. */
    driverChanges,
    /** Options of every call to a driver. */
    call: { timeoutMs: config.callTimeoutMs, signal: role.signal },
    findPod: (uid: string) => pods.byIndex(BY_UID, uid)[0],
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
