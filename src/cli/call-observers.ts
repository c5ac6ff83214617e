import { EVENTS } from '../api/kinds/event.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import { followCallSubjects } from '../cluster/index.ts'
import type { CallMemory, CallSubjects, Cluster, ClusterOptions } from '../cluster/index.ts'
import type { CallLog } from '../console/index.ts'
import { printableMessage } from '../csi/index.ts'
import type { CallObserver, CallStartObserver, Rpc } from '../csi/index.ts'
import { createInformers } from '../kube/cache/informers.ts'
import { isPublishedNothing } from '../storage/driver-trouble.ts'
import type { DriverCommands } from './driver-command.ts'
import type { UpConfig } from './up-options.ts'

export type CallObserverParts = {
  readonly config: Pick<UpConfig, 'traceCsi' | 'driverCommand'>
  /** Of the console. */
  readonly calls: CallLog | undefined
  /** Of the drivers of `--driver-command`. */
  readonly own: CallMemory | undefined
  readonly log: Logger
  /** The claim or pod that a call is for, otherwise the volume or snapshot. */
  subjectOf(rpc: Rpc, request: unknown): string | undefined
}

// A driver is asked these all the time. They matter only if they fail.
const ROUTINE =
  /^(Probe|GetPlugin\w+|\w*GetCapabilities|GetCapacity|NodeGetInfo|NodeGetVolumeStats|ListVolumes|ListSnapshots)$/

/** Who sees the calls to drivers: the console, the diagnosis of `--driver-command`, and the log. */
export function createCallObservers({
  config,
  calls,
  own,
  log,
  subjectOf,
}: CallObserverParts): Pick<ClusterOptions, 'observeCsi' | 'observeCsiStart'> {
  const forWhom = (rpc: Rpc, request: unknown): { for?: string } => {
    const subject = subjectOf(rpc, request)
    return subject === undefined ? {} : { for: subject }
  }
  const traceEnd =
    (by: string, driver: string): CallObserver =>
    (call) =>
      log.info('CSI call', { by, ...printableCall(call, driver), ...forWhom(call.rpc, call.request) })
  const traceStart =
    (by: string, driver: string): CallStartObserver =>
    ({ rpc, request }) =>
      log.info('CSI call started', { rpc: rpc.path, by, driver, ...forWhom(rpc, request) })
  // Without --trace-csi the author of a driver sees one short line for each call.
  const briefEnd =
    (by: string): CallObserver =>
    ({ rpc, request, code, error, tookMs }) => {
      if (ROUTINE.test(rpc.name) && !error) return
      const detail = error ? { error: error.detail } : {}
      log.info(`call | ${rpc.name}`, {
        ...forWhom(rpc, request),
        code: code ?? 'none',
        ...detail,
        by,
        tookMs: Math.round(tookMs),
      })
    }
  const isBrief = config.driverCommand !== undefined && !config.traceCsi
  return {
    observeCsi: (by, driver) => {
      const observers = [
        ...(calls ? [calls.observe(by, driver)] : []),
        ...(own ? [own.onEnd] : []),
        ...(config.traceCsi ? [traceEnd(by, driver)] : []),
        ...(isBrief ? [briefEnd(by)] : []),
      ]
      return (call) => observers.forEach((observe) => observe(call))
    },
    ...(config.traceCsi || own
      ? {
          observeCsiStart: (by, driver) => {
            const observers = [...(own ? [own.onStart] : []), ...(config.traceCsi ? [traceStart(by, driver)] : [])]
            return (call) => observers.forEach((observe) => observe(call))
          },
        }
      : {}),
  }
}

const printableCall = (
  { rpc, request, response, code, error, tookMs }: Parameters<CallObserver>[0],
  driver: string,
): object => ({
  rpc: rpc.path,
  driver,
  request: printableMessage(rpc.requestName, request),
  ...(response === undefined ? {} : { response: printableMessage(rpc.responseName, response) }),
  code: code ?? 'none',
  ...(error ? { error: error.message } : {}),
  tookMs: Math.round(tookMs * 10) / 10,
})

export type FollowParts = {
  readonly config: Pick<UpConfig, 'traceCsi'>
  readonly own: DriverCommands | undefined
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** Follows the objects that explain calls, if someone reads the calls: claims, volumes and pods, and events about publishes that mounted nothing. */
export function followObjects(
  { api }: Cluster,
  { config, own, clock, random, log }: FollowParts,
): AsyncDisposable & { readonly subjects: CallSubjects | undefined } {
  const parts = { api, clock, random, log }
  const subjects = config.traceCsi || own ? followCallSubjects(parts) : undefined
  const informers = own ? createInformers(parts) : undefined
  informers?.get(EVENTS).onChange(({ after }) => {
    const message = after?.message ?? ''
    if (isPublishedNothing(message)) own?.reportMountedNothing(message)
  })
  return {
    subjects,
    [Symbol.asyncDispose]: async () => {
      await subjects?.stop()
      await informers?.stop()
    },
  }
}
