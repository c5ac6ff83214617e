import type { KubeObject } from '../../api/object.ts'
import { AGE, boolean, integer, NAME, text } from './columns.ts'
import { kindTable } from './define-kind.ts'
import type { KindTable } from './define-kind.ts'
import { oneOf } from './rules/problems.ts'

// Kinds that a scheduler watches at its start. This server does not allocate devices: their kinds are stored without rules.

type PriorityClass = KubeObject & {
  readonly value?: number
  readonly globalDefault?: boolean
  readonly preemptionPolicy?: string
}

type ResourceClaim = KubeObject & {
  readonly status?: { readonly allocation?: object; readonly reservedFor?: readonly unknown[] }
}

type ResourceSlice = KubeObject & {
  readonly spec?: { readonly nodeName?: string; readonly driver?: string; readonly pool?: { readonly name?: string } }
}

const PRIORITY_CLASS = kindTable<PriorityClass>({
  type: {
    group: 'scheduling.k8s.io',
    version: 'v1',
    kind: 'PriorityClass',
    plural: 'priorityclasses',
    namespaced: false,
  },
  shortNames: ['pc'],
  columns: [
    NAME,
    integer('Value', ({ value }) => value ?? 0),
    boolean('Global-Default', ({ globalDefault }) => globalDefault ?? false),
    AGE,
    text('PreemptionPolicy', ({ preemptionPolicy }) => preemptionPolicy ?? ''),
  ],
  applyDefaults(object) {
    object.preemptionPolicy ??= 'PreemptLowerPriority'
  },
  validate: ({ preemptionPolicy }) => oneOf('preemptionPolicy', preemptionPolicy, ['PreemptLowerPriority', 'Never']),
})

const DEVICES = { group: 'resource.k8s.io', version: 'v1' }

const DEVICE_CLASS = kindTable<KubeObject>({
  type: { ...DEVICES, kind: 'DeviceClass', plural: 'deviceclasses', namespaced: false },
  deleteAnswer: 'object',
  generation: 'spec',
  columns: [NAME, AGE],
})

const RESOURCE_CLAIM = kindTable<ResourceClaim>({
  type: { ...DEVICES, kind: 'ResourceClaim', plural: 'resourceclaims', namespaced: true },
  deleteAnswer: 'object',
  hasStatus: true,
  columns: [
    NAME,
    text('State', ({ metadata, status }) => {
      const states = [
        ...(metadata?.deletionTimestamp ? ['deleted'] : []),
        ...(status?.allocation ? ['allocated'] : []),
        ...((status?.reservedFor ?? []).length > 0 ? ['reserved'] : []),
      ]
      return status?.allocation ? states.join(',') : [...states, 'pending'].join(',')
    }),
    AGE,
  ],
})

const RESOURCE_CLAIM_TEMPLATE = kindTable<KubeObject>({
  type: { ...DEVICES, kind: 'ResourceClaimTemplate', plural: 'resourceclaimtemplates', namespaced: true },
  deleteAnswer: 'object',
  columns: [NAME, AGE],
})

const RESOURCE_SLICE = kindTable<ResourceSlice>({
  type: { ...DEVICES, kind: 'ResourceSlice', plural: 'resourceslices', namespaced: false },
  deleteAnswer: 'object',
  generation: 'spec',
  fieldLabels: { 'spec.nodeName': ({ spec }) => spec?.nodeName ?? '', 'spec.driver': ({ spec }) => spec?.driver ?? '' },
  columns: [
    NAME,
    text('Node', ({ spec }) => spec?.nodeName ?? ''),
    text('Driver', ({ spec }) => spec?.driver ?? ''),
    text('Pool', ({ spec }) => spec?.pool?.name ?? ''),
    AGE,
  ],
})

export const SCHEDULING_KINDS: readonly KindTable[] = [
  PRIORITY_CLASS,
  DEVICE_CLASS,
  RESOURCE_CLAIM,
  RESOURCE_CLAIM_TEMPLATE,
  RESOURCE_SLICE,
]
