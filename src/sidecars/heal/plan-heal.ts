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
  const { attacher, nodeName, source } = attachment.spec
  const refuse = (text: string): DetachPlan => ({ advice: { object: formatObject(attachment), text } })
  const volume = view.volumes.find(({ metadata }) => metadata.name === source.persistentVolumeName)
  const csi = volume?.spec.csi ?? source.inlineVolumeSpec?.csi
  const saved = savedTarget(attachment)
  const volumeHandle = saved.volumeHandle ?? csi?.volumeHandle
  const registered = view.csiNodes.find(({ metadata }) => metadata.name === nodeName)?.spec.drivers
  const nodeId = saved.nodeId ?? registered?.find(({ name }) => name === attacher)?.nodeID
  if (!volumeHandle)
    return refuse(
      'The PersistentVolume is gone, and nothing says which volume it was: detach it in the storage backend.',
    )
  if (!nodeId)
    return refuse(
      `Driver ${attacher} is not registered on node ${nodeName}, and nothing says which node it was: detach the volume in the storage backend.`,
    )
  const node = view.nodes.find(({ metadata }) => metadata.name === nodeName)
  if (node?.status?.volumesInUse?.includes(uniqueVolumeName(attacher, volumeHandle)))
    return refuse(`Node ${nodeName} reports that the volume is still mounted: check why it is not unmounted.`)
  const { namespace = '', name = '' } = volume?.spec.claimRef ?? {}
  const user = view.pods.find(
    (pod) => pod.spec.nodeName === nodeName && podClaimKeysOf(pod).includes(keyOfRef({ namespace, name })),
  )
  if (user) return refuse(`Pod ${keyOf(user)} is using the volume on node ${nodeName}: delete the pod.`)
  const { name: secretName, namespace: secretNamespace } = csi?.controllerPublishSecretRef ?? {}
  const ref = secretName && secretNamespace ? { name: secretName, namespace: secretNamespace } : saved.secretRef
  return { action: { kind: 'detach', attachment, target: createTarget(volumeHandle, nodeId, ref) } }
}

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
