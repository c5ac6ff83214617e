import { hasFinalizer } from '../../api/finalizers.ts'
import { hasCondition } from '../../api/conditions.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { taintOutOfService } from '../../api/node-taints.ts'
import { formatObject, keyOf, keyOfRef } from '../../api/object-key.ts'
import { podClaimKeysOf } from '../../storage/pod-claims.ts'
import { uniqueVolumeName } from '../../storage/unique-volume-name.ts'
import { attacherFinalizer } from '../attacher-finalizer.ts'
import { createTarget, savedTarget } from '../attach-target.ts'
import type { Target } from '../attach-target.ts'
import type { VolumeObjects } from '../volume-objects.ts'

/** What can be repaired without risk. */
export type HealAction =
  /** Call ControllerUnpublishVolume and, only if it returns OK, remove the finalizer of the attacher. */
  | { readonly kind: 'detach'; readonly attachment: VolumeAttachment; readonly target: Target }
  /** Remove the claimRef of a retained volume that a new claim of the same name asks for by name. */
  | { readonly kind: 'clear-claim-ref'; readonly volume: PersistentVolume; readonly claim: string }

/** What only a person may do, or what cannot be repaired, and why. */
export type Advice = { readonly object: string; readonly text: string }

export type HealPlan = { readonly actions: readonly HealAction[]; readonly advice: readonly Advice[] }

/** `driverName` restricts it to the attachments of one driver. */
export function planHeal(view: VolumeObjects, driverName?: string): HealPlan {
  const detaching = view.attachments
    .filter(({ spec }) => driverName === undefined || spec.attacher === driverName)
    .filter((attachment) => isStuck(attachment))
    .map((attachment) => planDetach(attachment, view))
  return {
    actions: [...detaching.flatMap((plan) => plan.action ?? []), ...planClaimRefs(view)],
    advice: [...detaching.flatMap((plan) => plan.advice ?? []), ...nodeAdvice(view)],
  }
}

/** The attach/detach controller has decided that the volume may be detached, and the attacher has not done it. */
const isStuck = (attachment: VolumeAttachment): boolean =>
  attachment.metadata.deletionTimestamp !== undefined &&
  hasFinalizer(attachment, attacherFinalizer(attachment.spec.attacher))

type DetachPlan = { readonly action?: HealAction; readonly advice?: Advice }

function planDetach(attachment: VolumeAttachment, view: VolumeObjects): DetachPlan {
  const { attacher, nodeName } = attachment.spec
  const refuse = (text: string): DetachPlan => ({ advice: { object: formatObject(attachment), text } })
  const { volumeHandle, nodeId } = targetOf(attachment, view)
  if (!volumeHandle)
    return refuse(
      'The PersistentVolume is gone, and nothing says which volume it was: detach it in the storage backend.',
    )
  if (!nodeId)
    return refuse(
      `Driver ${attacher} is not registered on node ${nodeName}, and nothing says which node it was: detach the volume in the storage backend.`,
    )
  const use = findUse(attachment, { volumeHandle, nodeId }, view)
  if (use !== undefined) return refuse(use)
  const { name, namespace } = sourceOf(attachment, view)?.controllerPublishSecretRef ?? {}
  const ref = name && namespace ? { name, namespace } : savedTarget(attachment).secretRef
  return { action: { kind: 'detach', attachment, target: createTarget(volumeHandle, nodeId, ref) } }
}

const sourceOf = ({ spec: { source } }: VolumeAttachment, { volumes }: VolumeObjects) =>
  volumes.find(({ metadata }) => metadata.name === source.persistentVolumeName)?.spec.csi ??
  source.inlineVolumeSpec?.csi

/** The volume and node of an attachment for the driver, as far as something says so. */
function targetOf(attachment: VolumeAttachment, view: VolumeObjects) {
  const { attacher, nodeName } = attachment.spec
  const { volumeHandle, nodeId } = savedTarget(attachment)
  const registered = view.csiNodes.find(({ metadata }) => metadata.name === nodeName)?.spec.drivers
  return {
    volumeHandle: volumeHandle ?? sourceOf(attachment, view)?.volumeHandle,
    nodeId: nodeId ?? registered?.find(({ name }) => name === attacher)?.nodeID,
  }
}

/**
 * Why the driver must not detach the volume from the machine: something there uses it, perhaps under another name. A machine may have come back as
 * another Node, and several PersistentVolumes may name one volume. The driver only knows handle and node ID.
 */
function findUse(
  attachment: VolumeAttachment,
  { volumeHandle, nodeId }: { readonly volumeHandle: string; readonly nodeId: string },
  view: VolumeObjects,
): string | undefined {
  const { attacher, source, nodeName: ownNode } = attachment.spec
  const registeredAs = view.csiNodes.filter(({ spec }) =>
    spec.drivers?.some((driver) => driver.name === attacher && driver.nodeID === nodeId),
  )
  const nodeNames = new Set([ownNode, ...registeredAs.map(({ metadata }) => metadata.name ?? '')])
  const uniqueName = uniqueVolumeName(attacher, volumeHandle)
  const node = view.nodes.find(
    ({ metadata, status }) => nodeNames.has(metadata.name ?? '') && status?.volumesInUse?.includes(uniqueName),
  )
  if (node) return `Node ${node.metadata.name} reports that the volume is still mounted: check why it is not unmounted.`
  const other = view.attachments.find((each) => {
    if (each.spec.attacher !== attacher || each.metadata.deletionTimestamp !== undefined) return false
    const target = targetOf(each, view)
    return target.volumeHandle === volumeHandle && target.nodeId === nodeId
  })
  if (other)
    return `${formatObject(other)} needs the same volume on the same machine: detaching it would take the volume from its users.`
  const names = new Set(
    view.volumes
      .filter(({ spec }) => spec.csi?.driver === attacher && spec.csi.volumeHandle === volumeHandle)
      .map(({ metadata }) => metadata.name)
      .concat(source.persistentVolumeName ?? []),
  )
  const claimKeys = new Set([
    ...view.volumes
      .filter(({ metadata }) => names.has(metadata.name))
      .map(({ spec }) => keyOfRef(refTo(spec.claimRef))),
    // A PersistentVolume that is gone does not name its claim, but its claim names it.
    ...view.claims.filter(({ spec }) => spec.volumeName && names.has(spec.volumeName)).map(keyOf),
  ])
  const pods = view.pods.filter(({ spec }) => nodeNames.has(spec.nodeName ?? ''))
  const user = pods.find((pod) => podClaimKeysOf(pod).some((key) => claimKeys.has(key)))
  if (user) return `Pod ${keyOf(user)} is using the volume on node ${user.spec.nodeName}: delete the pod.`
  const [pod] = source.inlineVolumeSpec ? pods : []
  return pod && `Pod ${keyOf(pod)} is on the node, and nothing says which pod uses an inline volume: delete the pod.`
}

const refTo = ({ namespace = '', name = '' }: { readonly namespace?: string; readonly name?: string } = {}) => ({
  namespace,
  name,
})

/** Only if the claim that now has the name asks for exactly this volume, and nobody else does. */
function planClaimRefs({ volumes, claims }: VolumeObjects): HealAction[] {
  return volumes.flatMap((volume): HealAction[] => {
    const { claimRef, persistentVolumeReclaimPolicy } = volume.spec
    const { name = '' } = volume.metadata
    if (volume.status?.phase !== 'Released' || persistentVolumeReclaimPolicy !== 'Retain' || !claimRef?.uid) return []
    if (volume.metadata.deletionTimestamp !== undefined) return []
    const asking = claims.filter(({ spec, metadata }) => spec.volumeName === name && !metadata.deletionTimestamp)
    const [claim] = asking
    if (!claim || asking.length > 1 || claim.status?.phase === 'Bound') return []
    const isNamesake = claim.metadata.name === claimRef.name && claim.metadata.namespace === claimRef.namespace
    return isNamesake && claim.metadata.uid !== claimRef.uid
      ? [{ kind: 'clear-claim-ref', volume, claim: keyOf(claim) }]
      : []
  })
}

/** A node that does not respond, with volumes or pods that wait for it. Only a person can know that the machine is powered off. */
function nodeAdvice({ nodes, attachments, pods }: VolumeObjects): Advice[] {
  return nodes.flatMap((node) => {
    const { name = '' } = node.metadata
    const { conditions = [] } = node.status ?? {}
    const isSilent = conditions.some(({ type }) => type === 'Ready') && !hasCondition(conditions, 'Ready')
    const isAwaited =
      attachments.some(({ spec }) => spec.nodeName === name) ||
      pods.some(({ spec, metadata }) => spec.nodeName === name && metadata.deletionTimestamp !== undefined)
    return isSilent && isAwaited
      ? [
          {
            object: formatObject(node),
            text: `The node is not ready. Bring it back, or, once you have confirmed that the machine is powered off, run: ${taintOutOfService(name)}`,
          },
        ]
      : []
  })
}

/** For people, before it is done. */
export const describeAction = (action: HealAction): string =>
  action.kind === 'detach'
    ? `${formatObject(action.attachment)}: call ControllerUnpublishVolume for volume ${action.target.volumeHandle} and node ${action.target.nodeId}; if it returns OK, remove finalizer ${attacherFinalizer(action.attachment.spec.attacher)}`
    : `${formatObject(action.volume)}: remove spec.claimRef, so that claim ${action.claim}, which names the volume, is bound to it with the data of the earlier claim of that name`
