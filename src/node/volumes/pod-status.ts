import { setCondition } from '../../api/conditions.ts'
import type { Container, ContainerStatus, Pod, PodCondition, PodStatus } from '../../api/kinds/pod.ts'
import { formatTimestamp } from '../../api/timestamps.ts'

const TRUE_CONDITIONS = ['PodReadyToStartContainers', 'Initialized', 'ContainersReady', 'Ready', 'PodScheduled']

/** No containers run here: a pod counts as running once its volumes are mounted, and says so. */
export function runningStatus({ spec, status = {} }: Pod, nowMs: number): PodStatus {
  const startedAt = formatTimestamp(nowMs)
  const conditions = TRUE_CONDITIONS.reduce<readonly PodCondition[]>(
    (list, type) => setCondition<PodCondition>(list, { type, status: 'True' }, nowMs),
    status.conditions ?? [],
  )
  const started = ({ name, image = '' }: Container): ContainerStatus => ({
    name,
    image,
    imageID: '',
    ready: true,
    started: true,
    restartCount: 0,
    state: { running: { startedAt } },
  })
  const ended = ({ name, image = '' }: Container): ContainerStatus => ({
    name,
    image,
    imageID: '',
    ready: true,
    restartCount: 0,
    state: { terminated: { exitCode: 0, reason: 'Completed', startedAt, finishedAt: startedAt } },
  })
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
