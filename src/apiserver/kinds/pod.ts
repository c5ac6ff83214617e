import { isEqualJson } from '../../api/equal-json.ts'
import { validateDnsLabel, validateName, validateQualifiedName } from '../../api/names.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import { MIRROR_POD_ANNOTATION, PODS } from '../../api/kinds/pod.ts'
import type { Container, Pod, PodSpec, PodStatus, Toleration } from '../../api/kinds/pod.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { kindTable } from './define-kind.ts'
import type { Loose } from './loose.ts'
import { POD_COLUMNS } from './pod-columns.ts'
import { applyPodDefaults } from './rules/pod-defaults.ts'
import { qosClassOf } from './rules/pod-qos.ts'
import { podSpecProblems } from './rules/pod-spec.ts'
import { forbidden, immutable, inclusiveRange, invalid, invalidFor } from './rules/problems.ts'

type Spec = Loose<PodSpec>

const LARGEST_INT32 = 2_147_483_647
const SYSTEM_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized']
const CHANGEABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
]

export const POD_KIND = kindTable<Pod>({
  type: PODS,
  shortNames: ['po'],
  categories: ['all'],
  deleteAnswer: 'object',
  generation: 'spec',
  hasStatus: true,
  columns: POD_COLUMNS,
  subresources: {
    attach: { verbs: ['create', 'get'] },
    binding: { kind: { group: '', version: 'v1', kind: 'Binding' }, verbs: ['create'] },
    ephemeralcontainers: { verbs: ['get', 'patch', 'update'] },
    eviction: { kind: { group: 'policy', version: 'v1', kind: 'Eviction' }, verbs: ['create'] },
    exec: { verbs: ['create', 'get'] },
    log: { verbs: ['get'] },
    portforward: { verbs: ['create', 'get'] },
    resize: { verbs: ['get', 'patch', 'update'] },
  },
  fieldLabels: {
    'spec.nodeName': ({ spec }) => spec?.nodeName ?? '',
    // An old name of the same field.
    'spec.host': ({ spec }) => spec?.nodeName ?? '',
    'spec.restartPolicy': ({ spec }) => spec?.restartPolicy ?? '',
    'spec.schedulerName': ({ spec }) => spec?.schedulerName ?? '',
    'spec.serviceAccountName': ({ spec }) => spec?.serviceAccountName ?? '',
    'spec.hostNetwork': ({ spec }) => String(spec?.hostNetwork ?? false),
    'status.phase': ({ status }) => status?.phase ?? '',
    'status.podIP': ({ status }) => status?.podIPs?.[0]?.ip ?? '',
    'status.podIPs': ({ status }) => (status?.podIPs ?? []).map(({ ip }) => ip ?? '').join(','),
    'status.nominatedNodeName': ({ status }) => status?.nominatedNodeName ?? '',
  },

  applyDefaults: applyPodDefaults,

  prepareForCreate(object, nowMs) {
    object.status = { phase: 'Pending', qosClass: qosClassOf(object) }
    if ((object.spec?.schedulingGates ?? []).length > 0) {
      object.status.conditions = [
        {
          type: 'PodScheduled',
          status: 'False',
          lastProbeTime: null,
          lastTransitionTime: formatTimestamp(nowMs),
          reason: 'SchedulingGated',
          message: 'Scheduling is blocked due to non-empty scheduling gates',
        },
      ]
    }
  },

  // Very old node agents sent pods without these, and would have removed them.
  prepareForStatusUpdate(object, old) {
    const status = (object.status ??= {})
    if (!status.qosClass && old.status?.qosClass) status.qosClass = old.status.qosClass
    if (!status.observedGeneration && old.status?.observedGeneration)
      status.observedGeneration = old.status.observedGeneration
    const metadata = (object.metadata ??= {})
    if (old.metadata?.ownerReferences) metadata.ownerReferences = old.metadata.ownerReferences
    else delete metadata.ownerReferences
  },

  validate({ metadata, spec = {} }, old) {
    return [
      ...podSpecProblems('spec', spec, metadata?.name),
      ...tokenProblems(spec),
      ...(!old && (spec.ephemeralContainers ?? []).length > 0
        ? [forbidden('spec.ephemeralContainers', 'cannot be set on create')]
        : []),
      ...(!old && spec.nodeName && (spec.schedulingGates ?? []).length > 0
        ? [forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')]
        : []),
    ]
  },

  validateUpdate({ metadata, spec = {} }, { metadata: oldMetadata, spec: before = {} }) {
    const mirror = mirrorProblems(metadata, oldMetadata)
    for (const list of ['containers', 'initContainers'] as const) {
      if ((spec[list] ?? []).length !== (before[list] ?? []).length)
        return [...mirror, forbidden(`spec.${list}`, 'pod updates may not add or remove containers')]
    }
    const deadline = deadlineProblems(spec.activeDeadlineSeconds, before.activeDeadlineSeconds)
    if (deadline.length > 0 && spec.activeDeadlineSeconds !== undefined) return [...mirror, ...deadline]
    return [
      ...mirror,
      ...deadline,
      ...addedTolerationProblems(spec.tolerations ?? [], before.tolerations ?? []),
      ...addedGateProblems(spec.schedulingGates ?? [], before.schedulingGates ?? []),
      ...nodeSelectorProblems(spec, before),
      ...(isEqualJson(fixedPart(spec, before), before)
        ? []
        : [forbidden('spec', `pod updates may not change fields other than ${CHANGEABLE.join(',')}`)]),
    ]
  },

  validateStatusUpdate({ metadata, status = {} }, { metadata: oldMetadata, spec: oldSpec = {}, status: before = {} }) {
    const nominated = status.nominatedNodeName ?? ''
    const isNominated = nominated !== '' && nominated !== before.nominatedNodeName
    return [
      ...mirrorProblems(metadata, oldMetadata),
      ...conditionProblems(status.conditions),
      ...(isNominated ? invalidFor('status.nominatedNodeName', nominated, validateName('subdomain', nominated)) : []),
      ...(isNominated && oldSpec.nodeName
        ? [forbidden('status.nominatedNodeName', 'may not be set on pods that are already bound to a node')]
        : []),
      ...((status.observedGeneration ?? 0) < 0
        ? [invalid('status.observedGeneration', status.observedGeneration, 'must be a non-negative integer')]
        : []),
      ...immutable('status.qosClass', status.qosClass, before.qosClass),
      ...restartProblems(status, before, oldSpec),
    ]
  },

  warnings({ metadata }) {
    const details = isNew(metadata) ? validateDnsLabel(metadata?.name ?? '') : []
    return details.length === 0
      ? []
      : [
          `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${details.join(' ')}]`,
        ]
  },

  gracePeriodSeconds({ spec = {}, status = {} }, asked) {
    const isOnNode = Boolean(spec.nodeName) && status.phase !== 'Failed' && status.phase !== 'Succeeded'
    const period = isOnNode ? (asked ?? spec.terminationGracePeriodSeconds ?? 0) : 0
    return period < 0 ? 1 : period
  },
})

// A stored object has a resource version; a new object gets its first one when it is stored.
const isNew = (metadata: Loose<Pod>['metadata']): boolean => metadata?.resourceVersion === undefined

// The permissions of a node depend on this annotation of its mirror pods: without it, objects that such a pod names would be accessible to the node.
function mirrorProblems(metadata: Loose<Pod>['metadata'], before: Loose<Pod>['metadata']): FieldProblem[] {
  const [value, old] = [metadata?.annotations?.[MIRROR_POD_ANNOTATION], before?.annotations?.[MIRROR_POD_ANNOTATION]]
  if (value === old) return []
  return [
    forbidden(
      `metadata.annotations[${MIRROR_POD_ANNOTATION}]`,
      old === undefined ? 'may not add mirror pod annotation' : 'may not remove or update mirror pod annotation',
    ),
  ]
}

function tokenProblems({ serviceAccountName, volumes }: Spec): FieldProblem[] {
  if (serviceAccountName) return []
  return (volumes ?? []).flatMap(({ projected }, index) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken }, position) =>
      serviceAccountToken
        ? [
            forbidden(
              `spec.volumes[${index}].projected.sources[${position}].serviceAccountToken`,
              'must not be specified when serviceAccountName is not set',
            ),
          ]
        : [],
    ),
  )
}

function deadlineProblems(seconds: number | undefined, before: number | undefined): FieldProblem[] {
  const field = 'spec.activeDeadlineSeconds'
  if (seconds === undefined)
    return before === undefined
      ? []
      : [invalid(field, undefined, 'must not update from a positive integer to nil value')]
  if (seconds < 0 || seconds > LARGEST_INT32) return [invalid(field, seconds, inclusiveRange(0, LARGEST_INT32))]
  return before !== undefined && before < seconds
    ? [invalid(field, seconds, 'must be less than or equal to previous value')]
    : []
}

function addedTolerationProblems(
  tolerations: readonly Loose<Toleration>[],
  before: readonly Loose<Toleration>[],
): FieldProblem[] {
  const isKept = (old: Loose<Toleration>): boolean =>
    tolerations.some((toleration) =>
      isEqualJson({ ...old, tolerationSeconds: undefined }, { ...toleration, tolerationSeconds: undefined }),
    )
  return before.every(isKept)
    ? []
    : [forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')]
}

type Gates = readonly { name?: string | undefined }[]

const addedGateProblems = (gates: Gates, before: Gates): FieldProblem[] =>
  gates.flatMap(({ name = '' }, index) =>
    before.some((gate) => gate.name === name)
      ? []
      : [
          forbidden(
            `spec.schedulingGates[${index}].name`,
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ],
  )

const isGated = ({ schedulingGates }: Spec): boolean => (schedulingGates ?? []).length > 0

// While it is gated, a pod may be restricted to fewer nodes.
function nodeSelectorProblems({ nodeSelector }: Spec, before: Spec): FieldProblem[] {
  const isKept = Object.entries(before.nodeSelector ?? {}).every(([key, value]) => nodeSelector?.[key] === value)
  if (!isGated(before) || isKept) return []
  return [
    invalid(
      'spec.nodeSelector',
      nodeSelector,
      'only additions to spec.nodeSelector are allowed (no mutations or deletions)',
    ),
  ]
}

/** The new spec with all mutable or already checked fields reset. */
function fixedPart(spec: Spec, before: Spec): Spec {
  const grace = before.terminationGracePeriodSeconds
  const isGraceCorrected = grace !== undefined && grace < 0 && spec.terminationGracePeriodSeconds === 1
  return {
    ...spec,
    containers: withImages(spec.containers, before.containers),
    initContainers: withImages(spec.initContainers, before.initContainers),
    activeDeadlineSeconds: before.activeDeadlineSeconds,
    schedulingGates: before.schedulingGates,
    tolerations: before.tolerations,
    ...(isGraceCorrected ? { terminationGracePeriodSeconds: grace } : {}),
    ...(isGated(before) ? { nodeSelector: before.nodeSelector } : {}),
  }
}

type Containers = Loose<Container>[] | undefined

const withImages = (containers: Containers, before: Containers): Containers =>
  containers?.map((container, index) => ({ ...container, image: before?.[index]?.image }))

function conditionProblems(conditions: Loose<PodStatus>['conditions']): FieldProblem[] {
  return (conditions ?? []).flatMap(({ type = '', observedGeneration = 0 }, index) => [
    ...(observedGeneration < 0
      ? [
          invalid(
            `status.conditions[${index}].observedGeneration`,
            observedGeneration,
            'must be a non-negative integer',
          ),
        ]
      : []),
    ...(SYSTEM_CONDITIONS.includes(type)
      ? []
      : invalidFor(`status.conditions[${index}].Type`, type, validateQualifiedName(type))),
  ])
}

// A terminated container stays terminated, unless the pod restarts it.
function restartProblems(
  { containerStatuses }: Loose<PodStatus>,
  before: Loose<PodStatus>,
  { restartPolicy }: Spec,
): FieldProblem[] {
  if (restartPolicy === 'Always' || restartPolicy === undefined) return []
  return (before.containerStatuses ?? []).flatMap(({ name, state }, index) => {
    const terminated = state?.terminated
    if (!terminated || (restartPolicy === 'OnFailure' && (terminated.exitCode ?? 0) !== 0)) return []
    const now = (containerStatuses ?? []).find((status) => status.name === name)
    return now && !now.state?.terminated
      ? [forbidden(`status.containerStatuses[${index}].state`, 'may not be transitioned to non-terminated state')]
      : []
  })
}
