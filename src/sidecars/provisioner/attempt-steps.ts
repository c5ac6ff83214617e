import { isAlreadyExists, isLasting } from '../../api/api-error.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { keyOf } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import { abandonOnAbort } from '../../base/abort.ts'
import { backoffDelayMs, backoffOf } from '../../base/backoff.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { after, DONE, FAILED } from '../../kube/controller/index.ts'
import type { ControllerRole, Pass, StepOutcome, WorkResult } from '../../kube/controller/index.ts'
import { classNameOf } from '../../storage/names.ts'
import type { RoleParts } from '../role.ts'
import type { CapacityTracker } from './capacity/capacity-controller.ts'
import type { Journal } from './journal/journal.ts'
import { judgeAnswer, judgeError } from './judge-create-result.ts'
import type { CreateResult } from './judge-create-result.ts'
import { rescheduleClaim } from './next-provision-step.ts'
import type { ProvisionStep } from './next-provision-step.ts'
import type { ProvisionMetrics } from './provision-metrics.ts'
import type { Attempt, ClaimMemory, ProvisionPlan, ProvisionSources } from './provision-view.ts'
import type { ProvisionView, ReadObjects } from './provision-view.ts'
import type { ProvisionSettings } from './provisioner-options.ts'
import { REASONS } from './reasons.ts'
import type { ProvisionerReason } from './reasons.ts'
import { findSourceKey } from './sources/next-source-step.ts'
import { readIfPresent } from './uncached-objects.ts'

/** Shared by the controllers of a provisioner. */
export type ProvisionerState = RoleParts & {
  readonly settings: ProvisionSettings
  readonly metrics: ProvisionMetrics
  readonly sources: ProvisionSources
  /** Volumes that may exist without a PersistentVolume, by the uid of their claim. */
  readonly attempts: Map<string, Attempt>
  /** Undefined if we may not write leases. */
  readonly journal: Journal | undefined
  /** Undefined: capacity is not published. */
  readonly capacity: CapacityTracker | undefined
  /** Called when a call that needed the source has ended. Undefined if the driver cannot copy. */
  readonly sourceReleased: ((sourceKey: string) => void) | undefined
}

export type ClaimPass = Pass<ProvisionView, ClaimMemory, ReadObjects>
export type StepOf<Kind> = Extract<ProvisionStep, { kind: Kind }>

// A faster call is not announced.
const SLOW_CALL_MS = 1000
// The driver may still be working: asking soon costs little, and users are waiting for the answer.
const LONGEST_DOUBT_MS = 10_000
const INFEASIBLE_FOR_MS = 300_000
// Once the claim is deleted its volume is never looked for again, so one denial is not enough: a proxy may have answered for the driver.
const SURE_DENIALS = 5
// As long as a completed entry may stay in the journal.
const FULL_JOURNAL_MS = 5000

/** From the plan in the journal to the stored PersistentVolume, with every possible failure of a call. */
export function attemptSteps(
  { api, clock, random, events, holds }: ControllerRole,
  { settings, driver, sources, attempts, journal, metrics, capacity, sourceReleased }: ProvisionerState,
  awaitObject: (step: StepOf<'refuse'>, pass: ClaimPass) => void,
) {
  const { timeoutMs } = settings
  const { initialMs, maximumMs } = backoffOf(settings)
  const doubtBackoff = { initialMs, maximumMs: Math.min(maximumMs, LONGEST_DOUBT_MS) }
  const change = (pass: ClaimPass, memory: ClaimMemory): void => void (pass.memory = { ...pass.memory, ...memory })
  const announce = (text: string, { view, say }: ClaimPass): void => {
    const { claim } = view.seen
    if (claim) say(claim, { type: 'Normal', event: 'Provisioning' }, text)
  }
  /** An attempt has failed, whether or not the driver was called. */
  const reportFailure = ({ view: { seen, held }, log, unsay }: ClaimPass, message: string): void => {
    const { claim } = seen
    const plan = held?.attempt?.plan
    const tried = plan?.claim ?? claim
    if (tried) metrics.provision.failed(labelsOf(tried))
    unsay()
    log.warn('volume not provisioned', { why: message, ...(plan ? { volume: plan.request.name } : {}) })
    if (!claim) return
    const text = `failed to provision volume with StorageClass "${classNameOf(claim)}": ${message}`
    events.record(claim, 'Warning', 'ProvisioningFailed', text)
  }
  const countFailure = (plan: ProvisionPlan, reason: ProvisionerReason, pass: ClaimPass): void => {
    change(pass, { failures: (pass.memory?.failures ?? 0) + 1 })
    capacity?.onProvisionFailed(classNameOf(plan.claim))
    reportFailure(pass, formatReason(reason))
  }
  const refuse = (step: StepOf<'refuse'>, pass: ClaimPass): WorkResult => {
    reportFailure(pass, formatReason(step.reason))
    pass.waitFor(step)
    awaitObject(step, pass)
    return FAILED
  }
  const reschedule = async ({ object, reason }: StepOf<'reschedule'>, pass: ClaimPass): Promise<StepOutcome> => {
    reportFailure(pass, formatReason(reason))
    await api.update(PERSISTENT_VOLUME_CLAIMS, object)
    return DONE
  }
  /** Ends an attempt of which nothing is left. */
  const settle = (uid: string): Attempt | undefined => {
    const attempt = attempts.get(uid)
    attempts.delete(uid)
    journal?.forget(uid)
    if (attempt) sourceReleased?.(findSourceKey(attempt.plan.claim) ?? '')
    return attempt
  }
  const remainInDoubt = (plan: ProvisionPlan, reason: ProvisionerReason, pass: ClaimPass): WorkResult => {
    attempts.set(pass.key, { kind: 'in-doubt', plan })
    countFailure(plan, reason, pass)
    return after(backoffDelayMs(doubtBackoff, pass.memory?.failures ?? 1, random))
  }
  const callDriver = async (plan: ProvisionPlan, pass: ClaimPass): Promise<CreateResult> => {
    const { claim } = pass.view.seen
    const begun = (): void => {
      const text = `External provisioner is provisioning volume for claim "${claim ? keyOf(claim) : ''}"`
      if (claim) events.record(claim, 'Normal', 'Provisioning', text)
    }
    const isRepeated = (pass.memory?.failures ?? 0) > 0
    if (isRepeated) begun()
    const slow = isRepeated ? undefined : clock.setTimer(SLOW_CALL_MS, begun)
    try {
      return judgeAnswer(plan.request, await driver.createVolume(plan.request, { timeoutMs, signal: pass.signal }))
    } catch (error) {
      if (error instanceof CsiError) return judgeError(plan, error)
      attempts.set(pass.key, { kind: 'in-doubt', plan })
      throw error
    } finally {
      slow?.cancel()
    }
  }
  const endCall = (plan: ProvisionPlan, result: CreateResult, pass: ClaimPass): StepOutcome | Promise<StepOutcome> => {
    const { key: uid } = pass
    switch (result.kind) {
      case 'made':
        for (const reason of result.warnings)
          pass.log.warn('the driver returned something unexpected', { volume: plan.request.name, reason })
        attempts.set(uid, { kind: 'made', plan, volume: result.volume, wasSent: false })
        return undefined
      case 'spoiled':
        attempts.set(uid, { ...result, plan })
        return undefined
      case 'in-doubt':
        return remainInDoubt(plan, result.reason, pass)
      case 'failed': {
        settle(uid)
        countFailure(plan, result.reason, pass)
        if (!result.isInfeasible) return FAILED
        const untilMs = clock.monotonicMs() + INFEASIBLE_FOR_MS
        change(pass, { infeasible: { classUid: plan.class.metadata.uid ?? '', untilMs } })
        return after(INFEASIBLE_FOR_MS)
      }
      case 'reschedule': {
        settle(uid)
        const claim = sources.findClaimByUid(uid)
        const step = claim && rescheduleClaim(claim, result.reason)
        return step && (step.kind === 'refuse' ? refuse(step, pass) : reschedule(step, pass))
      }
    }
  }

  return {
    reportFailure,
    announce,
    refuse,
    reschedule,
    forget: (_step: StepOf<'forget'>, pass: ClaimPass): StepOutcome => {
      settle(pass.key)
      pass.memory = undefined
      return DONE
    },
    record: async ({ plan }: StepOf<'record'>, pass: ClaimPass): Promise<StepOutcome> => {
      // Our finalizer is being removed from the source: it has to be protected again first. The end of the removal brings the claim back.
      if (holds.isHeldByOther(findSourceKey(plan.claim) ?? '', '')) return DONE
      const { key: uid, signal } = pass
      change(pass, { startedMs: pass.memory?.startedMs ?? clock.monotonicMs() })
      // A server that does not answer must not delay the end of the role.
      if (journal && !(await abandonOnAbort(journal.record({ uid, plan }), signal))) {
        announce(formatReason(REASONS.JournalFull), pass)
        return after(FULL_JOURNAL_MS)
      }
      attempts.set(uid, { kind: 'recorded', plan })
    },
    create: async ({ plan }: StepOf<'create'>, pass: ClaimPass): Promise<StepOutcome> => {
      attempts.set(pass.key, { kind: 'calling', plan })
      const result = await callDriver(plan, pass)
      // After the end of the role the response is ignored; the next process finds the plan in the journal.
      pass.signal.throwIfAborted()
      if (result.kind === 'in-doubt') change(pass, { denials: 0 })
      if ((result.kind === 'failed' || result.kind === 'reschedule') && !sources.findClaimByUid(pass.key)) {
        const denials = (pass.memory?.denials ?? 0) + 1
        change(pass, { denials })
        if (denials < SURE_DENIALS) return remainInDoubt(plan, result.reason, pass)
      }
      return endCall(plan, result, pass)
    },
    store: async ({ volume }: StepOf<'store'>, { key: uid }: ClaimPass): Promise<ReadObjects> => {
      const attempt = attempts.get(uid)
      if (attempt?.kind !== 'made') return {}
      attempts.set(uid, { ...attempt, wasSent: true })
      try {
        return { volume: await api.create(PERSISTENT_VOLUMES, volume) }
      } catch (error) {
        const name = volume.metadata.name ?? ''
        if (isAlreadyExists(error)) return { volume: await readIfPresent(api, PERSISTENT_VOLUMES, { name }) }
        // The volume was certainly not stored.
        if (isLasting(error)) attempts.set(uid, attempt)
        throw error
      }
    },
    complete: ({ volume }: StepOf<'complete'>, pass: ClaimPass): StepOutcome => {
      const { claim } = pass.view.seen
      const tookMs = pass.memory?.startedMs === undefined ? 0 : clock.monotonicMs() - pass.memory.startedMs
      const attempt = settle(pass.key)
      // A claim that the cache shows as bound cannot be mistaken for a new one.
      pass.memory = claim && !claim.spec.volumeName ? { isProvisioned: true } : undefined
      const { name } = volume.metadata
      if (claim) events.record(claim, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${name}`)
      pass.log.info('volume provisioned', { volume: name, handle: volume.spec.csi?.volumeHandle, tookMs })
      if (!attempt) return DONE
      metrics.provision.succeeded(labelsOf(attempt.plan.claim), tookMs)
      capacity?.onVolumeChange(volume)
      return DONE
    },
    doubt: (step: StepOf<'doubt'>, pass: ClaimPass): StepOutcome => {
      pass.log.info('the volume is in doubt', { reason: step.reason })
      attempts.set(pass.key, { kind: 'in-doubt', plan: step.plan })
      // The cache may not show yet what was read: calling the driver immediately would lead back here.
      pass.waitFor(step)
      return after(backoffDelayMs(doubtBackoff, 1, random))
    },
    undo: async ({ request, reason }: StepOf<'undo'>, pass: ClaimPass): Promise<StepOutcome> => {
      try {
        await driver.deleteVolume(request, { timeoutMs, signal: pass.signal })
      } catch (error) {
        pass.signal.throwIfAborted()
        if (!(error instanceof CsiError)) throw error
        reportFailure(pass, `${formatReason(reason)} The volume could not be deleted: ${error.message}`)
        return FAILED
      }
      pass.log.info('unusable volume deleted', { volume: request.volumeId, reason })
      const attempt = settle(pass.key)
      if (attempt?.kind !== 'spoiled') return undefined
      countFailure(attempt.plan, reason, pass)
      return FAILED
    },
  }
}

const labelsOf = (claim: PersistentVolumeClaim): { class: string; source: string } => ({
  class: classNameOf(claim),
  source: claim.spec.dataSource?.kind ?? claim.spec.dataSourceRef?.kind ?? '',
})
