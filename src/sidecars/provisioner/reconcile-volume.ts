import { isLasting, isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import type { Secret } from '../../api/kinds/secret.ts'
import { formatReason } from '../../api/reason.ts'
import type { Reason } from '../../api/reason.ts'
import { unreachable } from '../../base/abort.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { CsiError } from '../../csi/csi-error.ts'
import type { Driver } from '../../csi/rpc.ts'
import { DONE } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import type { EventRecorder } from '../../kube/event-recorder.ts'
import { within } from '../../kube/within.ts'
import type { WorkResult } from '../../kube/work-queue.ts'
import type { BusyVolumes } from './busy-volumes.ts'
import { nextDeleteStep } from './next-delete-step.ts'
import type { DeleteHeld, DeleteStep, DeleteView } from './next-delete-step.ts'
import type { ProvisionMetrics } from './provision-metrics.ts'
import { readIfAllowed } from './read-wanted.ts'

export type VolumeParts = {
  readonly driver: Driver
  readonly driverName: string
  readonly api: Api
  readonly clock: Clock
  readonly events: EventRecorder
  readonly metrics: ProvisionMetrics
  readonly timeoutMs: number
  readonly held: Pick<DeleteHeld, 'facts' | 'ownNode'>
  readonly busy: BusyVolumes
  readSeen(name: string): Omit<DeleteView['seen'], 'secret'>
  remember(volume: PersistentVolume): void
  enqueue(name: string): void
  onDeleted(volume: PersistentVolume): void
}

// Of this very object: a new one of the same name begins anew.
type Memory = { readonly uid: string; isDeleted: boolean; isRemoved: boolean; startedMs?: number; told?: string }
type Pass = { name: string; volume: PersistentVolume; memory: Memory; signal: AbortSignal; log: Logger }

const MOST_STEPS = 10
const FAILED: WorkResult = { kind: 'failed' }

/** One pass over one PersistentVolume: its finalizer, and its end. */
export function createVolumeReconciler(parts: VolumeParts): Reconciler {
  const { driver, driverName, api, clock, events, metrics, timeoutMs } = parts
  const memories = new Map<string, Memory>()

  const reconcile: Reconciler = async (name, { log, signal }) => {
    const { volume } = parts.readSeen(name)
    const release = parts.busy.tryHold(volume?.spec.claimRef?.uid ?? name, () => parts.enqueue(name))
    if (!release) return DONE
    try {
      return await pass(name, log, signal)
    } finally {
      release()
    }
  }

  const pass = async (name: string, log: Logger, signal: AbortSignal): Promise<WorkResult> => {
    let secret: Secret | null | undefined
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      signal.throwIfAborted()
      const seen = { ...parts.readSeen(name), secret }
      const memory = memoryOf(name, seen.volume)
      const { isDeleted, isRemoved } = memory
      const step = nextDeleteStep({ driverName, seen, held: { ...parts.held, isCalling: false, isDeleted, isRemoved } })
      log.debug('delete step', { step: step.kind, ...('reason' in step ? { reason: step.reason } : {}) })
      if (step.kind === 'forget' || !seen.volume) {
        memories.delete(name)
        return DONE
      }
      if (step.kind === 'read') {
        secret = await within(clock, signal, (until) => readIfAllowed(api, SECRETS, step.ref, until))
        if (secret === null)
          log.warn('the secret for the deletion is not there: the driver has to do without', {
            secret: `${step.ref.namespace}/${step.ref.name}`,
          })
        continue
      }
      const result = await perform(step, { name, volume: seen.volume, memory, signal, log })
      if (result) return result
    }
    return FAILED
  }

  /** Undefined: go on with the next step. */
  const perform = async (
    step: Exclude<DeleteStep, { kind: 'forget' | 'read' }>,
    context: Pass,
  ): Promise<WorkResult | undefined> => {
    const { name, volume, memory, signal, log } = context
    switch (step.kind) {
      case 'wait':
        if (step.reason.code === 'VolumeStillAttached') tellOnce(context, step.reason)
        return DONE
      case 'refuse':
        return tell(context, formatReason(step.reason))
      case 'patch':
        return await write(context, async () =>
          parts.remember(
            await within(clock, signal, (until) =>
              api.patch(PERSISTENT_VOLUMES, { name }, step.patch, { signal: until }),
            ),
          ),
        )
      case 'delete-volume':
        memory.startedMs ??= clock.monotonicMs()
        try {
          await driver.deleteVolume(step.request, { timeoutMs, signal })
        } catch (error) {
          signal.throwIfAborted()
          if (!(error instanceof CsiError)) throw error
          return tell(context, error.message)
        }
        signal.throwIfAborted()
        memory.isDeleted = true
        metrics.deleted(labelsOf(volume), clock.monotonicMs() - memory.startedMs)
        log.info('volume deleted', { volume: name, handle: step.request.volumeId })
        parts.onDeleted(volume)
        return undefined
      case 'delete-object':
        return await write(context, async () => {
          const left = await within(clock, signal, (until) =>
            api.delete(PERSISTENT_VOLUMES, { name }, { preconditions: { uid: step.uid }, signal: until }),
          )
          memory.isRemoved = true
          if (left.kind === 'PersistentVolume') parts.remember(left)
        })
      default:
        return unreachable(step)
    }
  }

  /** What is gone needs no more work; what the server refuses for good is told. */
  const write = async (context: Pass, request: () => Promise<void>): Promise<WorkResult | undefined> => {
    try {
      await request()
      return undefined
    } catch (error) {
      if (isNotFound(error)) return DONE
      if (!isLasting(error)) throw error
      return tell(context, error.message)
    }
  }
  const tell = ({ name, volume, log }: Pass, message: string): WorkResult => {
    metrics.deleteFailed(labelsOf(volume))
    log.warn('volume not deleted', { volume: name, why: message })
    events.record(volume, 'Warning', 'VolumeFailedDelete', message)
    return FAILED
  }
  const tellOnce = ({ volume, memory }: Pass, reason: Reason): void => {
    const message = formatReason(reason)
    if (memory.told !== message) events.record(volume, 'Normal', 'VolumeDeleteWaits', message)
    memory.told = message
  }
  const memoryOf = (name: string, volume: PersistentVolume | undefined): Memory => {
    const uid = volume?.metadata.uid ?? ''
    const present = memories.get(name)
    const memory = present?.uid === uid ? present : { uid, isDeleted: false, isRemoved: false }
    memories.set(name, memory)
    return memory
  }
  return reconcile
}

const labelsOf = ({ spec }: PersistentVolume): { class: string } => ({ class: spec.storageClassName ?? '' })
