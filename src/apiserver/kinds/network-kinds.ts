import { ENDPOINT_SLICES } from '../../api/kinds/endpoint-slice.ts'
import type { EndpointSlice } from '../../api/kinds/endpoint-slice.ts'
import { ENDPOINTS } from '../../api/kinds/endpoints.ts'
import type { Endpoints, EndpointSubset } from '../../api/kinds/endpoints.ts'
import type { KubeObject } from '../../api/object.ts'
import type { LabelSelector } from '../../api/kinds/selectors.ts'
import { AGE, NAME, text } from './columns.ts'
import { kindTable } from './define-kind.ts'
import type { KindTable } from './define-kind.ts'
import type { Loose } from './loose.ts'
import { formatSome } from './rules/list-text.ts'
import { immutable, oneOf, required } from './rules/problems.ts'
import { labelSelectorProblems } from './rules/selectors.ts'
import { formatSelector } from './rules/selector-text.ts'

// Nothing here routes traffic: these kinds are stored for clients that read and write them.

const ENDPOINTS_KIND = kindTable<Endpoints>({
  type: ENDPOINTS,
  shortNames: ['ep'],
  createOnUpdate: true,
  columns: [NAME, text('Endpoints', ({ subsets }) => formatSome((subsets ?? []).flatMap(addressesOf), '<none>')), AGE],
  applyDefaults({ subsets }) {
    for (const { ports } of subsets ?? []) for (const port of ports ?? []) port.protocol ||= 'TCP'
  },
})

function addressesOf({ addresses = [], ports = [] }: Loose<EndpointSubset>): string[] {
  const ips = addresses.map(({ ip = '' }) => ip)
  if (ports.length === 0) return ips
  return ports.flatMap(({ port = 0 }) => ips.map((ip) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)))
}

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6']

const ENDPOINT_SLICE_KIND = kindTable<EndpointSlice>({
  type: ENDPOINT_SLICES,
  generation: 'all-but-status',
  columns: [
    NAME,
    text('AddressType', ({ addressType }) => addressType ?? ''),
    text('Ports', ({ ports }) =>
      formatSome(
        (ports ?? []).map(({ port, name }) => String(port ?? name ?? '*')),
        '<unset>',
      ),
    ),
    text('Endpoints', ({ endpoints }) =>
      formatSome(
        (endpoints ?? []).flatMap(({ addresses }) => addresses ?? []),
        '<unset>',
      ),
    ),
    AGE,
  ],
  applyDefaults({ ports }) {
    for (const port of ports ?? []) {
      port.name ??= ''
      port.protocol ??= 'TCP'
    }
  },
  validate: ({ addressType }) =>
    addressType ? oneOf('addressType', addressType, ADDRESS_TYPES) : [required('addressType')],
  validateUpdate: ({ addressType }, old) => immutable('addressType', addressType, old.addressType),
})

type Balancer = { readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[] }
type Ingress = KubeObject & {
  readonly spec?: {
    readonly ingressClassName?: string
    readonly rules?: readonly { readonly host?: string }[]
    readonly tls?: readonly unknown[]
  }
  readonly status?: { readonly loadBalancer?: Balancer }
}

const NETWORKING = { group: 'networking.k8s.io', version: 'v1' }

const INGRESS_KIND = kindTable<Ingress>({
  type: { ...NETWORKING, kind: 'Ingress', plural: 'ingresses', namespaced: true },
  shortNames: ['ing'],
  generation: 'spec',
  hasStatus: true,
  columns: [
    NAME,
    text('Class', ({ spec }) => spec?.ingressClassName ?? '<none>'),
    text('Hosts', ({ spec }) =>
      formatSome(
        (spec?.rules ?? []).flatMap(({ host }) => host || []),
        '*',
      ),
    ),
    text('Address', ({ status }) =>
      (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '').join(','),
    ),
    text('Ports', ({ spec }) => ((spec?.tls ?? []).length > 0 ? '80, 443' : '80')),
    AGE,
  ],
})

type IngressClass = KubeObject & {
  readonly spec?: {
    readonly controller?: string
    readonly parameters?: {
      readonly apiGroup?: string
      readonly kind?: string
      readonly name?: string
      readonly scope?: string
    }
  }
}

const DEFAULT_INGRESS_CLASS = 'ingressclass.kubernetes.io/is-default-class'

const INGRESS_CLASS_KIND = kindTable<IngressClass>({
  type: { ...NETWORKING, kind: 'IngressClass', plural: 'ingressclasses', namespaced: false },
  generation: 'spec',
  columns: [
    {
      ...NAME,
      cell: ({ metadata }) =>
        `${metadata?.name ?? ''}${metadata?.annotations?.[DEFAULT_INGRESS_CLASS] === 'true' ? ' (default)' : ''}`,
    },
    text('Controller', ({ spec }) => spec?.controller ?? ''),
    text('Parameters', ({ spec }) => {
      const { apiGroup, kind = '', name = '' } = spec?.parameters ?? {}
      return spec?.parameters ? `${kind}${apiGroup === undefined ? '' : `.${apiGroup}`}/${name}` : '<none>'
    }),
    AGE,
  ],
  applyDefaults({ spec }) {
    if (spec?.parameters) spec.parameters.scope ??= 'Cluster'
  },
  validate: ({ spec }) => (spec?.controller ? [] : [required('spec.controller')]),
  validateUpdate: ({ spec }, old) => immutable('spec.controller', spec?.controller, old.spec?.controller),
})

type Rule = { readonly ports?: readonly { readonly protocol?: string }[] }
type NetworkPolicy = KubeObject & {
  readonly spec?: {
    readonly podSelector?: LabelSelector
    readonly policyTypes?: readonly string[]
    readonly ingress?: readonly Rule[]
    readonly egress?: readonly Rule[]
  }
}

const NETWORK_POLICY_KIND = kindTable<NetworkPolicy>({
  type: { ...NETWORKING, kind: 'NetworkPolicy', plural: 'networkpolicies', namespaced: true },
  shortNames: ['netpol'],
  generation: 'spec',
  columns: [NAME, text('Pod-Selector', ({ spec }) => formatSelector(spec?.podSelector)), AGE],
  applyDefaults(object) {
    const spec = (object.spec ??= {})
    for (const { ports } of [...(spec.ingress ?? []), ...(spec.egress ?? [])])
      for (const port of ports ?? []) port.protocol ??= 'TCP'
    if ((spec.policyTypes ?? []).length === 0)
      spec.policyTypes = ['Ingress', ...((spec.egress ?? []).length > 0 ? ['Egress'] : [])]
  },
  validate: ({ spec }) => labelSelectorProblems('spec.podSelector', spec?.podSelector),
})

type IpAddress = KubeObject & {
  readonly spec?: {
    readonly parentRef?: {
      readonly group?: string
      readonly resource?: string
      readonly namespace?: string
      readonly name?: string
    }
  }
}

const IP_ADDRESS_KIND = kindTable<IpAddress>({
  type: { ...NETWORKING, kind: 'IPAddress', plural: 'ipaddresses', namespaced: false },
  shortNames: ['ip'],
  columns: [
    NAME,
    text('ParentRef', ({ spec }) => {
      const { group, resource = '', namespace, name = '' } = spec?.parentRef ?? {}
      if (!spec?.parentRef) return '<none>'
      return [`${resource}${group ? `.${group}` : ''}`, ...(namespace ? [namespace] : []), name].join('/')
    }),
    AGE,
  ],
  validate: ({ spec }) => (spec?.parentRef ? [] : [required('spec.parentRef')]),
  validateUpdate: ({ spec }, old) => immutable('spec.parentRef', spec?.parentRef, old.spec?.parentRef),
})

type ServiceCidr = KubeObject & { readonly spec?: { readonly cidrs?: readonly string[] } }

const SERVICE_CIDR_KIND = kindTable<ServiceCidr>({
  type: { ...NETWORKING, kind: 'ServiceCIDR', plural: 'servicecidrs', namespaced: false },
  hasStatus: true,
  columns: [NAME, text('CIDRs', ({ spec }) => (spec?.cidrs ?? []).join(',')), AGE],
  validate: ({ spec }) =>
    (spec?.cidrs ?? []).length > 0 ? [] : [required('spec.cidrs', 'at least one CIDR required')],
  validateUpdate: ({ spec }, old) => immutable('spec.cidrs', spec?.cidrs, old.spec?.cidrs),
})

export const NETWORK_KINDS: readonly KindTable[] = [
  ENDPOINTS_KIND,
  ENDPOINT_SLICE_KIND,
  INGRESS_KIND,
  INGRESS_CLASS_KIND,
  NETWORK_POLICY_KIND,
  IP_ADDRESS_KIND,
  SERVICE_CIDR_KIND,
]
