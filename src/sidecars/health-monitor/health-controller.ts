import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { getOrAdd } from '../../base/get-or-add.ts'
import { CsiError } from '../../csi/csi-error.ts'
import type { Driver } from '../../csi/rpc.ts'
import { defineController } from '../../kube/controller/index.ts'
import type { ControllerRole, Pass, Watch } from '../../kube/controller/index.ts'
import type { WorkQueue } from '../../kube/controller/work-queue.ts'
import { RECOVERED } from './event-texts.ts'
import type { Finding, HealthCalls } from './health-calls.ts'
import type { HealthMonitorConfig } from './health-monitor-options.ts'
import type { HealthView, ToldCondition } from './health-view.ts'
import { nextHealthStep } from './next-health-step.ts'
import type { HealthStep } from './next-health-step.ts'

export type HealthParts = {
  readonly driver: Driver
  readonly calls: HealthCalls
  readonly config: HealthMonitorConfig
  readonly queue: WorkQueue
  readonly watch: readonly Watch[]
  readSeen(volumeName: string): HealthView['seen'] | undefined
  /** By volume name: the driver's last report. */
  readonly findings: Map<string, Finding>
  /** By UID of the claim: what events of an earlier process report. */
  readonly toldEarlier: Map<string, ToldCondition>
}

/** A claim that was deleted and created again starts from scratch. */
type Memory = { readonly uid: string; readonly told?: ToldCondition; readonly problem?: string }
type HealthPass = Pass<HealthView, Memory>

/** Reports on each claim when its volume becomes abnormal, and when it has recovered. */
export function defineHealthController({ clock, random, events }: ControllerRole, parts: HealthParts) {
  const { driver, calls, config, queue, watch, findings, toldEarlier } = parts
  const { timeoutMs, monitorIntervalMs } = config
  // If volumes are queried one by one: when each is due. The first queries are spread over the interval, and so are all that follow.
  const asksEach = !calls.list
  const turns = new Map<string, number>()
  const askInMs = (key: string): number => {
    const nowMs = clock.monotonicMs()
    return getOrAdd(turns, key, () => nowMs + random.fraction() * monitorIntervalMs) - nowMs
  }

  const ask = async (handle: string, pass: HealthPass): Promise<void> => {
    const { key, signal, log } = pass
    if (asksEach) turns.set(key, clock.monotonicMs() + monitorIntervalMs)
    // Until there is a response, nothing is known: neither that the volume is abnormal nor that it has recovered.
    findings.delete(key)
    try {
      const report = await calls.get?.(driver, handle, { timeoutMs, signal })
      if (report) findings.set(key, report)
      noteProblem(pass, report ? undefined : 'the driver does not say whether the volume is abnormal')
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof CsiError)) throw error
      noteProblem(pass, error.message)
      log.debug('the health of a volume could not be read', { error })
    }
  }
  const remember = (pass: HealthPass, claim: PersistentVolumeClaim, more: Omit<Memory, 'uid'>): void => {
    const { uid = '' } = claim.metadata
    toldEarlier.delete(uid)
    pass.memory = { uid, ...more }
  }
  /** Logs a problem once, not at each interval. */
  const noteProblem = (pass: HealthPass, problem: string | undefined): void => {
    const { view, memory, log } = pass
    const { claim } = view.seen
    if (!claim || memory?.problem === problem) return
    if (problem !== undefined) log.warn('the health of the volume is unknown', { problem })
    const { told } = view.held
    remember(pass, claim, { ...(told ? { told } : {}), ...(problem === undefined ? {} : { problem }) })
  }

  return defineController<HealthView, HealthStep, Memory>({
    name: 'health-monitor',
    queue,
    watch,
    view: (key, { memory }) => {
      const seen = parts.readSeen(key)
      if (!seen) return undefined
      const { uid = '' } = seen.claim?.metadata ?? {}
      const finding = findings.get(key)
      const told = memory?.uid === uid ? memory.told : toldEarlier.get(uid)
      const held = {
        nowMs: clock.nowMs(),
        ...(finding ? { finding } : {}),
        ...(told ? { told } : {}),
        ...(asksEach ? { askInMs: askInMs(key) } : {}),
      }
      return { seen, held }
    },
    decide: nextHealthStep,
    forget: (key) => {
      turns.delete(key)
      findings.delete(key)
    },
    perform: {
      ask: ({ handle }, pass) => ask(handle, pass),
      'tell-abnormal': ({ claim, message }, pass) => {
        events.record(claim, 'Warning', 'VolumeConditionAbnormal', message)
        pass.log.warn('the volume is abnormal', { message })
        remember(pass, claim, { told: { message, atMs: clock.nowMs() } })
      },
      'tell-normal': ({ claim }, pass) => {
        events.record(claim, 'Normal', 'VolumeConditionNormal', RECOVERED)
        pass.log.info('the volume has recovered')
        remember(pass, claim, {})
      },
    },
  })
}
