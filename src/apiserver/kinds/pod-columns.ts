import { findCondition, hasCondition } from '../../api/conditions.ts'
import type { Condition } from '../../api/kinds/condition.ts'
import type { ContainerStatus, Pod } from '../../api/kinds/pod.ts'
import { AGE, NAME, text, wide } from './columns.ts'
import type { TypedColumn } from './columns.ts'
import { formatAge } from './human-duration.ts'
import type { Loose } from './loose.ts'

type Status = Loose<ContainerStatus>
type Summary = { reason: string; ready: number; total: number; restarts: number; lastRestart: string | undefined }

/** The columns of `kubectl get pods`. */
export const POD_COLUMNS: readonly TypedColumn<Pod>[] = [
  NAME,
  text('Ready', (pod) => {
    const { ready, total } = summarize(pod)
    return `${ready}/${total}`
  }),
  text('Status', (pod) => summarize(pod).reason),
  text('Restarts', (pod, nowMs) => {
    const { restarts, lastRestart } = summarize(pod)
    return restarts === 0 || lastRestart === undefined
      ? String(restarts)
      : `${restarts} (${formatAge(lastRestart, nowMs)} ago)`
  }),
  AGE,
  wide('IP', ({ status }) => status?.podIPs?.[0]?.ip || '<none>'),
  wide('Node', ({ spec }) => spec?.nodeName || '<none>'),
  wide('Nominated Node', ({ status }) => status?.nominatedNodeName || '<none>'),
  wide('Readiness Gates', formatReadinessGates),
]

function formatReadinessGates(pod: Loose<Pod>): string {
  const { readinessGates: gates = [] } = (pod.spec ?? {}) as { readinessGates?: { conditionType?: string }[] }
  const open = gates.filter(({ conditionType = '' }) => hasCondition(conditionsOf(pod), conditionType)).length
  return gates.length === 0 ? '<none>' : `${open}/${gates.length}`
}

// The schema ensures that conditions have a type and a status.
const conditionsOf = ({ status }: Loose<Pod>): readonly Condition[] =>
  (status?.conditions ?? []) as readonly Condition[]

/** One word for the state of all containers: the first problem decides. */
function summarize(pod: Loose<Pod>): Summary {
  const { metadata, status } = pod
  const sidecars = new Set(
    (pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  )
  const init = summarizeInit(pod, sidecars)
  const summary: Summary = {
    reason: init.reason ?? firstReason(pod),
    ready: init.readySidecars,
    total: (pod.spec?.containers ?? []).length + sidecars.size,
    ...countRestarts(status?.initContainerStatuses?.slice(0, init.seen)),
  }
  if (init.reason === undefined || hasCondition(conditionsOf(pod), 'Initialized')) {
    const seenSidecars = (status?.initContainerStatuses ?? [])
      .slice(0, init.seen)
      .filter(({ name }) => sidecars.has(name))
    Object.assign(summary, countRestarts([...seenSidecars, ...(status?.containerStatuses ?? [])]))
    summarizeContainers(pod, summary)
  }
  if (metadata?.deletionTimestamp) {
    if (status?.reason === 'NodeLost') summary.reason = 'Unknown'
    else if (status?.phase !== 'Succeeded' && status?.phase !== 'Failed') summary.reason = 'Terminating'
  }
  return summary
}

function firstReason(pod: Loose<Pod>): string {
  const { status } = pod
  const isGated = findCondition(conditionsOf(pod), 'PodScheduled')?.reason === 'SchedulingGated'
  return isGated ? 'SchedulingGated' : status?.reason || status?.phase || ''
}

function countRestarts(statuses: readonly Status[] = []): Pick<Summary, 'restarts' | 'lastRestart'> {
  const finished = statuses.flatMap(({ lastState }) => lastState?.terminated?.finishedAt ?? []).sort()
  return {
    restarts: statuses.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0),
    lastRestart: finished.at(-1),
  }
}

// Init containers run one after the other, so the first that is not done is the current one.
function summarizeInit(
  { spec, status }: Loose<Pod>,
  sidecars: ReadonlySet<string | undefined>,
): { reason?: string; seen: number; readySidecars: number } {
  let readySidecars = 0
  const statuses = status?.initContainerStatuses ?? []
  for (const [index, { name, state, ready, started }] of statuses.entries()) {
    const { terminated, waiting } = state ?? {}
    if (terminated && (terminated.exitCode ?? 0) === 0) continue
    if (sidecars.has(name) && started) {
      if (ready) readySidecars++
      continue
    }
    const seen = index + 1
    if (terminated) return { reason: `Init:${terminated.reason || exitReason(terminated)}`, seen, readySidecars }
    if (waiting?.reason && waiting.reason !== 'PodInitializing')
      return { reason: `Init:${waiting.reason}`, seen, readySidecars }
    return { reason: `Init:${index}/${(spec?.initContainers ?? []).length}`, seen, readySidecars }
  }
  return { seen: statuses.length, readySidecars }
}

const exitReason = ({ signal, exitCode }: { signal?: number | undefined; exitCode?: number | undefined }): string =>
  signal ? `Signal:${signal}` : `ExitCode:${exitCode ?? 0}`

function summarizeContainers(pod: Loose<Pod>, summary: Summary): void {
  let isRunning = false
  let failure = ''
  for (const { state, ready } of (pod.status?.containerStatuses ?? []).toReversed()) {
    const { waiting, terminated, running } = state ?? {}
    if (waiting?.reason) summary.reason = waiting.reason
    else if (terminated) {
      summary.reason = terminated.reason || exitReason(terminated)
      if (terminated.exitCode) failure = summary.reason
    } else if (ready && running) {
      isRunning = true
      summary.ready++
    }
  }
  if (summary.reason !== 'Completed') return
  if (isRunning && hasCondition(conditionsOf(pod), 'Ready')) summary.reason = 'Running'
  else if (failure !== '') summary.reason = failure
  else if (isRunning) summary.reason = 'NotReady'
}
