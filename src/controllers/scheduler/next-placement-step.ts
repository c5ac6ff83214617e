import type { Pod } from '../../api/kinds/pod.ts'
import { isVolumeBoundToClaim } from '../../storage/claim-reference.ts'
import { selectedNodeOf } from '../../storage/names.ts'
import { isFinishedPod } from '../../storage/pod-claims.ts'
import { chooseNode, enoughNodes, formatVerdicts } from './choose-node.ts'
import type { Verdict } from './choose-node.ts'
import type { ClusterView } from './cluster-view.ts'
import { fitVolumes } from './fit-volumes.ts'
import type { VolumeFit } from './fit-volumes.ts'
import type { NodeView } from './node-entry.ts'
import { planPlacement } from './plan-placement.ts'
import type { Plan, UnboundClaim } from './plan-placement.ts'
import { REASONS } from './reasons.ts'
import type { SchedulerReason } from './reasons.ts'
import { segmentOf } from './refusals.ts'
import type { Refusal } from './refusals.ts'
import type { Choice, Reservation } from './reservations.ts'

export type PlacementView = {
  readonly seen: { readonly pod: Pod; readonly world: ClusterView }
  readonly held?: PlacementHeld
}

export type PlacementHeld = {
  readonly nowMs: number
  /** Pods of other schedulers are left alone. */
  readonly schedulerName: string
  /** The start index of the search. */
  readonly startAt: number
  /** How many feasible nodes are enough to choose among. Default: see `enoughNodes`. */
  readonly enough?: number
  readonly reservation?: Reservation | undefined
  readonly refusal?: Refusal | undefined
  /** When the pod was first considered. Default: long ago. */
  readonly firstMs?: number
}

// Most claims are bound sooner than this, and nobody needs to know that a pod was waiting for them.
const BINDING_GRACE_MS = 1000

/** How many nodes were checked. */
type Searched = { readonly visited: number }

export type PlacementStep = Readonly<
  | { kind: 'wait'; reason: SchedulerReason }
  /** No node can currently run the pod. `plan` is absent if nodes make no difference. */
  | (Searched & {
      kind: 'unschedulable'
      reason: SchedulerReason
      message: string
      verdicts: readonly Verdict[]
      plan?: Plan
    })
  /** The pod was just created and so were its claims, probably: nothing is reported yet. */
  | { readonly kind: 'await-binding'; readonly reason: SchedulerReason; readonly retryInMs: number }
  /** The provisioner could not create the volume for any of the nodes. */
  | (Searched & { kind: 'back-off'; reason: SchedulerReason; retryInMs: number })
  /** Assign these volumes to the claims, and have the others created for the node. */
  | (Searched & { kind: 'reserve' } & Choice)
  | (Searched & { kind: 'await-volumes'; node: string; reason: SchedulerReason; retryInMs?: number })
  | (Searched & { kind: 'place'; node: string })
  /** The chosen node is no longer suitable: choose again. `refused` is the claim that the provisioner rejected. */
  | { kind: 'give-up'; reason: SchedulerReason; refused?: { readonly claim: string; readonly segment: string } }
>

export const DEFAULT_SCHEDULER = 'default-scheduler'

export function nextPlacementStep({ seen: { pod, world }, held }: PlacementView): PlacementStep {
  const idle = findIdleReason(pod, held)
  if (idle) return { kind: 'wait', reason: idle }
  const planned = planPlacement(pod, world)
  if (held?.reservation) return nextReservedStep(planned, held.reservation, held, world)
  if ('obstacle' in planned) {
    const { obstacle: reason } = planned
    const retryInMs = (held?.firstMs ?? -Infinity) + BINDING_GRACE_MS - (held?.nowMs ?? 0)
    if (reason.code === 'ClaimUnbound' && retryInMs > 0) return { kind: 'await-binding', reason, retryInMs }
    const message = `0/${world.nodeTable.all.length} nodes are available: ${reason.message}.`
    return { kind: 'unschedulable', reason, message, verdicts: [], visited: 0 }
  }
  return nextFreeStep(planned.plan, held, world)
}

function findIdleReason(pod: Pod, held: PlacementHeld | undefined): SchedulerReason | undefined {
  const { metadata, spec } = pod
  const { schedulerName = DEFAULT_SCHEDULER } = held ?? {}
  if (spec.nodeName) return REASONS.Placed(spec.nodeName)
  if (isFinishedPod(pod)) return REASONS.Finished
  if (metadata.deletionTimestamp) return REASONS.PodLeaving
  if ((spec.schedulerName || DEFAULT_SCHEDULER) !== schedulerName)
    return REASONS.OtherScheduler(spec.schedulerName ?? '')
  if (spec.schedulingGates && spec.schedulingGates.length > 0)
    return REASONS.Gated(spec.schedulingGates.map(({ name }) => name).join(', '))
  return held?.reservation?.isPlaced ? REASONS.Placed(held.reservation.node) : undefined
}

function nextFreeStep(plan: Plan, held: PlacementHeld | undefined, world: ClusterView): PlacementStep {
  const { startAt = 0, nowMs = 0, refusal, enough } = held ?? {}
  const nodeCount = world.nodeTable.all.length
  const refused = refusal && refusal.untilMs > nowMs ? refusal : undefined
  const isHeldOff = (node: NodeView): boolean =>
    refused !== undefined && plan.unbound.some(({ provisioner }) => refused.segments.has(segmentOf(provisioner, node)))
  const options = { startAt, enough: enough ?? enoughNodes(nodeCount), isHeldOff }
  const { node, verdicts, visited, heldOff } = chooseNode(plan, world, options)
  if (node) return stepOn(node, fitVolumes(plan, node, world), plan, { visited })
  if (refused && heldOff > 0) {
    const reason = REASONS.RefusedEverywhere(refused.claim)
    return { kind: 'back-off', reason, retryInMs: refused.untilMs - nowMs, visited }
  }
  const message = formatVerdicts(verdicts, nodeCount)
  return { kind: 'unschedulable', reason: reasonOf(verdicts, nodeCount), message, verdicts, plan, visited }
}

/** The next step on the chosen node: volumes first, the pod last. */
function stepOn(node: NodeView, fit: VolumeFit, plan: Plan, more: Searched & { retryInMs?: number }): PlacementStep {
  if (fit.obstacles.length > 0)
    throw new Error(`node ${node.name} was chosen, but the volumes of ${plan.record.key} do not fit there`)
  const { matches, provisions } = fit
  const missing = matches.filter(
    ({ claim, volume }) => volume.spec.claimRef?.uid === undefined || !isVolumeBoundToClaim(volume, claim),
  )
  const select = provisions.map(({ claim }) => claim).filter((claim) => selectedNodeOf(claim) === '')
  const { visited } = more
  if (missing.length > 0 || select.length > 0)
    return { kind: 'reserve', node: node.name, matches: missing, select, visited }
  const [pending] = plan.unbound
  if (!pending) return { kind: 'place', node: node.name, visited }
  return { kind: 'await-volumes', node: node.name, reason: REASONS.VolumesPending(pending.key, node.name), ...more }
}

/** On a node that was chosen before, only the volumes are checked again: the pod is already counted there. */
function nextReservedStep(
  planned: ReturnType<typeof planPlacement>,
  reservation: Reservation,
  held: PlacementHeld,
  world: ClusterView,
): PlacementStep {
  const node = world.nodeTable.find(reservation.node)
  if (!node) return giveUp(REASONS.NodeGone(reservation.node))
  if ('obstacle' in planned) return giveUp(planned.obstacle)
  const { plan } = planned
  for (const unbound of plan.unbound) {
    const broken = findBroken(unbound, node, reservation, world)
    if (broken) return broken
  }
  const fit = fitVolumes(plan, node, world)
  const [obstacle] = fit.obstacles
  if (obstacle) return giveUp(obstacle)
  const [pending] = plan.unbound
  if (pending && reservation.untilMs <= held.nowMs) return giveUp(REASONS.VolumesTooSlow(pending.key, node.name))
  return stepOn(node, fit, plan, { visited: 0, retryInMs: reservation.untilMs - held.nowMs })
}

/** A selection that we wrote on the claim and that was removed: this is how a provisioner requests another node. */
function findBroken(
  { key, claim, provisioner }: UnboundClaim,
  node: NodeView,
  { claims }: Reservation,
  world: ClusterView,
): PlacementStep | undefined {
  const { volume: volumeName, isWritten = false } = claims.get(key) ?? {}
  if (!isWritten) return undefined
  if (volumeName === undefined) {
    if (selectedNodeOf(claim) !== '') return undefined
    const refused = { claim: key, segment: segmentOf(provisioner, node) }
    return { kind: 'give-up', reason: REASONS.ProvisionerRefused(key, node.name), refused }
  }
  const volume = world.volumes.get(volumeName)
  return volume && isVolumeBoundToClaim(volume, claim) ? undefined : giveUp(REASONS.VolumeTaken(key, volumeName))
}

const giveUp = (reason: SchedulerReason): PlacementStep => ({ kind: 'give-up', reason })

/** A reason that all nodes have in common says more than their number. */
function reasonOf(verdicts: readonly Verdict[], nodeCount: number): SchedulerReason {
  if (nodeCount === 0) return REASONS.NoNodes
  const first = verdicts[0]?.obstacles[0]
  const isCommon =
    first !== undefined &&
    verdicts.every(({ obstacles }) => obstacles[0]?.message === first.message && obstacles[0]?.code === first.code)
  return isCommon ? first : REASONS.Unschedulable(String(nodeCount))
}
