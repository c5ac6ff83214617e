import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { parseKey } from '../../api/object-key.ts'
import type { Reason } from '../../api/reason.ts'
import { isVolumeBoundToClaim } from '../../storage/claim-reference.ts'
import { selectedNodeOf } from '../../storage/names.ts'
import { isFinishedPod } from '../../storage/pod-claims.ts'
import { chooseNode, enoughNodes } from './choose-node.ts'
import type { Verdict } from './choose-node.ts'
import type { ClusterView, NodeView } from './cluster-view.ts'
import { fitVolumes } from './fit-volumes.ts'
import type { VolumeFit } from './fit-volumes.ts'
import { formatPodObstacle, formatVerdicts } from './format-verdicts.ts'
import type { Obstacle } from './obstacles.ts'
import type { PlacementHeld, PlacementStep, PlacementView, Reservation } from './placement-view.ts'
import { planPlacement } from './plan-placement.ts'
import type { Plan, UnboundClaim } from './plan-placement.ts'
import { REASONS } from './reasons.ts'
import { segmentOf } from './segment-of.ts'

// Whoever explains from outside makes the view of the cluster as we do.
export { createClusterState } from './cluster-state.ts'

export const DEFAULT_SCHEDULER = 'default-scheduler'

/** What to do next about one pod. */
export function nextPlacementStep({ seen: { pod, world }, held }: PlacementView): PlacementStep {
  const idle = findIdleReason(pod, held)
  if (idle) return { kind: 'wait', reason: idle }
  const planned = planPlacement(pod, world)
  if (held?.reservation) return nextReservedStep(planned, held.reservation, held, world)
  if ('obstacle' in planned) return keptOff(planned.obstacle, world)
  return nextFreeStep(planned.plan, held, world)
}

function findIdleReason(pod: Pod, held: PlacementHeld | undefined): Reason | undefined {
  const { metadata, spec } = pod
  const { schedulerName = DEFAULT_SCHEDULER } = held ?? {}
  if (spec.nodeName) return REASONS.placed(spec.nodeName)
  if (isFinishedPod(pod)) return REASONS.finished
  if (metadata.deletionTimestamp) return REASONS.leaving
  if ((spec.schedulerName || DEFAULT_SCHEDULER) !== schedulerName)
    return REASONS.otherScheduler(spec.schedulerName ?? '')
  if (spec.schedulingGates && spec.schedulingGates.length > 0)
    return REASONS.gated(spec.schedulingGates.map(({ name }) => name).join(', '))
  return held?.reservation?.isPlaced ? REASONS.placed(held.reservation.node) : undefined
}

function nextFreeStep(plan: Plan, held: PlacementHeld | undefined, world: ClusterView): PlacementStep {
  const { startAt = 0, nowMs = 0, refusal } = held ?? {}
  const nodeCount = world.nodes().length
  const refused = refusal && refusal.untilMs > nowMs ? refusal : undefined
  const isHeldOff = (node: NodeView): boolean =>
    refused !== undefined && plan.unbound.some(({ provisioner }) => refused.segments.has(segmentOf(provisioner, node)))
  const choice = chooseNode(plan, world, { startAt, enough: held?.enough ?? enoughNodes(nodeCount), isHeldOff })
  const { visited } = choice
  switch (choice.kind) {
    case 'node':
      return stepOn(choice.node, fitVolumes(plan, choice.node, world), plan, { visited })
    case 'held-off':
      return backOff(refused?.claim ?? '', (refused?.untilMs ?? nowMs) - nowMs, visited)
    case 'none': {
      const { verdicts } = choice
      const message = formatVerdicts(verdicts, nodeCount)
      return { kind: 'unschedulable', reason: reasonOf(verdicts, nodeCount), message, verdicts, plan, visited }
    }
  }
}

const backOff = (claim: string, retryInMs: number, visited: number): PlacementStep => ({
  kind: 'back-off',
  reason: REASONS.refusedEverywhere(claim),
  message: provisioningFailed(claim),
  retryInMs,
  visited,
})

const provisioningFailed = (claim: string): string =>
  `binding volumes: provisioning failed for PVC "${parseKey(claim).name}"`

/** The step on a node that was chosen: volumes first, the pod last. */
function stepOn(
  node: NodeView,
  fit: VolumeFit,
  plan: Plan,
  more: { visited: number; retryInMs?: number },
): PlacementStep {
  if (fit.kind === 'misfits')
    throw new Error(`node ${node.name} was chosen, but the volumes of ${plan.record.key} do not fit there`)
  const { matches, provisions } = fit
  const missing = matches.filter(
    ({ claim, volume }) => volume.spec.claimRef?.uid === undefined || !isVolumeBoundToClaim(volume, claim),
  )
  const select = provisions.map(({ claim }) => claim).filter((claim) => selectedNodeOf(claim) === '')
  const { visited, retryInMs } = more
  if (missing.length > 0 || select.length > 0)
    return { kind: 'reserve', node: node.name, matches: missing, select, visited }
  const [pending] = plan.unbound
  if (!pending) return { kind: 'place', node: node.name, visited }
  const reason = REASONS.volumesPending(pending.key, node.name)
  return { kind: 'await-volumes', node: node.name, reason, visited, ...(retryInMs === undefined ? {} : { retryInMs }) }
}

type Planned = ReturnType<typeof planPlacement>

/** On a node that was chosen before only the volumes are looked at again: the pod is counted there already. */
function nextReservedStep(
  planned: Planned,
  reservation: Reservation,
  held: PlacementHeld,
  world: ClusterView,
): PlacementStep {
  const node = world.findNode(reservation.node)
  if (!node) return giveUp(REASONS.nodeGone(reservation.node), `node "${reservation.node}" not found`)
  if ('obstacle' in planned) return giveUp(planned.obstacle.reason, planned.obstacle.words)
  const { plan } = planned
  for (const unbound of plan.unbound) {
    const broken = findBroken(unbound, node, reservation, world)
    if (broken) return broken
  }
  const fit = fitVolumes(plan, node, world)
  if (fit.kind === 'misfits')
    return giveUp(fit.obstacles[0]?.reason ?? REASONS.nodeGone(node.name), fit.obstacles[0]?.words ?? '')
  const [pending] = plan.unbound
  if (pending && reservation.untilMs <= held.nowMs)
    return giveUp(
      REASONS.volumesTooSlow(pending.key, node.name),
      'binding volumes: timed out waiting for the condition',
    )
  return stepOn(node, fit, plan, { visited: 0, retryInMs: reservation.untilMs - held.nowMs })
}

/** What we did for the claim and somebody has undone: that is how a provisioner says "elsewhere". */
function findBroken(
  { key, claim, provisioner }: UnboundClaim,
  node: NodeView,
  { selected, matched }: Reservation,
  world: ClusterView,
): PlacementStep | undefined {
  if (selected.has(key) && selectedNodeOf(claim) === '') {
    return {
      kind: 'give-up',
      reason: REASONS.provisionerRefused(key, node.name),
      message: provisioningFailed(key),
      refused: { claim: key, segment: segmentOf(provisioner, node) },
    }
  }
  const volumeName = matched.get(key)
  if (volumeName === undefined || isStillFor(claim, volumeName, world)) return undefined
  return giveUp(REASONS.volumeTaken(key, volumeName), `binding volumes: ClaimRef got reset for pv "${volumeName}"`)
}

function isStillFor(claim: PersistentVolumeClaim, volumeName: string, world: ClusterView): boolean {
  const volume = world.findVolume(volumeName)
  return volume !== undefined && isVolumeBoundToClaim(volume, claim)
}

const giveUp = (reason: Reason, message: string): PlacementStep => ({ kind: 'give-up', reason, message })

function keptOff(obstacle: Obstacle, world: ClusterView): PlacementStep {
  return {
    kind: 'unschedulable',
    reason: obstacle.reason,
    message: formatPodObstacle(obstacle, world.nodes().length),
    verdicts: [],
    visited: 0,
  }
}

/** What all nodes have in common tells more than how many there are. */
function reasonOf(verdicts: readonly Verdict[], nodeCount: number): Reason {
  if (nodeCount === 0) return REASONS.noNodes
  const first = verdicts[0]?.obstacles[0]
  const isCommon =
    first !== undefined &&
    verdicts.every(
      ({ obstacles }) => obstacles[0]?.words === first.words && obstacles[0].reason.code === first.reason.code,
    )
  return isCommon ? first.reason : REASONS.unschedulable(String(nodeCount))
}
