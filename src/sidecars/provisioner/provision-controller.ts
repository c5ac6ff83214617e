import { isAlreadyExists, isForbidden, isLasting } from '../../api/api-error.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import { keyOf } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import { abandonOnAbort } from '../../base/abort.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { after, defineController, DONE, FAILED } from '../../kube/controller/index.ts'
import type { ControllerRole, Pass, StepOutcome, Watch, WorkQueue, WorkResult } from '../../kube/controller/index.ts'
import { classNameOf } from '../../storage/names.ts'
import { contentionSteps } from './contend/contention-steps.ts'
import { JournalError } from './journal/journal.ts'
import { judgeAnswer, judgeError } from './judge-create-result.ts'
import type { CreateResult } from './judge-create-result.ts'
import { nextProvisionStep, rescheduleClaim } from './next-provision-step.ts'
import type { ProvisionStep } from './next-provision-step.ts'
import { readProvisionView } from './provision-view.ts'
import type { ClaimMemory, ProvisionPlan, ProvisionView, ReadObjects } from './provision-view.ts'
import type { ProvisionerState } from './provisioner-state.ts'
import { REASONS } from './reasons.ts'
import type { ProvisionerReason } from './reasons.ts'
import { findSourceKey } from './sources/next-source-step.ts'
import { createAwaitedObjects, readIfPresent, readWanted } from './uncached-objects.ts'

type ClaimPass = Pass<ProvisionView, ClaimMemory, ReadObjects>
type StepOf<Kind> = Extract<ProvisionStep, { kind: Kind }>

// A faster call is not announced.
const SLOW_CALL_MS = 1000
// The driver may still be working: asking soon costs little, and users are waiting for the answer.
const LONGEST_DOUBT_MS = 10_000
const INFEASIBLE_FOR_MS = 300_000
// Once the claim is deleted its volume is never looked for again, so one denial is not enough: a proxy may have answered for the driver.
const SURE_DENIALS = 5
// As long as a completed entry may stay in the journal.
const FULL_JOURNAL_MS = 5000

/** Creates a volume for each claim of the driver. Keys are the uids of claims. */
export function defineProvisionController(
  role: ControllerRole,
  state: ProvisionerState,
  { queue, watch }: { readonly queue: WorkQueue; readonly watch: readonly Watch[] },
) {
  const { api, clock, random, events, log } = role
  const { config, settings, driver, facts, sources, attempts, journal, metrics, backoff, capacity } = state
  const { timeoutMs } = config
  const awaited = createAwaitedObjects({ api, clock, random, log, wake: (uid) => queue.add(uid) })
  role.onStop(awaited.stop)

  const view = (uid: string, { memory, reads }: Pick<ClaimPass, 'memory' | 'reads'>): ProvisionView | undefined => {
    const attempt = attempts.get(uid)
    const { infeasible, isProvisioned = false, turnAtMs } = memory ?? {}
    const held = { facts, settings, nowMs: clock.monotonicMs(), attempt, infeasible, isProvisioned, turnAtMs }
    const read = readProvisionView(sources, uid, reads, held)
    const { claim } = read.seen
    return attempt || (claim && !claim.spec.volumeName) ? read : undefined
  }
  const change = (pass: ClaimPass, memory: ClaimMemory): void => void (pass.memory = { ...pass.memory, ...memory })
  /** A try has failed, whether or not the driver was called. */
  const reportFailure = ({ view: { seen, held }, log: passLog, unsay }: ClaimPass, message: string): void => {
    const { claim } = seen
    const plan = held?.attempt?.plan
    const tried = plan?.claim ?? claim
    if (tried) metrics.provision.failed(labelsOf(tried))
    unsay()
    passLog.warn('volume not provisioned', { why: message, ...(plan ? { volume: plan.request.name } : {}) })
    if (!claim) return
    const text = `failed to provision volume with StorageClass "${classNameOf(claim)}": ${message}`
    events.record(claim, 'Warning', 'ProvisioningFailed', text)
  }
  const countFailure = (plan: ProvisionPlan, reason: ProvisionerReason, pass: ClaimPass): void => {
    change(pass, { failures: (pass.memory?.failures ?? 0) + 1 })
    capacity?.onProvisionFailed(classNameOf(plan.claim))
    reportFailure(pass, formatReason(reason))
  }
  /** Brings the claim back when what its reason names changes: a kind that is not followed has this object watched alone. */
  const awaitObject = ({ reason: { waitsFor } }: { readonly reason: ProvisionerReason }, { key }: ClaimPass): void => {
    if (waitsFor?.kind === 'object') awaited.wait(waitsFor, key)
  }
  const refuse = (step: StepOf<'refuse'>, pass: ClaimPass): WorkResult => {
    reportFailure(pass, formatReason(step.reason))
    pass.waitFor(step)
    awaitObject(step, pass)
    return FAILED
  }
  const announce = (claim: PersistentVolumeClaim | undefined, text: string, { say }: ClaimPass): void => {
    if (claim) say(claim, { type: 'Normal', event: 'Provisioning' }, text)
  }
  /** Nothing is left of the attempt that anyone would have to know of. */
  const settle = (uid: string): void => {
    const attempt = attempts.get(uid)
    attempts.delete(uid)
    journal?.forget(uid)
    if (attempt) state.sourceReleased?.(findSourceKey(attempt.plan.claim) ?? '')
  }
  const remainInDoubt = (plan: ProvisionPlan, reason: ProvisionerReason, pass: ClaimPass): WorkResult => {
    attempts.set(pass.key, { kind: 'in-doubt', plan })
    countFailure(plan, reason, pass)
    return after(doubtDelayMs(pass.memory?.failures ?? 1))
  }
  const doubtDelayMs = (failures: number): number =>
    backoffDelayMs({ ...backoff, maximumMs: Math.min(backoff.maximumMs, LONGEST_DOUBT_MS) }, failures, random)

  const protectSource = async ({ object }: StepOf<'protect-source'>): Promise<ReadObjects> => {
    if (object.kind === 'PersistentVolumeClaim')
      return { sourceClaim: await api.update(PERSISTENT_VOLUME_CLAIMS, object) }
    try {
      return { snapshot: await api.update(VOLUME_SNAPSHOTS, object) }
    } catch (error) {
      if (isForbidden(error)) return { protectionForbidden: true }
      throw error
    }
  }
  const record = async ({ plan }: StepOf<'record'>, pass: ClaimPass): Promise<StepOutcome> => {
    // Our finalizer is being removed from the source: it has to be protected again first. The end of that brings the claim back.
    if (role.holds.isHeldByOther(findSourceKey(plan.claim) ?? '', '')) return DONE
    const { key: uid, signal } = pass
    change(pass, { startedMs: pass.memory?.startedMs ?? clock.monotonicMs() })
    // A server that does not answer must not delay the end of the role.
    if (journal && !(await abandonOnAbort(journal.record({ uid, plan }), signal))) {
      announce(pass.view.seen.claim, formatReason(REASONS.journalFull), pass)
      return after(FULL_JOURNAL_MS)
    }
    attempts.set(uid, { kind: 'recorded', plan })
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
  const create = async ({ plan }: StepOf<'create'>, pass: ClaimPass): Promise<StepOutcome> => {
    attempts.set(pass.key, { kind: 'calling', plan })
    const result = await callDriver(plan, pass)
    // After the end of the role the answer is not acted upon; the next process finds the plan in the journal.
    pass.signal.throwIfAborted()
    if (result.kind === 'in-doubt') change(pass, { denials: 0 })
    if ((result.kind === 'failed' || result.kind === 'reschedule') && !sources.findClaimByUid(pass.key)) {
      const denials = (pass.memory?.denials ?? 0) + 1
      change(pass, { denials })
      if (denials < SURE_DENIALS) return remainInDoubt(plan, result.reason, pass)
    }
    return endCall(plan, result, pass)
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
        attempts.set(uid, { kind: 'spoiled', plan, volumeId: result.volumeId, reason: result.reason })
        return undefined
      case 'in-doubt':
        return remainInDoubt(plan, result.reason, pass)
      case 'failed':
        settle(uid)
        countFailure(plan, result.reason, pass)
        if (!result.isInfeasible) return FAILED
        change(pass, {
          infeasible: { classUid: plan.class.metadata.uid ?? '', untilMs: clock.monotonicMs() + INFEASIBLE_FOR_MS },
        })
        return after(INFEASIBLE_FOR_MS)
      case 'reschedule': {
        settle(uid)
        const claim = sources.findClaimByUid(uid)
        const step = claim && rescheduleClaim(claim, result.reason)
        return step && (step.kind === 'refuse' ? refuse(step, pass) : reschedule(step, pass))
      }
    }
  }
  const reschedule = async ({ object, reason }: StepOf<'reschedule'>, pass: ClaimPass): Promise<StepOutcome> => {
    reportFailure(pass, formatReason(reason))
    await api.update(PERSISTENT_VOLUME_CLAIMS, object)
    return DONE
  }
  const store = async ({ volume }: StepOf<'store'>, { key: uid }: ClaimPass): Promise<ReadObjects> => {
    const attempt = attempts.get(uid)
    if (attempt?.kind !== 'made') return {}
    attempts.set(uid, { ...attempt, wasSent: true })
    try {
      return { volume: await api.create(PERSISTENT_VOLUMES, volume) }
    } catch (error) {
      const name = volume.metadata.name ?? ''
      if (isAlreadyExists(error)) return { volume: await readIfPresent(api, PERSISTENT_VOLUMES, { name }) }
      // It was certainly not stored.
      if (isLasting(error)) attempts.set(uid, attempt)
      throw error
    }
  }
  const complete = ({ volume }: StepOf<'complete'>, pass: ClaimPass): StepOutcome => {
    const { key: uid, memory, view: seenView } = pass
    const { claim } = seenView.seen
    const attempt = attempts.get(uid)
    const tookMs = memory?.startedMs === undefined ? 0 : clock.monotonicMs() - memory.startedMs
    settle(uid)
    // A claim that the cache shows bound can't be mistaken for a new one.
    pass.memory = claim && !claim.spec.volumeName ? { isProvisioned: true } : undefined
    const { name: volumeName } = volume.metadata
    if (claim) events.record(claim, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${volumeName}`)
    pass.log.info('volume provisioned', { volume: volumeName, handle: volume.spec.csi?.volumeHandle, tookMs })
    if (!attempt) return DONE
    metrics.provision.succeeded(labelsOf(attempt.plan.claim), tookMs)
    capacity?.onProvisioned(volume)
    return DONE
  }
  const undo = async ({ request, reason }: StepOf<'undo'>, pass: ClaimPass): Promise<StepOutcome> => {
    const { key: uid, signal } = pass
    try {
      await driver.deleteVolume(request, { timeoutMs, signal })
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof CsiError)) throw error
      reportFailure(pass, `${formatReason(reason)} The volume could not be deleted: ${error.message}`)
      return FAILED
    }
    pass.log.info('unusable volume deleted', { volume: request.volumeId, reason })
    const attempt = attempts.get(uid)
    settle(uid)
    if (attempt?.kind !== 'spoiled') return undefined
    countFailure(attempt.plan, reason, pass)
    return FAILED
  }
  const intoReads =
    <Step>(act: (step: Step, pass: ClaimPass) => Promise<ReadObjects>) =>
    async (step: Step, pass: ClaimPass): Promise<void> => {
      pass.reads = { ...pass.reads, ...(await act(step, pass)) }
    }

  return defineController<ProvisionView, ProvisionStep, ClaimMemory, ReadObjects>({
    name: 'provisioner',
    queue,
    watch,
    view,
    onView: ({ key }) => awaited.cancel(key),
    forget: awaited.cancel,
    decide: nextProvisionStep,
    // Creating and deleting a volume never happen at the same time.
    resource: (_view, uid) => uid,
    onError: (error, pass) => {
      if (!(error instanceof JournalError) && !isLasting(error)) return undefined
      reportFailure(pass, error.message)
      return FAILED
    },
    perform: {
      wait: awaitObject,
      refuse,
      forget: (_step, pass) => {
        settle(pass.key)
        pass.memory = undefined
        return DONE
      },
      read: intoReads(({ wanted }) => readWanted(api, wanted)),
      ...contentionSteps(config, state, role, settings.ownNode),
      'hand-off': ({ reason }, pass) => {
        announce(pass.view.seen.claim, formatReason(reason), pass)
        return DONE
      },
      'protect-source': intoReads(protectSource),
      record,
      create,
      store: intoReads(store),
      complete,
      doubt: (step, pass) => {
        pass.log.info('the volume is in doubt', { reason: step.reason })
        attempts.set(pass.key, { kind: 'in-doubt', plan: step.plan })
        // The cache may not show yet what was read: calling the driver at once would lead back here.
        pass.waitFor(step)
        return after(doubtDelayMs(1))
      },
      undo,
      reschedule,
    },
  })
}

const labelsOf = (claim: PersistentVolumeClaim): { class: string; source: string } => ({
  class: classNameOf(claim),
  source: claim.spec.dataSource?.kind ?? claim.spec.dataSourceRef?.kind ?? '',
})
