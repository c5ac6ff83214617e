import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { formatReason } from '../../api/reason.ts'
import { unreachable } from '../../base/abort.ts'
import type { Clock } from '../../base/clock.ts'
import { ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import { after } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import type { EventRecorder } from '../../kube/event-recorder.ts'
import { nextAlphaStep, nextTodayStep } from './next-registration-step.ts'
import type { RegistrationHeld, AlphaStep, TodayStep } from './next-registration-step.ts'
import type { RegistrationReader } from './registration-reader.ts'
import type { RegistrationWriter } from './registration-writer.ts'
import type { WantedObjects } from './wanted-objects.ts'

/** The two keys: the group of the object. */
export const TODAY = 'storage.k8s.io'
export const SEED = 'csi.storage.k8s.io'

// As often as upstream: the registry's kind may be installed later, which no watch tells.
const LOOK_AGAIN_MS = 120_000
const MOST_STEPS = 5

export type RegistrationParts = {
  readonly read: RegistrationReader
  readonly write: RegistrationWriter
  readonly events: EventRecorder
  readonly clock: Clock
  readonly wanted: WantedObjects
  readonly recreate: boolean
  /** Keys with nothing to do. */
  readonly settled: Set<string>
}

/** Takes one step after the other on what the server has, until there is nothing more to do. */
export function createRegistrationReconciler({
  read,
  write,
  events,
  clock,
  wanted,
  recreate,
  settled,
}: RegistrationParts): Reconciler {
  const told = new Map<string, string>()
  const changedMs = new Map<string, number>()
  const heldOf = (key: string): RegistrationHeld => ({
    restMs: (changedMs.get(key) ?? Number.NEGATIVE_INFINITY) + LOOK_AGAIN_MS - clock.monotonicMs(),
  })
  const warn = (key: string, warning: Extract<TodayStep | AlphaStep, { kind: 'wait' }>['warning']): void => {
    const text = warning ? formatReason(warning.reason) : ''
    if (warning && told.get(key) !== text) events.record(warning.about, 'Warning', warning.reason.code, text)
    told.set(key, text)
  }
  const performToday = async (step: Exclude<TodayStep, { kind: 'wait' }>, signal: AbortSignal): Promise<unknown> => {
    switch (step.kind) {
      case 'create':
        return write.create(CSI_DRIVERS, step.object, signal)
      case 'update':
        return write.update(CSI_DRIVERS, step.object, step.patch, signal)
      case 'remove':
        return write.remove(CSI_DRIVERS, step.object, signal)
      default:
        return unreachable(step)
    }
  }
  const performAlpha = async (step: Exclude<AlphaStep, { kind: 'wait' }>, signal: AbortSignal): Promise<unknown> => {
    switch (step.kind) {
      case 'create':
        return write.create(ALPHA_CSI_DRIVERS, step.object, signal)
      case 'update':
        return write.update(ALPHA_CSI_DRIVERS, step.object, step.patch, signal)
      case 'ready':
        return write.setReady(step.object, true, signal)
      default:
        return unreachable(step)
    }
  }
  /** The step that was taken, or that there is none. */
  const takeStep = async (key: string, signal: AbortSignal): Promise<TodayStep | AlphaStep> => {
    if (key === TODAY) {
      const csiDriver = await read.csiDriver(wanted.driver, signal)
      const step = nextTodayStep({ wanted, seen: { csiDriver }, recreate, held: heldOf(key) })
      if (step.kind !== 'wait') await performToday(step, signal)
      return step
    }
    const alphaDrivers = await read.alphaDrivers(signal)
    const step = nextAlphaStep({ wanted, seen: { alphaDrivers }, held: heldOf(key) })
    if (step.kind !== 'wait') await performAlpha(step, signal)
    return step
  }

  return async (key, { log, signal }) => {
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const step = await takeStep(key, signal)
      log.debug('registration step', { step: step.kind })
      if (step.kind === 'wait') {
        if (step.warning) log.warn('an object of the driver is not as it should be', { reason: step.warning.reason })
        warn(key, step.warning)
        settled.add(key)
        return after(step.retryInMs ?? LOOK_AGAIN_MS)
      }
      if (step.kind === 'update' || step.kind === 'remove') changedMs.set(key, clock.monotonicMs())
      settled.delete(key)
      log.info('registration changed', { driver: wanted.driver, change: step.kind })
    }
    // Somebody undoes it as fast: no race.
    return after(LOOK_AGAIN_MS)
  }
}
