import { isEqualJson } from '../../api/equal-json.ts'
import { validateDnsLabel } from '../../api/names.ts'
import { STATEFUL_SETS } from '../../api/kinds/stateful-set.ts'
import type { StatefulSet, StatefulSetSpec, StatefulSetStatus } from '../../api/kinds/stateful-set.ts'
import type { Volume } from '../../api/kinds/pod.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { AGE, NAME, text, wide } from './columns.ts'
import { kindTable, SCALE } from './define-kind.ts'
import type { Loose } from './loose.ts'
import { applyClaimSpecDefaults, claimSpecProblems, claimSpecWarnings } from './rules/claim-spec.ts'
import { applyPodSpecDefaults } from './rules/pod-defaults.ts'
import { formatContainers, selectorProblems, templateProblems } from './rules/pod-template.ts'
import { forbidden, invalid, invalidFor, nonNegative, oneOf } from './rules/problems.ts'

type Spec = Loose<StatefulSetSpec>

const RETENTION_POLICIES = ['Retain', 'Delete']
const ONLY_THESE =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', " +
  "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"

export const STATEFUL_SET_KIND = kindTable<StatefulSet>({
  type: STATEFUL_SETS,
  shortNames: ['sts'],
  categories: ['all'],
  name: 'label',
  generation: 'spec',
  hasStatus: true,
  subresources: { scale: SCALE },
  columns: [
    NAME,
    text('Ready', ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`),
    AGE,
    wide('Containers', ({ spec }) => formatContainers(spec?.template?.spec, 'name')),
    wide('Images', ({ spec }) => formatContainers(spec?.template?.spec, 'image')),
  ],

  applyDefaults(object) {
    const spec = (object.spec ??= {})
    spec.podManagementPolicy ||= 'OrderedReady'
    const strategy = (spec.updateStrategy ??= {})
    if (!strategy.type) {
      strategy.type = 'RollingUpdate'
      strategy.rollingUpdate ??= {}
    }
    if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate) strategy.rollingUpdate.partition ??= 0
    const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {})
    retention.whenDeleted ||= 'Retain'
    retention.whenScaled ||= 'Retain'
    spec.replicas ??= 1
    spec.revisionHistoryLimit ??= 10
    const template = (spec.template ??= {})
    applyPodSpecDefaults((template.spec ??= {}))
    for (const claim of spec.volumeClaimTemplates ?? []) {
      claim.apiVersion = 'v1'
      claim.kind = 'PersistentVolumeClaim'
      const status = (claim.status ??= {})
      status.phase ||= 'Pending'
      applyClaimSpecDefaults((claim.spec ??= {}))
    }
  },

  prepareForCreate: dropMaxUnavailable,
  prepareForUpdate: dropMaxUnavailable,

  // Immutable fields are only validated on creation.
  validate({ spec = {} }, old) {
    return [
      ...strategyProblems(spec),
      ...Object.entries(spec.persistentVolumeClaimRetentionPolicy ?? {}).flatMap(([member, policy]) =>
        oneOf(`spec.persistentVolumeClaimRetentionPolicy.${member}`, policy, RETENTION_POLICIES),
      ),
      ...(old ? [] : claimProblems(spec)),
      ...nonNegative('spec.replicas', spec.replicas),
      ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
      ...nonNegative('spec.ordinals.start', spec.ordinals?.start),
      ...(!old && spec.serviceName
        ? invalidFor('spec.serviceName', spec.serviceName, validateDnsLabel(spec.serviceName))
        : []),
      ...selectorProblems(spec.selector, 'statefulset'),
      ...templateProblems({ ...spec, podSpec: withClaimVolumes(spec) }, 'StatefulSet'),
    ]
  },

  validateUpdate({ spec = {} }, { spec: before = {} }) {
    const fixed: Spec = {
      ...spec,
      replicas: before.replicas,
      template: before.template,
      updateStrategy: before.updateStrategy,
      minReadySeconds: before.minReadySeconds,
      ordinals: before.ordinals,
      revisionHistoryLimit: before.revisionHistoryLimit,
      persistentVolumeClaimRetentionPolicy: before.persistentVolumeClaimRetentionPolicy,
    }
    return isEqualJson(fixed, before) ? [] : [forbidden('spec', ONLY_THESE)]
  },

  validateStatusUpdate: ({ status = {} }, { status: before = {} }) => [
    ...statusProblems(status),
    ...collisionProblems(status, before),
  ],

  warnings: ({ spec }) =>
    (spec?.volumeClaimTemplates ?? []).flatMap((claim, index) =>
      claimSpecWarnings(`spec.volumeClaimTemplates[${index}]`, claim.spec ?? {}),
    ),
})

const claimProblems = ({ volumeClaimTemplates }: Spec): FieldProblem[] =>
  (volumeClaimTemplates ?? []).flatMap((claim, index) =>
    claimSpecProblems(`spec.volumeClaimTemplates[${index}].spec`, claim.spec ?? {}),
  )

// A field that upstream has only behind a gate that is disabled by default.
function dropMaxUnavailable({ spec }: Loose<StatefulSet>): void {
  delete spec?.updateStrategy?.rollingUpdate?.maxUnavailable
}

function strategyProblems({ podManagementPolicy, updateStrategy = {} }: Spec): FieldProblem[] {
  const { type, rollingUpdate } = updateStrategy
  const isKnownPolicy = podManagementPolicy === 'OrderedReady' || podManagementPolicy === 'Parallel'
  const field = 'spec.updateStrategy'
  return [
    ...(isKnownPolicy
      ? []
      : [invalid('spec.podManagementPolicy', podManagementPolicy, "must be 'OrderedReady' or 'Parallel'")]),
    ...(type !== 'RollingUpdate' && type !== 'OnDelete'
      ? [invalid(field, updateStrategy, "must be 'RollingUpdate' or 'OnDelete'")]
      : []),
    ...(type === 'OnDelete' && rollingUpdate
      ? [invalid(`${field}.rollingUpdate`, rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'")]
      : []),
    ...(type === 'RollingUpdate' ? nonNegative(`${field}.rollingUpdate.partition`, rollingUpdate?.partition) : []),
  ]
}

// The pods will have a volume for each claim template, and a name of their own on the network.
function withClaimVolumes({
  template,
  volumeClaimTemplates,
}: Spec): NonNullable<NonNullable<Spec['template']>['spec']> {
  const { hostname: _hostname, subdomain: _subdomain, volumes, ...rest } = template?.spec ?? {}
  const claims = (volumeClaimTemplates ?? []).map(({ metadata }): Loose<Volume> => {
    const name = metadata?.name ?? ''
    return { name, persistentVolumeClaim: { claimName: name } }
  })
  const names = new Set(claims.map(({ name }) => name))
  return { ...rest, volumes: [...claims, ...(volumes ?? []).filter(({ name }) => !names.has(name))] }
}

function statusProblems(status: Loose<StatefulSetStatus>): FieldProblem[] {
  const counts = [
    'replicas',
    'readyReplicas',
    'currentReplicas',
    'updatedReplicas',
    'availableReplicas',
    'observedGeneration',
    'collisionCount',
  ] as const
  const parts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status
  return [
    ...counts.flatMap((member) => nonNegative(`status.${member}`, status[member])),
    ...parts
      .filter((member) => (status[member] ?? 0) > replicas)
      .map((member) => invalid(`status.${member}`, status[member], 'cannot be greater than status.replicas')),
    ...(availableReplicas > readyReplicas
      ? [invalid('status.availableReplicas', availableReplicas, 'cannot be greater than status.readyReplicas')]
      : []),
  ]
}

function collisionProblems(
  { collisionCount = 0 }: Loose<StatefulSetStatus>,
  before: Loose<StatefulSetStatus>,
): FieldProblem[] {
  return before.collisionCount !== undefined && collisionCount < before.collisionCount
    ? [invalid('status.collisionCount', collisionCount, 'cannot be decremented')]
    : []
}
