import { readClaimView } from '../controllers/binder/claim-view.ts'
import type { ClaimSources, ClaimView } from '../controllers/binder/claim-view.ts'
import { nextClaimStep } from '../controllers/binder/next-claim-step.ts'
import type { ClaimStep } from '../controllers/binder/next-claim-step.ts'
import { nextExpansionStep } from '../controllers/expansion/next-expansion-step.ts'
import { nextClaimProtectionStep, usesClaim } from '../controllers/protection/next-claim-protection-step.ts'
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
import type { Reason } from '../api/reason.ts'
import { findMisfit } from '../storage/find-misfit.ts'
import { classNameOf, findClassName, PVC_PROTECTION } from '../storage/names.ts'
import { podClaimKeysOf } from '../storage/pod-claims.ts'
import { createVolumeStock, isFreeVolume } from '../storage/volume-stock.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { explainFinalizers } from './explain-finalizers.ts'
import { explainProvisioning } from './explain-provisioning.ts'
import type { Link } from './explanation.ts'
import { findLastError } from './last-error.ts'
import { absentLink, actor, blockedLink, idOf, readyLink, unseenLink, waitingLink } from './links.ts'

export type ClaimQuestion = {
  readonly reader: ClusterReader
  /** Explains a pod that has to get a node first. Left out: it is the pod that asks. */
  explainPod?(pod: Pod): Promise<Link>
  /** Whether a bound claim that is to grow counts as one that waits. Default false. */
  readonly alsoGrowth?: boolean
}

/** Why a claim is not bound, or not gone. */
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
    const podLink = waitingLink(idOf(user), user.status?.phase ?? 'Pending', step.reason)
    return blockedLink(idOf(claim), 'Terminating', [podLink], { isLeaving })
  }
  return explainFinalizers(claim, { [PVC_PROTECTION]: 'the controller that protects claims' })
}

async function explainStaying(
  claim: PersistentVolumeClaim,
  { reader, explainPod, alsoGrowth = false }: ClaimQuestion,
): Promise<Link> {
  const { metadata, spec, status } = claim
  const [object, state] = [idOf(claim), claimState(claim)]
  const named = spec.volumeName ? await reader.get(PERSISTENT_VOLUMES, { name: spec.volumeName }) : undefined
  if (named?.kind === 'unseen' && status?.phase === 'Bound')
    return readyLink(object, state, { reason: { code: 'Bound', detail: { volume: spec.volumeName ?? '' } } })
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
  if (view instanceof SelectorError)
    return waitingLink(object, state, {
      code: 'SelectorInvalid',
      detail: { error: view.message },
      cure: 'Correct spec.selector in a new claim',
    })
  const step = nextClaimStep(view)
  switch (step.kind) {
    case 'wait':
      return explainWait(step.reason, view.seen)
    case 'mark-lost':
      return waitingLink(object, state, step.reason)
    default:
      // Nobody has done yet what can be done at once.
      return waitingLink(object, state, {
        code: 'NotBoundYet',
        waitsFor: actor('the volume binder'),
        detail: { step: step.kind },
      })
  }

  function readView(sources: ClaimSources): ClaimView | SelectorError {
    try {
      return readClaimView(sources, keyOf(claim)) ?? { seen: { claim } }
    } catch (error) {
      if (error instanceof SelectorError) return error
      throw error
    }
  }

  async function explainWait(
    reason: Extract<ClaimStep, { kind: 'wait' }>['reason'],
    { waitingPods = [] }: ClaimView['seen'],
  ): Promise<Link> {
    switch (reason.code) {
      case 'Bound':
        return explainBound(claim, volume, reason, alsoGrowth)
      case 'StorageClassMissing': {
        const others = classes.map((each) => each.metadata.name ?? '').sort()
        const missing = { ...reason, ...(others.length === 0 ? {} : { detail: { classes: others.join(', ') } }) }
        return blockedLink(object, state, [absentLink({ kind: 'StorageClass', name: className }, missing)])
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
      case 'ExternalProvisioning':
        // The binder says so only where there is a class.
        return storageClass
          ? explainProvisioning({ claim, storageClass, volumes, reader })
          : waitingLink(object, state, reason)
      case 'NothingFits':
        return waitingLink(
          object,
          state,
          findClassName(claim) === undefined ? withoutClass(reason, classes) : withNearest(reason, claim, volumes),
        )
      case 'NobodyProvisions':
        return waitingLink(object, state, withNearest(reason, claim, volumes))
      default:
        return waitingLink(object, state, reason)
    }
  }
}

/** Without the class nothing can be worked out: what was said about the claim has to do. */
async function notSeenClass(claim: PersistentVolumeClaim, className: string, reader: ClusterReader): Promise<Link> {
  const [object, state] = [idOf(claim), claimState(claim)]
  if (claim.status?.phase === 'Bound') return readyLink(object, state)
  const lastError = await findLastError(reader, object, ['ProvisioningFailed', 'FailedBinding', 'VolumeMismatch'])
  if (lastError)
    return waitingLink(object, state, { code: 'LastErrorOnly', detail: { error: lastError.message } }, { lastError })
  return blockedLink(object, state, [unseenLink({ kind: 'StorageClass', name: className })])
}

function explainBound(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume | undefined,
  reason: Reason,
  alsoGrowth: boolean,
): Link {
  const [object, state] = [idOf(claim), claimState(claim)]
  const dependsOn = volume ? [readyLink(idOf(volume), volume.status?.phase ?? 'Pending')] : []
  const growth = alsoGrowth ? nextExpansionStep({ seen: { claim, ...(volume ? { volume } : {}) } }) : undefined
  if (growth?.kind === 'hand-over') return waitingLink(object, state, growth.reason, { dependsOn })
  return readyLink(object, state, { reason, dependsOn })
}

const withoutClass = (reason: Reason, classes: readonly StorageClass[]): Reason => ({
  ...reason,
  code: 'NoDefaultClass',
  detail: {
    classes: classes
      .map(({ metadata }) => metadata.name ?? '')
      .sort()
      .join(', '),
  },
})

/** Of volumes that are free, the one that comes nearest tells more than that none fits. */
function withNearest(reason: Reason, claim: PersistentVolumeClaim, volumes: readonly PersistentVolume[]): Reason {
  const order = ['accessModes', 'volumeMode', 'size', 'volumeAttributesClass']
  const misfits = volumes.filter(isFreeVolume).flatMap((volume) => {
    const misfit = findMisfit(claim, volume)
    return misfit && order.includes(misfit.what) ? [{ volume: volume.metadata.name ?? '', ...misfit }] : []
  })
  const [nearest] = misfits.sort((one, other) => order.indexOf(one.what) - order.indexOf(other.what))
  if (!nearest) return reason
  const { volume, what, wanted, found } = nearest
  return { ...reason, detail: { ...reason.detail, nearest: volume, differs: what, wanted, found } }
}
