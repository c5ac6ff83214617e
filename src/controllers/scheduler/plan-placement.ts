import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { Pod, PodSpec } from '../../api/kinds/pod.ts'
import { compileTopologyTerms } from '../../api/node-selector.ts'
import type { NodeMatcher, Place } from '../../api/node-selector.ts'
import { isControlledBy } from '../../api/owner-references.ts'
import { getOrAdd } from '../../base/get-or-add.ts'
import {
  BIND_COMPLETED,
  classNameOf,
  hasAnnotation,
  isDelayedBinding,
  NO_PROVISIONER,
  selectedNodeOf,
} from '../../storage/names.ts'
import type { PodClaim } from '../../storage/pod-claims.ts'
import { requestedSizeOf, sizeRank } from '../../storage/requested-size.ts'
import { shelfOf } from '../../storage/volume-stock.ts'
import { anchorsOf, compileNodeSelector, compileTerm } from './anchored-shelves.ts'
import type { Anchors } from './anchored-shelves.ts'
import { countedVolumeOf } from './cluster-view.ts'
import type { ClusterView } from './cluster-view.ts'
import { toleratesUnschedulable } from './node-entry.ts'
import type { CountedVolume, PodRecord } from './pod-record.ts'
import { REASONS } from './reasons.ts'
import type { SchedulerReason } from './reasons.ts'

/** The pod's requirements for a node, prepared for checking thousands. Valid until something about its claims changes. */
export type Plan = Omit<ReturnType<typeof nodeWishesOf>, 'anchors'> & {
  readonly record: PodRecord
  /** A node needs one label of each of these: no other node has to be checked. */
  readonly anchors: readonly Anchors[]
  /** The reason why the pod cannot run on any node. */
  readonly everywhere: SchedulerReason | undefined
  /** `reach` is undefined if the volume is accessible from every node. */
  readonly bound: readonly { readonly reach: NodeMatcher | undefined; readonly elsewhere: SchedulerReason }[]
  /** Claims whose volume binding waits for the pod, the smallest first. */
  readonly unbound: readonly UnboundClaim[]
  /** The volumes of the pod as counted by the limits of their drivers. */
  readonly volumes: readonly DriverVolumes[]
}

export type DriverVolumes = { readonly driver: string; readonly handles: ReadonlySet<string> }
export type UnboundClaim = ReturnType<typeof unboundClaim>

/** The plan, or the reason why the pod cannot run on any node, before any is checked. */
export function planPlacement(
  pod: Pod,
  world: ClusterView,
): { readonly plan: Plan } | { readonly obstacle: SchedulerReason } {
  const record = world.recordOf(pod)
  const { anchors: anchorsOfPod, ...wishes } = nodeWishesOf(pod.spec)
  const anchors: (Anchors | undefined)[] = [...anchorsOfPod]
  const bound: Plan['bound'][number][] = []
  const unbound: UnboundClaim[] = []
  const counted = [...record.inLine]
  let everywhere: SchedulerReason | undefined
  let immediate: SchedulerReason | undefined
  for (const named of record.claims) {
    const { key } = named
    const claim = world.claims.get(key)
    if (!claim) return { obstacle: named.isEphemeral ? REASONS.EphemeralClaimMissing(key) : REASONS.ClaimMissing(key) }
    const obstacle = findClaimObstacle(record, named, claim)
    if (obstacle) return { obstacle }
    const { volumeName = '', accessModes = [] } = claim.spec
    const volume = world.volumes.get(volumeName)
    const kind = bindingOf(claim, world)
    if (kind === 'immediate') immediate ??= REASONS.ClaimUnbound(key)
    else if (kind === 'delayed') unbound.push(unboundClaim(key, claim, world))
    else if (volume) {
      bound.push({ reach: world.reachOf(volume), elsewhere: REASONS.VolumeNodeAffinityConflict(key, volumeName) })
      anchors.push(anchorsOf(volume.spec.nodeAffinity?.required))
    } else everywhere ??= REASONS.VolumeMissing(key, volumeName)
    const isForOne = accessModes.includes('ReadWriteOncePod')
    const user = isForOne ? world.usersOf(key).find((each) => each !== record.key) : undefined
    if (user !== undefined) everywhere ??= REASONS.ClaimInUse(key, user)
    const volumeToCount = countedVolumeOf(claim, world)
    if (volumeToCount) counted.push(volumeToCount)
  }
  if (immediate) return { obstacle: immediate }
  return {
    plan: {
      ...wishes,
      record,
      anchors: anchors.filter((each) => each !== undefined),
      everywhere,
      bound,
      unbound: unbound.sort(bySize),
      volumes: groupByDriver(counted, record.inLineDrivers),
    },
  }
}

function findClaimObstacle(
  { pod, key: podKey }: PodRecord,
  { key, isEphemeral }: PodClaim,
  claim: PersistentVolumeClaim,
): SchedulerReason | undefined {
  if (claim.status?.phase === 'Lost') return REASONS.ClaimLost(key, claim.spec.volumeName ?? '')
  if (claim.metadata.deletionTimestamp) return REASONS.ClaimLeaving(key)
  return isEphemeral && !isControlledBy(claim, pod) ? REASONS.ClaimOfOther(key, podKey) : undefined
}

// The binder binds a claim that names its volume, whatever its class.
function bindingOf(claim: PersistentVolumeClaim, world: ClusterView): 'bound' | 'delayed' | 'immediate' {
  if (claim.spec.volumeName) return hasAnnotation(claim, BIND_COMPLETED) ? 'bound' : 'immediate'
  return isDelayedBinding(world.classes.get(classNameOf(claim))) ? 'delayed' : 'immediate'
}

function unboundClaim(key: string, claim: PersistentVolumeClaim, world: ClusterView) {
  const { classes, drivers, shelves, reservations } = world
  const className = classNameOf(claim)
  const shelf = shelfOf(claim)
  const choice = reservations.choiceFor(key)
  const { provisioner = NO_PROVISIONER, allowedTopologies = [] } = classes.get(className) ?? {}
  return {
    key,
    claim,
    className,
    provisioner,
    sizeBytes: sizeRank(requestedSizeOf(claim)),
    /** The selected or chosen node of the claim; empty if there is none yet. */
    selectedNode: selectedNodeOf(claim) || (choice && choice.volume === undefined ? choice.node : ''),
    reserved: shelves.reservedFor(claim),
    /** The shelf with volumes that it could get; undefined if there are none. */
    shelf: shelves.hasFree(shelf) ? shelf : undefined,
    /** Undefined if the class has no provisioner. */
    isAllowed: provisioner === NO_PROVISIONER ? undefined : compileTopologyTerms(allowedTopologies),
    /** Whether the driver reports its free storage. */
    needsRoom: drivers.get(provisioner)?.spec.storageCapacity ?? false,
  } as const
}

const bySize = (one: UnboundClaim, other: UnboundClaim): number =>
  one.sizeBytes === other.sizeBytes ? 0 : one.sizeBytes < other.sizeBytes ? -1 : 1

/** `besides`: additional drivers that the pod needs, without a volume that counts. */
export function groupByDriver(counted: readonly CountedVolume[], besides: readonly string[] = []): DriverVolumes[] {
  const volumes = new Map(besides.map((driver) => [driver, new Set<string>()]))
  for (const { driver, handle } of counted) getOrAdd(volumes, driver, () => new Set<string>()).add(handle)
  return Array.from(volumes, ([driver, handles]) => ({ driver, handles }))
}

function nodeWishesOf({ nodeSelector = {}, affinity, tolerations = [] }: PodSpec) {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required,
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = affinity?.nodeAffinity ?? {}
  const selector = Object.entries(nodeSelector)
  const fits = required && compileNodeSelector(required)
  return {
    tolerations,
    toleratesUnschedulable: toleratesUnschedulable(tolerations),
    anchors: [...selector.map(([key, value]) => [{ key, value }]), anchorsOf(required)],
    matches: (place: Place): boolean =>
      selector.every(([key, value]) => Object.hasOwn(place.labels, key) && place.labels[key] === value) &&
      (!fits || fits(place)),
    // An invalid preference is ignored.
    preferences: preferred.flatMap(({ weight, preference }) => {
      const matches = compileTerm(preference)
      return matches ? [{ weight, matches }] : []
    }),
  } as const
}
