import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod, PodSpec } from '../../api/kinds/pod.ts'
import { compileTopologyTerms } from '../../api/node-selector.ts'
import type { NodeMatcher } from '../../api/node-selector.ts'
import { isControlledBy } from '../../api/owner-references.ts'
import {
  BIND_COMPLETED,
  classNameOf,
  hasAnnotation,
  isDelayedBinding,
  NO_PROVISIONER,
  selectedNodeOf,
} from '../../storage/names.ts'
import { requestedSizeOf, sizeRank } from '../../storage/requested-size.ts'
import { shelfOf } from '../../storage/volume-stock.ts'
import { anchorsOf } from './anchored-shelves.ts'
import type { Anchors } from './anchored-shelves.ts'
import type { ClusterView } from './cluster-view.ts'
import { compileNodeSelector, compileTerm } from './node-matcher.ts'
import type { CountedVolume, NamedClaim, PodRecord } from './pod-record.ts'
import { REASONS } from './reasons.ts'
import type { SchedulerReason } from './reasons.ts'
import { toleratesUnschedulable } from './taints.ts'

/** What a pod asks of a node, made ready to be asked of thousands. It holds until something about its claims changes. */
export type Plan = {
  readonly record: PodRecord
  readonly tolerations: NonNullable<PodSpec['tolerations']>
  readonly toleratesUnschedulable: boolean
  readonly matches: NodeMatcher
  /** Of each of these a node needs one label: no other has to be looked at. */
  readonly anchors: readonly Anchors[]
  readonly preferences: readonly { readonly weight: number; readonly matches: NodeMatcher }[]
  /** What is in the way on every node. */
  readonly everywhere: SchedulerReason | undefined
  readonly bound: readonly BoundClaim[]
  /** Claims that wait for their pod, the smallest first. */
  readonly unbound: readonly UnboundClaim[]
  /** By the drivers that have to be on the node for the pod to start, as their limits count. */
  readonly volumes: readonly DriverVolumes[]
}

export type DriverVolumes = { readonly driver: string; readonly handles: ReadonlySet<string> }

export type BoundClaim = {
  readonly key: string
  readonly reach: NodeMatcher | undefined
  readonly anchors: Anchors
  readonly elsewhere: SchedulerReason
}

export type UnboundClaim = {
  readonly key: string
  readonly claim: PersistentVolumeClaim
  readonly className: string
  readonly provisioner: string
  readonly sizeBytes: bigint
  /** That the claim has, or is about to get; empty: none yet. */
  readonly selectedNode: string
  /** Volumes that are kept for it. */
  readonly reserved: readonly PersistentVolume[]
  /** Where volumes are that it could get; undefined: nowhere. */
  readonly shelf: string | undefined
  /** Undefined: volumes of the class are made by hand. */
  readonly isAllowed: NodeMatcher | undefined
  /** Its driver says how much room there is where. */
  readonly needsRoom: boolean
}

/** The plan, or what keeps the pod off every node before any is looked at. */
export function planPlacement(
  pod: Pod,
  world: ClusterView,
): { readonly plan: Plan } | { readonly obstacle: SchedulerReason } {
  const record = world.recordOf(pod)
  const claims: PersistentVolumeClaim[] = []
  for (const named of record.claims) {
    const found = findClaim(pod, named, world)
    if ('obstacle' in found) return found
    claims.push(found.claim)
  }
  const bound: BoundClaim[] = []
  const unbound: UnboundClaim[] = []
  const immediate: string[] = []
  let everywhere: SchedulerReason | undefined
  for (const [index, claim] of claims.entries()) {
    const key = record.claims[index]?.key ?? ''
    const kind = bindingOf(claim, world)
    if (kind === 'immediate') immediate.push(key)
    else if (kind === 'delayed') unbound.push(unboundClaim(key, claim, world))
    else {
      const { volumeName = '' } = claim.spec
      const volume = world.findVolume(volumeName)
      if (volume)
        bound.push({
          key,
          reach: world.reachOf(volume),
          anchors: anchorsOf(volume.spec.nodeAffinity?.required),
          elsewhere: REASONS.volumeElsewhere(key, volumeName),
        })
      else everywhere ??= REASONS.volumeGone(key, volumeName)
    }
    everywhere ??= findOtherUser(record, key, claim, world)
  }
  if (immediate[0] !== undefined) return { obstacle: REASONS.claimUnbound(immediate[0]) }
  const volumes = volumesOf(record, claims, world)
  const anchors = [...anchorsOfPod(pod.spec), ...bound.map(({ anchors: ofVolume }) => ofVolume)].filter(
    (each) => each !== 'everywhere',
  )
  return {
    plan: { ...nodeWishesOf(pod.spec), anchors, record, everywhere, bound, unbound: unbound.sort(bySize), volumes },
  }
}

function findClaim(
  pod: Pod,
  { key, isEphemeral }: NamedClaim,
  world: ClusterView,
): { readonly claim: PersistentVolumeClaim } | { readonly obstacle: SchedulerReason } {
  const claim = world.findClaim(key)
  if (!claim) return { obstacle: isEphemeral ? REASONS.ephemeralClaimMissing(key) : REASONS.claimMissing(key) }
  if (claim.status?.phase === 'Lost') return { obstacle: REASONS.claimLost(key, claim.spec.volumeName ?? '') }
  if (claim.metadata.deletionTimestamp) return { obstacle: REASONS.claimLeaving(key) }
  if (isEphemeral && !isControlledBy(claim, pod))
    return { obstacle: REASONS.claimOfOther(key, world.recordOf(pod).key) }
  return { claim }
}

// A claim that names its volume before it is bound is the binder's business, whatever its class says.
function bindingOf(claim: PersistentVolumeClaim, world: ClusterView): 'bound' | 'delayed' | 'immediate' {
  if (claim.spec.volumeName) return hasAnnotation(claim, BIND_COMPLETED) ? 'bound' : 'immediate'
  return isDelayedBinding(world.findClass(classNameOf(claim))) ? 'delayed' : 'immediate'
}

function unboundClaim(key: string, claim: PersistentVolumeClaim, world: ClusterView): UnboundClaim {
  const className = classNameOf(claim)
  const storageClass = world.findClass(className)
  const shelf = shelfOf(claim)
  const { provisioner = NO_PROVISIONER, allowedTopologies } = storageClass ?? {}
  return {
    key,
    claim,
    className,
    provisioner,
    sizeBytes: sizeRank(requestedSizeOf(claim)),
    selectedNode: selectedNodeOf(claim) || (world.selectingFor(key) ?? ''),
    reserved: world.reservedFor(claim),
    shelf: world.hasFree(shelf) ? shelf : undefined,
    isAllowed: provisioner === NO_PROVISIONER ? undefined : compileTopologyTerms(allowedTopologies ?? []),
    needsRoom: world.findDriver(provisioner)?.spec.storageCapacity ?? false,
  }
}

const bySize = (one: UnboundClaim, other: UnboundClaim): number =>
  one.sizeBytes === other.sizeBytes ? 0 : one.sizeBytes < other.sizeBytes ? -1 : 1

function findOtherUser(
  record: PodRecord,
  key: string,
  claim: PersistentVolumeClaim,
  world: ClusterView,
): SchedulerReason | undefined {
  if (!claim.spec.accessModes?.includes('ReadWriteOncePod')) return undefined
  const other = world.usersOf(key).find((user) => user !== record.key)
  return other === undefined ? undefined : REASONS.readWriteOncePod(key, other)
}

function volumesOf(
  { inLine, inLineDrivers }: PodRecord,
  claims: readonly PersistentVolumeClaim[],
  world: ClusterView,
): DriverVolumes[] {
  return groupByDriver([...inLine, ...claims.flatMap((claim) => world.countedVolumeOf(claim) ?? [])], inLineDrivers)
}

/** Drivers that are needed besides have no volume that counts. */
export function groupByDriver(counted: readonly CountedVolume[], besides: readonly string[] = []): DriverVolumes[] {
  const volumes = new Map(besides.map((driver) => [driver, new Set<string>()]))
  for (const { driver, handle } of counted) volumes.set(driver, (volumes.get(driver) ?? new Set<string>()).add(handle))
  return Array.from(volumes, ([driver, handles]) => ({ driver, handles }))
}

const anchorsOfPod = ({ nodeSelector = {}, affinity }: PodSpec): Anchors[] => [
  ...Object.entries(nodeSelector).map(([key, value]) => [{ key, value }]),
  anchorsOf(affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
]

function nodeWishesOf({
  nodeSelector = {},
  affinity,
  tolerations = [],
}: PodSpec): Pick<Plan, 'tolerations' | 'toleratesUnschedulable' | 'matches' | 'preferences'> {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required,
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = affinity?.nodeAffinity ?? {}
  const selector = Object.entries(nodeSelector)
  const fits = required && compileNodeSelector(required)
  return {
    tolerations,
    toleratesUnschedulable: toleratesUnschedulable(tolerations),
    matches: (place) =>
      selector.every(([key, value]) => Object.hasOwn(place.labels, key) && place.labels[key] === value) &&
      (!fits || fits(place)),
    // A preference without any expression tells no node from another.
    preferences: preferred.flatMap(({ weight, preference }) => {
      const matches = compileTerm(preference)
      return matches ? [{ weight, matches }] : []
    }),
  }
}
