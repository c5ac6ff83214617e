import { findCondition } from '../../api/conditions.ts'
import type { CSINode } from '../../api/kinds/csi-node.ts'
import type { Node, Taint } from '../../api/kinds/node.ts'
import type { Toleration } from '../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { Labels } from '../../api/label-requirement.ts'
import { tolerates } from '../../api/tolerations.ts'
import { getOrAdd } from '../../base/get-or-add.ts'
import type { CountedVolume, PodRecord } from './pod-record.ts'
import { allocatableOf } from './resource-amounts.ts'
import type { Allocatable } from './resource-amounts.ts'

export type NodeDriver = {
  /** Maximum number of volumes; absent if there is no limit. */
  readonly limit?: number
  readonly topologyKeys: readonly string[]
}

/** A node in placement decisions. */
export type NodeView = Readonly<
  Pick<NodeEntry, 'name' | 'labels' | 'isUnschedulable' | 'taints' | 'allocatable' | 'drivers' | 'usage'>
>

const NO_LABELS: Labels = {}

/**
 * A node that exists, or that other objects name. Thousands are checked for each pod, so everything is in fields; the usage is recomputed on demand
 * if something has changed.
 */
export class NodeEntry {
  readonly name: string
  readonly pods = new Map<string, PodRecord>()
  readonly attachments = new Map<string, VolumeAttachment>()
  /** The Node object exists. */
  isKnown = false
  isUnschedulable = false
  labels: Labels = NO_LABELS
  taints: NodeTaints = NO_TAINTS
  allocatable: Allocatable = {}
  drivers: ReadonlyMap<string, NodeDriver> = new Map()
  readonly #volumesOn: (entry: NodeEntry) => Iterable<CountedVolume>
  #usage: ReturnType<typeof usageOf> | undefined

  /** `volumesOn` lists the volumes that count on the node, which depend on more than its own objects. */
  constructor(name: string, volumesOn: (entry: NodeEntry) => Iterable<CountedVolume>) {
    this.name = name
    this.#volumesOn = volumesOn
  }

  /** Something on the node has changed. */
  touch(): void {
    this.#usage = undefined
  }

  setNode(node: Node | undefined): void {
    this.isKnown = node !== undefined
    this.isUnschedulable = node?.spec?.unschedulable ?? false
    this.labels = node?.metadata.labels ?? NO_LABELS
    this.taints = node ? taintsOf(node) : NO_TAINTS
    this.allocatable = node ? allocatableOf(node) : {}
  }

  setDrivers(csiNode: CSINode | undefined): void {
    const drivers = csiNode?.spec.drivers ?? []
    this.drivers = new Map(
      drivers.map(({ name, topologyKeys, allocatable }) => [
        name,
        { topologyKeys: topologyKeys ?? [], ...(allocatable?.count === undefined ? {} : { limit: allocatable.count }) },
      ]),
    )
  }

  isEmpty(): boolean {
    return !this.isKnown && this.pods.size === 0 && this.attachments.size === 0 && this.drivers.size === 0
  }

  /** The current and reserved usage of the node. */
  usage(): ReturnType<typeof usageOf> {
    return (this.#usage ??= usageOf(this.pods, this.#volumesOn(this)))
  }
}

/** How full the node is, compared with others: the pods and the volumes there. */
export function loadOf(node: Pick<NodeView, 'usage'>): number {
  const { pods, volumeCount } = node.usage()
  return pods + volumeCount
}

function usageOf(pods: ReadonlyMap<string, PodRecord>, counted: Iterable<CountedVolume>) {
  // Handles by driver, from pods and from attachments.
  const volumes = new Map<string, Set<string>>()
  let [cpuMilli, memoryBytes, volumeCount] = [0, 0, 0]
  for (const { requests } of pods.values()) {
    cpuMilli += requests.cpuMilli
    memoryBytes += requests.memoryBytes
  }
  for (const { driver, handle } of counted) {
    const handles = getOrAdd(volumes, driver, () => new Set<string>())
    if (!handles.has(handle)) volumeCount++
    handles.add(handle)
  }
  return { pods: pods.size, cpuMilli, memoryBytes, volumes, volumeCount }
}

export { untoleratedOf } from '../../api/tolerations.ts'

type NodeTaints = { readonly blocking: readonly Taint[]; readonly unwelcome: readonly Taint[] }

/** Shared by all nodes without taints. */
const NO_TAINTS: NodeTaints = { blocking: [], unwelcome: [] }

export const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }
const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
const UNREACHABLE: Taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }

/** The taints of a node, with those that its Ready condition implies: the node controller may not have written them yet. */
function taintsOf({ spec, status }: Node): NodeTaints {
  const written = spec?.taints ?? []
  const ready = findCondition(status?.conditions, 'Ready')?.status
  const implied = ready === 'False' ? [NOT_READY] : ready === 'Unknown' ? [UNREACHABLE] : []
  const all = [
    ...written,
    ...implied.filter(({ key }) => !written.some((taint) => taint.key === key && taint.effect !== 'PreferNoSchedule')),
  ]
  if (all.length === 0) return NO_TAINTS
  return {
    blocking: all.filter(({ effect }) => effect !== 'PreferNoSchedule'),
    unwelcome: all.filter(({ effect }) => effect === 'PreferNoSchedule'),
  }
}

export function toleratesUnschedulable(tolerations: readonly Toleration[]): boolean {
  return tolerations.some((toleration) => tolerates(toleration, UNSCHEDULABLE))
}
