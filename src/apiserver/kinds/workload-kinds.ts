import { hasCondition } from '../../api/conditions.ts'
import { findTimestamp } from '../../api/timestamps.ts'
import type { KubeObject } from '../../api/object.ts'
import { parseApiVersion } from '../../api/resource-type.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { Condition } from '../../api/kinds/condition.ts'
import type { PodSpec } from '../../api/kinds/pod.ts'
import type { LabelSelector } from '../../api/kinds/selectors.ts'
import { AGE, boolean, integer, NAME, text, wide } from './columns.ts'
import type { TypedColumn } from './columns.ts'
import { kindTable, SCALE } from './define-kind.ts'
import type { KindTable } from './define-kind.ts'
import { formatAge, formatHumanDuration } from './human-duration.ts'
import { formatContainers } from './rules/pod-template.ts'
import { formatLabels, formatSelector } from './rules/selector-text.ts'

// Nothing here runs these. They are stored and shown for clients that list or watch them, such as schedulers.

type Template = { readonly spec?: PodSpec }
type Counts = Readonly<Record<string, number | undefined>>

type Workload = KubeObject & {
  readonly spec?: { readonly replicas?: number; readonly selector?: LabelSelector; readonly template?: Template }
  readonly status?: Counts
}

type Job = KubeObject & {
  readonly spec?: {
    readonly completions?: number
    readonly parallelism?: number
    readonly selector?: LabelSelector
    readonly template?: Template
  }
  readonly status?: {
    readonly succeeded?: number
    readonly startTime?: string
    readonly completionTime?: string
    readonly conditions?: readonly Condition[]
  }
}

type CronJob = KubeObject & {
  readonly spec?: {
    readonly schedule?: string
    readonly timeZone?: string
    readonly suspend?: boolean
    readonly jobTemplate?: { readonly spec?: Job['spec'] }
  }
  readonly status?: { readonly active?: readonly unknown[]; readonly lastScheduleTime?: string }
}

type ReplicationController = KubeObject & {
  readonly spec?: {
    readonly replicas?: number
    readonly selector?: Readonly<Record<string, string>>
    readonly template?: Template
  }
  readonly status?: Counts
}

type ControllerRevision = KubeObject & { readonly revision?: number }

const typeOf = <T extends KubeObject>(group: string, kind: string, plural: string): ResourceType<T> => ({
  group,
  version: 'v1',
  kind,
  plural,
  namespaced: true,
})

type Replicated = {
  readonly spec?: { readonly replicas?: number; readonly template?: Template }
  readonly status?: Counts
}
const CONTAINERS: TypedColumn<Pick<Replicated, 'spec'>> = wide('Containers', ({ spec }) =>
  formatContainers(spec?.template?.spec, 'name'),
)
const IMAGES: TypedColumn<Pick<Replicated, 'spec'>> = wide('Images', ({ spec }) =>
  formatContainers(spec?.template?.spec, 'image'),
)
const REPLICA_COUNTS: readonly TypedColumn<Replicated>[] = [
  integer('Desired', ({ spec }) => spec?.replicas ?? 0),
  integer('Current', ({ status }) => status?.['replicas'] ?? 0),
  integer('Ready', ({ status }) => status?.['readyReplicas'] ?? 0),
]
const SELECTOR: TypedColumn<Workload> = wide('Selector', ({ spec }) => formatSelector(spec?.selector))

const WORKLOAD = { categories: ['all'], generation: 'spec', hasStatus: true } as const

const DEPLOYMENT = kindTable<Workload>({
  ...WORKLOAD,
  type: typeOf('apps', 'Deployment', 'deployments'),
  shortNames: ['deploy'],
  subresources: { scale: SCALE },
  columns: [
    NAME,
    text('Ready', ({ spec, status }) => `${status?.['readyReplicas'] ?? 0}/${spec?.replicas ?? 0}`),
    integer('Up-to-date', ({ status }) => status?.['updatedReplicas'] ?? 0),
    integer('Available', ({ status }) => status?.['availableReplicas'] ?? 0),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
})

const REPLICA_SET = kindTable<Workload>({
  ...WORKLOAD,
  type: typeOf('apps', 'ReplicaSet', 'replicasets'),
  shortNames: ['rs'],
  subresources: { scale: SCALE },
  fieldLabels: { 'status.replicas': ({ status }) => String(status?.['replicas'] ?? 0) },
  columns: [NAME, ...REPLICA_COUNTS, AGE, CONTAINERS, IMAGES, SELECTOR],
})

const DAEMON_SET = kindTable<Workload>({
  ...WORKLOAD,
  type: typeOf('apps', 'DaemonSet', 'daemonsets'),
  shortNames: ['ds'],
  columns: [
    NAME,
    integer('Desired', ({ status }) => status?.['desiredNumberScheduled'] ?? 0),
    integer('Current', ({ status }) => status?.['currentNumberScheduled'] ?? 0),
    integer('Ready', ({ status }) => status?.['numberReady'] ?? 0),
    integer('Up-to-date', ({ status }) => status?.['updatedNumberScheduled'] ?? 0),
    integer('Available', ({ status }) => status?.['numberAvailable'] ?? 0),
    text('Node Selector', ({ spec }) => formatLabels(spec?.template?.spec?.nodeSelector)),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
})

const CONTROLLER_REVISION = kindTable<ControllerRevision>({
  type: typeOf('apps', 'ControllerRevision', 'controllerrevisions'),
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
  type: typeOf('batch', 'Job', 'jobs'),
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
  type: typeOf('batch', 'CronJob', 'cronjobs'),
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
  type: typeOf('', 'ReplicationController', 'replicationcontrollers'),
  shortNames: ['rc'],
  subresources: { scale: SCALE },
  fieldLabels: { 'status.replicas': ({ status }) => String(status?.['replicas'] ?? 0) },
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
