import { isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { removeFinalizerPatch } from '../../api/finalizers.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { formatObject, refOf } from '../../api/object-key.ts'
import { CsiError } from '../../csi/csi-error.ts'
import type { Driver } from '../../csi/index.ts'
import type { EventRecorder } from '../../kube/controller/event-recorder.ts'
import { readSecret } from '../../storage/read-secret.ts'
import { attacherFinalizer } from '../attacher-finalizer.ts'
import { readVolumeObjects } from '../volume-objects.ts'
import { planHeal } from './plan-heal.ts'
import type { HealAction } from './plan-heal.ts'

/** Asks the role `heal` of the sidecar, which has the socket of the driver, to detach the volume. */
export const HEAL_REQUESTED = 'heal.holdfast.dev/requested'

export type HealParts = {
  readonly api: Api
  /** Absent: what needs the driver is handed over to the sidecar. */
  readonly driver?: Driver | undefined
  readonly events: EventRecorder
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export type HealResult = {
  readonly object: string
  readonly result: 'healed' | 'requested' | 'skipped' | 'failed'
  readonly message: string
}

/** Plans again with what is there now, and does nothing that is no longer safe. Every action is recorded as an event. */
export async function performHeal(action: HealAction, parts: HealParts): Promise<HealResult> {
  const { api, events, signal } = parts
  const about = action.kind === 'detach' ? action.attachment : action.volume
  const current = planHeal(await readVolumeObjects(api, signal)).actions.find((each) => isSame(each, action))
  const object = formatObject(about)
  if (!current) return { object, result: 'skipped', message: 'it has changed meanwhile' }
  const result = { object, ...(await perform(current, parts)) }
  const [type, reason] = EVENTS[result.result]
  events.record(about, type, reason, result.message)
  return result
}

const EVENTS = {
  healed: ['Normal', 'Healed'],
  requested: ['Normal', 'HealRequested'],
  failed: ['Warning', 'HealFailed'],
} as const

const uidOf = (action: HealAction): string =>
  (action.kind === 'detach' ? action.attachment : action.volume).metadata.uid ?? ''
const isSame = (one: HealAction, other: HealAction): boolean => one.kind === other.kind && uidOf(one) === uidOf(other)

type Performed = { readonly result: 'healed' | 'requested' | 'failed'; readonly message: string }

async function perform(action: HealAction, parts: HealParts): Promise<Performed> {
  if (action.kind === 'detach') return parts.driver ? detach(action, parts, parts.driver) : request(action, parts)
  const { resourceVersion, uid } = action.volume.metadata
  // Only as it was decided on.
  const value = { metadata: { resourceVersion, uid }, spec: { claimRef: null } }
  await parts.api.patch(PERSISTENT_VOLUMES, refOf(action.volume), { type: 'merge', value }, { signal: parts.signal })
  return { result: 'healed', message: `spec.claimRef was removed for claim ${action.claim}` }
}

type Detach = Extract<HealAction, { kind: 'detach' }>

async function detach(
  { attachment, target }: Detach,
  { api, timeoutMs, signal }: HealParts,
  driver: Driver,
): Promise<Performed> {
  const { volumeHandle, nodeId, secretRef } = target
  const secret = secretRef ? await readSecret(api, secretRef, signal) : ({ kind: 'read', values: {} } as const)
  if (secret.kind !== 'read')
    return failed(`secret ${secretRef?.namespace}/${secretRef?.name} cannot be read (${secret.kind})`)
  try {
    await driver.controllerUnpublishVolume(
      { volumeId: volumeHandle, nodeId, secrets: secret.values },
      { timeoutMs, signal },
    )
  } catch (error) {
    if (!(error instanceof CsiError)) throw error
    // Whatever the code: only OK proves that the volume is detached.
    return failed(`${error.message}; the finalizer was not removed`)
  }
  const finalizer = attacherFinalizer(attachment.spec.attacher)
  const release = removeFinalizerPatch(attachment, finalizer, { form: 'json' })
  try {
    if (release) await api.patch(VOLUME_ATTACHMENTS, refOf(attachment), release, { signal })
  } catch (error) {
    // The attacher was faster.
    if (!isNotFound(error)) throw error
  }
  return {
    result: 'healed',
    message: `ControllerUnpublishVolume returned OK for volume ${volumeHandle} and node ${nodeId}; finalizer ${finalizer} was removed`,
  }
}

const failed = (message: string): Performed => ({ result: 'failed', message })

async function request({ attachment }: Detach, { api, signal }: HealParts): Promise<Performed> {
  const { uid } = attachment.metadata
  const value = { metadata: { uid, annotations: { [HEAL_REQUESTED]: 'true' } } }
  await api.patch(VOLUME_ATTACHMENTS, refOf(attachment), { type: 'merge', value }, { signal })
  const message = `the sidecar of driver ${attachment.spec.attacher} was asked to detach the volume; it needs the role heal`
  return { result: 'requested', message }
}
