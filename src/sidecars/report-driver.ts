import { repeat } from '../base/clock.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Api } from '../api/api.ts'
import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import type { KubeObject } from '../api/object.ts'
import { apiVersionOf } from '../api/resource-type.ts'
import { createEventRecorder } from '../kube/controller/event-recorder.ts'
import { DRIVER_WELL, noticeOf, REPEAT_PROBLEM_MS } from '../storage/driver-problem.ts'
import type { DriverProblem } from '../storage/driver-problem.ts'

/** Tells what is wrong with a driver, in events about its CSIDriver, as long as it lasts. */
export interface DriverReports extends Disposable {
  /** Replaces the problem that was told before. */
  tell(driver: string, problem: DriverProblem): void
  /** The problem that was told is over. */
  well(driver: string): void
  /** What it cannot do is told for as long as it is connected. */
  lacks(driver: string, problems: readonly Extract<DriverProblem, { kind: 'cannot' }>[]): void
}

type ReportParts = { readonly api: Api; readonly clock: Clock; readonly log: Logger; readonly identity: string }

type Told = { readonly driver: string; readonly problem: DriverProblem }

export function createDriverReports({ api, clock, log, identity }: ReportParts): DriverReports {
  // `host` tells the replicas apart: each has a driver of its own.
  const events = createEventRecorder({ api, clock, log, component: 'holdfast-sidecar', host: identity })
  let current: Told | undefined
  // What may be wrong although the driver can be used: it lacks a capability, or its former name is gone.
  let lasting: readonly Told[] = []
  const record = ({ driver, problem }: Told): void => {
    const { type, reason, message } = noticeOf(driver, problem)
    events.record(objectOf(driver), type, reason, message)
  }
  const recordWell = (driver: string): void =>
    events.record(objectOf(driver), 'Normal', DRIVER_WELL, `driver ${driver} can be used`)
  const timer = repeat(clock, REPEAT_PROBLEM_MS, () => {
    if (current) record(current)
    lasting.forEach(record)
  })
  return {
    tell: (driver, problem) => {
      const told = { driver, problem }
      if (problem.kind === 'renamed') {
        lasting = [...lasting, told]
        return record(told)
      }
      const isNew = !current || textOf(current) !== textOf(told)
      current = told
      if (isNew) record(told)
    },
    well: (driver) => {
      const wasRenamed = lasting.some((each) => each.driver === driver && each.problem.kind === 'renamed')
      if (current || wasRenamed) recordWell(driver)
      current = undefined
      lasting = lasting.filter((each) => each.driver !== driver || each.problem.kind !== 'renamed')
    },
    lacks: (driver, problems) => {
      const others = lasting.filter(({ problem }) => problem.kind !== 'cannot')
      // A capability that is there now ends what was told about it.
      if (lasting.length - others.length > problems.length) recordWell(driver)
      const lacking = problems.map((problem) => ({ driver, problem }))
      lasting = [...others, ...lacking]
      lacking.forEach(record)
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  }
}

const textOf = ({ driver, problem }: Told): string => noticeOf(driver, problem).message

/** An event need not wait for the object to exist: without a CSIDriver, Kubernetes uses the defaults. */
const objectOf = (name: string): KubeObject => ({
  apiVersion: apiVersionOf(CSI_DRIVERS),
  kind: CSI_DRIVERS.kind,
  metadata: { name },
})
