import { compareQuantities, quantityOfBytes, quantityToBytes } from '../../api/quantity.ts'
import { findTimestamp } from '../../api/timestamps.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { SERVICES } from '../../api/kinds/service.ts'
import type { Service } from '../../api/kinds/service.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { qualifiedResource } from '../../api/resource-type.ts'
import type { Draft } from '../core/kind-definition.ts'
import { findClaimClass } from '../kinds/persistent-volume-claim.ts'
import type { Loose } from '../kinds/loose.ts'
import type { Amounts } from './amounts.ts'
import { podAmounts } from './pod-amounts.ts'

// Kinds that have a name of their own in quotas, besides `count/NAME`.
const COUNTED = ['configmaps', 'replicationcontrollers', 'resourcequotas', 'secrets']
export const CLASS_SUFFIX = '.storageclass.storage.k8s.io/'
const COMPUTE = ['cpu', 'memory', 'ephemeral-storage']

/** What an object counts for, by the names in a quota. */
export function usageOf(type: ResourceType, object: Draft, nowMs: number): Amounts {
  const name = qualifiedResource(type)
  const count = { [`count/${name}`]: '1' }
  switch (name) {
    case PODS.plural:
      return { ...count, ...podUsage(object as Loose<Pod>, nowMs) }
    case PERSISTENT_VOLUME_CLAIMS.plural:
      return { ...count, ...claimUsage(object as Loose<PersistentVolumeClaim>) }
    case SERVICES.plural:
      return { ...count, ...serviceUsage(object as Loose<Service>) }
    default:
      return COUNTED.includes(name) ? { ...count, [name]: '1' } : count
  }
}

/** Whether the use of objects of this kind is measured under this name. */
export function isMeasuredBy(type: ResourceType, name: string): boolean {
  const resource = qualifiedResource(type)
  if (name === `count/${resource}` || name === resource) return true
  switch (resource) {
    case PODS.plural:
      return (
        COMPUTE.some((compute) => [compute, `requests.${compute}`, `limits.${compute}`].includes(name)) ||
        /^(?:requests\.)?hugepages-/.test(name) ||
        /^requests\..*\//.test(name)
      )
    case PERSISTENT_VOLUME_CLAIMS.plural:
      return (
        name === 'requests.storage' ||
        name.endsWith(`${CLASS_SUFFIX}requests.storage`) ||
        name.endsWith(`${CLASS_SUFFIX}persistentvolumeclaims`)
      )
    case SERVICES.plural:
      return name === 'services.nodeports' || name === 'services.loadbalancers'
    default:
      return false
  }
}

function podUsage(pod: Loose<Pod>, nowMs: number): Amounts {
  if (!isCountedPod(pod, nowMs)) return {}
  const usage: Record<string, string> = { pods: '1' }
  for (const [name, amount] of Object.entries(podAmounts(pod, 'requests'))) {
    if (COMPUTE.includes(name) || name.startsWith('hugepages-')) usage[name] = amount
    if (COMPUTE.includes(name) || name.startsWith('hugepages-') || name.includes('/'))
      usage[`requests.${name}`] = amount
  }
  for (const [name, amount] of Object.entries(podAmounts(pod, 'limits')))
    if (COMPUTE.includes(name)) usage[`limits.${name}`] = amount
  return usage
}

// A pod that has ended, or whose node does not report its end, does not use anything.
function isCountedPod({ metadata, status }: Loose<Pod>, nowMs: number): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return false
  const deletedMs = findTimestamp(metadata?.deletionTimestamp)
  const graceMs = (metadata?.deletionGracePeriodSeconds ?? 0) * 1000
  return deletedMs === undefined || nowMs <= deletedMs + graceMs
}

function claimUsage(claim: Loose<PersistentVolumeClaim>): Amounts {
  const className = findClaimClass(claim)
  const asked = claim.spec?.resources?.requests?.['storage']
  const allocated = claim.status?.allocatedResources?.['storage']
  const isAllocatedMore = asked !== undefined && allocated !== undefined && compareQuantities(allocated, asked) > 0
  const size = isAllocatedMore ? allocated : asked
  const ofAll: Record<string, string> = {
    persistentvolumeclaims: '1',
    ...(size !== undefined && { 'requests.storage': wholeBytes(size) }),
  }
  if (!className) return ofAll
  const ofClass = Object.entries(ofAll).map(([name, amount]) => [`${className}${CLASS_SUFFIX}${name}`, amount])
  return { ...ofAll, ...Object.fromEntries(ofClass) }
}

// Sizes are counted in whole bytes.
const wholeBytes = (size: string): string => (size.endsWith('m') ? quantityOfBytes(quantityToBytes(size)) : size)

function serviceUsage({ spec }: Loose<Service>): Amounts {
  const ports = spec?.ports ?? []
  const usesNodePorts = spec?.type === 'NodePort' || spec?.type === 'LoadBalancer'
  const nodePorts =
    spec?.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts === false
      ? ports.filter(({ nodePort }) => nodePort).length
      : ports.length
  return {
    services: '1',
    'services.nodeports': String(usesNodePorts ? nodePorts : 0),
    'services.loadbalancers': spec?.type === 'LoadBalancer' ? '1' : '0',
  }
}
