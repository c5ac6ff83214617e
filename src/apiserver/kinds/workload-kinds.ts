import { hasCondition } from '../../api/conditions.ts'
import { findTimestamp } from '../../api/timestamps.ts'
import { parseApiVersion } from '../../api/resource-type.ts'
import type { Condition } from '../../api/kinds/condition.ts'
import { CONTROLLER_REVISIONS } from '../../api/kinds/controller-revision.ts'
import type { ControllerRevision } from '../../api/kinds/controller-revision.ts'
import { CRON_JOBS } from '../../api/kinds/cron-job.ts'
import type { CronJob } from '../../api/kinds/cron-job.ts'
import { DAEMON_SETS } from '../../api/kinds/daemon-set.ts'
import type { DaemonSet } from '../../api/kinds/daemon-set.ts'
import { DEPLOYMENTS } from '../../api/kinds/deployment.ts'
import type { Deployment } from '../../api/kinds/deployment.ts'
import { JOBS } from '../../api/kinds/job.ts'
import type { Job } from '../../api/kinds/job.ts'
import type { PodSpec } from '../../api/kinds/pod.ts'
import { REPLICA_SETS } from '../../api/kinds/replica-set.ts'
import type { ReplicaSet } from '../../api/kinds/replica-set.ts'
import { REPLICATION_CONTROLLERS } from '../../api/kinds/replication-controller.ts'
import type { ReplicationController } from '../../api/kinds/replication-controller.ts'
import type { LabelSelector } from '../../api/kinds/selectors.ts'
import { AGE, boolean, integer, NAME, text, wide } from './columns.ts'
import type { TypedColumn } from './columns.ts'
import { kindTable, SCALE } from './define-kind.ts'
import type { KindTable } from './define-kind.ts'
import { formatAge, formatHumanDuration } from './human-duration.ts'
import { formatContainers } from './rules/pod-template.ts'
import { formatLabels, formatSelector } from './rules/selector-text.ts'
import {
  CRON_JOB_RULES,
  DAEMON_SET_RULES,
  DEPLOYMENT_RULES,
  JOB_RULES,
  REPLICA_SET_RULES,
  REPLICATION_CONTROLLER_RULES,
} from './rules/workload-rules.ts'

type Template = { readonly spec: PodSpec }
type Selecting = { readonly spec: { readonly selector?: LabelSelector } }

type Replicated = {
  readonly spec: { readonly replicas?: number; readonly template: Template }
  readonly status?: { readonly replicas?: number; readonly readyReplicas?: number }
}
const CONTAINERS: TypedColumn<Pick<Replicated, 'spec'>> = wide('Containers', ({ spec }) =>
  formatContainers(spec?.template?.spec, 'name'),
)
const IMAGES: TypedColumn<Pick<Replicated, 'spec'>> = wide('Images', ({ spec }) =>
  formatContainers(spec?.template?.spec, 'image'),
)
const REPLICA_COUNTS: readonly TypedColumn<Replicated>[] = [
  integer('Desired', ({ spec }) => spec?.replicas ?? 0),
  integer('Current', ({ status }) => status?.replicas ?? 0),
  integer('Ready', ({ status }) => status?.readyReplicas ?? 0),
]
const SELECTOR: TypedColumn<Selecting> = wide('Selector', ({ spec }) => formatSelector(spec?.selector))

const WORKLOAD = { categories: ['all'], generation: 'spec', hasStatus: true } as const

const DEPLOYMENT = kindTable<Deployment>({
  ...WORKLOAD,
  ...DEPLOYMENT_RULES,
  type: DEPLOYMENTS,
  shortNames: ['deploy'],
  subresources: { scale: SCALE },
  columns: [
    NAME,
    text('Ready', ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`),
    integer('Up-to-date', ({ status }) => status?.updatedReplicas ?? 0),
    integer('Available', ({ status }) => status?.availableReplicas ?? 0),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
})

const REPLICA_SET = kindTable<ReplicaSet>({
  ...WORKLOAD,
  ...REPLICA_SET_RULES,
  type: REPLICA_SETS,
  shortNames: ['rs'],
  subresources: { scale: SCALE },
  fieldLabels: { 'status.replicas': ({ status }) => String(status?.replicas ?? 0) },
  columns: [NAME, ...REPLICA_COUNTS, AGE, CONTAINERS, IMAGES, SELECTOR],
})

const DAEMON_SET = kindTable<DaemonSet>({
  ...WORKLOAD,
  ...DAEMON_SET_RULES,
  type: DAEMON_SETS,
  shortNames: ['ds'],
  columns: [
    NAME,
    integer('Desired', ({ status }) => status?.desiredNumberScheduled ?? 0),
    integer('Current', ({ status }) => status?.currentNumberScheduled ?? 0),
    integer('Ready', ({ status }) => status?.numberReady ?? 0),
    integer('Up-to-date', ({ status }) => status?.updatedNumberScheduled ?? 0),
    integer('Available', ({ status }) => status?.numberAvailable ?? 0),
    text('Node Selector', ({ spec }) => formatLabels(spec?.template?.spec?.nodeSelector)),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
})

const CONTROLLER_REVISION = kindTable<ControllerRevision>({
  type: CONTROLLER_REVISIONS,
  columns: [
    NAME,
    text('Controller', ({ metadata }) => {
      const owner = (metadata?.ownerReferences ?? []).find(({ controller }) => controller)
      if (!owner) return '<none>'
      const { group } = parseApiVersion(owner.apiVersion ?? '')
      return `${(owner.kind ?? '').toLowerCase()}${group === '' ? '' : `.${group}`}/${owner.name ?? ''}`
    }),
    text('Revision', ({ revision }) => revision ?? 0),
    AGE,
  ],
})

// The first true condition is the state of the job.
const JOB_STATES = [
  ['Complete', 'Complete'],
  ['Failed', 'Failed'],
  ['', 'Terminating'],
  ['Suspended', 'Suspended'],
  ['FailureTarget', 'FailureTarget'],
  ['SuccessCriteriaMet', 'SuccessCriteriaMet'],
] as const

const JOB = kindTable<Job>({
  ...WORKLOAD,
  ...JOB_RULES,
  type: JOBS,
  fieldLabels: { 'status.successful': ({ status }) => String(status?.succeeded ?? 0) },
  columns: [
    NAME,
    text('Status', ({ metadata, status }) => {
      const conditions = (status?.conditions ?? []) as readonly Condition[]
      return (
        JOB_STATES.find(([type]) =>
          type === '' ? metadata?.deletionTimestamp : hasCondition(conditions, type),
        )?.[1] ?? 'Running'
      )
    }),
    text('Completions', ({ spec, status }) => {
      const done = status?.succeeded ?? 0
      if (spec?.completions !== undefined) return `${done}/${spec.completions}`
      const parallelism = spec?.parallelism ?? 0
      return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`
    }),
    text('Duration', ({ status }, nowMs) => {
      const startMs = findTimestamp(status?.startTime)
      return startMs === undefined
        ? ''
        : formatHumanDuration((findTimestamp(status?.completionTime) ?? nowMs) - startMs)
    }),
    AGE,
    CONTAINERS,
    IMAGES,
    wide('Selector', ({ spec }) => formatSelector(spec?.selector)),
  ],
})

const CRON_JOB = kindTable<CronJob>({
  ...WORKLOAD,
  ...CRON_JOB_RULES,
  type: CRON_JOBS,
  shortNames: ['cj'],
  columns: [
    NAME,
    text('Schedule', ({ spec }) => spec?.schedule ?? ''),
    text('Timezone', ({ spec }) => spec?.timeZone ?? '<none>'),
    boolean('Suspend', ({ spec }) => (spec?.suspend === undefined ? '<unset>' : spec.suspend ? 'True' : 'False')),
    integer('Active', ({ status }) => (status?.active ?? []).length),
    text('Last Schedule', ({ status }, nowMs) =>
      status?.lastScheduleTime ? formatAge(status.lastScheduleTime, nowMs) : '<none>',
    ),
    AGE,
    wide('Containers', ({ spec }) => formatContainers(spec?.jobTemplate?.spec?.template?.spec, 'name')),
    wide('Images', ({ spec }) => formatContainers(spec?.jobTemplate?.spec?.template?.spec, 'image')),
    wide('Selector', ({ spec }) => formatSelector(spec?.jobTemplate?.spec?.selector)),
  ],
})

const REPLICATION_CONTROLLER = kindTable<ReplicationController>({
  ...WORKLOAD,
  ...REPLICATION_CONTROLLER_RULES,
  type: REPLICATION_CONTROLLERS,
  shortNames: ['rc'],
  subresources: { scale: SCALE },
  fieldLabels: { 'status.replicas': ({ status }) => String(status?.replicas ?? 0) },
  columns: [
    NAME,
    ...REPLICA_COUNTS,
    AGE,
    CONTAINERS,
    IMAGES,
    wide('Selector', ({ spec }) => formatLabels(spec?.selector)),
  ],
})

export const WORKLOAD_KINDS: readonly KindTable[] = [
  DEPLOYMENT,
  REPLICA_SET,
  DAEMON_SET,
  CONTROLLER_REVISION,
  JOB,
  CRON_JOB,
  REPLICATION_CONTROLLER,
]
