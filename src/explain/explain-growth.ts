import { nextExpansionStep } from '../controllers/expansion/next-expansion-step.ts'
import { readExpandView } from '../sidecars/resizer/expand-view.ts'
import type { ExpandHeld } from '../sidecars/resizer/expand-view.ts'
import { readModifyView } from '../sidecars/resizer/modify-view.ts'
import type { ModifyHeld } from '../sidecars/resizer/modify-view.ts'
import { nextExpandStep } from '../sidecars/resizer/next-expand-step.ts'
import { nextModifyStep } from '../sidecars/resizer/next-modify-step.ts'
import { findCondition } from '../api/conditions.ts'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import { PODS } from '../api/kinds/pod.ts'
import type { Pod } from '../api/kinds/pod.ts'
import { SECRETS } from '../api/kinds/secret.ts'
import { STORAGE_CLASSES } from '../api/kinds/storage-class.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../api/kinds/volume-attributes-class.ts'
import { keyOf } from '../api/object-key.ts'
import { findTimestamp } from '../api/timestamps.ts'
import { classNameOf } from '../storage/names.ts'
import { isFinishedPod, podClaimKeysOf } from '../storage/pod-claims.ts'
import type { ClusterReader } from './cluster-reader.ts'
import type { LastError, Link } from './explanation.ts'
import { findLastError } from './last-error.ts'
import { absentLink, blockedLink, idOf, idOfAwaited, readyLink, unseenLink, waitingLink } from './links.ts'
import { quote } from './quote-text.ts'
import { REASONS } from './reasons.ts'
import type { WhyCode, WhyReason } from './why-reason.ts'

type SecretRef = { readonly namespace: string; readonly name: string }
type Bound = {
  readonly claim: PersistentVolumeClaim
  readonly volume: PersistentVolume
  readonly reader: ClusterReader
}

/** Why a bound claim does not have the size or the VolumeAttributesClass that it requests. Undefined: it has both. */
export async function explainGrowth(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  reader: ClusterReader,
): Promise<Link | undefined> {
  const bound = { claim, volume, reader }
  return (await explainSize(bound)) ?? explainAttributes(bound)
}

async function explainSize(bound: Bound): Promise<Link | undefined> {
  const { claim, volume, reader } = bound
  const handOver = nextExpansionStep({ seen: { claim, volume } })
  if (handOver.kind !== 'hand-over') return undefined
  const driver = volume.spec.csi?.driver
  // Volumes without a CSI driver have no resizer of ours.
  const seen = driver === undefined ? undefined : readExpandView(claim, () => volume, driver)
  if (!seen) return waitsWith(bound, handOver.reason)

  const lastError = await errorOf(bound, EXPANSION)
  const users = lastError ? await usersOf(bound) : []
  let held = heldBy(claim, lastError, users)
  let step = nextExpandStep({ seen, held })
  if (step.kind === 'read-secret') {
    held = { ...held, secret: await readSecret(step.ref, reader) }
    step = nextExpandStep({ seen, held })
  }
  switch (step.kind) {
    case 'wait':
    case 'refuse':
      if (step.reason.code === 'NodeResizePending') return explainNodePart(bound, step.reason)
      return waitsWith(bound, step.reason, lastError)
    default:
      return waitsWith(bound, await withClass(handOver.reason, bound))
  }
}

/**
 * What the resizer would remember of its last call, as far as the claim and its events tell. The driver refuses to expand a volume in use with
 * FailedPrecondition, which only the text of the error shows.
 */
function heldBy(claim: PersistentVolumeClaim, error: LastError | undefined, users: readonly Pod[]): ExpandHeld {
  const rules = { nowMs: 0, isNodeOnly: false, avoidsUsedVolumes: true, annotatesFsResize: false }
  if (!error) return rules
  const { allocatedResources, allocatedResourceStatuses, conditions } = claim.status ?? {}
  const target = allocatedResources?.['storage'] ?? claim.spec.resources?.requests?.['storage'] ?? '0'
  const isInUse = users.length > 0 && /FailedPrecondition|currently in-use/.test(error.message)
  const isInfeasible = allocatedResourceStatuses?.['storage']?.endsWith('Infeasible') ?? false
  const isResizing = findCondition(conditions, 'Resizing')?.status === 'True'
  const outcome = isInfeasible ? 'infeasible' : isInUse ? 'in-use' : 'final'
  // After a volume was in use, its users are counted again before the next call. Any other failure is waiting for its retry.
  const retryAtMs = outcome === 'in-use' && isResizing ? 0 : 1
  return {
    ...rules,
    users: users.map(keyOf),
    memory: { kind: 'failed', target, outcome, message: quote(error.message), count: 1, retryAtMs },
  }
}

/** The controller's part is done: the node expands the file system once a pod uses the volume there. */
async function explainNodePart(bound: Bound, reason: WhyReason): Promise<Link> {
  const user = (await usersOf(bound)).find(({ spec }) => spec.nodeName)
  const cure = user
    ? `Pod ${user.metadata.name} is using the volume: check the logs of the kubelet or node agent on node ${user.spec.nodeName}.`
    : 'Create a pod that uses the claim.'
  return waitsWith(bound, { ...reason, cure })
}

/** A class that does not allow expansion often has a driver that does not support it, or no resizer. */
async function withClass(reason: WhyReason, { claim, reader }: Bound): Promise<WhyReason> {
  const name = classNameOf(claim)
  const found = name === '' ? undefined : await reader.get(STORAGE_CLASSES, { name })
  if (found?.kind !== 'found' || found.object.allowVolumeExpansion === true) return reason
  const cure = `StorageClass ${name} does not set allowVolumeExpansion: check that the driver supports expansion and that its resizer is running.`
  return { ...reason, cure }
}

async function explainAttributes(bound: Bound): Promise<Link | undefined> {
  const { claim, volume, reader } = bound
  const driver = volume.spec.csi?.driver
  if (driver === undefined) return undefined
  const wantedName = claim.spec.volumeAttributesClassName ?? ''
  const begunName = claim.status?.modifyVolumeStatus?.targetVolumeAttributesClassName ?? ''
  const classes = new Map<string, Awaited<ReturnType<typeof readClass>>>()
  for (const name of new Set([wantedName, begunName].filter((each) => each !== '')))
    classes.set(name, await readClass(name, reader))
  const findClass = (name: string) => {
    const found = classes.get(name)
    return found?.kind === 'found' ? found.object : undefined
  }
  const seen = readModifyView(claim, () => volume, findClass, driver)
  if (!seen) return undefined
  const lastError = await errorOf(bound, MODIFICATION)
  let held = modifyHeldBy(claim, lastError)
  let step = nextModifyStep({ seen, held })
  if (step.kind === 'read-secret') {
    held = { ...held, secret: await readSecret(step.ref, reader) }
    step = nextModifyStep({ seen, held })
  }
  switch (step.kind) {
    case 'wait':
    case 'refuse':
    case 'mark-pending': {
      const { reason } = step
      if (reason.code === 'Modified' || reason.code === 'ModifyCanceled') return undefined
      const isHidden = classes.values().some(({ kind }) => kind === 'unseen')
      if (reason.code === 'VolumeAttributesClassMissing' && isHidden)
        return blockedLink(idOf(claim), 'Bound', [unseenLink({ kind: 'VolumeAttributesClass', name: wantedName })])
      return waitsWith(bound, reason, lastError)
    }
    default:
      return waitsWith(bound, REASONS.awaitingModify(driver, wantedName || begunName))
  }
}

const readClass = (name: string, reader: ClusterReader) => reader.get(VOLUME_ATTRIBUTES_CLASSES, { name })

/** What the resizer would remember of its last call. */
function modifyHeldBy({ spec, status }: PersistentVolumeClaim, error: LastError | undefined): ModifyHeld {
  if (!error) return { nowMs: 0 }
  const { modifyVolumeStatus: modify } = status ?? {}
  const className = modify?.targetVolumeAttributesClassName ?? spec.volumeAttributesClassName ?? ''
  const outcome = modify?.status === 'Infeasible' ? 'infeasible' : 'final'
  return {
    nowMs: 0,
    memory: { kind: 'failed', target: className, outcome, message: quote(error.message), count: 1, retryAtMs: 1 },
  }
}

/** Where the resizer says that it has begun, and that it has failed. */
type Traces = { readonly begun: string; readonly errors: readonly string[]; readonly event: string }
const EXPANSION: Traces = {
  begun: 'Resizing',
  errors: ['ControllerResizeError', 'NodeResizeError'],
  event: 'VolumeResizeFailed',
}
const MODIFICATION: Traces = { begun: 'ModifyingVolume', errors: ['ModifyVolumeError'], event: 'VolumeModifyFailed' }

/** The last error of what the resizer is doing now: in a condition of the claim, else in an event. Events of former attempts may still exist. */
async function errorOf({ claim, reader }: Bound, { begun, errors, event }: Traces): Promise<LastError | undefined> {
  const conditions = claim.status?.conditions
  for (const type of errors) {
    const { status, message } = findCondition(conditions, type) ?? {}
    if (status === 'True' && message) return { message }
  }
  const beginning = findCondition(conditions, begun)
  if (beginning?.status !== 'True') return undefined
  const error = await findLastError(reader, idOf(claim), [event])
  const sinceMs = findTimestamp(beginning.lastTransitionTime ?? '') ?? 0
  return (findTimestamp(error?.time ?? '') ?? 0) >= sinceMs ? error : undefined
}

async function usersOf({ claim, reader }: Bound): Promise<Pod[]> {
  const pods = (await reader.list(PODS, claim.metadata.namespace)) ?? []
  return pods.filter((pod) => !isFinishedPod(pod) && podClaimKeysOf(pod).includes(keyOf(claim)))
}

/** A secret that may not be read counts as present, so that everything else is explained. */
async function readSecret(ref: SecretRef, reader: ClusterReader): Promise<NonNullable<ExpandHeld['secret']>> {
  return (await reader.get(SECRETS, ref)).kind === 'absent' ? { kind: 'missing' } : { kind: 'read', values: {} }
}

// They name an object that does not exist.
const ABSENT: ReadonlySet<WhyCode> = new Set<WhyCode>(['SecretMissing', 'VolumeAttributesClassMissing'])

function waitsWith({ claim, volume }: Bound, reason: WhyReason, lastError?: LastError): Link {
  const [object, state] = [idOf(claim), claim.status?.phase ?? 'Pending']
  const volumeLink = readyLink(idOf(volume), volume.status?.phase ?? 'Pending')
  const { waitsFor } = reason
  if (waitsFor?.kind === 'object') {
    const id = idOfAwaited(waitsFor)
    const awaited = ABSENT.has(reason.code) ? absentLink(id, reason) : waitingLink(id, 'present', reason)
    return blockedLink(object, state, [volumeLink, awaited])
  }
  const resizer = { kind: 'actor', name: `the resizer of ${volume.spec.csi?.driver ?? 'the volume'}` } as const
  return waitingLink(
    object,
    state,
    { waitsFor: resizer, ...reason },
    { dependsOn: [volumeLink], ...(lastError ? { lastError } : {}) },
  )
}
