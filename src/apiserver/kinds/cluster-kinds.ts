import type { KubeObject } from '../../api/object.ts'
import type { PodTemplateSpec } from '../../api/kinds/generated/core-v1.ts'
import { apiVersionOf } from '../../api/resource-type.ts'
import { storageOf } from '../core/stored-object.ts'
import { autoscalerFromV1, autoscalerToV1 } from './autoscaler-v1.ts'
import { AGE, NAME, text } from './columns.ts'
import { kindTable } from './define-kind.ts'
import type { KindTable } from './define-kind.ts'
import { formatHumanDuration } from './human-duration.ts'
import { applyPodSpecDefaults } from './rules/pod-defaults.ts'
import { formatContainers } from './rules/pod-template.ts'
import { immutable, invalid, oneOf, required } from './rules/problems.ts'
import { formatLabels } from './rules/selector-text.ts'

// Kinds that programs of a Kubernetes control plane list and watch. The server stores them and does nothing else with them.

type PodTemplate = KubeObject & { readonly template?: PodTemplateSpec }

const POD_TEMPLATE = kindTable<PodTemplate>({
  type: { group: '', version: 'v1', kind: 'PodTemplate', plural: 'podtemplates', namespaced: true },
  generation: 'all-but-status',
  deleteAnswer: 'object',
  columns: [
    NAME,
    text('Containers', ({ template }) => formatContainers(template?.spec, 'name')),
    text('Images', ({ template }) => formatContainers(template?.spec, 'image')),
    text('Pod Labels', ({ template }) =>
      formatLabels(template?.metadata?.labels as Record<string, string> | undefined),
    ),
  ],
  applyDefaults({ template }) {
    if (template?.spec) applyPodSpecDefaults(template.spec)
  },
})

type RuntimeClass = KubeObject & { readonly handler?: string }

const RUNTIME_CLASS = kindTable<RuntimeClass>({
  type: { group: 'node.k8s.io', version: 'v1', kind: 'RuntimeClass', plural: 'runtimeclasses', namespaced: false },
  unconditionalUpdate: false,
  createOnUpdate: true,
  columns: [NAME, text('Handler', ({ handler }) => handler ?? ''), AGE],
  validate: ({ handler }) => (handler ? [] : [required('handler')]),
  validateUpdate: ({ handler }, old) => immutable('handler', handler, old.handler),
})

type Autoscaler = KubeObject & {
  readonly spec?: {
    readonly scaleTargetRef?: { readonly kind?: string; readonly name?: string }
    readonly minReplicas?: number
    readonly maxReplicas?: number
    readonly metrics?: readonly object[]
  }
  readonly status?: { readonly currentReplicas?: number }
}

const CPU_METRIC = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
}

const AUTOSCALER = kindTable<Autoscaler>({
  type: {
    group: 'autoscaling',
    version: 'v2',
    kind: 'HorizontalPodAutoscaler',
    plural: 'horizontalpodautoscalers',
    namespaced: true,
  },
  shortNames: ['hpa'],
  categories: ['all'],
  hasStatus: true,
  columns: [
    NAME,
    text('Reference', ({ spec }) => `${spec?.scaleTargetRef?.kind ?? ''}/${spec?.scaleTargetRef?.name ?? ''}`),
    text('Targets', ({ spec }) => ((spec?.metrics ?? []).length === 0 ? '<none>' : '<unknown>')),
    text('MinPods', ({ spec }) => String(spec?.minReplicas ?? '<unset>')),
    text('MaxPods', ({ spec }) => spec?.maxReplicas ?? 0),
    text('Replicas', ({ status }) => status?.currentReplicas ?? 0),
    AGE,
  ],
  applyDefaults(object) {
    const spec = (object.spec ??= {})
    spec.minReplicas ??= 1
    if ((spec.metrics ?? []).length === 0) spec.metrics = [structuredClone(CPU_METRIC)]
  },
  validate({ spec = {} }) {
    const { minReplicas = 1, maxReplicas = 0, scaleTargetRef } = spec
    return [
      ...(scaleTargetRef?.kind ? [] : [required('spec.scaleTargetRef.kind')]),
      ...(scaleTargetRef?.name ? [] : [required('spec.scaleTargetRef.name')]),
      ...(minReplicas < 1 ? [invalid('spec.minReplicas', minReplicas, 'must be greater than or equal to 1')] : []),
      ...(maxReplicas < 1 ? [invalid('spec.maxReplicas', maxReplicas, 'must be greater than 0')] : []),
      ...(maxReplicas >= 1 && maxReplicas < minReplicas
        ? [invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`')]
        : []),
    ]
  },
})

type FlowSchema = KubeObject & {
  readonly spec?: {
    readonly priorityLevelConfiguration?: { readonly name?: string }
    readonly matchingPrecedence?: number
    readonly distinguisherMethod?: { readonly type?: string }
  }
  readonly status?: { readonly conditions?: readonly { readonly type?: string; readonly status?: string }[] }
}

const FLOW_CONTROL = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1' }

const FLOW_SCHEMA = kindTable<FlowSchema>({
  type: { ...FLOW_CONTROL, kind: 'FlowSchema', plural: 'flowschemas', namespaced: false },
  generation: 'spec',
  hasStatus: true,
  columns: [
    NAME,
    text('PriorityLevel', ({ spec }) => spec?.priorityLevelConfiguration?.name ?? ''),
    text('MatchingPrecedence', ({ spec }) => spec?.matchingPrecedence ?? 0),
    text('DistinguisherMethod', ({ spec }) => spec?.distinguisherMethod?.type ?? '<none>'),
    AGE,
    text(
      'MissingPL',
      ({ status }) => (status?.conditions ?? []).find(({ type }) => type === 'Dangling')?.status ?? '?',
    ),
  ],
  applyDefaults(object) {
    const spec = (object.spec ??= {})
    spec.matchingPrecedence ||= 1000
  },
  validate: ({ spec }) =>
    spec?.priorityLevelConfiguration?.name ? [] : [required('spec.priorityLevelConfiguration.name')],
})

type Queuing = { readonly queues?: number; readonly handSize?: number; readonly queueLengthLimit?: number }
type Shares = { readonly nominalConcurrencyShares?: number; readonly lendablePercent?: number }
type PriorityLevel = KubeObject & {
  readonly spec?: {
    readonly type?: string
    readonly limited?: Shares & { readonly limitResponse?: { readonly queuing?: Queuing } }
    readonly exempt?: Shares
  }
}

const PRIORITY_LEVEL = kindTable<PriorityLevel>({
  type: {
    ...FLOW_CONTROL,
    kind: 'PriorityLevelConfiguration',
    plural: 'prioritylevelconfigurations',
    namespaced: false,
  },
  generation: 'spec',
  hasStatus: true,
  columns: [
    NAME,
    text('Type', ({ spec }) => spec?.type ?? ''),
    text('NominalConcurrencyShares', ({ spec }) => spec?.limited?.nominalConcurrencyShares ?? '<none>'),
    text('Queues', ({ spec }) => spec?.limited?.limitResponse?.queuing?.queues ?? '<none>'),
    text('HandSize', ({ spec }) => spec?.limited?.limitResponse?.queuing?.handSize ?? '<none>'),
    text('QueueLengthLimit', ({ spec }) => spec?.limited?.limitResponse?.queuing?.queueLengthLimit ?? '<none>'),
    AGE,
  ],
  applyDefaults({ spec }) {
    if (spec?.exempt) spec.exempt.nominalConcurrencyShares ??= 0
    if (spec?.exempt) spec.exempt.lendablePercent ??= 0
    if (!spec?.limited) return
    spec.limited.nominalConcurrencyShares ??= 30
    spec.limited.lendablePercent ??= 0
    const queuing = spec.limited.limitResponse?.queuing
    if (!queuing) return
    queuing.handSize ||= 8
    queuing.queues ||= 64
    queuing.queueLengthLimit ||= 50
  },
  validate: ({ spec }) => (spec?.type ? oneOf('spec.type', spec.type, ['Exempt', 'Limited']) : [required('spec.type')]),
})

type SigningRequest = KubeObject & {
  readonly spec?: {
    readonly request?: string
    readonly signerName?: string
    readonly username?: string
    readonly expirationSeconds?: number
    readonly usages?: readonly string[]
  }
  readonly status?: { readonly certificate?: string; readonly conditions?: readonly { readonly type?: string }[] }
}

const SIGNING_REQUEST = kindTable<SigningRequest>({
  type: {
    group: 'certificates.k8s.io',
    version: 'v1',
    kind: 'CertificateSigningRequest',
    plural: 'certificatesigningrequests',
    namespaced: false,
  },
  shortNames: ['csr'],
  hasStatus: true,
  fieldLabels: { 'spec.signerName': ({ spec }) => spec?.signerName ?? '' },
  columns: [
    NAME,
    AGE,
    text('SignerName', ({ spec }) => spec?.signerName || '<none>'),
    text('Requestor', ({ spec }) => spec?.username ?? ''),
    text('RequestedDuration', ({ spec }) =>
      spec?.expirationSeconds === undefined ? '<none>' : formatHumanDuration(spec.expirationSeconds * 1000),
    ),
    text('Condition', ({ status }) => {
      const types = (status?.conditions ?? []).map(({ type }) => type)
      const decision = types.includes('Denied') ? 'Denied' : types.includes('Approved') ? 'Approved' : 'Pending'
      return `${decision}${types.includes('Failed') ? ',Failed' : ''}${status?.certificate ? ',Issued' : ''}`
    }),
  ],
  validate: ({ spec }) => [
    ...(spec?.request ? [] : [required('spec.request')]),
    ...(spec?.signerName ? [] : [required('spec.signerName')]),
    ...((spec?.usages ?? []).length > 0 ? [] : [required('spec.usages', '')]),
  ],
  validateUpdate: ({ spec }, old) => immutable('spec', spec, old.spec),
})

type ApiService = KubeObject & {
  readonly spec?: { readonly service?: { readonly namespace?: string; readonly name?: string } }
  readonly status?: { readonly conditions?: readonly { readonly type?: string; readonly status?: string }[] }
}

const API_SERVICE = kindTable<ApiService>({
  type: {
    group: 'apiregistration.k8s.io',
    version: 'v1',
    kind: 'APIService',
    plural: 'apiservices',
    namespaced: false,
  },
  categories: ['api-extensions'],
  unconditionalUpdate: false,
  hasStatus: true,
  columns: [
    NAME,
    text('Service', ({ spec }) =>
      spec?.service ? `${spec.service.namespace ?? ''}/${spec.service.name ?? ''}` : 'Local',
    ),
    text(
      'Available',
      ({ status }) => (status?.conditions ?? []).find(({ type }) => type === 'Available')?.status ?? 'Unknown',
    ),
    AGE,
  ],
  warnings: ({ spec }) =>
    spec?.service ? ['this server does not forward requests to other API servers: the APIService has no effect'] : [],
})

type AutoscalerV1 = Autoscaler & {
  readonly spec?: { readonly targetCPUUtilizationPercentage?: number }
  readonly status?: { readonly currentCPUUtilizationPercentage?: number }
}

// The same objects, with the share of the CPU as the only target.
const AUTOSCALER_V1 = kindTable<AutoscalerV1>({
  ...(AUTOSCALER as unknown as KindTable<AutoscalerV1>),
  type: { ...AUTOSCALER.type, version: 'v1' } as KindTable<AutoscalerV1>['type'],
  storage: storageOf(AUTOSCALER.type),
  storedApiVersion: apiVersionOf(AUTOSCALER.type),
  columns: [
    NAME,
    text('Reference', ({ spec }) => `${spec?.scaleTargetRef?.kind ?? ''}/${spec?.scaleTargetRef?.name ?? ''}`),
    text('Targets', ({ spec, status }) => {
      const target = spec?.targetCPUUtilizationPercentage
      return target === undefined
        ? '<none>'
        : `cpu: ${status?.currentCPUUtilizationPercentage ?? '<unknown>'}/${target}%`
    }),
    text('MinPods', ({ spec }) => String(spec?.minReplicas ?? '<unset>')),
    text('MaxPods', ({ spec }) => spec?.maxReplicas ?? 0),
    text('Replicas', ({ status }) => status?.currentReplicas ?? 0),
    AGE,
  ],
  applyDefaults(object) {
    const spec = (object.spec ??= {})
    spec.minReplicas ??= 1
  },
  toStored: autoscalerFromV1,
  fromStored: autoscalerToV1,
})

export const CLUSTER_KINDS: readonly KindTable[] = [
  POD_TEMPLATE,
  RUNTIME_CLASS,
  AUTOSCALER,
  AUTOSCALER_V1,
  FLOW_SCHEMA,
  PRIORITY_LEVEL,
  SIGNING_REQUEST,
  API_SERVICE,
]
