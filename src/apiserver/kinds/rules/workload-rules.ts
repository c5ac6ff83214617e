import type { CronJob } from '../../../api/kinds/cron-job.ts'
import type { DaemonSet } from '../../../api/kinds/daemon-set.ts'
import type { Deployment } from '../../../api/kinds/deployment.ts'
import type { Job } from '../../../api/kinds/job.ts'
import type { ReplicaSet } from '../../../api/kinds/replica-set.ts'
import type { ReplicationController } from '../../../api/kinds/replication-controller.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import type { Loose } from '../loose.ts'
import { intOrPercentProblems } from './int-or-percent.ts'
import {
  applyFailurePolicyDefaults,
  applyJobSpecDefaults,
  hostNameProblems,
  jobSelectorProblems,
  jobSpecProblems,
  jobUpdateProblems,
  ownLabels,
} from './job-rules.ts'
import { applyTemplateDefaults, selectorProblems, templateProblems } from './pod-template.ts'
import { forbidden, immutable, invalid, nonNegative, notSupported, oneOf, required } from './problems.ts'

// Defaults and validation of workloads, in upstream's words.

type Rules<T> = {
  applyDefaults(object: Loose<T>): void
  validate(object: Loose<T>): FieldProblem[]
  validateUpdate?(object: Loose<T>, old: Loose<T>): FieldProblem[]
  prepareForCreate?(object: Loose<T>): void
}

const isSameSelector = ({ spec }: Loose<Deployment>, { spec: before }: Loose<Deployment>): FieldProblem[] =>
  immutable('spec.selector', spec?.selector, before?.selector)

const DEPLOYMENT_STRATEGIES = ['Recreate', 'RollingUpdate']

export const DEPLOYMENT_RULES: Rules<Deployment> = {
  applyDefaults(object) {
    const spec = (object.spec ??= {})
    spec.replicas ??= 1
    const strategy = (spec.strategy ??= {})
    strategy.type ||= 'RollingUpdate'
    if (strategy.type === 'RollingUpdate') {
      const rollingUpdate = (strategy.rollingUpdate ??= {})
      rollingUpdate.maxUnavailable ??= '25%'
      rollingUpdate.maxSurge ??= '25%'
    }
    spec.revisionHistoryLimit ??= 10
    spec.progressDeadlineSeconds ??= 600
    applyTemplateDefaults(spec)
  },
  validate({ spec = {} }) {
    const { progressDeadlineSeconds, minReadySeconds = 0 } = spec
    return [
      ...nonNegative('spec.replicas', spec.replicas),
      ...selectorProblems(spec.selector, 'deployment'),
      ...templateProblems(spec, 'ReplicaSet'),
      ...deploymentStrategyProblems(spec.strategy ?? {}),
      ...nonNegative('spec.minReadySeconds', minReadySeconds),
      ...nonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
      ...nonNegative('spec.progressDeadlineSeconds', progressDeadlineSeconds),
      ...(progressDeadlineSeconds !== undefined && progressDeadlineSeconds <= minReadySeconds
        ? [invalid('spec.progressDeadlineSeconds', progressDeadlineSeconds, 'must be greater than minReadySeconds')]
        : []),
    ]
  },
  validateUpdate: isSameSelector,
}

function deploymentStrategyProblems(strategy: NonNullable<Loose<Deployment>['spec']>['strategy'] & {}): FieldProblem[] {
  const { type = '', rollingUpdate } = strategy
  const field = 'spec.strategy'
  if (type === 'Recreate')
    return rollingUpdate
      ? [forbidden(`${field}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")]
      : []
  if (type !== 'RollingUpdate') return [notSupported(field, strategy, DEPLOYMENT_STRATEGIES)]
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {}
  return [
    ...intOrPercentProblems(`${field}.rollingUpdate.maxUnavailable`, maxUnavailable),
    ...intOrPercentProblems(`${field}.rollingUpdate.maxSurge`, maxSurge).filter(
      ({ detail }) => !detail.includes('greater than 100%'),
    ),
    ...(isZero(maxUnavailable) && isZero(maxSurge)
      ? [invalid(`${field}.rollingUpdate.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
  ]
}

const isZero = (value: number | string | undefined): boolean => Number.parseInt(String(value ?? 0), 10) === 0

export const REPLICA_SET_RULES: Rules<ReplicaSet> = {
  applyDefaults(object) {
    const spec = (object.spec ??= {})
    spec.replicas ??= 1
    applyTemplateDefaults(spec)
  },
  validate: ({ spec = {} }) => [
    ...nonNegative('spec.replicas', spec.replicas),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...selectorProblems(spec.selector, 'deployment'),
    ...templateProblems(spec, 'ReplicaSet'),
  ],
  validateUpdate: ({ spec }, { spec: before }) => immutable('spec.selector', spec?.selector, before?.selector),
}

export const REPLICATION_CONTROLLER_RULES: Rules<ReplicationController> = {
  applyDefaults(object) {
    const spec = (object.spec ??= {})
    spec.replicas ??= 1
    if (spec.template) applyTemplateDefaults(spec)
    const labels = spec.template?.metadata?.labels
    if (!labels) return
    if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels }
    const metadata = (object.metadata ??= {})
    if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels }
  },
  validate: ({ spec = {} }) => [
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...(Object.keys(spec.selector ?? {}).length === 0 ? [required('spec.selector')] : []),
    ...nonNegative('spec.replicas', spec.replicas),
    ...(spec.template
      ? templateProblems({ ...spec, selector: { matchLabels: spec.selector ?? {} } }, 'ReplicationController')
      : [required('spec.template')]),
  ],
}

export const DAEMON_SET_RULES: Rules<DaemonSet> = {
  applyDefaults(object) {
    const spec = (object.spec ??= {})
    const strategy = (spec.updateStrategy ??= {})
    strategy.type ||= 'RollingUpdate'
    if (strategy.type === 'RollingUpdate') {
      const rollingUpdate = (strategy.rollingUpdate ??= {})
      rollingUpdate.maxUnavailable ??= 1
      rollingUpdate.maxSurge ??= 0
    }
    spec.revisionHistoryLimit ??= 10
    applyTemplateDefaults(spec)
  },
  validate: ({ spec = {} }) => [
    ...selectorProblems(spec.selector, 'daemonset'),
    ...templateProblems(spec, 'DaemonSet'),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...daemonStrategyProblems(spec.updateStrategy ?? {}),
    ...nonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
  ],
  validateUpdate: ({ spec }, { spec: before }) => immutable('spec.selector', spec?.selector, before?.selector),
}

function daemonStrategyProblems(
  strategy: NonNullable<Loose<DaemonSet>['spec']>['updateStrategy'] & {},
): FieldProblem[] {
  const { type = '', rollingUpdate } = strategy
  const field = 'spec.updateStrategy'
  if (type === 'OnDelete') return []
  if (type !== 'RollingUpdate') return [notSupported(field, strategy, ['RollingUpdate', 'OnDelete'])]
  if (!rollingUpdate) return [required(`${field}.rollingUpdate`)]
  const { maxUnavailable, maxSurge } = rollingUpdate
  return [
    ...intOrPercentProblems(`${field}.rollingUpdate.maxUnavailable`, maxUnavailable),
    ...intOrPercentProblems(`${field}.rollingUpdate.maxSurge`, maxSurge),
    ...(!isZero(maxUnavailable) && !isZero(maxSurge)
      ? [invalid(`${field}.rollingUpdate.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero')]
      : []),
    ...(isZero(maxUnavailable) && isZero(maxSurge)
      ? [required(`${field}.rollingUpdate.maxUnavailable`, 'cannot be 0 when maxSurge is 0')]
      : []),
  ]
}

export const JOB_RULES: Rules<Job> = {
  applyDefaults(object) {
    const spec = (object.spec ??= {})
    applyJobSpecDefaults(spec)
    const labels = spec.template?.metadata?.labels
    const metadata = (object.metadata ??= {})
    if (labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels }
  },
  prepareForCreate(job) {
    const { metadata = {}, spec = {} } = job
    if (spec.manualSelector) return
    const template = ((spec.template ??= {}).metadata ??= {})
    template.labels = { ...ownLabels(metadata), ...template.labels }
    if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...template.labels }
    const selector = (spec.selector ??= {})
    const matchLabels = { 'batch.kubernetes.io/controller-uid': metadata.uid ?? '', ...selector.matchLabels }
    selector.matchLabels = Object.fromEntries(
      Object.entries(matchLabels).sort(([one], [other]) => (one < other ? -1 : 1)),
    )
  },
  validate: (job) => [
    ...jobSpecProblems('spec', job.spec ?? {}),
    ...jobSelectorProblems(job),
    ...hostNameProblems(job),
  ],
  validateUpdate: jobUpdateProblems,
}

const CONCURRENCY_POLICIES = ['Allow', 'Forbid', 'Replace']

export const CRON_JOB_RULES: Rules<CronJob> = {
  applyDefaults(object) {
    const spec = (object.spec ??= {})
    spec.concurrencyPolicy ||= 'Allow'
    spec.suspend ??= false
    spec.successfulJobsHistoryLimit ??= 3
    spec.failedJobsHistoryLimit ??= 1
    const template = (spec.jobTemplate ??= {}).spec
    if (template) applyFailurePolicyDefaults(template)
    if (template?.template) applyTemplateDefaults(template)
  },
  validate: ({ spec = {} }) => [
    ...(spec.schedule ? [] : [required('spec.schedule')]),
    ...nonNegative('spec.startingDeadlineSeconds', spec.startingDeadlineSeconds),
    ...oneOf('spec.concurrencyPolicy', spec.concurrencyPolicy, CONCURRENCY_POLICIES),
    ...jobSpecProblems('spec.jobTemplate.spec', spec.jobTemplate?.spec ?? {}),
    ...(spec.jobTemplate?.spec?.selector
      ? [invalid('spec.jobTemplate.spec.selector', spec.jobTemplate.spec.selector, '`selector` will be auto-generated')]
      : []),
    ...(spec.jobTemplate?.spec?.manualSelector
      ? [notSupported('spec.jobTemplate.spec.manualSelector', true, ['nil', 'false'])]
      : []),
    ...nonNegative('spec.successfulJobsHistoryLimit', spec.successfulJobsHistoryLimit),
    ...nonNegative('spec.failedJobsHistoryLimit', spec.failedJobsHistoryLimit),
  ],
}
