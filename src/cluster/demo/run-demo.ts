import { join } from 'node:path'
import type { Api } from '../../api/api.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import type { CSINode } from '../../api/kinds/csi-node.ts'
import { abandonOnAbort, startDeadline } from '../../base/abort.ts'
import type { Host } from '../../base/host/index.ts'
import { explain } from '../../explain/index.ts'
import type { Target } from '../../explain/index.ts'
import { createInformers } from '../../kube/index.ts'
import type { Informer } from '../../kube/index.ts'
import type { ClusterOptions, ClusterParts } from '../cluster-options.ts'
import { removeClusterData } from '../remove-cluster-data.ts'
import { startCluster } from '../start-cluster.ts'
import { NAMESPACE } from './demo-objects.ts'
import type { DemoStep, Evidence, StepReport, ToldHappening } from './demo-step.ts'
import type { CallHappening, Happening } from './happening.ts'
import { createTimeline } from './timeline.ts'
import type { Timeline } from './timeline.ts'

export type DemoOptions = {
  /** Created, and always removed at the end. */
  readonly directory: string
  /** For each step. */
  readonly timeoutMs: number
  /** Ends the demonstration early, and cleanly. */
  readonly signal: AbortSignal
  onReady(cluster: { readonly nodes: number; readonly tookMs: number }): void
  onStep(report: StepReport): void
}

const NODES = 3

/** The cluster that the steps are for. */
export const demoShape = (dataDirectory: string): Pick<ClusterOptions, 'dataDirectory' | 'nodes' | 'zones'> => ({
  dataDirectory,
  nodes: NODES,
  zones: ['a', 'b', 'c'],
})

/** Runs the steps on a cluster of their own, one after the other, until one does not hold. */
export async function runDemo(
  steps: readonly DemoStep[],
  parts: ClusterParts,
  options: DemoOptions,
): Promise<StepReport[]> {
  const { host, clock, random, log } = parts
  const { directory, signal } = options
  await host.files.makeDirectory(directory, 0o700)
  try {
    const startedMs = clock.monotonicMs()
    const { observeCsi, follow } = createTimeline(clock)
    const more = { kubeconfigPath: join(directory, 'kubeconfig'), inMemory: true, port: 0, observeCsi }
    await using cluster = await startCluster(parts, { ...demoShape(directory), ...more })
    const { api } = cluster
    const informers = createInformers({ api, clock, random, log })
    await using _followed = { [Symbol.asyncDispose]: () => informers.stop() }
    const timeline = follow(informers)
    await untilRegistered(informers.get(CSI_NODES), signal)
    await informers.synced(signal)
    // The preparation is not part of any step.
    timeline.take(() => true)
    options.onReady({ nodes: NODES, tookMs: clock.monotonicMs() - startedMs })
    return await runSteps(steps, { parts, options, api, timeline })
  } finally {
    await removeAll(host, directory)
  }
}

// The demo created the directory and owns everything in it.
async function removeAll(host: Host, directory: string): Promise<void> {
  const names = (await host.files.list(directory)).map(({ name }) => name)
  await removeClusterData(host, await host.files.resolve(directory), names)
}

/** A step that starts before all nodes have their driver would see a smaller cluster. */
async function untilRegistered(nodes: Pick<Informer<CSINode>, 'all' | 'onChange'>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const areAll = (): boolean => [...nodes.all()].filter(({ spec }) => (spec.drivers ?? []).length > 0).length === NODES
  const stop = nodes.onChange(() => areAll() && resolve())
  try {
    await abandonOnAbort(promise, signal)
  } finally {
    stop()
  }
}

type Stage = {
  readonly parts: ClusterParts
  readonly options: DemoOptions
  readonly api: Api
  readonly timeline: Timeline
}

async function runSteps(steps: readonly DemoStep[], stage: Stage): Promise<StepReport[]> {
  const { clock } = stage.parts
  const reports: StepReport[] = []
  let hasFailed = false
  let [actedMs, lastMs] = [clock.monotonicMs(), clock.monotonicMs()]
  for (const step of steps) {
    if (step.act) actedMs = lastMs = clock.monotonicMs()
    const { name, shows, requirements } = step
    const ended = hasFailed ? NOT_TRIED : await runStep(step, stage)
    const happenings = ended.happened.map((happening) => told(happening, actedMs))
    const endMs =
      ended.outcome === 'failed' ? clock.monotonicMs() : Math.max(lastMs, ...ended.happened.map(({ atMs }) => atMs))
    const { happened: _happened, ...result } = ended
    const report: StepReport = { name, shows, requirements, ...result, tookMs: endMs - lastMs, happenings }
    lastMs = endMs
    hasFailed ||= report.outcome === 'failed'
    reports.push(report)
    stage.options.onStep(report)
  }
  return reports
}

type Ended = Pick<StepReport, 'outcome' | 'checks' | 'problem'> & { readonly happened: readonly Happening[] }

const NOT_TRIED: Ended = { outcome: 'not tried', checks: [], happened: [] }

async function runStep(step: DemoStep, { parts, options, api, timeline }: Stage): Promise<Ended> {
  const { clock, host } = parts
  const take = (): Happening[] => timeline.take((happening) => isOf(step, happening))
  try {
    const tooLate = (): Error => new Error(`timed out after ${options.timeoutMs / 1000} s`)
    using deadline = startDeadline(clock, options.timeoutMs, tooLate, options.signal)
    options.signal.throwIfAborted()
    // What of its kind came late in a step before is not its own.
    if (step.act) take()
    await step.act?.(api)
    const areMade = (untold: readonly Happening[]): boolean =>
      step.calls.every((rpc) => untold.some((happening) => isAnswered(rpc, happening)))
    await timeline.until((view, untold) => step.until(view) && areMade(untold), deadline.signal)
  } catch (error) {
    const happened = take()
    const missing = step.calls
      .filter((rpc) => !happened.some((happening) => isAnswered(rpc, happening)))
      .map((rpc) => `; no ${rpc} that went well`)
    const why = step.subject && !options.signal.aborted ? await askWhy(step.subject, api, options.signal) : ''
    return {
      outcome: 'failed',
      happened,
      checks: [],
      problem: `${error instanceof Error ? error.message : String(error)}${missing.join('')}${why}`,
    }
  }
  const happened = take()
  const calls = happened.filter((happening): happening is CallHappening => happening.kind === 'call')
  return { happened, ...(await checkAll(step, { view: timeline.view(), calls, host, directory: options.directory })) }
}

async function checkAll(step: DemoStep, evidence: Evidence): Promise<Omit<Ended, 'happened'>> {
  const checks: { says: string; held: boolean }[] = []
  let problem: string | undefined
  for (const { says, holds } of step.checks) {
    try {
      checks.push({ says, held: await holds(evidence) })
    } catch (error) {
      checks.push({ says, held: false })
      problem ??= `${says}: ${error instanceof Error ? error.message : String(error)}`
    }
  }
  const broken = checks.filter(({ held }) => !held)
  if (broken.length === 0) return { outcome: 'held', checks }
  return {
    outcome: 'failed',
    checks,
    problem: problem ?? `it is not true that ${broken.map(({ says }) => says).join('; nor that ')}`,
  }
}

const isAnswered = (rpc: string, happening: Happening): boolean =>
  happening.kind === 'call' && happening.rpc === rpc && happening.code === 'OK'

function isOf({ calls, objects }: DemoStep, happening: Happening): boolean {
  if (happening.kind === 'call') return calls.includes(happening.rpc)
  const [kind = ''] = happening.object.split(' ')
  return objects.some((wanted) =>
    wanted.includes(' ') ? `${kind} ${happening.state}`.startsWith(wanted) : wanted === kind,
  )
}

function told(happening: Happening, actedMs: number): ToldHappening {
  const { atMs, ...rest } = happening
  return { ...rest, afterMs: Math.max(0, atMs - actedMs) }
}

/** As `holdfast why` would answer. */
async function askWhy(subject: Target, api: Api, signal: AbortSignal): Promise<string> {
  try {
    const answer = await explain(subject, { api, namespace: NAMESPACE, signal })
    return answer.kind === 'explained' ? `. ${answer.explanation.sentence}` : ''
  } catch {
    // The step's own problem is what counts.
    return ''
  }
}
