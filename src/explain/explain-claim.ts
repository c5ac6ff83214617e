import { readClaimView } from '../controllers/binder/claim-view.ts'
import type { ClaimSources, ClaimView } from '../controllers/binder/claim-view.ts'
import { nextClaimStep } from '../controllers/binder/next-claim-step.ts'
import type { ClaimStep } from '../controllers/binder/next-claim-step.ts'
import { nextClaimProtectionStep, usesClaim } from '../controllers/protection/next-protection-step.ts'
import { keyOf } from '../api/object-key.ts'
import type { ObjectRef } from '../api/object.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import { PODS } from '../api/kinds/pod.ts'
import type { Pod } from '../api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../api/kinds/storage-class.ts'
import type { StorageClass } from '../api/kinds/storage-class.ts'
import { SelectorError } from '../api/selector-error.ts'
import { findMisfit } from '../storage/find-misfit.ts'
import { classNameOf, findClassName, PVC_PROTECTION, STORAGE_PROVISIONER } from '../storage/names.ts'
import { podClaimKeysOf } from '../storage/pod-claims.ts'
import { createVolumeStock, isFreeVolume } from '../storage/volume-stock.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { explainFinalizers } from './explain-finalizers.ts'
import { explainGrowth } from './explain-growth.ts'
import { explainLeavingPod } from './explain-leaving-pod.ts'
import { explainProvisioning } from './explain-provisioning.ts'
import type { Link } from './explanation.ts'
import { findLastError } from './last-error.ts'
import { absentLink, blockedLink, changeCause, idOf, prefixCause, readyLink, unseenLink, waitingLink } from './links.ts'
import { REASONS } from './reasons.ts'
import { withRetained } from './retained-volume.ts'
import { cureOf } from './why-reason.ts'
import type { WhyReason } from './why-reason.ts'

export type ClaimQuestion = {
  readonly reader: ClusterReader
  /** Explains a pod that has to be scheduled first. Absent if this pod is being explained. */
  explainPod?(pod: Pod): Promise<Link>
  /** Explains a snapshot that the claim is to be restored from. Absent if this snapshot is being explained. */
  explainSnapshot?(ref: ObjectRef): Promise<Link>
  /** Whether a bound claim also has to have the size and the attributes that it requests. Default false. */
  readonly alsoGrowth?: boolean
}

/** Why a claim is not bound, or not deleted. */
export async function explainClaim(ref: ObjectRef, question: ClaimQuestion): Promise<Link> {
  const { reader } = question
  const found = await reader.get(PERSISTENT_VOLUME_CLAIMS, ref)
  const object = { kind: 'PersistentVolumeClaim', ...ref }
  if (found.kind === 'absent') return absentLink(object)
  if (found.kind === 'unseen') return unseenLink(object)
  const claim = found.object
  return claim.metadata.deletionTimestamp === undefined
    ? explainStaying(claim, question)
    : explainLeaving(claim, reader)
}

export const claimState = ({ metadata, status }: PersistentVolumeClaim): string =>
  metadata.deletionTimestamp === undefined ? (status?.phase ?? 'Pending') : 'Terminating'

async function explainLeaving(claim: PersistentVolumeClaim, reader: ClusterReader): Promise<Link> {
  const pods = (await reader.list(PODS, claim.metadata.namespace)) ?? []
  const step = nextClaimProtectionStep({ seen: { claim, pods } })
  const user = step.kind === 'wait' ? pods.find((pod) => usesClaim(pod, claim)) : undefined
  const isLeaving = true
  if (user && step.kind === 'wait') {
    // A pod that has been deleted already need not be deleted again.
    const podLink =
      user.metadata.deletionTimestamp === undefined
        ? waitingLink(idOf(user), user.status?.phase ?? 'Pending', step.reason)
        : prefixCause(await explainLeavingPod(user, reader), `${step.reason.message} and is being deleted`)
    return blockedLink(idOf(claim), 'Terminating', [podLink], { isLeaving })
  }
  return explainFinalizers(claim, { [PVC_PROTECTION]: 'the controller that protects claims' })
}

async function explainStaying(
  claim: PersistentVolumeClaim,
  { reader, explainPod, explainSnapshot, alsoGrowth = false }: ClaimQuestion,
): Promise<Link> {
  const { metadata, spec, status } = claim
  const [object, state] = [idOf(claim), claimState(claim)]
  const named = spec.volumeName ? await reader.get(PERSISTENT_VOLUMES, { name: spec.volumeName }) : undefined
  if (named?.kind === 'unseen' && status?.phase === 'Bound')
    return readyLink(object, state, {
      reason: { code: 'Bound' },
      dependsOn: [readyLink({ kind: 'PersistentVolume', name: spec.volumeName ?? '' }, 'not visible')],
    })
  if (named?.kind === 'unseen')
    return blockedLink(object, state, [unseenLink({ kind: 'PersistentVolume', name: spec.volumeName ?? '' })])
  const volume = named?.kind === 'found' ? named.object : undefined

  const className = classNameOf(claim)
  const classFound =
    className === '' || spec.volumeName ? undefined : await reader.get(STORAGE_CLASSES, { name: className })
  if (classFound?.kind === 'unseen') return notSeenClass(claim, className, reader)
  const storageClass = classFound?.kind === 'found' ? classFound.object : undefined
  const classes = spec.volumeName ? [] : ((await reader.list(STORAGE_CLASSES)) ?? [])
  const volumes = spec.volumeName ? [] : ((await reader.list(PERSISTENT_VOLUMES)) ?? [])
  const pods = spec.volumeName ? [] : ((await reader.list(PODS, metadata.namespace)) ?? [])
  const view = readView({
    claims: { get: () => claim },
    volumes: { get: () => volume },
    classes: { get: () => storageClass, all: () => classes },
    stock: createVolumeStock(volumes),
    podsOf: (key) => pods.filter((pod) => podClaimKeysOf(pod).includes(key)),
  })
  if (view instanceof SelectorError) return waitingLink(object, state, REASONS.selectorInvalid(view.message))
  const step = nextClaimStep(view)
  switch (step.kind) {
    case 'wait':
      return explainWait(step.reason, view.seen)
    case 'mark-lost':
      return explainWait(step.reason, view.seen)
    default:
      return waitingLink(object, state, REASONS.notBoundYet(step.kind))
  }

  function readView(sources: ClaimSources): ClaimView | SelectorError {
    try {
      return readClaimView(sources, keyOf(claim)) ?? { seen: { claim } }
    } catch (error) {
      if (error instanceof SelectorError) return error
      throw error
    }
  }

  /** What the provisioner will not find once a pod uses the claim. Undefined if nothing is missing. */
  async function explainBeforeConsumer(ofClaim: StorageClass): Promise<Link | undefined> {
    const { provisioner } = ofClaim
    const annotations = { ...metadata.annotations, [STORAGE_PROVISIONER]: provisioner }
    const link = await explainProvisioning({
      claim: { ...claim, metadata: { ...metadata, annotations } },
      storageClass: { ...ofClaim, volumeBindingMode: 'Immediate' },
      volumes,
      waiting: REASONS.notBoundYet('provisioning'),
      reader,
      ...(explainSnapshot ? { explainSnapshot } : {}),
    })
    const missing = link.dependsOn.find(({ status }) => status === 'waits')
    if (!missing || !NEEDED_BEFORE.has(missing.object.kind)) return undefined
    return changeCause(link, (cause) => ({
      ...cause,
      cure: `${cureOf(cause) ?? ''} Then create a pod that uses the claim: the volume is created for its first consumer.`.trim(),
    }))
  }

  async function explainWait(
    reason: Extract<ClaimStep, { kind: 'wait' }>['reason'],
    { waitingPods = [] }: ClaimView['seen'],
  ): Promise<Link> {
    switch (reason.code) {
      case 'Bound':
        return explainBound(claim, volume, reason, alsoGrowth ? reader : undefined)
      case 'StorageClassMissing': {
        const others = namesOf(classes)
        const cure = others.length === 0 ? {} : { cure: `Create it, or choose one of: ${others.join(', ')}.` }
        return blockedLink(object, state, [
          absentLink({ kind: 'StorageClass', name: className }, { ...reason, ...cure }),
        ])
      }
      case 'VolumeMissing':
        return blockedLink(object, state, [
          absentLink({ kind: 'PersistentVolume', name: spec.volumeName ?? '' }, reason),
        ])
      case 'WaitForPodScheduled': {
        const [pod] = waitingPods
        return pod && explainPod
          ? blockedLink(object, state, [await explainPod(pod)], { reason })
          : { object, state, status: 'follows', reason, dependsOn: [] }
      }
      case 'WaitForFirstConsumer':
        return (storageClass && (await explainBeforeConsumer(storageClass))) ?? waitingLink(object, state, reason)
      case 'ExternalProvisioning':
        // The binder reports that only if there is a class.
        return storageClass
          ? explainProvisioning({
              claim,
              storageClass,
              volumes,
              waiting: reason,
              reader,
              ...(explainSnapshot ? { explainSnapshot } : {}),
            })
          : waitingLink(object, state, reason)
      case 'NothingFits':
        return waitingLink(
          object,
          state,
          findClassName(claim) === undefined
            ? REASONS.noDefaultClass(namesOf(classes))
            : (withRetained(reason, claim, volumes) ?? withNearest(reason, claim, volumes)),
        )
      case 'VolumeLost': {
        const cure = `If the storage backend still has it, recreate PersistentVolume ${spec.volumeName} with a claimRef to the claim.`
        return waitingLink(object, state, { ...reason, cure })
      }
      case 'NobodyProvisions':
        return waitingLink(object, state, withRetained(reason, claim, volumes) ?? withNearest(reason, claim, volumes))
      default:
        return waitingLink(object, state, reason)
    }
  }
}

// Kinds that a claim names, directly or through its class.
const NEEDED_BEFORE: ReadonlySet<string> = new Set([
  'PersistentVolumeClaim',
  'Secret',
  'VolumeAttributesClass',
  'VolumeSnapshot',
  'VolumeSnapshotContent',
])

/** Without the class nothing can be decided: the last event about the claim is used instead. */
async function notSeenClass(claim: PersistentVolumeClaim, className: string, reader: ClusterReader): Promise<Link> {
  const [object, state] = [idOf(claim), claimState(claim)]
  if (claim.status?.phase === 'Bound') return readyLink(object, state)
  const lastError = await findLastError(reader, object, ['ProvisioningFailed', 'FailedBinding', 'VolumeMismatch'])
  if (lastError) return waitingLink(object, state, REASONS.lastErrorOnly(lastError.message), { lastError })
  return blockedLink(object, state, [unseenLink({ kind: 'StorageClass', name: className })])
}

/** `reader`: for the question whether the volume is as the claim requests it. */
async function explainBound(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume | undefined,
  reason: WhyReason,
  reader: ClusterReader | undefined,
): Promise<Link> {
  const dependsOn = volume ? [readyLink(idOf(volume), volume.status?.phase ?? 'Pending')] : []
  const growth = reader && volume ? await explainGrowth(claim, volume, reader) : undefined
  return growth ?? readyLink(idOf(claim), claimState(claim), { reason, dependsOn })
}

const namesOf = (classes: readonly StorageClass[]): string[] =>
  classes.map(({ metadata }) => metadata.name ?? '').sort()

/** The name of each difference. Others do not count as a near miss. */
const DIFFERENCES = new Map<string, string>([
  ['accessModes', 'access modes'],
  ['volumeMode', 'volume mode'],
  ['size', 'size'],
  ['volumeAttributesClass', 'VolumeAttributesClass'],
])

/** Names the available volume that comes closest, and what it lacks. */
function withNearest(reason: WhyReason, claim: PersistentVolumeClaim, volumes: readonly PersistentVolume[]): WhyReason {
  const order = [...DIFFERENCES.keys()]
  const misfits = volumes.filter(isFreeVolume).flatMap((volume) => {
    const misfit = findMisfit(claim, volume)
    return misfit && DIFFERENCES.has(misfit.what) ? [{ volume: volume.metadata.name ?? '', ...misfit }] : []
  })
  const [nearest] = misfits.sort((one, other) => order.indexOf(one.what) - order.indexOf(other.what))
  if (!nearest) return reason
  const { volume, what, wanted, found } = nearest
  const near = `volume ${volume} has ${DIFFERENCES.get(what)} ${found || 'none'}, the claim requests ${wanted || 'none'}`
  return {
    ...reason,
    message: `${reason.message} (${near})`,
    detail: { ...reason.detail, nearest: volume, differs: what, wanted, found },
  }
}
