import type { Api } from '../../api/api.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Clock } from '../../base/clock.ts'
import type { Host } from '../../base/host/index.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { driverNamedBy, ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import { chooseAlphaDriver } from '../../compat/choose-alpha-driver.ts'
import { createChangeSource, startControllers } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { createEventRecorder } from '../../kube/event-recorder.ts'
import type { Informers } from '../../kube/informers.ts'
import { startOptionalCache } from '../../kube/optional-cache.ts'
import { driverPolicyOf } from '../../storage/driver-policy.ts'
import type { DriverStore } from '../registration/index.ts'
import { defineDeviceController } from './device-controller.ts'
import { createDriverAccess } from './driver-access.ts'
import { defineMountController } from './mount-controller.ts'
import { createVolumePaths } from './paths.ts'
import { definePodController } from './pod-controller.ts'
import { PODS_KNOWN } from './reasons.ts'
import { reconstruct } from './reconstruct.ts'
import { createSecretReader } from './secret-reader.ts'
import { createTokenCache } from './token-cache.ts'
import { defineUseController } from './use-controller.ts'
import { isSpecChange } from './volume-changes.ts'
import type { VolumeConfig } from './volume-config.ts'
import type { VolumeContext } from './volume-context.ts'
import { createVolumeFiles } from './volume-files.ts'
import { createVolumeTable } from './volume-table.ts'
import type { Device, Mount } from './volume-table.ts'

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
  mounts(): readonly Pick<Mount, 'podUid' | 'volumeName' | 'state'>[]
  devices(): readonly Pick<Device, 'uniqueName' | 'state'>[]
  /** Number of pods whose tokens are held. */
  tokenHolders(): number
  hasBegun(): boolean
  isIdle(): boolean
  stop(): Promise<void>
}

const BY_UID = 'volumes/uid'

/**
 * The volume manager of a node: mounts what its pods need, and unmounts what they leave. Resolves once it has read the disk; the
 * controllers start as soon as the API server has answered.
 */
export async function startVolumeManager(
  config: VolumeConfig,
  parts: VolumeParts,
  signal: AbortSignal,
): Promise<RunningVolumeManager> {
  signal.throwIfAborted()
  const { api, clock, random, host, nodeName } = parts
  const log = parts.log.with({ part: 'volumes' })
  const table = createVolumeTable()
  const paths = createVolumePaths(parts.rootDir)
  const files = createVolumeFiles({ host, paths, random })
  await files.open()
  const readDisk = (volumesInUse: readonly string[]) => reconstruct(table, { host, paths, log, volumesInUse })
  let unexplained = await readDisk([])

  const stopping = new AbortController()
  const events = createEventRecorder({ api, clock, log, component: 'holdfast-node', host: nodeName })
  let context: VolumeContext | undefined
  let hasBegun = false
  const assemble = async (role: ControllerRole) => {
    const shared = await createContext(config, parts, role, { table, files, starting: stopping.signal })
    const { pods, nodes, findNode, report } = shared
    await nodes.synced(stopping.signal)
    const inUseBefore = findNode()?.status?.volumesInUse ?? []
    // The node's status may name volumes that the disk alone does not.
    if (unexplained.length > 0 && inUseBefore.length > 0) unexplained = await readDisk(inUseBefore)
    const untried = new Set<string>()
    const markTried = (uid: string): void => {
      if (untried.delete(uid) && untried.size === 0) report(PODS_KNOWN)
    }
    context = { ...shared, isReady: () => untried.size === 0 }
    role.onReady(() => {
      for (const { metadata } of pods.all()) if (metadata.uid) untried.add(metadata.uid)
      const node = findNode()
      const text = `Files of unknown volumes were found and are left alone: ${unexplained.join(', ')}`
      if (node && unexplained.length > 0) events.record(node, 'Warning', 'VolumesNotExplained', text)
      hasBegun = true
      parts.onBegun?.()
    })
    return [
      definePodController(context, markTried),
      defineDeviceController(context),
      defineMountController(context),
      // A place that nothing explains may belong to any volume that was in use before.
      defineUseController(context, unexplained.length > 0 ? inUseBefore : []),
    ]
  }
  const starting = startControllers({ ...parts, log, events }, stopping.signal, assemble).catch((error: unknown) => {
    if (!stopping.signal.aborted) log.error('the volume manager could not start', { error })
    return undefined
  })
  let running: Awaited<typeof starting>
  void starting.then((role) => (running = role))

  return {
    mounts: () => [...table.mounts.values()],
    devices: () => [...table.devices.values()],
    tokenHolders: () => context?.tokens.size() ?? 0,
    hasBegun: () => hasBegun,
    isIdle: () => running?.isIdle() ?? true,
    stop: async () => {
      stopping.abort(new Error('the volume manager was stopped'))
      await (await starting)?.stop()
    },
  }
}

async function createContext(
  config: VolumeConfig,
  { host, nodeName, drivers: store }: VolumeParts,
  role: ControllerRole,
  { table, files, starting }: Pick<VolumeContext, 'table' | 'files'> & { starting: AbortSignal },
): Promise<Omit<VolumeContext, 'isReady'>> {
  const { api, clock, follow } = role
  const drivers = createDriverAccess(store)
  const pods = follow(PODS, {
    scope: { fieldSelector: `spec.nodeName=${nodeName}` },
    indexes: { [BY_UID]: ({ metadata }) => [metadata.uid ?? ''] },
  })
  const nodes = follow(NODES, { scope: { fieldSelector: `metadata.name=${nodeName}` } })
  const csiDrivers = follow(CSI_DRIVERS)

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
  return {
    ...role,
    host,
    config,
    nodeName,
    table,
    files,
    drivers,
    secrets: createSecretReader({ api, clock, keepMs: config.secretKeepMs }),
    tokens: createTokenCache(role),
    pods,
    nodes,
    csiDrivers,
    driverChanges,
    call: { timeoutMs: config.callTimeoutMs, signal: role.signal },
    findPod: (uid): Pod | undefined => {
      const [cached] = pods.byIndex(BY_UID, uid)
      const newest = cached && pods.get(keyOf(cached))
      return newest?.metadata.uid === uid ? newest : cached
    },
    findNode: () => nodes.get(nodeName),
    policyOf: (name) =>
      driverPolicyOf({
        csiDriver: csiDrivers.get(name),
        alphaDriver: chooseAlphaDriver(name, alphas.all()).chosen,
        requiresPublishPod: drivers.requiresPublishPod(name),
        gates: config.gates,
      }),
  }
}
