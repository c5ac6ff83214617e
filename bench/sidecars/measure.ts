import { cpuMicros } from '../apiserver/process-usage.ts'
import type { AuditedRequest } from '../../test/kubernetes/start-audited-server.ts'
import type { Load, LoadedVolume } from './load.ts'
import type { PhaseResult } from './run-phase.ts'
import type { RunningSubject } from './subjects.ts'
import { untilQuiet } from './until-quiet.ts'

/** Requests by verb and resource, such as `create events`. */
export type Calls = ReadonlyMap<string, number>

export type PhaseNumbers = {
  perSecond: number
  /** With all wishes at once: how long one waits in the crowd. */
  p50Ms: number
  p99Ms: number
  /** CPU time of the sidecars for one volume. */
  cpuMicros: number
  /** One wish after the other. */
  aloneP50Ms: number
  aloneP99Ms: number
}

/** All phases of one run. */
export type RunNumbers<P extends string> = {
  phases: Record<P, PhaseNumbers>
  /** CPU time of the sidecars for the whole life of one volume, with what others did to it in between. */
  lifeMicros: number
  /** From when to when requests belong to a phase, by the server's clock. */
  windows: readonly { phase: P; fromMs: number; toMs: number }[]
  volumes: number
  /** Rates of the first volumes after the start, with which the sidecars warm up. */
  cold?: Record<P, number>
}

export type RunOptions = {
  prefix: string
  volumes: number
  /** Volumes to warm up with, and volumes one after the other; 0 for none. */
  warmUp: number
  alone: number
  /** Wishes under way at once. */
  requests: number
}

/** The life of all volumes, phase by phase. */
export async function measureRun<P extends string>(
  load: Load<P>,
  subject: RunningSubject,
  { prefix, volumes, warmUp, alone, requests }: RunOptions,
): Promise<RunNumbers<P>> {
  const warming = warmUp > 0 ? await live(load, subject, `${prefix}-warm`, warmUp, requests) : undefined
  const { results: crowd, cpu, lifeMicros, endedAt } = await live(load, subject, `${prefix}-all`, volumes, requests)
  const { results: single } = alone > 0 ? await live(load, subject, `${prefix}-one`, alone, 1) : { results: undefined }
  const phases = Object.fromEntries(
    load.phases.map((phase): [P, PhaseNumbers] => {
      const { timesMs, elapsedMs } = crowd[phase]
      const times = single?.[phase].timesMs ?? []
      return [
        phase,
        {
          perSecond: (volumes / elapsedMs) * 1000,
          p50Ms: quantile(timesMs, 0.5),
          p99Ms: quantile(timesMs, 0.99),
          cpuMicros: cpu[phase] / volumes,
          aloneP50Ms: quantile(times, 0.5),
          aloneP99Ms: quantile(times, 0.99),
        },
      ]
    }),
  ) as Record<P, PhaseNumbers>
  // Up to the next phase: what comes late, such as an event, and what others do in between belongs to the one before.
  const windows = load.phases.map((phase, index) => {
    const next = load.phases[index + 1]
    return { phase, fromMs: crowd[phase].begunAt, toMs: next === undefined ? endedAt : crowd[next].begunAt }
  })
  const cold =
    warming &&
    (Object.fromEntries(
      load.phases.map((phase) => [phase, (warmUp / warming.results[phase].elapsedMs) * 1000]),
    ) as Record<P, number>)
  return { phases, lifeMicros: lifeMicros / volumes, windows, volumes, ...(cold ? { cold } : {}) }
}

type Lived<P extends string> = {
  results: Record<P, PhaseResult>
  cpu: Record<P, number>
  lifeMicros: number
  endedAt: number
}

/** One volume after the other: the next wish is made when the one before has come true. */
async function runAlone<P extends string>(
  load: Load<P>,
  phase: P,
  volumes: readonly LoadedVolume[],
): Promise<PhaseResult> {
  const results: PhaseResult[] = []
  for (const volume of volumes) results.push(await load.run(phase, [volume], 1))
  return {
    timesMs: results.flatMap(({ timesMs }) => timesMs),
    elapsedMs: results.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0),
    begunAt: results[0]?.begunAt ?? Number.NaN,
  }
}

/** The life of that many volumes. */
export async function live<P extends string>(
  load: Load<P>,
  { pids }: RunningSubject,
  prefix: string,
  count: number,
  requests: number,
): Promise<Lived<P>> {
  const volumes = await load.prepare(prefix, count)
  const results: Partial<Lived<P>['results']> = {}
  const cpu: Partial<Lived<P>['cpu']> = {}
  await untilQuiet(pids)
  const atBirth = cpuMicros(pids)
  for (const phase of load.phases) {
    const before = cpuMicros(pids)
    const result = await (requests === 1 ? runAlone(load, phase, volumes) : load.run(phase, volumes, requests))
    // What comes late, such as an event, still belongs to it.
    await untilQuiet(pids)
    cpu[phase] = cpuMicros(pids) - before
    results[phase] = result
    await load.settle(phase, volumes)
  }
  return {
    results: results as Lived<P>['results'],
    cpu: cpu as Lived<P>['cpu'],
    lifeMicros: cpuMicros(pids) - atBirth,
    endedAt: Date.now(),
  }
}

/** What the sidecars asked of the server in each phase, by volume. Nobody elects a leader here: a lease is a journal. */
export function countCalls<P extends string>(
  requests: readonly AuditedRequest[],
  { windows, volumes }: RunNumbers<P>,
): ReadonlyMap<P, Calls> {
  const calls = new Map(windows.map(({ phase }) => [phase, new Map<string, number>()]))
  for (const { verb, resource, code, receivedMs } of requests) {
    const window = windows.find(({ fromMs, toMs }) => receivedMs >= fromMs && receivedMs < toMs)
    if (!window) continue
    const key = `${verb} ${resource}${code >= 400 ? ` (${code})` : ''}`
    const ofPhase = calls.get(window.phase)
    ofPhase?.set(key, (ofPhase.get(key) ?? 0) + 1 / volumes)
  }
  return calls
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Of two, what is between them. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = (sorted.length - 1) / 2
  return ((sorted[Math.floor(half)] ?? Number.NaN) + (sorted[Math.ceil(half)] ?? Number.NaN)) / 2
}
