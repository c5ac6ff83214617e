import { findCondition, setCondition } from '../../api/conditions.ts'
import type { Container, ContainerState, ContainerStatus, Pod, PodCondition } from '../../api/kinds/pod.ts'
import { formatTimestamp } from '../../api/timestamps.ts'

/** The status is that of a pod that a node has: with the states of its containers. */
export const hasContainerStates = ({ status }: Pod): boolean => (status?.containerStatuses ?? []).length > 0

/** What a kubelet writes before the volumes of a pod are mounted: `kubectl get pods` shows ContainerCreating. */
export function waitingStatus(pod: Pod, nowMs: number): object {
  const { containers, initContainers = [] } = pod.spec
  const state = { waiting: { reason: initContainers.length > 0 ? 'PodInitializing' : 'ContainerCreating' } }
  const waiting = (container: Container): ContainerStatus =>
    containerStatus(container, { ready: false, started: false, state })
  const sidecars = initContainers.filter(isSidecar)
  const notReady = {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: ${listOf([...sidecars, ...containers])}`,
  } as const
  const initialized =
    initContainers.length === 0
      ? TRUE
      : ({
          status: 'False',
          reason: 'ContainersNotInitialized',
          message: `containers with incomplete status: ${listOf(initContainers)}`,
        } as const)
  return {
    phase: 'Pending',
    startTime: pod.status?.startTime ?? formatTimestamp(nowMs),
    conditions: conditionsOf(pod, nowMs, {
      PodReadyToStartContainers: { status: 'False' },
      Initialized: initialized,
      Ready: notReady,
      ContainersReady: notReady,
      PodScheduled: TRUE,
    }),
    containerStatuses: containers.map(waiting),
    ...(initContainers.length > 0 ? { initContainerStatuses: initContainers.map(waiting) } : {}),
  }
}

/** No containers run here: a pod is reported as running once its volumes are mounted. */
export function runningStatus(pod: Pod, nowMs: number): object {
  const startedAt = formatTimestamp(nowMs)
  const { containers, initContainers = [] } = pod.spec
  const started = (container: Container): ContainerStatus =>
    containerStatus(container, { ready: true, started: true, state: { running: { startedAt } } })
  const ended = (container: Container): ContainerStatus =>
    containerStatus(container, {
      ready: true,
      state: { terminated: { exitCode: 0, reason: 'Completed', startedAt, finishedAt: startedAt } },
    })
  return {
    phase: 'Running',
    startTime: pod.status?.startTime ?? startedAt,
    conditions: conditionsOf(pod, nowMs, {
      PodReadyToStartContainers: TRUE,
      Initialized: TRUE,
      Ready: TRUE,
      ContainersReady: TRUE,
      PodScheduled: TRUE,
    }),
    containerStatuses: containers.map(started),
    ...(initContainers.length > 0
      ? { initContainerStatuses: initContainers.map((each) => (isSidecar(each) ? started(each) : ended(each))) }
      : {}),
  }
}

/** The pod has been running all the time, but was marked as not ready. */
export const readyStatus = (pod: Pod, nowMs: number): object => ({
  conditions: conditionsOf(pod, nowMs, { Ready: TRUE }),
})

const TRUE = { status: 'True' } as const

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always'

// As Go prints a list.
const listOf = (containers: readonly Container[]): string => `[${containers.map(({ name }) => name).join(' ')}]`

const containerStatus = (
  { name, image = '' }: Container,
  more: { readonly ready: boolean; readonly started?: boolean; readonly state: ContainerState },
): ContainerStatus => ({ name, image, imageID: '', restartCount: 0, ...more })

type Outcome = Pick<PodCondition, 'status' | 'reason' | 'message'>

/** For a strategic merge patch, which keeps the fields that it does not name. */
function conditionsOf({ metadata, status }: Pod, nowMs: number, wanted: Readonly<Record<string, Outcome>>): object[] {
  const { generation: observedGeneration } = metadata
  const before = status?.conditions ?? []
  return Object.entries(wanted).map(([type, outcome]) => {
    const condition = { type, ...outcome, ...(observedGeneration === undefined ? {} : { observedGeneration }) }
    const [old] = before.filter((each) => each.type === type)
    return {
      ...(old?.reason === undefined ? {} : { reason: null }),
      ...(old?.message === undefined ? {} : { message: null }),
      ...findCondition(setCondition<PodCondition>(before, condition, nowMs), type),
    }
  })
}
