import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttributesClass } from '../../api/kinds/volume-attributes-class.ts'
import { refOf } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import { goCodeName } from '../../csi/codes.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { outcomeOf } from '../../csi/outcome-of.ts'
import { after, defineController, patchAsSeen } from '../../kube/controller/index.ts'
import type { ControllerRole, Pass, WorkResult } from '../../kube/controller/index.ts'
import { readSecret } from '../../storage/read-secret.ts'
import type { SecretRead } from '../../storage/read-secret.ts'
import {
  beginModifyPatch,
  modifyCanceledPatch,
  modifyDonePatch,
  modifyFailedPatch,
  modifyPendingPatch,
} from './claim-patches.ts'
import { readModifyView } from './modify-view.ts'
import type { ModifyMemory, ModifyView } from './modify-view.ts'
import { nextModifyStep } from './next-modify-step.ts'
import type { ModifyStep } from './next-modify-step.ts'
import type { ResizerParts } from './resizer-parts.ts'

/** A claim that was deleted and created again starts from scratch. */
type Memory = ModifyMemory & { readonly uid: string }
type Reads = { readonly secret: SecretRead }
type ModifyPass = Pass<ModifyView, Memory, Reads>
type Failure = Extract<ModifyMemory, { kind: 'failed' }>

/** Gives volumes the attributes of the VolumeAttributesClass that their claims request. */
export function defineModifyController(
  { api, clock, random, events }: ControllerRole,
  { driver, driverName, config, queue, watch, claims, volumes }: ResizerParts,
  classes: { get(name: string): VolumeAttributesClass | undefined },
) {
  const backoff = { initialMs: config.retryIntervalStartMs, maximumMs: config.retryIntervalMaxMs }

  const patchClaim = (claim: PersistentVolumeClaim, patch: Parameters<typeof patchAsSeen>[3]): Promise<void> =>
    patchAsSeen(api, PERSISTENT_VOLUME_CLAIMS, claim, patch, { subresource: 'status' })

  const fail = (
    pass: ModifyPass,
    className: string,
    { outcome, message }: Pick<Failure, 'outcome' | 'message'>,
  ): WorkResult => {
    const { memory } = pass
    const count = memory?.kind === 'failed' && memory.className === className ? memory.count + 1 : 1
    const delayMs = outcome === 'infeasible' ? config.retryIntervalMaxMs : backoffDelayMs(backoff, count, random)
    const { uid = '' } = pass.view.seen.claim.metadata
    pass.memory = { kind: 'failed', uid, className, outcome, message, count, retryAtMs: clock.monotonicMs() + delayMs }
    return after(delayMs)
  }

  const modify = async (
    volume: PersistentVolume,
    { metadata: { name: className = '' }, parameters }: VolumeAttributesClass,
    pass: ModifyPass,
  ): Promise<void | WorkResult> => {
    const { claim } = pass.view.seen
    const { secret } = pass.reads
    try {
      await driver.controllerModifyVolume(
        {
          volumeId: volume.spec.csi?.volumeHandle ?? '',
          secrets: secret?.kind === 'read' ? { ...secret.values } : {},
          mutableParameters: { ...parameters, ...(config.extraModifyMetadata ? metadataOf(claim, volume) : {}) },
        },
        { timeoutMs: config.timeoutMs, signal: pass.signal },
      )
      pass.memory = { kind: 'modified', uid: claim.metadata.uid ?? '', className }
    } catch (error) {
      pass.signal.throwIfAborted()
      if (!(error instanceof CsiError)) throw error
      const outcome = modifyOutcomeOf(error)
      const result = fail(pass, className, { outcome, message: error.message })
      const text = outcome === 'in-doubt' ? `${error.message}. Still modifying to VAC ${className}` : error.message
      events.record(claim, 'Warning', 'VolumeModifyFailed', text)
      pass.log.warn('volume not modified', { volume: volume.metadata.name, class: className, error: error.message })
      const problem = { code: goCodeName(error.code ?? 'UNKNOWN'), message: error.detail, outcome }
      await patchClaim(claim, modifyFailedPatch(claim, problem, clock.nowMs()))
      return result
    }
  }

  return defineController<ModifyView, ModifyStep, Memory, Reads>({
    name: 'modifier',
    queue,
    watch,
    view: (key, { memory, reads }) => {
      const seen = readModifyView(
        claims.get(key),
        (name) => volumes.get(name),
        (name) => classes.get(name),
        driverName,
      )
      if (!seen) return undefined
      const isOfClaim = memory !== undefined && memory.uid === seen.claim.metadata.uid
      return { seen, held: { nowMs: clock.monotonicMs(), ...reads, ...(isOfClaim ? { memory } : {}) } }
    },
    decide: nextModifyStep,
    perform: {
      cancel: async (_step, { view: { seen }, unsay }) => {
        await patchClaim(seen.claim, modifyCanceledPatch(seen.claim))
        unsay()
        events.record(seen.claim, 'Normal', 'VolumeModifyCanceled', 'Cancelled modify.')
      },
      'mark-pending': async ({ reason }, { view: { seen }, say }) => {
        say(seen.claim, { type: 'Warning', event: 'VolumeModifyFailed' }, formatReason(reason))
        await patchClaim(seen.claim, modifyPendingPatch(seen.claim))
      },
      begin: async ({ className }, { view: { seen }, say }) => {
        await patchClaim(seen.claim, beginModifyPatch(seen.claim, className, clock.nowMs()))
        const { name } = seen.claim.metadata
        const text = `external resizer is modifying volume ${name} with vac ${className}`
        say(seen.claim, { type: 'Normal', event: 'VolumeModify' }, text, 'begin')
      },
      'read-secret': async ({ ref }, pass) => {
        pass.reads = { secret: await readSecret(api, ref) }
      },
      refuse: ({ className, reason }, pass) => {
        const text = formatReason(reason)
        pass.say(pass.view.seen.claim, { type: 'Warning', event: 'VolumeModifyFailed' }, text)
        return fail(pass, className, { outcome: 'final', message: reason.message ?? text })
      },
      modify: ({ volume, attributesClass }, pass) => modify(volume, attributesClass, pass),
      'record-volume': async ({ volume, className }) => {
        const value = { metadata: { uid: volume.metadata.uid }, spec: { volumeAttributesClassName: className } }
        await api.patch(PERSISTENT_VOLUMES, refOf(volume), { type: 'merge', value })
      },
      'record-claim': async ({ className }, pass) => {
        const { claim } = pass.view.seen
        await patchClaim(claim, modifyDonePatch(claim, className))
        pass.memory = undefined
        pass.unsay()
        const text = `external resizer modified volume ${claim.metadata.name} with vac ${className} successfully`
        events.record(claim, 'Normal', 'VolumeModifySuccessful', text)
        pass.log.info('volume modified', { volume: claim.spec.volumeName, class: className })
      },
    },
    report: { event: 'VolumeModifyFailed', about: ({ seen }) => seen.claim },
  })
}

const metadataOf = ({ metadata }: PersistentVolumeClaim, volume: PersistentVolume): Record<string, string> => ({
  'csi.storage.k8s.io/pvc/name': metadata.name ?? '',
  'csi.storage.k8s.io/pvc/namespace': metadata.namespace ?? '',
  'csi.storage.k8s.io/pv/name': volume.metadata.name ?? '',
})

function modifyOutcomeOf(error: CsiError): Failure['outcome'] {
  if (outcomeOf('ControllerModifyVolume', error) === 'in-doubt') return 'in-doubt'
  return error.code === 'INVALID_ARGUMENT' ? 'infeasible' : 'final'
}
