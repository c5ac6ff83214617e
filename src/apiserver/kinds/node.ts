import { isEqualJson } from '../../api/equal-json.ts'
import { findCondition } from '../../api/conditions.ts'
import { validateLabelValue, validateQualifiedName } from '../../api/names.ts'
import type { Condition } from '../../api/kinds/condition.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node, Taint } from '../../api/kinds/node.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { AGE, NAME, text, wide } from './columns.ts'
import { kindTable } from './define-kind.ts'
import type { Loose } from './loose.ts'
import { duplicate, forbidden, invalid, invalidFor, notSupported, required } from './rules/problems.ts'
import { nonNegativeQuantity } from './rules/quantities.ts'
import { TAINT_EFFECTS } from './rules/tolerations.ts'

const ROLE_PREFIX = 'node-role.kubernetes.io/'
const ROLE_LABEL = 'kubernetes.io/role'

export const NODE_KIND = kindTable<Node>({
  type: NODES,
  shortNames: ['no'],
  hasStatus: true,
  // A node agent registers itself together with its status.
  keepsStatusOnCreate: true,
  fieldLabels: { 'spec.unschedulable': ({ spec }) => String(spec?.unschedulable ?? false) },
  columns: [
    NAME,
    text('Status', formatStatus),
    text('Roles', formatRoles),
    AGE,
    text('Version', ({ status }) => status?.nodeInfo?.kubeletVersion ?? ''),
    wide('Internal-IP', (node) => addressOf(node, 'InternalIP')),
    wide('External-IP', (node) => addressOf(node, 'ExternalIP')),
    wide('OS-Image', ({ status }) => status?.nodeInfo?.osImage || '<unknown>'),
    wide('Kernel-Version', ({ status }) => {
      const { kernelVersion, architecture } = status?.nodeInfo ?? {}
      return `${kernelVersion || '<unknown>'}${architecture ? ` (${architecture})` : ''}`
    }),
    wide('Container-Runtime', ({ status }) => status?.nodeInfo?.containerRuntimeVersion || '<unknown>'),
  ],

  applyDefaults({ spec, status }) {
    if (status?.capacity && !status.allocatable) status.allocatable = { ...status.capacity }
    // The first item of the list is also in the field that preceded the list.
    if (spec?.podCIDR && (spec.podCIDRs ?? []).length === 0) spec.podCIDRs = [spec.podCIDR]
    if (spec?.podCIDRs?.[0] !== undefined) spec.podCIDR = spec.podCIDRs[0]
  },

  prepareForCreate: dropConfigSource,
  prepareForUpdate: dropConfigSource,

  validate: (object) => [...taintProblems('metadata.taints', object.spec?.taints), ...resourceProblems(object)],

  validateUpdate: ({ spec = {}, status }, { spec: before = {} }) => [
    ...addressProblems(status?.addresses),
    ...((before.podCIDRs ?? []).length > 0 && !isEqualJson(spec.podCIDRs, before.podCIDRs)
      ? [forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid')]
      : []),
    ...(before.providerID && before.providerID !== spec.providerID
      ? [forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid')]
      : []),
  ],

  validateStatusUpdate: (object) => [...resourceProblems(object), ...addressProblems(object.status?.addresses)],
})

// A removed way to configure node agents.
function dropConfigSource({ spec }: Loose<Node>): void {
  if (spec) delete (spec as { configSource?: unknown }).configSource
}

function formatStatus({ spec, status }: Loose<Node>): string {
  // The schema ensures that conditions have a type and a status.
  const ready = findCondition((status?.conditions ?? []) as readonly Condition[], 'Ready')
  const state = ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown'
  return spec?.unschedulable ? `${state},SchedulingDisabled` : state
}

function formatRoles({ metadata }: Loose<Node>): string {
  const roles = Object.entries(metadata?.labels ?? {}).flatMap(([key, value]) =>
    key.startsWith(ROLE_PREFIX) ? key.slice(ROLE_PREFIX.length) : key === ROLE_LABEL && value ? value : [],
  )
  return [...new Set(roles.filter((role) => role !== ''))].sort().join(',') || '<none>'
}

const addressOf = ({ status }: Loose<Node>, type: string): string =>
  (status?.addresses ?? []).find((address) => address.type === type)?.address ?? '<none>'

function taintProblems(field: string, taints: readonly Loose<Taint>[] | undefined): FieldProblem[] {
  const seen = new Set<string>()
  return (taints ?? []).flatMap((taint, index) => {
    const at = `${field}[${index}]`
    const { key = '', value = '', effect = '' } = taint
    const valueDetails = validateLabelValue(value)
    const isRepeated = seen.has(`${effect} ${key}`)
    seen.add(`${effect} ${key}`)
    return [
      ...invalidFor(`${at}.key`, key, validateQualifiedName(key)),
      ...(valueDetails.length === 0 ? [] : [invalid(`${at}.value`, value, valueDetails.join(';'))]),
      ...(effect === ''
        ? [required(`${at}.effect`)]
        : TAINT_EFFECTS.includes(effect)
          ? []
          : [notSupported(`${at}.effect`, effect, TAINT_EFFECTS)]),
      ...(isRepeated ? [{ ...duplicate(at, taint), detail: 'taints must be unique by key and effect pair' }] : []),
    ]
  })
}

const resourceProblems = ({ status }: Loose<Node>): FieldProblem[] =>
  (['capacity', 'allocatable'] as const).flatMap((list) =>
    Object.entries(status?.[list] ?? {}).flatMap(([name, amount = '']) =>
      nonNegativeQuantity(`status.${list}.${name}`, amount),
    ),
  )

type Addresses = NonNullable<Loose<Node>['status']>['addresses']

function addressProblems(addresses: Addresses): FieldProblem[] {
  const given = addresses ?? []
  return given.flatMap((address, index) =>
    given.slice(0, index).some((earlier) => isEqualJson(earlier, address))
      ? [duplicate(`status.addresses[${index}]`, address)]
      : [],
  )
}
