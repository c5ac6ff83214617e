import { nextEphemeralStep } from '../controllers/ephemeral/next-ephemeral-step.ts'
import { createClusterView } from '../controllers/scheduler/cluster-view.ts'
import type { ClusterView } from '../controllers/scheduler/cluster-view.ts'
import { nextPlacementStep } from '../controllers/scheduler/next-placement-step.ts'
import { nextRemedyStep } from '../controllers/scheduler/next-remedy-step.ts'
import { findCondition } from '../api/conditions.ts'
import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../api/kinds/csi-node.ts'
import { CSI_STORAGE_CAPACITIES } from '../api/kinds/csi-storage-capacity.ts'
import { NODES } from '../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { PODS } from '../api/kinds/pod.ts'
import type { Pod } from '../api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import { keyOf } from '../api/object-key.ts'
import type { KubeObject } from '../api/object.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { podClaimsOf } from '../storage/pod-claims.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { claimState, explainClaim } from './explain-claim.ts'
import type { Link } from './explanation.ts'
import { absentLink, blockedLink, idOf, idOfAwaited, readyLink, waitingLink } from './links.ts'
import { REASONS } from './reasons.ts'
import { withRetained } from './retained-volume.ts'
import { withFacts } from './why-reason.ts'
import type { WhyCode, WhyReason } from './why-reason.ts'

/** Why a pod has no node. */
export async function explainPlacement(pod: Pod, reader: ClusterReader): Promise<Link> {
  const [object, state] = [idOf(pod), pod.status?.phase ?? 'Pending']
  const claims = await claimsOf(pod, reader)
  const made = nextEphemeralStep({ seen: { pod, claims } })
  const [inTheWay] = made.kind === 'make-claims' ? made.obstacles : []
  if (inTheWay) return linkFor(inTheWay)

  const cluster = await readCluster(pod, claims, reader)
  if (!cluster) return withoutNodes()
  const step = nextPlacementStep({ seen: { pod, world: cluster } })
  switch (step.kind) {
    case 'wait':
      return waitingLink(object, state, step.reason, { dependsOn: await linksOf(undefined) })
    case 'unschedulable':
      return linkFor(
        await orRetained(withFacts({ ...nextRemedyStep(step, cluster), message: step.message.replace(/\.$/, '') })),
      )
    case 'await-binding':
    case 'await-volumes':
    case 'back-off':
    case 'give-up':
      return linkFor(step.reason)
    case 'reserve':
    case 'place': {
      return waitingLink(object, state, schedulerReason(pod, step.node), { dependsOn: await linksOf(undefined) })
    }
  }

  /** A claim whose class has no provisioner may have had a volume before it was deleted and created again. */
  async function orRetained(reason: WhyReason): Promise<WhyReason> {
    const claim = claims.find((each) => keyOf(each) === reason.detail?.['claim'])
    if (reason.code !== 'NoVolumeMatches' || !claim) return reason
    return withRetained(reason, claim, (await reader.list(PERSISTENT_VOLUMES)) ?? []) ?? reason
  }

  /** If the pod is waiting for a claim, the claim says why. */
  async function linkFor(reason: WhyReason): Promise<Link> {
    const { waitsFor } = reason
    const awaited =
      waitsFor?.kind === 'object' && waitsFor.kindName === 'PersistentVolumeClaim'
        ? waitsFor.name
        : claimAtFault(reason)
    const dependsOn = await linksOf(awaited, reason)
    if (waitsFor?.kind === 'object' && AT_FAULT.has(reason.code)) {
      const link = waitingLink(
        idOfAwaited(waitsFor),
        dependsOn.find((each) => each.object.name === awaited)?.state ?? 'present',
        reason,
      )
      return blockedLink(object, state, [...dependsOn.filter((each) => each.object.name !== awaited), link])
    }
    if (awaited === undefined || dependsOn.some(({ status }) => status === 'waits'))
      return waitingLink(object, state, reason, { dependsOn })
    // The claim is no longer in the way, but the scheduler has not seen that yet.
    return waitingLink(object, state, REASONS.awaitingScheduler(), { dependsOn })
  }

  async function linksOf(awaited: string | undefined, reason?: WhyReason): Promise<Link[]> {
    const links: Link[] = []
    for (const { claimName, isEphemeral } of podClaimsOf(pod)) {
      const claim = claims.find(({ metadata }) => metadata.name === claimName)
      const id = { kind: 'PersistentVolumeClaim', namespace: pod.metadata.namespace ?? '', name: claimName }
      if (claimName === awaited) links.push(claim ? await explainClaim(id, { reader }) : absentLink(id, reason))
      // A claim that nobody has to create is created with the others.
      else if (!claim) links.push(isEphemeral ? { ...absentLink(id), status: 'follows' } : absentLink(id))
      else if (awaited !== undefined && claim.status?.phase !== 'Bound') links.push(await explainClaim(id, { reader }))
      else
        links.push(
          claim.status?.phase === 'Bound'
            ? readyLink(idOf(claim), claimState(claim))
            : { object: idOf(claim), state: claimState(claim), status: 'follows', dependsOn: [] },
        )
    }
    return links
  }

  /** Without the right to read nodes: the claims, and what the scheduler has said. */
  async function withoutNodes(): Promise<Link> {
    const links: Link[] = []
    for (const { claimName } of podClaimsOf(pod))
      links.push(await explainClaim({ namespace: pod.metadata.namespace ?? '', name: claimName }, { reader }))
    return waitingLink(object, state, schedulerReason(pod), { dependsOn: links })
  }
}

// The object that they name exists, and is in the way.
const AT_FAULT: ReadonlySet<WhyCode> = new Set<WhyCode>(['ClaimInTheWay', 'ClaimOfOther', 'ClaimInUse'])

// About a claim itself, which they name in their details.
const ABOUT_CLAIM: ReadonlySet<WhyCode> = new Set<WhyCode>(['ClaimLeaving', 'ClaimLost', 'VolumeMissing'])
const claimAtFault = ({ code, detail }: WhyReason): string | undefined =>
  ABOUT_CLAIM.has(code) ? detail?.['claim']?.split('/')[1] : undefined

/** What the scheduler has said about the pod, or that it has not acted yet. */
function schedulerReason({ status }: Pod, nodeName?: string): WhyReason {
  const { status: scheduled, message } = findCondition(status?.conditions, 'PodScheduled') ?? {}
  return scheduled === 'False' && message !== undefined
    ? REASONS.schedulerSays(message)
    : REASONS.awaitingScheduler(nodeName)
}

async function claimsOf(pod: Pod, reader: ClusterReader): Promise<PersistentVolumeClaim[]> {
  const namespace = pod.metadata.namespace ?? ''
  const found = await Promise.all(
    podClaimsOf(pod).map(({ claimName }) => reader.get(PERSISTENT_VOLUME_CLAIMS, { namespace, name: claimName })),
  )
  return found.flatMap((each) => (each.kind === 'found' ? [each.object] : []))
}

/** Undefined: nodes may not be read, and without them nothing can be decided. */
async function readCluster(
  pod: Pod,
  claims: readonly PersistentVolumeClaim[],
  reader: ClusterReader,
): Promise<ClusterView | undefined> {
  const state = createClusterView()
  const fill = async <T extends KubeObject>(
    table: { put(object: T): unknown },
    type: ResourceType<T>,
  ): Promise<boolean> => {
    const items = await reader.list(type)
    for (const item of items ?? []) table.put(item)
    return items !== undefined
  }
  const [hasNodes, hasPods] = await Promise.all([
    fill(state.nodes, NODES),
    fill(state.pods, PODS),
    fill(state.csiNodes, CSI_NODES),
    fill(state.claims, PERSISTENT_VOLUME_CLAIMS),
    fill(state.volumes, PERSISTENT_VOLUMES),
    fill(state.classes, STORAGE_CLASSES),
    fill(state.drivers, CSI_DRIVERS),
    fill(state.capacities, CSI_STORAGE_CAPACITIES),
    fill(state.attachments, VOLUME_ATTACHMENTS),
  ])
  for (const claim of claims) state.claims.put(claim)
  if (!hasPods) for (const each of (await reader.list(PODS, pod.metadata.namespace)) ?? []) state.pods.put(each)
  return hasNodes ? state : undefined
}
