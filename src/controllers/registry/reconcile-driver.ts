import { isAlreadyExists, isInvalid, isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import { keyOf, refOf } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import { unreachable } from '../../base/abort.ts'
import type { Clock } from '../../base/clock.ts'
import type { DriverGates } from '../../compat/driver-gates.ts'
import { chooseSeedDriver } from '../../compat/choose-seed-driver.ts'
import { mirroredAnnotations } from '../../compat/mirror-csi-driver.ts'
import { SEED_CSI_DRIVERS } from '../../compat/seed-csi-driver.ts'
import type { SeedCSIDriver } from '../../compat/seed-csi-driver.ts'
import { after, DONE } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import type { EventRecorder } from '../../kube/event-recorder.ts'
import type { OwnWrites } from '../../kube/own-writes.ts'
import type { WorkResult } from '../../kube/work-queue.ts'
import { within } from '../../kube/within.ts'
import { findDriverWarnings } from './find-driver-warnings.ts'
import { nextDriverStep } from './next-driver-step.ts'
import type { DriverStep, DriverView } from './next-driver-step.ts'
import { REASONS } from './reasons.ts'

export type DriverParts = {
  readonly api: Api
  readonly clock: Clock
  readonly events: EventRecorder
  readonly gates: DriverGates
  readonly statusIntervalMs: number
  readonly mirrors: OwnWrites<CSIDriver>
  readonly originals: OwnWrites<SeedCSIDriver>
  readSeen(driver: string): DriverView['seen']
}

const MIRROR_REST_MS = 60_000

/** Looks after one driver: its mirror, its number of nodes, and what its authors should know. */
export function createDriverReconciler({ api, clock, events, gates, statusIntervalMs, mirrors, originals, readSeen }: DriverParts): Reconciler {
  const countedMs = new Map<string, number>()
  const refusedAs = new Map<string, string>()
  const changedAs = new Map<string, { wording: string; atMs: number }>()
  const told = new Map<string, string>()

  const reconcile: Reconciler = async (driver, { log, signal }) => {
    const seen = readSeen(driver)
    if (seen.claims.length === 0) for (const map of [countedMs, refusedAs, changedAs, told]) map.delete(driver)
    tellWarnings(seen)
    const step = nextDriverStep({ seen, gates, held: heldOf(seen) })
    log.debug('driver step', { step: step.kind })
    const { chosen } = chooseSeedDriver(driver, seen.claims)
    if (chosen && (step.kind === 'update' || step.kind === 'remove')) changedAs.set(driver, { wording: wordingOf(chosen), atMs: clock.monotonicMs() })
    const result = await perform(driver, step, signal)
    if (step.kind !== 'wait' && step.kind !== 'count') log.info('mirror of a driver changed', { driver, change: step.kind })
    return result
  }
  const heldOf = ({ driver, claims }: DriverView['seen']): NonNullable<DriverView['held']> => {
    const { chosen } = chooseSeedDriver(driver, claims)
    const lastMs = countedMs.get(driver)
    const wording = chosen ? wordingOf(chosen) : ''
    const changed = changedAs.get(driver)
    return {
      mirrorRestMs: changed?.wording === wording ? changed.atMs + MIRROR_REST_MS - clock.monotonicMs() : 0,
      statusRestMs: lastMs === undefined ? 0 : lastMs + statusIntervalMs - clock.monotonicMs(),
      refused: chosen !== undefined && refusedAs.get(driver) === wording,
    }
  }

  const perform = async (driver: string, step: DriverStep, signal: AbortSignal): Promise<WorkResult> => {
    switch (step.kind) {
      case 'wait':
        return step.retryInMs === undefined ? DONE : after(step.retryInMs)
      case 'create':
        return writeMirror(driver, step.original, () => within(clock, signal, (until) => api.create(CSI_DRIVERS, step.mirror, { signal: until })))
      case 'update':
        return writeMirror(driver, step.original, () => within(clock, signal, (until) => api.patch(CSI_DRIVERS, refOf(step.mirror), { type: 'merge', value: step.patch }, { signal: until })))
      case 'remove': {
        const { uid, resourceVersion } = step.mirror.metadata
        // Exactly the object that bore the mark.
        const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) }
        await ignoring(isNotFound, within(clock, signal, (until) => api.delete(CSI_DRIVERS, refOf(step.mirror), { preconditions, signal: until })))
        return DONE
      }
      case 'count': {
        countedMs.set(driver, clock.monotonicMs())
        const patch = { type: 'merge', value: { status: { nodes: step.nodes } } } as const
        // Gone with its object or with its whole kind: there is nobody left to tell.
        const written = await ignoring(isNotFound, within(clock, signal, (until) => api.patch(SEED_CSI_DRIVERS, refOf(step.original), patch, { subresource: 'status', signal: until })))
        if (written) originals.remember(written)
        return DONE
      }
      default:
        return unreachable(step)
    }
  }
  const writeMirror = async (driver: string, original: SeedCSIDriver, write: () => Promise<CSIDriver>): Promise<WorkResult> => {
    try {
      mirrors.remember(await write())
      return DONE
    } catch (error) {
      // There or gone meanwhile: the watch tells, and brings us back.
      if (isAlreadyExists(error) || isNotFound(error)) return DONE
      if (!isInvalid(error)) throw error
      // Trying again can't help before somebody writes something else.
      refusedAs.set(driver, wordingOf(original))
      const reason = REASONS.refusedByServer(error.message)
      events.record(original, 'Warning', reason.code, formatReason(reason))
      // The number of nodes is still to be looked at.
      return after(0)
    }
  }
  const tellWarnings = (seen: DriverView['seen']): void => {
    const warnings = findDriverWarnings(seen).map(({ about, reason }) => ({ about, code: reason.code, text: formatReason(reason) }))
    const all = JSON.stringify(warnings.map(({ about, text }) => [keyOf(about), text]))
    if (warnings.length > 0 && told.get(seen.driver) !== all) for (const { about, code, text } of warnings) events.record(about, 'Warning', code, text)
    if (seen.claims.length > 0) told.set(seen.driver, all)
  }
  return reconcile
}

// All that a mirror is made of. An annotation does not change the generation.
const wordingOf = (original: SeedCSIDriver): string => JSON.stringify([original.metadata.uid, original.metadata.generation, mirroredAnnotations(original)])

async function ignoring<T>(isFine: (error: unknown) => boolean, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isFine(error)) return undefined
    throw error
  }
}
