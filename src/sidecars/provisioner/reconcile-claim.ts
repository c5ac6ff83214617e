import { isAlreadyExists, isForbidden, isLasting } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import { keyOf } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import type { Reason } from '../../api/reason.ts'
import { abandonOnAbort, unreachable } from '../../base/abort.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import type { BackoffOptions } from '../../base/backoff.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { CsiError } from '../../csi/csi-error.ts'
import type { Driver } from '../../csi/rpc.ts'
import { after, DONE } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import type { EventRecorder } from '../../kube/event-recorder.ts'
import { within } from '../../kube/within.ts'
import type { WorkResult } from '../../kube/work-queue.ts'
import type { BusyVolumes } from './busy-volumes.ts'
import type { ClaimMemories, ClaimMemory } from './claim-memory.ts'
import { JournalError } from './journal/journal.ts'
import type { Journal } from './journal/journal.ts'
import { judgeAnswer, judgeError } from './judge-create-result.ts'
import type { CreateResult } from './judge-create-result.ts'
import { classNameOf } from '../../storage/names.ts'
import { nextProvisionStep, rescheduleClaim } from './next-provision-step.ts'
import type { ProvisionHeld, ProvisionStep, ProvisionView } from './next-provision-step.ts'
import type { ProvisionPlan, ReadObjects } from './plan-volume.ts'
import type { ProvisionMetrics } from './provision-metrics.ts'
import { readIfPresent, readWanted } from './read-wanted.ts'

export type ClaimParts = {
  readonly driver: Driver
  readonly driverName: string
  readonly api: Api
  readonly clock: Clock
  readonly random: Random
  readonly events: EventRecorder
  readonly metrics: ProvisionMetrics
  readonly timeoutMs: number
  readonly backoff: BackoffOptions
  readonly held: Pick<ProvisionHeld, 'facts' | 'settings'>
  readonly memories: ClaimMemories
  readonly busy: BusyVolumes
  /** Left out where leases may not be written. */
  readonly journal?: Journal | undefined
  /** The claim, its class and the volume of its name as they are known now. */
  readSeen(uid: string, attempted: ProvisionPlan | undefined): Omit<ProvisionView['seen'], 'read'>
  /** A claim as the server answered: the cache may lag behind. */
  remember(claim: PersistentVolumeClaim): void
  contend(claim: PersistentVolumeClaim, plan: ProvisionPlan, signal: AbortSignal): Promise<WorkResult>
  enqueue(uid: string): void
  /** Has the claim looked at when what it waits for changes, where that can be seen. */
  waitFor(uid: string, reason: Reason): void
  /** What the volume is to be copied from is being let go: it has to be held again first. */
  isSourceReleasing(plan: ProvisionPlan): boolean
  /** No call of this plan is under way or in doubt any more. */
  onSettled(plan: ProvisionPlan): void
  onProvisioned(volume: PersistentVolume): void
  onFailed(plan: ProvisionPlan): void
}

// Reads, protection, journal, call, storing: with room for what changes meanwhile.
const MOST_STEPS = 20
// A call that ends sooner needs no word that it was begun.
const SLOW_CALL_MS = 1000
// The driver is still at it: to ask soon costs little, and the answer is waited for.
const LONGEST_DOUBT_MS = 10_000
const INFEASIBLE_FOR_MS = 300_000
// Nobody comes back to the volume of a claim that is gone, so the answer that there is none has to be a sure one: whatever stands before the
// driver may have given it for the driver.
const SURE_DENIALS = 5
// As long as what is done may stay in the journal.
const FULL_JOURNAL_MS = 5000
const JOURNAL_FULL: Reason = { code: 'JournalFull', waitsFor: { kind: 'actor', name: 'calls in flight to end' } }

type Pass = { uid: string; view: ProvisionView; memory: ClaimMemory; signal: AbortSignal; log: Logger }
/** `next`: go on with the next step, with what was read. */
type Outcome =
  | { readonly kind: 'next'; readonly read?: ReadObjects }
  | { readonly kind: 'end'; readonly result: WorkResult }

const NEXT: Outcome = { kind: 'next' }
const END: Outcome = { kind: 'end', result: DONE }
const FAILED: Outcome = { kind: 'end', result: { kind: 'failed' } }

/** One pass over one claim, known by its uid: as many steps as follow from each other. */
export function createClaimReconciler(parts: ClaimParts): Reconciler {
  const { driver, driverName, api, clock, random, events, metrics, timeoutMs, memories, journal } = parts

  const reconcile: Reconciler = async (uid, { log, signal }) => {
    const release = parts.busy.tryHold(uid, () => parts.enqueue(uid))
    if (!release) return DONE
    try {
      return await pass(uid, log, signal)
    } finally {
      release()
    }
  }

  const pass = async (uid: string, log: Logger, signal: AbortSignal): Promise<WorkResult> => {
    let read: ReadObjects = {}
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      signal.throwIfAborted()
      const memory = memories.of(uid)
      const { attempt, infeasible, isProvisioned = false } = memory
      const seen = { ...parts.readSeen(uid, attempt?.plan), read }
      const view: ProvisionView = {
        driverName,
        seen,
        held: { ...parts.held, nowMs: clock.monotonicMs(), attempt, infeasible, isProvisioned },
      }
      const step = nextProvisionStep(view)
      log.debug('provision step', { step: step.kind, ...('reason' in step ? { reason: step.reason } : {}) })
      const outcome = await attemptStep(step, { uid, view, memory, signal, log })
      if (outcome.kind === 'end') return outcome.result
      read = { ...read, ...outcome.read }
    }
    return { kind: 'failed' }
  }

  /** Refusals of the server that another try alone does not change are told to the user; what may pass is thrown. */
  const attemptStep = async (step: ProvisionStep, context: Pass): Promise<Outcome> => {
    try {
      return await perform(step, context)
    } catch (error) {
      context.signal.throwIfAborted()
      if (!(error instanceof JournalError) && !isLasting(error)) throw error
      tell(context, error.message)
      return FAILED
    }
  }

  const perform = async (step: ProvisionStep, context: Pass): Promise<Outcome> => {
    const { uid, view, memory, signal, log } = context
    switch (step.kind) {
      case 'wait':
        parts.waitFor(uid, step.reason)
        memories.trim(uid)
        return step.untilMs === undefined ? END : { kind: 'end', result: after(step.untilMs - clock.monotonicMs()) }
      case 'refuse':
        tell(context, formatReason(step.reason))
        parts.waitFor(uid, step.reason)
        return FAILED
      case 'forget':
        settle(uid, memory)
        memories.forget(uid)
        return END
      case 'read':
        return { kind: 'next', read: await ask(signal, (until) => readWanted(api, step.wanted, until)) }
      case 'contend':
        return view.seen.claim ? { kind: 'end', result: await parts.contend(view.seen.claim, step.plan, signal) } : END
      case 'hand-off':
        tellOnce(context, 'Normal', 'Provisioning', formatReason(step.reason))
        return END
      case 'protect-source':
        return { kind: 'next', read: await protect(step.object, signal) }
      case 'record':
        // Looked at again once that has ended.
        if (parts.isSourceReleasing(step.plan)) return END
        return await record(step.plan, context)
      case 'create':
        return await create(step.plan, context)
      case 'finish':
        return await store(step.volume, context)
      case 'done':
        return finish(step.volume, context)
      case 'doubt':
        log.info('the volume is in doubt', { reason: step.reason })
        memory.attempt = { kind: 'in-doubt', plan: step.plan }
        // The cache may not show yet what was read: to ask the driver at once would lead back here.
        parts.waitFor(uid, step.reason)
        return { kind: 'end', result: after(doubtDelayMs(1)) }
      case 'undo':
        return await undo(step.request, step.reason, context)
      case 'reschedule':
        tell(context, formatReason(step.reason))
        parts.remember(
          await ask(signal, (until) => api.update(PERSISTENT_VOLUME_CLAIMS, step.object, { signal: until })),
        )
        return END
      default:
        return unreachable(step)
    }
  }

  const ask = <T>(signal: AbortSignal, request: (until: AbortSignal) => Promise<T>): Promise<T> =>
    within(clock, signal, request)

  const protect = async (
    source: Extract<ProvisionStep, { kind: 'protect-source' }>['object'],
    signal: AbortSignal,
  ): Promise<ReadObjects> => {
    if (source.kind === 'PersistentVolumeClaim') {
      const sourceClaim = await ask(signal, (until) => api.update(PERSISTENT_VOLUME_CLAIMS, source, { signal: until }))
      parts.remember(sourceClaim)
      return { sourceClaim }
    }
    try {
      return { snapshot: await ask(signal, (until) => api.update(VOLUME_SNAPSHOTS, source, { signal: until })) }
    } catch (error) {
      if (isForbidden(error)) return { protectionForbidden: true }
      throw error
    }
  }

  const record = async (plan: ProvisionPlan, context: Pass): Promise<Outcome> => {
    const { uid, memory, signal } = context
    memory.startedMs ??= clock.monotonicMs()
    // The end of the role does not wait for a server that does not answer.
    const hasRoom = journal ? await abandonOnAbort(journal.record({ uid, plan }), signal) : true
    if (!hasRoom) {
      tellOnce(context, 'Normal', 'Provisioning', formatReason(JOURNAL_FULL))
      return { kind: 'end', result: after(FULL_JOURNAL_MS) }
    }
    // The memory of before may be forgotten by now, as when the claim was bound or deleted meanwhile.
    memories.of(uid).attempt = { kind: 'recorded', plan }
    return NEXT
  }

  const create = async (plan: ProvisionPlan, context: Pass): Promise<Outcome> => {
    const { memory, signal } = context
    memory.attempt = { kind: 'calling', plan }
    const result = await callDriver(plan, context)
    // What it answers is no longer acted upon; whoever comes next finds it in the journal.
    if (signal.aborted) memory.attempt = { kind: 'in-doubt', plan }
    signal.throwIfAborted()
    return settleCall(plan, result, context)
  }
  const callDriver = async (plan: ProvisionPlan, { memory, view, signal }: Pass): Promise<CreateResult> => {
    const announce = (): void => {
      const { claim } = view.seen
      if (claim)
        events.record(
          claim,
          'Normal',
          'Provisioning',
          `External provisioner is provisioning volume for claim "${keyOf(claim)}"`,
        )
    }
    if (memory.failures > 0) announce()
    const slow = memory.failures > 0 ? undefined : clock.setTimer(SLOW_CALL_MS, announce)
    try {
      return judgeAnswer(plan, await driver.createVolume(plan.request, { timeoutMs, signal }))
    } catch (error) {
      if (error instanceof CsiError) return judgeError(plan, error)
      memory.attempt = { kind: 'in-doubt', plan }
      throw error
    } finally {
      slow?.cancel()
    }
  }

  const settleCall = async (plan: ProvisionPlan, result: CreateResult, context: Pass): Promise<Outcome> => {
    const { uid, memory, log, view } = context
    if (result.kind === 'in-doubt') memory.denials = 0
    if ((result.kind === 'failed' || result.kind === 'reschedule') && !parts.readSeen(uid, plan).claim) {
      memory.denials = (memory.denials ?? 0) + 1
      if (memory.denials < SURE_DENIALS) return remainInDoubt(plan, result.reason, context)
    }
    switch (result.kind) {
      case 'made':
        for (const warning of result.warnings)
          log.warn('the driver answered oddly', { volume: plan.request.name, reason: warning })
        memory.attempt = { kind: 'made', plan, volume: result.volume, wasSent: false }
        return NEXT
      case 'spoiled':
        memory.attempt = { kind: 'spoiled', plan, volumeId: result.volumeId, reason: result.reason }
        return NEXT
      case 'in-doubt':
        return remainInDoubt(plan, result.reason, context)
      case 'failed':
        settle(uid, memory)
        countFailure(plan, result.reason, context)
        if (!result.isInfeasible) return FAILED
        memory.infeasible = {
          classUid: plan.class.metadata.uid ?? '',
          untilMs: clock.monotonicMs() + INFEASIBLE_FOR_MS,
        }
        return { kind: 'end', result: after(INFEASIBLE_FOR_MS) }
      case 'reschedule': {
        settle(uid, memory)
        const { claim } = parts.readSeen(uid, undefined)
        return claim ? perform(rescheduleClaim(claim, result.reason), { ...context, view }) : NEXT
      }
    }
  }

  const remainInDoubt = (plan: ProvisionPlan, reason: Reason, context: Pass): Outcome => {
    const { memory } = context
    memory.attempt = { kind: 'in-doubt', plan }
    countFailure(plan, reason, context)
    return { kind: 'end', result: after(doubtDelayMs(memory.failures)) }
  }
  const doubtDelayMs = (failures: number): number =>
    backoffDelayMs(
      { ...parts.backoff, maximumMs: Math.min(parts.backoff.maximumMs, LONGEST_DOUBT_MS) },
      failures,
      random,
    )

  const store = async (volume: PersistentVolume, { memory, signal }: Pass): Promise<Outcome> => {
    const { attempt } = memory
    if (attempt?.kind !== 'made') return NEXT
    memory.attempt = { ...attempt, wasSent: true }
    try {
      return {
        kind: 'next',
        read: { volume: await ask(signal, (until) => api.create(PERSISTENT_VOLUMES, volume, { signal: until })) },
      }
    } catch (error) {
      const name = volume.metadata.name ?? ''
      if (isAlreadyExists(error))
        return {
          kind: 'next',
          read: { volume: await ask(signal, (until) => readIfPresent(api, PERSISTENT_VOLUMES, { name }, until)) },
        }
      // Surely not stored.
      if (isLasting(error)) memory.attempt = attempt
      throw error
    }
  }

  const finish = (volume: PersistentVolume, { uid, view, memory, log }: Pass): Outcome => {
    const { attempt, startedMs } = memory
    const tookMs = startedMs === undefined ? 0 : clock.monotonicMs() - startedMs
    settle(uid, memory)
    memories.forget(uid)
    if (view.seen.claim) {
      // One that the cache shows bound can't be taken for a new one.
      if (!view.seen.claim.spec.volumeName) memories.of(uid).isProvisioned = true
      events.record(
        view.seen.claim,
        'Normal',
        'ProvisioningSucceeded',
        `Successfully provisioned volume ${volume.metadata.name}`,
      )
    }
    log.info('volume provisioned', { volume: volume.metadata.name, handle: volume.spec.csi?.volumeHandle, tookMs })
    if (!attempt) return END
    metrics.provisioned(labelsOf(attempt.plan.claim), tookMs)
    parts.onProvisioned(volume)
    return END
  }

  const undo = async (
    request: Extract<ProvisionStep, { kind: 'undo' }>['request'],
    reason: Reason,
    context: Pass,
  ): Promise<Outcome> => {
    const { uid, memory, signal, log } = context
    try {
      await driver.deleteVolume(request, { timeoutMs, signal })
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof CsiError)) throw error
      tell(context, `${formatReason(reason)} It could not be deleted again: ${error.message}`)
      return FAILED
    }
    log.info('volume deleted again', { volume: request.volumeId, reason })
    const { attempt } = memory
    settle(uid, memory)
    if (attempt?.kind !== 'spoiled') return NEXT
    countFailure(attempt.plan, reason, context)
    return FAILED
  }

  /** Nothing is left of the attempt that anybody would have to know of. */
  const settle = (uid: string, memory: ClaimMemory): void => {
    const { attempt } = memory
    memory.attempt = undefined
    journal?.forget(uid)
    if (attempt) parts.onSettled(attempt.plan)
  }
  const countFailure = (plan: ProvisionPlan, reason: Reason, context: Pass): void => {
    context.memory.failures++
    parts.onFailed(plan)
    tell(context, formatReason(reason))
  }
  /** A try has failed, whether or not the driver was asked: told, and counted. */
  const tell = ({ view, log, memory }: Pass, message: string): void => {
    const { claim } = view.seen
    const tried = view.held?.attempt?.plan.claim ?? claim
    if (tried) metrics.provisionFailed(labelsOf(tried))
    memory.told = message
    log.warn('volume not provisioned', {
      why: message,
      ...(memory.attempt ? { volume: memory.attempt.plan.request.name } : {}),
    })
    if (claim)
      events.record(
        claim,
        'Warning',
        'ProvisioningFailed',
        `failed to provision volume with StorageClass "${classNameOf(claim)}": ${message}`,
      )
  }
  const tellOnce = ({ view, memory }: Pass, type: 'Normal' | 'Warning', reason: string, message: string): void => {
    if (view.seen.claim && memory.told !== message) events.record(view.seen.claim, type, reason, message)
    memory.told = message
  }
  return reconcile
}

const labelsOf = (claim: PersistentVolumeClaim): { class: string; source: string } => ({
  class: classNameOf(claim),
  source: claim.spec.dataSource?.kind ?? claim.spec.dataSourceRef?.kind ?? '',
})
