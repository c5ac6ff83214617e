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

/** What a pod requires of a node, prepared for being asked about thousands. It is valid until something about its claims changes. */
export type Plan = ReturnType<typeof nodeWishesOf> & {
  readonly record: PodRecord
  /** A node needs one label of each of these: no other node has to be checked. */
  readonly anchors: readonly Anchors[]
  /** What keeps the pod off every node. */
  readonly everywhere: SchedulerReason | undefined
  /** `reach` is undefined where the volume is accessible from every node. */
  readonly bound: readonly { readonly reach: NodeMatcher | undefined; readonly elsewhere: SchedulerReason }[]
  /** Claims whose volume binding waits for the pod, the smallest first. */
  readonly unbound: readonly UnboundClaim[]
  /** The volumes of the pod as the limits of their drivers count them. */
  readonly volumes: readonly DriverVolumes[]
}

export type DriverVolumes = { readonly driver: string; readonly handles: ReadonlySet<string> }
export type UnboundClaim = ReturnType<typeof unboundClaim>

/** The plan, or what keeps the pod off all nodes before any is checked. */
export function planPlacement(
  pod: Pod,
  world: ClusterView,
): { readonly plan: Plan } | { readonly obstacle: SchedulerReason } {
  const record = world.recordOf(pod)
  const claims: { readonly key: string; readonly claim: PersistentVolumeClaim }[] = []
  for (const named of record.claims) {
    const claim = world.findClaim(named.key)
    const obstacle = findClaimObstacle(record, named, claim)
    if (obstacle) return { obstacle }
    if (claim) claims.push({ key: named.key, claim })
  }
  const bound: (Plan['bound'][number] & { readonly anchors: Anchors })[] = []
  const unbound: UnboundClaim[] = []
  let everywhere: SchedulerReason | undefined
  let immediate: SchedulerReason | undefined
  for (const { key, claim } of claims) {
    const { volumeName = '', accessModes = [] } = claim.spec
    const volume = world.findVolume(volumeName)
    const kind = bindingOf(claim, world)
    if (kind === 'immediate') immediate ??= REASONS.claimUnbound(key)
    else if (kind === 'delayed') unbound.push(unboundClaim(key, claim, world))
    else if (volume)
      bound.push({
        reach: world.reachOf(volume),
        anchors: anchorsOf(volume.spec.nodeAffinity?.required),
        elsewhere: REASONS.volumeElsewhere(key, volumeName),
      })
    else everywhere ??= REASONS.volumeGone(key, volumeName)
    const user = accessModes.includes('ReadWriteOncePod')
      ? world.usersOf(key).find((each) => each !== record.key)
      : undefined
    if (user !== undefined) everywhere ??= REASONS.readWriteOncePod(key, user)
  }
  if (immediate) return { obstacle: immediate }
  const counted = [...record.inLine, ...claims.flatMap(({ claim }) => world.countedVolumeOf(claim) ?? [])]
  return {
    plan: {
      ...nodeWishesOf(pod.spec),
      record,
      anchors: [...anchorsOfPod(pod.spec), ...bound.map(({ anchors }) => anchors)].filter(
        (each) => each !== 'everywhere',
      ),
      everywhere,
      bound,
      unbound: unbound.sort(bySize),
      volumes: groupByDriver(counted, record.inLineDrivers),
    },
  }
}

function findClaimObstacle(
  { pod, key: podKey }: PodRecord,
  { key, isEphemeral }: NamedClaim,
  claim: PersistentVolumeClaim | undefined,
): SchedulerReason | undefined {
  if (!claim) return isEphemeral ? REASONS.ephemeralClaimMissing(key) : REASONS.claimMissing(key)
  if (claim.status?.phase === 'Lost') return REASONS.claimLost(key, claim.spec.volumeName ?? '')
  if (claim.metadata.deletionTimestamp) return REASONS.claimLeaving(key)
  return isEphemeral && !isControlledBy(claim, pod) ? REASONS.claimOfOther(key, podKey) : undefined
}

// The binder binds a claim that names its volume, whatever the class says.
function bindingOf(claim: PersistentVolumeClaim, world: ClusterView): 'bound' | 'delayed' | 'immediate' {
  if (claim.spec.volumeName) return hasAnnotation(claim, BIND_COMPLETED) ? 'bound' : 'immediate'
  return isDelayedBinding(world.findClass(classNameOf(claim))) ? 'delayed' : 'immediate'
}

function unboundClaim(key: string, claim: PersistentVolumeClaim, world: ClusterView) {
  const className = classNameOf(claim)
  const shelf = shelfOf(claim)
  const { provisioner = NO_PROVISIONER, allowedTopologies = [] } = world.findClass(className) ?? {}
  return {
    key,
    claim,
    className,
    provisioner,
    sizeBytes: sizeRank(requestedSizeOf(claim)),
    /** The node that the claim has, or is about to get; empty: none yet. */
    selectedNode: selectedNodeOf(claim) || (world.selectingFor(key) ?? ''),
    reserved: world.reservedFor(claim),
    /** Where there are volumes that it could get; undefined: nowhere. */
    shelf: world.hasFree(shelf) ? shelf : undefined,
    /** Undefined: the class has no provisioner. */
    isAllowed: provisioner === NO_PROVISIONER ? undefined : compileTopologyTerms(allowedTopologies),
    /** The driver reports its free storage. */
    needsRoom: world.findDriver(provisioner)?.spec.storageCapacity ?? false,
  } as const
}

const bySize = (one: UnboundClaim, other: UnboundClaim): number =>
  one.sizeBytes === other.sizeBytes ? 0 : one.sizeBytes < other.sizeBytes ? -1 : 1

/** `besides`: drivers that the pod needs too, without a volume that counts. */
export function groupByDriver(counted: readonly CountedVolume[], besides: readonly string[] = []): DriverVolumes[] {
  const volumes = new Map(besides.map((driver) => [driver, new Set<string>()]))
  for (const { driver, handle } of counted) getOrAdd(volumes, driver, () => new Set<string>()).add(handle)
  return Array.from(volumes, ([driver, handles]) => ({ driver, handles }))
}

const anchorsOfPod = ({ nodeSelector = {}, affinity }: PodSpec): Anchors[] => [
  ...Object.entries(nodeSelector).map(([key, value]) => [{ key, value }]),
  anchorsOf(affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
]

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
