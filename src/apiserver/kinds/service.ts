import { SERVICES } from '../../api/kinds/service.ts'
import type { Service } from '../../api/kinds/service.ts'
import { AGE, NAME, text, wide } from './columns.ts'
import { kindTable } from './define-kind.ts'
import type { Loose } from './loose.ts'
import { servicePortProblems } from './rules/ports.ts'
import { required } from './rules/problems.ts'

type Ingress = { readonly ip?: string; readonly hostname?: string }

const CLIENT_IP_SECONDS = 10_800

/** Stored and shown. Admission assigns addresses; nothing routes traffic to them. */
export const SERVICE_KIND = kindTable<Service>({
  type: SERVICES,
  shortNames: ['svc'],
  categories: ['all'],
  name: 'label',
  createOnUpdate: true,
  deleteAnswer: 'object',
  hasStatus: true,
  fieldLabels: { 'spec.clusterIP': ({ spec }) => spec?.clusterIP ?? '', 'spec.type': ({ spec }) => spec?.type ?? '' },
  columns: [
    NAME,
    text('Type', ({ spec }) => spec?.type ?? ''),
    text('Cluster-IP', ({ spec }) => spec?.clusterIPs?.[0] ?? '<none>'),
    text('External-IP', externalAddress),
    text('Port(s)', ({ spec }) => (spec?.ports ?? []).map(formatPort).join(',') || '<none>'),
    AGE,
    wide(
      'Selector',
      ({ spec }) =>
        Object.entries(spec?.selector ?? {})
          .map(([key, value]) => `${key}=${value}`)
          .sort()
          .join(',') || '<none>',
    ),
  ],

  applyDefaults(object) {
    const spec = (object.spec ??= {})
    spec.sessionAffinity ||= 'None'
    if (spec.sessionAffinity === 'ClientIP' && !spec.sessionAffinityConfig?.clientIP?.timeoutSeconds)
      spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: CLIENT_IP_SECONDS } }
    else if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig
    spec.type ||= 'ClusterIP'
    for (const port of spec.ports ?? []) {
      port.protocol ||= 'TCP'
      port.targetPort ||= port.port
    }
    const isExternal = spec.type === 'NodePort' || spec.type === 'LoadBalancer'
    if (isExternal) spec.externalTrafficPolicy ||= 'Cluster'
    if (spec.type !== 'ExternalName') spec.internalTrafficPolicy ??= 'Cluster'
    if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true
    if (spec.clusterIP && (spec.clusterIPs ?? []).length === 0) spec.clusterIPs = [spec.clusterIP]
  },

  validate({ spec = {} }) {
    const ports = spec.ports ?? []
    const needsPorts = spec.type !== 'ExternalName' && spec.clusterIP !== 'None'
    return ports.length === 0 && needsPorts ? [required('spec.ports')] : servicePortProblems('spec.ports', ports)
  },
})

type Port = NonNullable<NonNullable<Loose<Service>['spec']>['ports']>[number]

const formatPort = ({ port, nodePort, protocol }: Port): string =>
  `${port ?? 0}${nodePort ? `:${nodePort}` : ''}/${protocol ?? ''}`

function externalAddress({ spec, status }: Loose<Service>): string {
  const { externalIPs = [], externalName = '' } = (spec ?? {}) as { externalIPs?: string[]; externalName?: string }
  const { loadBalancer } = (status ?? {}) as { loadBalancer?: { ingress?: Ingress[] } }
  const balanced = (loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => ip || hostname || [])
  switch (spec?.type) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIPs.join(',') || '<none>'
    case 'LoadBalancer':
      return [...balanced, ...externalIPs].join(',') || '<pending>'
    case 'ExternalName':
      return externalName
    default:
      return '<unknown>'
  }
}
