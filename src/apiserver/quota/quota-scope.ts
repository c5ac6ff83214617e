import { matchesLabelRequirement } from '../../api/label-requirement.ts'
import type { LabelOperator } from '../../api/label-requirement.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod, PodAffinityTerm } from '../../api/kinds/pod.ts'
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../../api/kinds/resource-quota.ts'
import { qualifiedResource } from '../../api/resource-type.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { Draft } from '../core/kind-definition.ts'
import type { Loose } from '../kinds/loose.ts'
import { qosClassOf } from '../kinds/rules/pod-qos.ts'
import { isMeasuredBy } from './usage-of.ts'

type Requirement = Pick<ScopedResourceSelectorRequirement, 'scopeName' | 'operator' | 'values'>

/** Whether a quota limits something about this object: it names a resource of the kind, and all of its scopes apply. */
export function appliesTo({ spec }: ResourceQuota, hard: object, type: ResourceType, object: Draft): boolean {
  const requirements: Requirement[] = [
    ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...(spec?.scopeSelector?.matchExpressions ?? []),
  ]
  return (
    Object.keys(hard).some((name) => isMeasuredBy(type, name)) &&
    requirements.every((requirement) => isInScope(requirement, type, object))
  )
}

function isInScope(requirement: Requirement, type: ResourceType, object: Draft): boolean {
  switch (qualifiedResource(type)) {
    case PODS.plural:
      return isPodInScope(requirement, object as Loose<Pod>)
    case PERSISTENT_VOLUME_CLAIMS.plural:
      return isClaimInScope(requirement, object as Loose<PersistentVolumeClaim>)
    default:
      return false
  }
}

export const isTerminatingPod = ({ spec }: Loose<Pod>): boolean => (spec?.activeDeadlineSeconds ?? -1) >= 0

function isPodInScope(requirement: Requirement, pod: Loose<Pod>): boolean {
  switch (requirement.scopeName) {
    case 'Terminating':
      return isTerminatingPod(pod)
    case 'NotTerminating':
      return !isTerminatingPod(pod)
    case 'BestEffort':
      return qosClassOf(pod) === 'BestEffort'
    case 'NotBestEffort':
      return qosClassOf(pod) !== 'BestEffort'
    case 'PriorityClass':
      return selects(requirement, pod.spec?.priorityClassName ? [pod.spec.priorityClassName] : [])
    case 'CrossNamespacePodAffinity':
      return affinityTermsOf(pod).some(
        ({ namespaces, namespaceSelector }) => (namespaces ?? []).length > 0 || namespaceSelector !== undefined,
      )
    default:
      return false
  }
}

function affinityTermsOf({ spec }: Loose<Pod>): Loose<PodAffinityTerm>[] {
  return [spec?.affinity?.podAffinity, spec?.affinity?.podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(
      ({ podAffinityTerm }) => podAffinityTerm ?? [],
    ),
  ])
}

function isClaimInScope(requirement: Requirement, { spec, status }: Loose<PersistentVolumeClaim>): boolean {
  if (requirement.scopeName !== 'VolumeAttributesClass') return false
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ]
  return selects(
    requirement,
    names.flatMap((name) => name || []),
  )
}

function selects({ scopeName, operator, values = [] }: Requirement, names: readonly string[]): boolean {
  if (operator === 'Exists') return names.length > 0
  const requirement = { key: scopeName, operator: OPERATORS[operator] ?? 'exists', values }
  if (names.length === 0) return matchesLabelRequirement(requirement, {})
  return names.some((name) => matchesLabelRequirement(requirement, { [scopeName]: name }))
}

const OPERATORS: Readonly<Record<string, LabelOperator>> = { In: 'in', NotIn: 'notin', DoesNotExist: '!' }
