import type { Api } from '../../api/api.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node } from '../../api/kinds/node.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Clock } from '../../base/clock.ts'
import type { Host } from '../../base/host/index.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { startWhole } from '../../base/stops.ts'
import type { Stops } from '../../base/stops.ts'
import { chooseAlphaDriver } from '../../compat/choose-alpha-driver.ts'
import { driverPolicyOf } from '../../storage/driver-policy.ts'
import type { DriverPolicy } from '../../storage/driver-policy.ts'
import { driverNamedBy, ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import { startController } from '../../kube/controller.ts'
import { createEventRecorder } from '../../kube/event-recorder.ts'
import type { Informers } from '../../kube/informers.ts'
import { startOptionalCache } from '../../kube/optional-cache.ts'
import type { OptionalCache } from '../../kube/optional-cache.ts'
import { createOwnWrites } from '../../kube/own-writes.ts'
import { createWorkQueue } from '../../kube/work-queue.ts'
import type { AlphaCSIDriver } from '../../compat/alpha-csi-driver.ts'
import type { DriverStore } from '../registration/index.ts'
import { createDriverAccess } from './driver-access.ts'
import { createExpandVolume } from './expand-volume.ts'
import { createFailures } from './failures.ts'
import { createVolumePaths } from './paths.ts'
import { createDeviceReconciler } from './reconcile-device.ts'
import { createMountReconciler } from './reconcile-mount.ts'
import { createPodReconciler } from './reconcile-pod.ts'
import { reconstruct } from './reconstruct.ts'
import { createSecretReader } from './secret-reader.ts'
import { createTokenCache } from './token-cache.ts'
import { startUseReport } from './use-report.ts'
import { needsVolumes } from './used-volumes.ts'
import type { VolumeConfig } from './volume-config.ts'
import { createVolumeFiles } from './volume-files.ts'
import { createVolumeTable } from './volume-table.ts'
import type { Device, DeviceState, Mount, MountState } from './volume-table.ts'
import type { PodState, VolumeWork } from './volume-work.ts'

export type VolumeParts = {
  readonly host: Host
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** As the node: `system:node:NAME`. */
  readonly api: Api
  readonly informers: Informers
  readonly nodeName: string
  readonly rootDir: string
  readonly drivers: Pick<DriverStore, 'find' | 'onChange'>
  /** All pods of the node are known, and volumes are being mounted. */
  onBegun?(): void
}

export interface RunningVolumeManager {
  /** For people and tests: what is mounted, or may be. */
  mounts(): readonly {
    readonly podUid: string
    readonly specName: string
    readonly state: MountState
    readonly failure?: string
  }[]
  devices(): readonly { readonly uniqueName: string; readonly state: DeviceState; readonly failure?: string }[]
  /** Pods whose tokens are held. */
  tokenHolders(): number
  hasBegun(): boolean
  isIdle(): boolean
  stop(): Promise<void>
}

// A driver that hangs holds a worker for two minutes: there are more than volumes of a decent node.
const WORKERS = { pod: 32, mount: 64, unmount: 64, stage: 64, unstage: 64 }
const BACKOFF = { initialMs: 500, maximumMs: 122_000 }
const BY_UID = 'volumes/uid'

/** The volume manager of a node: what its pods need is mounted, and what they leave is taken away. Resolves after a look at the disk. */
export async function startVolumeManager(
  config: VolumeConfig,
  parts: VolumeParts,
  signal: AbortSignal,
): Promise<RunningVolumeManager> {
  signal.throwIfAborted()
  return startWhole((stops) => assemble(config, { ...parts, log: parts.log.with({ part: 'volumes' }) }, stops))
}

async function assemble(config: VolumeConfig, parts: VolumeParts, stops: Stops): Promise<RunningVolumeManager> {
  const { api, clock, random, log, host, nodeName, informers } = parts
  const { onStop } = stops
  const ending = new AbortController()
  const table = createVolumeTable()
  const paths = createVolumePaths(parts.rootDir)
  const files = createVolumeFiles({ host, paths, random })
  const failures = createFailures({ clock, random })
  const drivers = createDriverAccess(parts.drivers)
  const tokens = createTokenCache({ api, clock, random, log })
  const secrets = createSecretReader({ api, clock, keepMs: config.secretKeepMs })
  const events = createEventRecorder({ api, clock, log, component: 'holdfast-node', host: nodeName })
  const podStates = new Map<string, PodState>()

  const podCache = informers.get(PODS, { fieldSelector: `spec.nodeName=${nodeName}` })
  const nodeCache = informers.get(NODES, { fieldSelector: `metadata.name=${nodeName}` })
  const csiDrivers = informers.get(CSI_DRIVERS)
  podCache.addIndex(BY_UID, ({ metadata }) => [metadata.uid ?? ''])
  const pods = createOwnWrites(podCache)
  const nodes = createOwnWrites(nodeCache)
  onStop(() => pods.stop())
  onStop(() => nodes.stop())

  const queue = createWorkQueue({ clock, random, lanes: WORKERS, backoff: BACKOFF })
  const findPod = (uid: string): Pod | undefined => {
    const [cached] = podCache.byIndex(BY_UID, uid)
    const newest = cached && pods.get(keyOf(cached))
    return newest?.metadata.uid === uid ? newest : cached
  }
  const enqueuePod = (uid: string): void => queue.add(`pod ${uid}`, 'pod')
  const enqueueMount = ({ key, podUid }: Mount): void => {
    const pod = findPod(podUid)
    queue.add(`mount ${key}`, pod && needsVolumes(pod) ? 'mount' : 'unmount')
  }
  const enqueueDevice = ({ key }: Device): void => {
    const isWanted = table.mountsOf(key).some(({ podUid }) => {
      const pod = findPod(podUid)
      return pod && needsVolumes(pod)
    })
    queue.add(`device ${key}`, isWanted ? 'stage' : 'unstage')
  }
  const enqueueAll = (): void => {
    for (const uid of podStates.keys()) enqueuePod(uid)
    table.mounts.values().forEach(enqueueMount)
    table.devices.values().forEach(enqueueDevice)
  }

  // Until it is known what all pods of the node want, nothing is undone and nothing is said to be free.
  const untried = new Set<string>()
  let isSynced = false
  let unexplained: readonly string[] = []
  let claimedBefore: readonly string[] = []
  const isReady = (): boolean => isSynced && untried.size === 0
  const markTried = (uid: string): void => {
    if (!untried.delete(uid) || !isReady()) return
    enqueueAll()
    use.touch()
  }

  let alphas: OptionalCache<AlphaCSIDriver> | undefined
  const policyOf = (driver: string): DriverPolicy | undefined => {
    // Nothing is begun before all of that was read: an error is not the same as absence.
    if (!isSynced || !alphas) return undefined
    const alphaDriver = chooseAlphaDriver(driver, alphas.all()).chosen
    return driverPolicyOf({
      csiDriver: csiDrivers.get(driver),
      alphaDriver,
      requiresPublishPod: drivers.requiresPublishPod(driver),
      gates: config.gates,
    })
  }
  const inUse = (): string[] => {
    // What is not known yet is not added: nothing is staged before it is, and what is said already stays.
    const byDriver = Map.groupBy(table.devices.values(), ({ driver }) => driver)
    const present = [...byDriver].flatMap(([driver, devices]) =>
      policyOf(driver)?.attach ? devices.map(({ key }) => key) : [],
    )
    // What nothing explains may be any of those that an earlier life used.
    return unexplained.length > 0 ? [...present, ...claimedBefore] : present
  }
  const use = startUseReport({
    api,
    clock,
    random,
    log,
    nodeName,
    nodes,
    inUse,
    mayShrink: isReady,
    onReported: () => table.devices.values().forEach((device) => device.state !== 'staged' && enqueueDevice(device)),
  })
  onStop(() => use.stop())

  const told = new Map<string, string>()
  const tell = (about: KubeObject, reason: string, text: string, onChangeOf?: string): void => {
    if (onChangeOf !== undefined && told.get(onChangeOf) === text) return
    if (onChangeOf !== undefined) told.set(onChangeOf, text)
    events.record(about, reason === 'FileSystemResizeSuccessful' ? 'Normal' : 'Warning', reason, text)
  }
  const forgetTold = (uid: string): void => {
    for (const key of told.keys()) if (key.includes(uid)) told.delete(key)
  }

  const work: VolumeWork = {
    api,
    clock,
    random,
    host,
    config,
    nodeName,
    table,
    files,
    drivers,
    failures,
    tokens,
    podStates,
    findPod,
    rememberPod: (pod) => pods.remember(pod),
    findNode: () => nodes.get(nodeName),
    findDriver: (name) => csiDrivers.get(name),
    policyOf,
    isReady,
    isReported: (name) => use.isReported(name),
    enqueuePod,
    enqueueMount,
    enqueueDevice,
    touchUse: () => use.touch(),
    tell,
  }
  const reconcilePod = createPodReconciler(work)
  const reconcileMount = createMountReconciler(work, secrets)
  const reconcileDevice = createDeviceReconciler(work, secrets, createExpandVolume(work, secrets))

  const lookAtDisk = async (volumesInUse: readonly string[]): Promise<void> => {
    await files.open()
    const found = await reconstruct(table, { host, paths, log, volumesInUse })
    unexplained = found.unexplained
    for (const uid of found.podUids)
      if (!podStates.has(uid)) podStates.set(uid, { volumes: new Map(), hasDirectory: true })
  }
  await lookAtDisk([])

  const controller = startController({
    name: 'volumes',
    queue,
    log,
    reconcile: async (key, context) => {
      const space = key.indexOf(' ')
      const [kind, name] = [key.slice(0, space), key.slice(space + 1)]
      if (kind === 'mount') return reconcileMount(name, context)
      if (kind === 'device') return reconcileDevice(name, context)
      try {
        return await reconcilePod(name, context)
      } finally {
        markTried(name)
      }
    },
  })
  onStop(() => controller.stop())
  onStop(() => ending.abort(new Error('the volume manager was stopped')))

  const enqueueDriver = (name: string): void => {
    for (const mount of table.mountsOfDriver(name)) {
      failures.release(mount.key)
      enqueueMount(mount)
    }
    for (const device of table.devicesOfDriver(name)) {
      failures.release(device.key)
      enqueueDevice(device)
    }
    use.touch()
  }
  onStop(
    parts.drivers.onChange((name, driver) => {
      if (!driver) drivers.forget(name)
      enqueueDriver(name)
    }),
  )
  const enqueueRefused = (): void => {
    for (const [uid, { volumes }] of podStates) {
      if (!volumes.values().some(({ kind }) => kind === 'refused')) continue
      failures.release(uid)
      enqueuePod(uid)
    }
  }
  onStop(
    csiDrivers.onChange(({ key, before, after: now }) => {
      if (
        isEqualJson(before?.spec ?? null, now?.spec ?? null) &&
        isEqualJson(before?.metadata.annotations ?? {}, now?.metadata.annotations ?? {})
      )
        return
      enqueueDriver(key)
      // Pods may be refused because of what the driver says.
      enqueueRefused()
    }),
  )
  onStop(
    podCache.onChange(({ before, after: now }) => {
      for (const uid of new Set([before?.metadata.uid, now?.metadata.uid])) {
        if (uid === undefined) continue
        if (uid !== now?.metadata.uid) forgetTold(uid)
        enqueuePod(uid)
      }
    }),
  )
  onStop(
    nodeCache.onChange(({ before, after: now }) => {
      if (
        !isEqualJson(before?.status?.volumesInUse ?? [], now?.status?.volumesInUse ?? []) ||
        before?.metadata.uid !== now?.metadata.uid
      )
        use.touch()
      if (isEqualJson(concerns(before), concerns(now))) return
      table.devices.values().forEach((device) => {
        if (device.state === 'staged') return
        failures.release(device.key)
        enqueueDevice(device)
      })
    }),
  )

  const begin = async (): Promise<void> => {
    const { signal } = ending
    const followAlphas = async (): Promise<void> => {
      alphas = await startOptionalCache(
        ALPHA_CSI_DRIVERS,
        { informers, clock, log },
        ({ before, after: now }) => [before, now].forEach((each) => each && enqueueDriver(driverNamedBy(each))),
        signal,
      )
    }
    await Promise.all([podCache.synced(signal), csiDrivers.synced(signal), nodeCache.synced(signal), followAlphas()])
    claimedBefore = nodes.get(nodeName)?.status?.volumesInUse ?? []
    // What the node said to use may name what the disk alone does not.
    if (unexplained.length > 0 && claimedBefore.length > 0) await lookAtDisk(claimedBefore)
    if (unexplained.length > 0) reportUnexplained(nodes.get(nodeName))
    for (const { metadata } of podCache.all()) if (metadata.uid) untried.add(metadata.uid)
    isSynced = true
    untried.forEach(enqueuePod)
    enqueueAll()
    use.touch()
    parts.onBegun?.()
  }
  const reportUnexplained = (node: Node | undefined): void => {
    if (node)
      tell(
        node,
        'VolumesNotExplained',
        `What an earlier life left can not be explained and is left alone: ${unexplained.join(', ')}`,
        'unexplained',
      )
  }
  const begun = begin().catch((error: unknown) => {
    if (!ending.signal.aborted) log.error('the volume manager could not begin', { error })
  })
  onStop(async () => {
    ending.abort(new Error('the volume manager was stopped'))
    await begun
    await alphas?.stop()
  })

  const failureOf = (key: string, operations: readonly string[]): { failure?: string } => {
    const detail = operations
      .map((operation) => failures.find(key, operation)?.detail)
      .find((text) => text !== undefined)
    return detail === undefined ? {} : { failure: detail }
  }
  return {
    mounts: () =>
      Array.from(table.mounts.values(), ({ key, podUid, specName, state }) => ({
        podUid,
        specName,
        state,
        ...failureOf(key, ['publish', 'unpublish']),
      })),
    devices: () =>
      Array.from(table.devices.values(), ({ key, state }) => ({
        uniqueName: key,
        state,
        ...failureOf(key, ['stage', 'unstage', 'expand']),
      })),
    tokenHolders: () => tokens.size(),
    hasBegun: () => isSynced,
    isIdle: () => queue.depth() === 0 && use.isIdle(),
    stop: stops.run,
  }
}

/** Nodes report often; little of that is of interest. */
const concerns = (node: Node | undefined): object => ({
  attached: node?.status?.volumesAttached ?? [],
  used: node?.status?.volumesInUse ?? [],
  labels: node?.metadata.labels ?? {},
})
