import { CSI_NODES } from '../api/kinds/csi-node.ts'
import { NODES } from '../api/kinds/node.ts'
import { PODS } from '../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../api/kinds/volume-attachment.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { explainAttachment } from './explain-attachment.ts'
import { explainNode } from './explain-node.ts'
import { explainRegistration } from './explain-registration.ts'
import type { Link } from './explanation.ts'
import { explainWaiting, findCandidates } from './find-candidates.ts'
import type { ExplainObject } from './find-candidates.ts'
import { absentLink, blockedLink, readyLink, unseenLink, waitingLink } from './links.ts'
import { REASONS } from './reasons.ts'
import { SCOPE_REASONS } from './scope-reasons.ts'

/** What is wrong with a node, and everything on it that is waiting. */
export async function explainWholeNode(
  name: string,
  reader: ClusterReader,
  explainObject: ExplainObject,
): Promise<Link> {
  const object = { kind: 'Node', name }
  const found = await reader.get(NODES, { name })
  if (found.kind === 'unseen') return unseenLink(object)
  const attachments = ((await reader.list(VOLUME_ATTACHMENTS)) ?? []).filter(({ spec }) => spec.nodeName === name)
  if (found.kind === 'absent') return explainGone(name, attachments, reader)
  const node = await explainNode(name, reader)
  const state = found.object.spec?.unschedulable ? `${node.state},SchedulingDisabled` : node.state
  const links: Link[] = []
  // Its own trouble comes first: most of the rest follows from it.
  if (node.status === 'waits') links.push({ ...node, title: 'its kubelet', reason: REASONS.nodeSilent(name) })
  for (const driver of new Set(attachments.map(({ spec }) => spec.attacher)))
    links.push(await explainRegistration(driver, name, reader))
  links.push(...(await explainLimits(name, attachments, reader)))
  const candidates = await findCandidates(reader)
  const here = [
    ...candidates.attachments.filter(({ spec }) => spec.nodeName === name),
    ...candidates.pods.filter(({ spec }) => spec.nodeName === name),
  ]
  links.push(...(await explainWaiting(here, explainObject, reader)))
  const waiting = links.filter(({ status }) => status === 'waits')
  if (waiting.length > 0) return blockedLink(object, state, waiting)
  const volumes = attachments.length === 1 ? '1 volume is' : `${attachments.length} volumes are`
  const reason = SCOPE_REASONS.nothingWaits(`is ready, ${volumes} attached, and nothing on it is waiting for storage`)
  return readyLink(object, state, { reason, dependsOn: links })
}

/** A node that is gone, with what remains of it. */
async function explainGone(
  name: string,
  attachments: readonly VolumeAttachment[],
  reader: ClusterReader,
): Promise<Link> {
  const object = { kind: 'Node', name }
  const pods = ((await reader.list(PODS)) ?? []).filter(({ spec }) => spec.nodeName === name)
  if (attachments.length === 0 && pods.length === 0) return absentLink(object)
  const links: Link[] = []
  for (const { metadata } of attachments)
    links.push(await explainAttachment(metadata.name ?? '', { reader, isToGo: true }))
  // `absent` would say that there is nothing to explain.
  return blockedLink(object, 'gone', links, { reason: SCOPE_REASONS.nodeGone(name, attachments.length) })
}

/** A link for each driver that can attach no further volume to the node. */
async function explainLimits(
  nodeName: string,
  attachments: readonly VolumeAttachment[],
  reader: ClusterReader,
): Promise<Link[]> {
  const found = await reader.get(CSI_NODES, { name: nodeName })
  const drivers = found.kind === 'found' ? (found.object.spec.drivers ?? []) : []
  return drivers.flatMap(({ name: driver, allocatable }) => {
    const used = attachments.filter(({ spec }) => spec.attacher === driver).length
    const limit = allocatable?.count ?? undefined
    if (limit === undefined || used < limit) return []
    const reason = SCOPE_REASONS.attachLimitReached(driver, nodeName, used, limit)
    const title = `room for volumes of driver ${driver}`
    return [waitingLink({ kind: 'CSINode', name: nodeName }, 'full', reason, { title })]
  })
}
