import type { TestContext } from 'node:test'
import type { Api } from '../../../../api/api.ts'
import { CSI_NODES } from '../../../../api/kinds/csi-node.ts'
import { CSI_STORAGE_CAPACITIES } from '../../../../api/kinds/csi-storage-capacity.ts'
import { NODES } from '../../../../api/kinds/node.ts'
import { STORAGE_CLASSES } from '../../../../api/kinds/storage-class.ts'
import type { StorageClass } from '../../../../api/kinds/storage-class.ts'
import type { CsiHandlers } from '../../../../csi/kit/index.ts'
import type { ProvisionerConfig } from '../../provisioner-options.ts'
import { DEFAULT_CONFIG, openParts } from '../../testing/describe-parts.ts'
import type { PartsOptions, PartsUnderTest } from '../../testing/describe-parts.ts'
import { testClass, testCsiNode, testNode } from '../../testing/objects.ts'
import { startControllers } from '../../../../kube/controller/index.ts'
import type { RoleParts, RunningRole } from '../../../role.ts'
import { followRegisteredNodes } from '../../cluster-topology.ts'
import { defineCapacity } from '../capacity-controller.ts'
import type { CapacityParts, CapacityTracker } from '../capacity-controller.ts'

export const GI = 2n ** 30n
export const NAMESPACE = 'default'

export type StartedCapacity = RunningRole & Partial<CapacityTracker>

/** Capacity tracking alone, as a separate role. */
export async function startCapacity(
  config: ProvisionerConfig,
  parts: RoleParts & Omit<CapacityParts, 'followNodes'>,
  signal: AbortSignal,
): Promise<StartedCapacity> {
  let tracker: Awaited<ReturnType<typeof defineCapacity>>
  const running = await startControllers(parts, signal, async (role) => {
    tracker = await defineCapacity({ ...role, followNodes: () => followRegisteredNodes(role) }, config)
    return tracker ? [tracker.controller] : []
  })
  return { ...running, ...tracker }
}

type GetCapacity = NonNullable<CsiHandlers['getCapacity']>

export type CapacityWorld = PartsUnderTest & {
  /** `{"zone":"a"} {"type":"ssd"}`: places and parameters that the driver was asked about. */
  readonly asked: string[]
  /** The driver's response; initially 1 GiB everywhere. */
  answer: GetCapacity
  readonly tracker: StartedCapacity
  /** `fast {"zone":"a"} 1Gi`, sorted. */
  published(): Promise<string[]>
}

export type CapacityWorldOptions = {
  config?: Partial<ProvisionerConfig>
  parts?: Partial<CapacityParts & Pick<RoleParts, 'registry'>>
  apiOf?: PartsOptions['apiOf']
  handlers?: CsiHandlers
  before?: (world: PartsUnderTest) => Promise<void>
}

/** Nodes `a1` and `a2` in zone a, `b1` in zone b, and the class `fast`, with running capacity tracking. */
export async function startCapacityWorld(
  context: TestContext,
  options: CapacityWorldOptions = {},
): Promise<CapacityWorld> {
  const asked: string[] = []
  const getCapacity: GetCapacity = (request, call) => {
    asked.push(`${JSON.stringify(request.accessibleTopology?.segments ?? null)} ${JSON.stringify(request.parameters)}`)
    return script.answer(request, call)
  }
  const script: { answer: GetCapacity } = { answer: () => Promise.resolve({ availableCapacity: GI }) }
  const world = await openParts(context, {
    handlers: options.handlers ?? { getCapacity },
    features: { topology: true },
    ...(options.apiOf ? { apiOf: options.apiOf } : {}),
  })
  for (const [node, zone] of [
    ['a1', 'a'],
    ['a2', 'a'],
    ['b1', 'b'],
  ] as const)
    await addNode(world.api, node, { zone })
  await world.api.create(STORAGE_CLASSES, lateClass())
  await options.before?.(world)
  const config = { ...DEFAULT_CONFIG, enableCapacity: true, capacityOwnerrefLevel: -1, ...options.config }
  const tracker = await world.started(
    startCapacity(config, { ...world.parts, namespace: NAMESPACE, ...options.parts }, new AbortController().signal),
  )
  return Object.assign(script, { ...world, asked, tracker, published: () => listPublished(world.api) })
}

export const lateClass = (given: Partial<StorageClass> = {}): StorageClass =>
  testClass({ metadata: { name: 'fast' }, volumeBindingMode: 'WaitForFirstConsumer', ...given })

export async function addNode(
  api: Api,
  name: string,
  labels: Readonly<Record<string, string>>,
  keys: readonly string[] = ['zone'],
): Promise<void> {
  await api.create(NODES, testNode(name, labels))
  await api.create(CSI_NODES, testCsiNode(name, keys))
}

export async function listPublished(api: Api): Promise<string[]> {
  const { items } = await api.list(CSI_STORAGE_CAPACITIES)
  return items
    .map(
      ({ storageClassName, nodeTopology, capacity, maximumVolumeSize }) =>
        `${storageClassName} ${JSON.stringify(nodeTopology?.matchLabels ?? {})} ${[capacity, maximumVolumeSize].filter(Boolean).join(' ')}`,
    )
    .sort()
}
