import { identifyAttachment, readAttachmentView } from '../controllers/attach-detach/attachment-view.ts'
import type { OtherAttachment } from '../controllers/attach-detach/attachment-view.ts'
import { nextAttachmentStep } from '../controllers/attach-detach/next-attachment-step.ts'
import { nextDeviceStep } from '../node/volumes/next-device-step.ts'
import type { MountView } from '../node/volumes/mount-view.ts'
import { nextMountStep } from '../node/volumes/next-mount-step.ts'
import { findUnserved, findWrongMode } from '../node/volumes/next-pod-step.ts'
import { usedVolumesOf } from '../node/volumes/pod-view.ts'
import type { UsedVolume } from '../node/volumes/pod-view.ts'
import { isHoldfastNode } from '../api/holdfast-node.ts'
import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { NODES } from '../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import type { Pod } from '../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import { findTimestamp } from '../api/timestamps.ts'
import { isNoAnswer, isPublishedNothing } from '../storage/driver-trouble.ts'
import { driverPolicyOf } from '../storage/driver-policy.ts'
import type { DriverPolicy } from '../storage/driver-policy.ts'
import { attachmentName } from '../storage/attachment-name.ts'
import { podClaimsOf } from '../storage/pod-claims.ts'
import { resolvePodVolume } from '../storage/resolve-pod-volume.ts'
import type { CsiVolume, PodVolume } from '../storage/resolve-pod-volume.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { attachmentTitle, explainAttachment } from './explain-attachment.ts'
import { claimState, explainClaim } from './explain-claim.ts'
import { explainNode } from './explain-node.ts'
import { explainRegistration } from './explain-registration.ts'
import { explainPodSecrets } from './explain-secrets.ts'
import type { LastError, Link } from './explanation.ts'
import { findLastError } from './last-error.ts'
import { blockedLink, idOf, prefixCause, readyLink, unseenLink, waitingLink } from './links.ts'
import { REASONS } from './reasons.ts'
import type { WhyReason } from './why-reason.ts'

type DriverVolume = NonNullable<MountView['seen']['wish']>
type Place = { readonly pod: Pod; readonly nodeName: string; readonly reader: ClusterReader }

const MOUNT_ERRORS = ['FailedMount', 'FailedMapVolume', 'FailedAttachVolume', 'VolumePermissionChangeInProgress']
// How the kubelet and our node agent report that they apply the fsGroup of a pod.
const OWNERSHIP = 'Setting volume ownership for '

/** Why a pod that has a node is not running there, as far as its volumes are concerned. */
export async function explainMounts(pod: Pod, nodeName: string, reader: ClusterReader): Promise<Link> {
  const [object, state] = [idOf(pod), pod.status?.phase ?? 'Pending']
  const place = { pod, nodeName, reader }
  const links: Link[] = [await explainNode(nodeName, reader)]
  const policies: DriverPolicy[] = []
  for (const used of usedVolumesOf(pod)) {
    const { links: more, policy } = await explainPodVolume(used, place)
    links.push(...more)
    if (policy) policies.push(policy)
  }
  // A node that is ready is listed once, with what it says about a volume.
  if (links.slice(1).some((link) => link.object.kind === 'Node') && links[0]?.status === 'ready') links.shift()
  if (state === 'Running') {
    const missing = await explainUnmounted(place)
    if (missing.length > 0) return blockedLink(object, state, [...links.map(asFollowing), ...missing])
    const lastError = await findFailedRefresh(pod, policies, reader)
    if (lastError) {
      const what = 'The pod keeps the content that it has, and refreshing it'
      const reason = REASONS.mountFailed(nodeName, lastError.message, audiencesOf(policies), what)
      return waitingLink(object, state, reason, { dependsOn: links.map(asFollowing), lastError })
    }
    return readyLink(object, state, {
      reason: REASONS.running,
      dependsOn: links.map(asFollowing),
    })
  }
  links.push(...(await explainPodSecrets(pod, reader)))
  if (links.some(({ status }) => status === 'waits')) return blockedLink(object, state, links)

  const container = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])].find(
    ({ state: each }) => isOwnTrouble(each?.waiting?.reason),
  )
  if (container) {
    const { reason = '', message = '' } = container.state?.waiting ?? {}
    return waitingLink(object, state, REASONS.containerWaits(container.name, reason, message), { dependsOn: links })
  }
  const lastError = await findLastError(reader, object, MOUNT_ERRORS)
  const reason = lastError
    ? mountReason(nodeName, lastError.message, audiencesOf(policies))
    : REASONS.awaitingMount(nodeName)
  return waitingLink(object, state, reason, { dependsOn: links, ...(lastError ? { lastError } : {}) })
}

const audiencesOf = (policies: readonly DriverPolicy[]): string[] => [
  ...new Set(policies.flatMap(({ tokens }) => tokens.requests.map(({ audience }) => audience || 'the API server'))),
]

// Kubelet and node agent publish again within 90 seconds, and after failures wait at most two minutes.
const REFRESH_MS = 300_000

/**
 * The error of a volume that is published again and again, as `requiresRepublish` wants, if that still fails. Success leaves no trace, so an error is
 * believed only if it is newer than the start of the pod and recent, which needs the present time.
 */
async function findFailedRefresh(
  pod: Pod,
  policies: readonly DriverPolicy[],
  reader: ClusterReader,
): Promise<LastError | undefined> {
  if (reader.nowMs === undefined || policies.every(({ republish }) => republish === 'never')) return undefined
  const error = await findLastError(reader, idOf(pod), ['FailedMount'])
  const ready = pod.status?.conditions?.find(({ type, status }) => type === 'Ready' && status === 'True')
  const failedMs = findTimestamp(error?.time)
  const readyMs = findTimestamp(ready?.lastTransitionTime ?? undefined)
  if (failedMs === undefined || readyMs === undefined) return undefined
  return failedMs > readyMs && failedMs > reader.nowMs - REFRESH_MS ? error : undefined
}

const asFollowing = (link: Link): Link => (link.status === 'waits' ? { ...link, status: 'follows' } : link)

/** Secrets and config maps that a running pod lacks. A kubelet has mounted them, a Holdfast node need not: it runs no containers. */
async function explainUnmounted({ pod, nodeName, reader }: Place): Promise<Link[]> {
  const node = await reader.get(NODES, { name: nodeName })
  if (node.kind !== 'found' || !isHoldfastNode(node.object)) return []
  const links = await explainPodSecrets(pod, reader)
  return links.map((link) => ({ ...link, reason: REASONS.notMounted(link.object) }))
}

function mountReason(nodeName: string, error: string, audiences: readonly string[]): WhyReason {
  if (error.startsWith(OWNERSHIP)) return REASONS.ownershipChanging(nodeName, error)
  if (isPublishedNothing(error)) return REASONS.publishedNothing(nodeName, error)
  return isNoAnswer(error) ? REASONS.mountNotAnswered(nodeName, error) : REASONS.mountFailed(nodeName, error, audiences)
}

// Containers wait with these until their volumes are mounted.
const isOwnTrouble = (reason: string | undefined): boolean =>
  reason !== undefined && !['ContainerCreating', 'PodInitializing'].includes(reason)

type Explained = { readonly links: readonly Link[]; readonly policy?: DriverPolicy }

async function explainPodVolume(used: UsedVolume, place: Place): Promise<Explained> {
  const { volume } = used
  const { pod, reader } = place
  const { namespace = '' } = pod.metadata
  const named = podClaimsOf(pod).find((each) => each.volume === volume)
  const claimFound = named
    ? await reader.get(PERSISTENT_VOLUME_CLAIMS, { namespace, name: named.claimName })
    : undefined
  if (claimFound?.kind === 'unseen')
    return { links: [unseenLink({ kind: 'PersistentVolumeClaim', namespace, name: named?.claimName ?? '' })] }
  const claim = claimFound?.kind === 'found' ? claimFound.object : undefined
  const volumeFound = claim?.spec.volumeName
    ? await reader.get(PERSISTENT_VOLUMES, { name: claim.spec.volumeName })
    : undefined
  if (volumeFound?.kind === 'unseen' && claim)
    return {
      links: [
        readyLink(idOf(claim), claimState(claim)),
        readyLink({ kind: 'PersistentVolume', name: claim.spec.volumeName ?? '' }, 'not visible'),
      ],
    }
  const persistent = volumeFound?.kind === 'found' ? volumeFound.object : undefined
  const inLineDriver = volume.csi ? await reader.get(CSI_DRIVERS, { name: volume.csi.driver }) : undefined
  const driver = inLineDriver?.kind === 'found' ? inLineDriver.object : undefined
  const resolved = resolvePodVolume(pod, volume, { claim: () => claim, volume: () => persistent, driver: () => driver })
  const above = [
    ...(claim ? [readyLink(idOf(claim), claimState(claim))] : []),
    ...(persistent ? [readyLink(idOf(persistent), persistent.status?.phase ?? 'Pending')] : []),
  ]
  switch (resolved.kind) {
    case 'other':
      return { links: await explainOther(volume.name, resolved, above, place) }
    case 'waits':
      return { links: [await explainAwaited(resolved.reason, { namespace, name: named?.claimName ?? '' }, reader)] }
    case 'refused':
      return {
        links: [
          ...above.slice(1),
          claim ? waitingLink(idOf(claim), claimState(claim), resolved.reason) : refusedInLine(pod, resolved.reason),
        ],
      }
    default: {
      const wrongMode = findWrongMode(used, resolved)
      const last = above.at(-1)
      if (wrongMode && last) return { links: [...above.slice(0, -1), waitingLink(last.object, last.state, wrongMode)] }
      const policy = await policyOf(resolved.kind === 'csi' ? resolved.volume.driver : resolved.source.driver, reader)
      const mounting = await explainDriverVolume(volume.name, resolved, policy, place)
      return { links: [...above, ...mounting], ...(policy ? { policy } : {}) }
    }
  }
}

/** A kubelet mounts volumes of many kinds, a Holdfast node only those of CSI drivers. */
async function explainOther(
  name: string,
  resolved: PodVolume,
  above: readonly Link[],
  { nodeName, reader }: Place,
): Promise<readonly Link[]> {
  const node = await reader.get(NODES, { name: nodeName })
  const reason = node.kind === 'found' && isHoldfastNode(node.object) ? findUnserved(name, resolved) : undefined
  if (!reason) return above
  const last = above.at(-1)
  return last
    ? [...above.slice(0, -1), waitingLink(last.object, last.state, reason)]
    : [waitingLink({ kind: 'Node', name: nodeName }, 'Ready', reason)]
}

/** The pod's own spec is at fault. */
const refusedInLine = (pod: Pod, reason: WhyReason): Link =>
  waitingLink({ kind: 'CSIDriver', name: reason.detail?.['driver'] ?? '' }, 'refused', reason, {
    title: `driver ${reason.detail?.['driver'] ?? ''} for pod ${pod.metadata.name ?? ''}`,
  })

async function explainAwaited(
  reason: WhyReason,
  claim: { namespace: string; name: string },
  reader: ClusterReader,
): Promise<Link> {
  const link = await explainClaim(claim, { reader })
  return link.status === 'waits' ? link : waitingLink(link.object, link.state, reason, { dependsOn: link.dependsOn })
}

async function policyOf(name: string, reader: ClusterReader): Promise<DriverPolicy | undefined> {
  const found = await reader.get(CSI_DRIVERS, { name })
  return found.kind === 'unseen' ? undefined : driverPolicyOf(found.kind === 'found' ? { csiDriver: found.object } : {})
}

async function explainDriverVolume(
  volumeName: string,
  wish: DriverVolume,
  policy: DriverPolicy | undefined,
  { pod, nodeName, reader }: Place,
): Promise<Link[]> {
  const driver = wish.kind === 'csi' ? wish.volume.driver : wish.source.driver
  const registration = await explainRegistration(driver, nodeName, reader)
  if (registration.status === 'waits' || !policy) return [registration]
  const mount = nextMountStep({ seen: { volumeName, driver, pod, wish, policy, otherNamespaces: [] } })
  if (mount.kind === 'refuse')
    return [
      registration,
      waitingLink({ kind: 'CSIDriver', name: driver }, 'refused', mount.reason, { title: `driver ${driver}` }),
    ]
  if (wish.kind === 'ephemeral') return [registration]
  const found = await reader.get(NODES, { name: nodeName })
  if (found.kind !== 'found') return [registration]
  const { volume } = wish
  const name = attachmentName({ ...volume, nodeName })
  const attachment = policy.attach ? await reader.get(VOLUME_ATTACHMENTS, { name }) : undefined
  const step = nextDeviceStep({
    seen: {
      driver,
      uniqueName: volume.uniqueName,
      node: found.object,
      policy,
      volume,
      attachment: attachment?.kind === 'found' ? attachment.object : undefined,
    },
  })
  if (step.kind === 'refuse' && step.reason.code === 'NodeAffinityMismatch')
    return [
      registration,
      waitingLink({ kind: 'PersistentVolume', name: volume.volumeName }, 'out of reach', step.reason),
    ]
  if (!policy.attach) return [registration]
  return [registration, await explainAttach(name, volume, { pod, nodeName, reader })]
}

/** What the attach/detach controller is going to do for the pod. */
async function explainAttach(name: string, volume: CsiVolume, { pod, nodeName, reader }: Place): Promise<Link> {
  const title = attachmentTitle(volume.persistentVolume ? volume.volumeName : volume.volumeHandle, nodeName)
  const object = { kind: 'VolumeAttachment', name }
  const found = await reader.get(VOLUME_ATTACHMENTS, { name })
  if (found.kind === 'unseen') return readyLink(object, 'not visible', { title })
  const node = await reader.get(NODES, { name: nodeName })
  const elsewhere = found.kind === 'found' ? [] : await attachmentsElsewhere(volume, nodeName, reader)
  const view = readAttachmentView(
    {
      attachment: () => (found.kind === 'found' ? found.object : undefined),
      volume: () => volume.persistentVolume,
      node: () => (node.kind === 'found' ? node.object : undefined),
      wishes: () => [{ name, nodeName, pod, volume }],
      elsewhere: () => ({ elsewhere, otherPods: [] }),
    },
    name,
  )
  const step = view && nextAttachmentStep(view)
  if (step?.kind !== 'wait') return waitingLink(object, 'absent', REASONS.awaitingAttachment, { title })
  const { reason } = step
  if (reason.code === 'Attached') {
    const isListed =
      node.kind !== 'found' || node.object.status?.volumesAttached?.some((each) => each.name === volume.uniqueName)
    return isListed
      ? readyLink(object, 'attached', { title })
      : waitingLink(object, 'attached', REASONS.notReportedAttached(nodeName), { title })
  }
  if (reason.code === 'AttachedElsewhere') {
    const holder = reason.waitsFor?.kind === 'object' ? reason.waitsFor.name : ''
    const held = await explainAttachment(holder, { reader, isToGo: true })
    return blockedLink(object, 'absent', [prefixCause(held, reason.message ?? '')], { title, reason })
  }
  if (found.kind === 'absent') return waitingLink(object, 'absent', reason, { title })
  return explainAttachment(name, { reader })
}

async function attachmentsElsewhere(
  volume: CsiVolume,
  nodeName: string,
  reader: ClusterReader,
): Promise<OtherAttachment[]> {
  const all = (await reader.list(VOLUME_ATTACHMENTS)) ?? []
  const sources = {
    volume: (name: string) => (name === volume.volumeName ? volume.persistentVolume : undefined),
    node: () => undefined,
  }
  return all
    .filter((each) => each.spec.nodeName !== nodeName && identifyAttachment(each, sources) === volume.uniqueName)
    .map((attachment) => ({ name: attachment.metadata.name ?? '', nodeName: attachment.spec.nodeName, attachment }))
}
