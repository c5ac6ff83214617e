import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttributesClass } from '../../api/kinds/volume-attributes-class.ts'
import { refOf } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import { goCodeName } from '../../csi/codes.ts'
import type { CsiError } from '../../csi/csi-error.ts'
import { outcomeOf } from '../../csi/outcome-of.ts'
import { defineController } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import {
  beginModifyPatch,
  modifyCanceledPatch,
  modifyDonePatch,
  modifyFailedPatch,
  modifyPendingPatch,
} from './claim-patches.ts'
import type { Failure } from './expand-view.ts'
import { readModifyView } from './modify-view.ts'
import type { ModifyView } from './modify-view.ts'
import { nextModifyStep } from './next-modify-step.ts'
import type { ModifyStep } from './next-modify-step.ts'
import { claimSteps } from './resizer-parts.ts'
import type { Memory, Reads, ResizerParts } from './resizer-parts.ts'

/** Gives volumes the attributes of the VolumeAttributesClass that their claims request. */
export function defineModifyController(
  role: ControllerRole,
  parts: ResizerParts,
  classes: { get(name: string): VolumeAttributesClass | undefined },
) {
  const { api, clock, events } = role
  const { driver, driverName, config, queue, watch, claims, volumes } = parts
  const { timeoutMs } = config
  const failure = { event: 'VolumeModifyFailed', problem: 'volume not modified' }
  const { patchClaim, call, held, readSecret, refuse, settled } = claimSteps<ModifyView, object>(role, parts, failure)
  return defineController<ModifyView, ModifyStep, Memory<object>, Reads>({
    name: 'modifier',
    queue,
    watch,
    view: (key, { memory, reads }) => {
      const seen = readModifyView(claims.get(key), volumes.get, classes.get, driverName)
      return seen && { seen, held: held(seen.claim, memory, reads) }
    },
    decide: nextModifyStep,
    lifeOf: ({ seen }) => [seen.claim.metadata.uid],
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
      'read-secret': readSecret,
      refuse,
      modify: ({ volume, attributesClass: { metadata, parameters } }, pass) => {
        const { claim } = pass.view.seen
        const { name: className = '' } = metadata
        const volumeId = volume.spec.csi?.volumeHandle ?? ''
        const extra = config.extraModifyMetadata ? metadataOf(claim, volume) : {}
        const mutableParameters = { ...parameters, ...extra }
        return call(
          pass,
          className,
          (secrets) =>
            driver.controllerModifyVolume({ volumeId, secrets, mutableParameters }, { timeoutMs, signal: pass.signal }),
          (error) => {
            const outcome = modifyOutcomeOf(error)
            const text =
              outcome === 'in-doubt' ? `${error.message}. Still modifying to VAC ${className}` : error.message
            const problem = { code: goCodeName(error.code ?? 'UNKNOWN'), message: error.detail, outcome }
            return { outcome, text, patch: modifyFailedPatch(claim, problem, clock.nowMs()) }
          },
        )
      },
      'record-volume': async ({ volume, className }) => {
        const value = { metadata: { uid: volume.metadata.uid }, spec: { volumeAttributesClassName: className } }
        await api.patch(PERSISTENT_VOLUMES, refOf(volume), { type: 'merge', value })
      },
      'record-claim': async ({ className }, pass) => {
        const { claim } = pass.view.seen
        await patchClaim(claim, modifyDonePatch(claim, className))
        const text = `external resizer modified volume ${claim.metadata.name} with vac ${className} successfully`
        settled(pass, 'VolumeModifySuccessful', text)
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
