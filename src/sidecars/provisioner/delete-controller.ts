import { isLasting, isNotFound } from '../../api/api-error.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { keyOfRef } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { defineController, DONE, FAILED, withUrgency } from '../../kube/controller/index.ts'
import type { ControllerRole, Pass, StepOutcome, Watch, WorkQueue, WorkResult } from '../../kube/controller/index.ts'
import { readSecret } from '../../storage/read-secret.ts'
import type { SecretRead } from '../../storage/read-secret.ts'
import type { ProvisionerState } from './attempt-steps.ts'
import { nextDeleteStep, readDeleteView } from './next-delete-step.ts'
import type { DeleteHeld, DeleteSources, DeleteStep, DeleteView } from './next-delete-step.ts'
import { claimUidOf } from '../../storage/life-of.ts'

/** Of one object: a new one of the same name starts from scratch. */
type Memory = { readonly uid: string; readonly startedMs?: number } & Pick<DeleteHeld, 'isDeleted' | 'isRemoved'>
type DeletePass = Pass<DeleteView, Memory, { secret: SecretRead }>

/** Keeps our finalizer on each PersistentVolume of the driver as its policy requires, and deletes released volumes. */
export function defineDeleteController(
  { api: anyApi, clock, events }: ControllerRole,
  { driver, facts, metrics, settings: { timeoutMs, ownNode, attacherFinalizer }, capacity }: ProvisionerState,
  sources: DeleteSources,
  { queue, watch }: { readonly queue: WorkQueue; readonly watch: readonly Watch[] },
) {
  // A claim that waits for its volume goes first.
  const api = withUrgency(anyApi, 'later')
  const memoryOf = ({ metadata: { uid = '' } }: PersistentVolume, memory: Memory | undefined): Memory =>
    memory?.uid === uid ? memory : { uid, isDeleted: false, isRemoved: false }
  const remember = (pass: DeletePass, change: Partial<Memory>): void =>
    void (pass.memory = { ...memoryOf(pass.view.seen.volume, pass.memory), ...change })
  const reportFailure = ({ key, view: { seen }, log }: DeletePass, message: string): WorkResult => {
    metrics.delete.failed(labelsOf(seen.volume))
    log.warn('volume not deleted', { volume: key, why: message })
    events.record(seen.volume, 'Warning', 'VolumeFailedDelete', message)
    return FAILED
  }
  const patch = async ({ patch: change }: Extract<DeleteStep, { patch: unknown }>, { key: name }: DeletePass) =>
    void (await api.patch(PERSISTENT_VOLUMES, { name }, change))
  const deleteVolume = async (
    { request }: Extract<DeleteStep, { kind: 'delete-volume' }>,
    pass: DeletePass,
  ): Promise<StepOutcome> => {
    const { volume } = pass.view.seen
    const startedMs = pass.memory?.startedMs ?? clock.monotonicMs()
    remember(pass, { startedMs })
    try {
      await driver.deleteVolume(request, { timeoutMs, signal: pass.signal })
    } catch (error) {
      pass.signal.throwIfAborted()
      if (!(error instanceof CsiError)) throw error
      return reportFailure(pass, error.message)
    }
    pass.signal.throwIfAborted()
    remember(pass, { isDeleted: true })
    metrics.delete.succeeded(labelsOf(volume), clock.monotonicMs() - startedMs)
    pass.log.info('volume deleted', { volume: pass.key, handle: request.volumeId })
    capacity?.onVolumeChange(volume)
  }

  return defineController<DeleteView, DeleteStep, Memory, { secret: SecretRead }>({
    name: 'provisioner-volumes',
    queue,
    watch,
    stepLimit: 10,
    view: (name, { memory, reads }) =>
      readDeleteView(sources, name, reads.secret, (volume) => ({
        facts,
        ownNode,
        ownsAttacherFinalizer: attacherFinalizer,
        ...memoryOf(volume, memory),
      })),
    decide: nextDeleteStep,
    lifeOf: ({ seen }) => [claimUidOf(seen.volume)],
    resource: ({ seen: { volume } }, name) => volume.spec.claimRef?.uid ?? name,
    onError: (error, pass) => {
      if (isNotFound(error)) return DONE
      return isLasting(error) ? reportFailure(pass, error.message) : undefined
    },
    perform: {
      wait: ({ reason, notice }, pass) => {
        if (notice) pass.say(pass.view.seen.volume, notice, formatReason(reason))
      },
      refuse: ({ reason }, pass) => reportFailure(pass, formatReason(reason)),
      'read-secret': async ({ ref }, pass) => {
        const secret = await readSecret(api, ref)
        if (secret.kind === 'missing' || secret.kind === 'forbidden')
          pass.log.warn('secret for the deletion not found, calling the driver without', { secret: keyOfRef(ref) })
        pass.reads = { secret }
      },
      protect: patch,
      release: patch,
      'delete-volume': deleteVolume,
      'delete-object': async ({ uid }, pass) => {
        await api.delete(PERSISTENT_VOLUMES, { name: pass.key }, { preconditions: { uid } })
        remember(pass, { isRemoved: true })
      },
    },
  })
}

const labelsOf = ({ spec }: PersistentVolume): { class: string } => ({ class: spec.storageClassName ?? '' })
