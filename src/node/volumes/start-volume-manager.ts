import { isEqualJson } from '../../api/equal-json.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node } from '../../api/kinds/node.ts'
import { createEventRecorder } from '../../kube/controller/event-recorder.ts'
import { atStart, defineController, on, startControllers } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import type { RoleWorld } from '../../kube/process/role-world.ts'
import { defineStatsController, listStats } from '../stats/index.ts'
import type { PodVolumeStats, StatsStore } from '../stats/index.ts'
import { defineDeviceController } from './device-controller.ts'
import { defineMountController } from './mount-controller.ts'
import { createVolumePaths } from './paths.ts'
import { definePodController } from './pod-controller.ts'
import { PODS_KNOWN, REASONS, wait } from './reasons.ts'
import type { VolumeWait } from './reasons.ts'
import { reconstruct } from './reconstruct.ts'
import { createVolumeContext } from './volume-context.ts'
import type { ContextParts, VolumeConfig, VolumeContext } from './volume-context.ts'
import { createVolumeFiles } from './volume-files.ts'
import { createVolumeTable } from './volume-table.ts'
import type { Device, Mount } from './volume-table.ts'

/** `api` acts as the node, `system:node:NAME`. */
export type VolumeParts = Omit<RoleWorld, 'events'> &
  Omit<ContextParts, 'config' | 'table' | 'files'> & {
    readonly rootDir: string
    /** All pods of the node are known, and volumes are being mounted. */
    onBegun?(): void
  }

export interface RunningVolumeManager {
  /** For people and tests: what is mounted, or may be. */
  mounts(): readonly Pick<Mount, 'podUid' | 'volumeName' | 'state'>[]
  devices(): readonly Pick<Device, 'uniqueName' | 'state'>[]
  /** Number of pods whose tokens are held. */
  tokenHolders(): number
  /** How full the mounted volumes are, as far as their drivers report it. */
  stats(): readonly PodVolumeStats[]
  hasBegun(): boolean
  isIdle(): boolean
  stop(): Promise<void>
}

/**
 * The volume manager of a node: mounts the volumes that its pods need, and unmounts those that they no longer need. Resolves once it has read the
 * disk; the controllers start as soon as the API server has responded.
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
  const stats: StatsStore = new Map()
  const assemble = async (role: ControllerRole) => {
    context = await createVolumeContext(role, { ...parts, config, table, files })
    const { nodes, findNode } = context
    await nodes.synced(stopping.signal)
    const inUseBefore = findNode()?.status?.volumesInUse ?? []
    // The node's status may name volumes that the disk alone does not.
    if (unexplained.length > 0 && inUseBefore.length > 0) unexplained = await readDisk(inUseBefore)
    role.onReady(() => {
      const node = findNode()
      const text = `Files of unknown volumes were found and are left alone: ${unexplained.join(', ')}`
      if (node && unexplained.length > 0) events.record(node, 'Warning', 'VolumesNotExplained', text)
      hasBegun = true
      parts.onBegun?.()
    })
    return [
      definePodController(context),
      defineDeviceController(context),
      defineMountController(context),
      defineStatsController(context, stats),
      // An unknown directory may belong to any volume that was in use before.
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
    stats: () => (context ? listStats(context, stats) : []),
    hasBegun: () => hasBegun,
    isIdle: () => running?.isIdle() ?? true,
    stop: async () => {
      stopping.abort(new Error('the volume manager was stopped'))
      await (await starting)?.stop()
    },
  }
}

type UseView = { readonly node: Node | undefined; readonly wanted: readonly string[] }
type UseStep = VolumeWait | { readonly kind: 'report-use'; readonly node: Node; readonly wanted: readonly string[] }

const BACKOFF = { initialMs: 50, maximumMs: 10_000 }

/** Keeps `volumesInUse` of the node's status: volumes that are listed there are not detached. */
function defineUseController(context: VolumeContext, leftovers: readonly string[]) {
  const { api, table, nodes, nodeName, findNode, policyOf, isReady } = context
  const wantedNow = (node: Node | undefined): string[] => {
    const byDriver = Map.groupBy(table.devices.values(), ({ driver }) => driver)
    const attached = [...byDriver].flatMap(([driver, devices]) => (policyOf(driver).attach ? devices : []))
    // Names are only added until it is known what the pods of the node want.
    const kept = isReady() ? [] : (node?.status?.volumesInUse ?? [])
    return [...new Set([...attached.map(({ uniqueName }) => uniqueName), ...leftovers, ...kept])].sort()
  }
  return defineController<UseView, UseStep>({
    name: 'node-volumes-in-use',
    queue: context.createQueue({ name: 'node-volumes-in-use', lanes: { default: 1 }, backoff: BACKOFF }),
    watch: [
      atStart(nodeName),
      on(nodes, () => nodeName),
      on(table, ({ device }) => device && nodeName),
      on(context.driverChanges, () => nodeName),
    ],
    view: () => {
      const node = findNode()
      return { node, wanted: wantedNow(node) }
    },
    decide: ({ node, wanted }) => {
      if (!node) return wait(REASONS.NodeMissing)
      if (isEqualJson([...wanted], [...(node.status?.volumesInUse ?? [])]))
        return wait(REASONS.UseReported, { wakeOn: [PODS_KNOWN] })
      return { kind: 'report-use', node, wanted }
    },
    perform: {
      'report-use': async ({ node, wanted }) => {
        const value = { metadata: { uid: node.metadata.uid }, status: { volumesInUse: wanted } }
        await api.patch(NODES, { name: nodeName }, { type: 'merge', value }, { subresource: 'status' })
      },
    },
  })
}
