import { setCondition } from '../../api/conditions.ts'
import type { Container, ContainerStatus, Pod, PodCondition, PodStatus } from '../../api/kinds/pod.ts'
import { formatTimestamp } from '../../api/timestamps.ts'

const TRUE_CONDITIONS = ['PodReadyToStartContainers', 'Initialized', 'ContainersReady', 'Ready', 'PodScheduled']

/** No containers run here: a pod is reported as running once its volumes are mounted. */
export function runningStatus({ spec, status = {} }: Pod, nowMs: number): PodStatus {
  const startedAt = formatTimestamp(nowMs)
  const conditions = TRUE_CONDITIONS.reduce<readonly PodCondition[]>(
    (list, type) => setCondition<PodCondition>(list, { type, status: 'True' }, nowMs),
    status.conditions ?? [],
  )
  const statusOf = (
    { name, image = '' }: Container,
    state: NonNullable<ContainerStatus['state']>,
  ): ContainerStatus => ({
    name,
    image,
    imageID: '',
    ready: true,
    restartCount: 0,
    ...(state.running ? { started: true } : {}),
    state,
  })
  const started = (container: Container) => statusOf(container, { running: { startedAt } })
  const ended = (container: Container) =>
    statusOf(container, { terminated: { exitCode: 0, reason: 'Completed', startedAt, finishedAt: startedAt } })
  return {
    phase: 'Running',
    startTime: status.startTime ?? startedAt,
    conditions,
    containerStatuses: spec.containers.map(started),
    ...(spec.initContainers?.length
      ? {
          initContainerStatuses: spec.initContainers.map((container) =>
            container.restartPolicy === 'Always' ? started(container) : ended(container),
          ),
        }
      : {}),
  }
}
