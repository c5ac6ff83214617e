import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Driver } from '../../csi/rpc.ts'
import { definePeriodic } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { readPages } from '../read-pages.ts'
import { readAttachView } from './attach-view.ts'
import type { AttachSources, AttachView } from './attach-view.ts'
import type { AttacherConfig } from './attacher-options.ts'
import { publishedTo } from './next-attach-step.ts'

type Seen = AttachView['seen']

export type DriftParts = {
  readonly driver: Driver
  readonly sources: AttachSources
  readonly callEndedMs: ReadonlyMap<string, number>
  /** Our attachments at this moment. */
  attachments(): readonly VolumeAttachment[]
  onDrift(key: string): void
}

/** Compares attachments with the volumes that the driver lists as published: at the start, and then periodically. */
export function defineDriftController(
  { reconcileSyncMs, maxEntries, timeoutMs }: AttacherConfig,
  { clock, createQueue }: ControllerRole,
  { driver, sources, callEndedMs, attachments, onDrift }: DriftParts,
) {
  const readUnchanged = (attachment: VolumeAttachment): Seen | undefined => {
    const seen = readAttachView(sources, keyOf(attachment))?.seen
    return seen?.attachment.metadata.resourceVersion === attachment.metadata.resourceVersion ? seen : undefined
  }
  return definePeriodic({
    name: 'attacher-drift',
    queue: createQueue({ name: 'csi-attacher-drift', lanes: { default: 1 } }),
    intervalMs: reconcileSyncMs,
    problem: 'published volumes could not be listed',
    act: async ({ signal, log }) => {
      const startedMs = clock.monotonicMs()
      const listed = attachments().flatMap((attachment) => readUnchanged(attachment) ?? [])
      const published = await listPublished(driver, { wanted: targetsOf(listed), maxEntries, timeoutMs, signal })
      for (const { attachment } of listed) {
        const key = keyOf(attachment)
        // The list says nothing about attachments that were changed or processed while it was being read.
        const seen = (callEndedMs.get(key) ?? -Infinity) < startedMs ? readUnchanged(attachment) : undefined
        if (!seen || !hasDrifted(seen, published)) continue
        const attached = attachment.status?.attached ?? false
        log.info('the driver lists another state than the attachment has', { attachment: key, attached })
        onDrift(key)
      }
    },
  })
}

/** Also false if the node or the volume is unknown. */
function hasDrifted(seen: Seen, published: Published): boolean {
  const { volumeHandle, nodeId } = publishedTo(seen)
  if (volumeHandle === undefined || nodeId === undefined) return false
  return (seen.attachment.status?.attached ?? false) !== (published.get(volumeHandle)?.has(nodeId) ?? false)
}

/** All volumes and nodes that the driver could list for these attachments. */
function targetsOf(all: readonly Seen[]): Published {
  const targets = new Map<string, Set<string>>()
  for (const seen of all) {
    const { volumeHandle, nodeId } = publishedTo(seen)
    if (volumeHandle !== undefined && nodeId !== undefined)
      targets.set(volumeHandle, (targets.get(volumeHandle) ?? new Set()).add(nodeId))
  }
  return targets
}

/** Node IDs by volume handle, as the driver lists them. */
export type Published = ReadonlyMap<string, ReadonlySet<string>>

type ListOptions = {
  /** The volumes and nodes of interest. Nothing else is kept, however many volumes the driver has. */
  readonly wanted: Published
  readonly maxEntries: number
  /** Per page. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** The wanted volumes that the driver lists, each with the wanted nodes that it is published to. */
export async function listPublished(driver: Pick<Driver, 'listVolumes'>, options: ListOptions): Promise<Published> {
  const { wanted, maxEntries, timeoutMs, signal } = options
  const published = new Map<string, Set<string>>()
  const readPage = (startingToken: string) => driver.listVolumes({ maxEntries, startingToken }, { timeoutMs, signal })
  await readPages('ListVolumes', readPage, ({ entries }) => {
    for (const { volume, status } of entries) {
      const nodes = volume && status && wanted.get(volume.volumeId)
      if (!nodes) continue
      const found = published.get(volume.volumeId) ?? new Set()
      for (const nodeId of status.publishedNodeIds) if (nodes.has(nodeId)) found.add(nodeId)
      published.set(volume.volumeId, found)
    }
  })
  return published
}
