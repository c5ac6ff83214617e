import type { CSIStorageCapacity } from '../../../api/kinds/csi-storage-capacity.ts'
import type { OwnerReference } from '../../../api/object.ts'
import { compareQuantities, quantityOfBytes } from '../../../api/quantity.ts'
import { REASONS } from '../reasons.ts'
import type { ProvisionerReason } from '../reasons.ts'
import { compareText } from '../topology.ts'
import type { TopologyTerm } from '../topology.ts'

/** One class in one topology segment. */
export type CapacityPair = { readonly className: string; readonly term: TopologyTerm }

/** The driver's report for a pair, in bytes. `largestVolume` is undefined if the driver does not report it. */
export type Room = { readonly available: bigint; readonly largestVolume: bigint | undefined }

export type CapacityView = {
  readonly seen: {
    /** Undefined if the class or segment does not exist, or no longer exists. */
    readonly pair: CapacityPair | undefined
    /** Those of ours that describe the pair. */
    readonly objects: readonly CSIStorageCapacity[]
  }
  readonly held?: {
    readonly publisher: Publisher
    /** Undefined until the driver has answered once. */
    readonly room: Room | undefined
    /** How long until the driver is asked again; undefined if there is no reason to. */
    readonly askInMs: number | undefined
  }
}

/** Common to all our objects. */
export type Publisher = {
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
  /** Undefined: they have no owner. */
  readonly owner: OwnerReference | undefined
}

export type CapacityStep =
  | { readonly kind: 'wait'; readonly reason: ProvisionerReason; readonly retryInMs?: number }
  /** Call GetCapacity, then decide again. */
  | { readonly kind: 'ask'; readonly pair: CapacityPair }
  | { readonly kind: 'create'; readonly object: CSIStorageCapacity }
  /** Write it with the resource version that was read. */
  | { readonly kind: 'update'; readonly object: CSIStorageCapacity }
  | { readonly kind: 'delete'; readonly object: CSIStorageCapacity; readonly reason: ProvisionerReason }

/** What to do next about one pair: exactly one object describes it, with the driver's last report. */
export function nextCapacityStep({ seen: { pair, objects }, held }: CapacityView): CapacityStep {
  const [kept, ...others] = objects
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted(compareAge)
  const [surplus] = pair || !kept ? others : [kept]
  if (surplus)
    return { kind: 'delete', object: surplus, reason: pair ? REASONS.CapacityTwice : REASONS.CapacityObsolete }
  if (!pair) return { kind: 'wait', reason: REASONS.CapacityNotWanted }
  if (!held) return { kind: 'wait', reason: kept ? REASONS.CapacityPublished : REASONS.CapacityUnknown }
  const { publisher, room, askInMs } = held
  if (!room || (askInMs !== undefined && askInMs <= 0)) return { kind: 'ask', pair }
  if (!kept) return { kind: 'create', object: objectOf(pair, room, publisher) }
  if (!isCurrent(kept, room) || !isOwned(kept, publisher.owner))
    return { kind: 'update', object: withRoom(kept, room, publisher.owner) }
  return { kind: 'wait', reason: REASONS.CapacityPublished, ...(askInMs === undefined ? {} : { retryInMs: askInMs }) }
}

function objectOf(
  { className, term }: CapacityPair,
  room: Room,
  { namespace, labels, owner }: Publisher,
): CSIStorageCapacity {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIStorageCapacity',
    metadata: { generateName: 'csisc-', namespace, labels, ...(owner ? { ownerReferences: [owner] } : {}) },
    nodeTopology: { matchLabels: term },
    storageClassName: className,
    ...quantitiesOf(room),
  }
}

function withRoom(before: CSIStorageCapacity, room: Room, owner: OwnerReference | undefined): CSIStorageCapacity {
  const { capacity: _, maximumVolumeSize: _old, ...object } = before
  const { ownerReferences = [] } = object.metadata
  // An object can have only one controller: an earlier one is replaced, otherwise the object would be deleted with it.
  const owners =
    owner && !isOwned(object, owner)
      ? [...ownerReferences.filter(({ controller }) => !controller), owner]
      : ownerReferences
  return {
    ...object,
    metadata: { ...object.metadata, ...(owners.length > 0 ? { ownerReferences: owners } : {}) },
    ...quantitiesOf(room),
  }
}

const quantitiesOf = ({ available, largestVolume: largest }: Room) => ({
  capacity: quantityOfBytes(available),
  ...(largest === undefined ? {} : { maximumVolumeSize: quantityOfBytes(largest) }),
})

function isCurrent({ capacity, maximumVolumeSize }: CSIStorageCapacity, room: Room): boolean {
  const wanted: Pick<CSIStorageCapacity, 'capacity' | 'maximumVolumeSize'> = quantitiesOf(room)
  return isSameQuantity(capacity, wanted.capacity) && isSameQuantity(maximumVolumeSize, wanted.maximumVolumeSize)
}

const isSameQuantity = (one: string | undefined, other: string | undefined): boolean =>
  one === undefined || other === undefined ? one === other : compareQuantities(one, other) === 0

const isOwned = ({ metadata }: Pick<CSIStorageCapacity, 'metadata'>, owner: OwnerReference | undefined): boolean =>
  owner === undefined || (metadata.ownerReferences?.some(({ uid }) => uid === owner.uid) ?? false)

// Every instance that sees two of them keeps the same one.
function compareAge({ metadata: one }: CSIStorageCapacity, { metadata: other }: CSIStorageCapacity): number {
  return compareText(one.creationTimestamp, other.creationTimestamp) || compareText(one.name, other.name)
}
