import { validateDnsLabel, validateName, validateQualifiedName } from '../../../api/names.ts'
import type { NodeAffinity, PodSecurityContext, PodSpec } from '../../../api/kinds/pod.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import type { Loose } from '../loose.ts'
import { containerProblems } from './containers.ts'
import { checkPodVolumes } from './pod-volumes.ts'
import { duplicate, inclusiveRange, invalid, invalidFor, notSupported, oneOf, required } from './problems.ts'
import { labelProblems, nodeSelectorProblems, nodeSelectorTermProblems } from './selectors.ts'
import { tolerationProblems } from './tolerations.ts'

const LARGEST_INT32 = 2_147_483_647
const RESTART_POLICIES = ['Always', 'OnFailure', 'Never']
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']
const FS_GROUP_CHANGE_POLICIES = ['Always', 'OnRootMismatch']
const SELINUX_CHANGE_POLICIES = ['MountOption', 'Recursive']

/** The spec of a pod, or of a pod template, which has no name. Fields that only a container runtime uses are not checked. */
export function podSpecProblems(field: string, spec: Loose<PodSpec>, podName = ''): FieldProblem[] {
  const volumes = checkPodVolumes(`${field}.volumes`, spec.volumes, podName)
  const names = new Set<string>()
  return [
    ...(spec.terminationGracePeriodSeconds === undefined ? [required(`${field}.terminationGracePeriodSeconds`)] : []),
    ...volumes.problems,
    ...((spec.containers ?? []).length === 0 ? [required(`${field}.containers`)] : []),
    ...containerProblems(`${field}.containers`, spec.containers, volumes.usable, names),
    ...containerProblems(`${field}.initContainers`, spec.initContainers, volumes.usable, names),
    ...requiredOneOf(`${field}.restartPolicy`, spec.restartPolicy, RESTART_POLICIES),
    ...requiredOneOf(`${field}.dnsPolicy`, spec.dnsPolicy, DNS_POLICIES),
    ...labelProblems(`${field}.nodeSelector`, spec.nodeSelector),
    ...securityContextProblems(`${field}.securityContext`, spec.securityContext),
    ...nodeAffinityProblems(`${field}.affinity.nodeAffinity`, spec.affinity?.nodeAffinity),
    ...schedulingGateProblems(`${field}.schedulingGates`, spec.schedulingGates),
    ...nameProblems(`${field}.serviceAccountName`, spec.serviceAccountName),
    ...nameProblems(`${field}.nodeName`, spec.nodeName),
    ...deadlineProblems(`${field}.activeDeadlineSeconds`, spec.activeDeadlineSeconds),
    ...(spec.hostname ? invalidFor(`${field}.hostname`, spec.hostname, validateDnsLabel(spec.hostname)) : []),
    ...(spec.subdomain ? invalidFor(`${field}.subdomain`, spec.subdomain, validateDnsLabel(spec.subdomain)) : []),
    ...tolerationProblems(`${field}.tolerations`, spec.tolerations),
    ...nameProblems(`${field}.priorityClassName`, spec.priorityClassName),
  ]
}

const nameProblems = (field: string, name: string | undefined): FieldProblem[] =>
  name ? invalidFor(field, name, validateName('subdomain', name)) : []

const requiredOneOf = (field: string, value: string | undefined, supported: readonly string[]): FieldProblem[] =>
  value ? (supported.includes(value) ? [] : [notSupported(field, value, supported)]) : [required(field)]

const deadlineProblems = (field: string, seconds: number | undefined): FieldProblem[] =>
  seconds !== undefined && (seconds < 1 || seconds > LARGEST_INT32)
    ? [invalid(field, seconds, inclusiveRange(1, LARGEST_INT32))]
    : []

function securityContextProblems(field: string, context: Loose<PodSecurityContext> | undefined): FieldProblem[] {
  if (!context) return []
  const id = (member: string, value: number | undefined): FieldProblem[] =>
    value !== undefined && (value < 0 || value > LARGEST_INT32)
      ? [invalid(`${field}.${member}`, value, inclusiveRange(0, LARGEST_INT32))]
      : []
  return [
    ...id('fsGroup', context.fsGroup),
    ...id('runAsUser', context.runAsUser),
    ...id('runAsGroup', context.runAsGroup),
    ...(context.supplementalGroups ?? []).flatMap((group, index) => id(`supplementalGroups[${index}]`, group)),
    ...oneOf(`${field}.fsGroupChangePolicy`, context.fsGroupChangePolicy, FS_GROUP_CHANGE_POLICIES),
    ...oneOf(`${field}.seLinuxChangePolicy`, context.seLinuxChangePolicy, SELINUX_CHANGE_POLICIES),
  ]
}

function nodeAffinityProblems(field: string, affinity: Loose<NodeAffinity> | undefined): FieldProblem[] {
  const wanted = affinity?.requiredDuringSchedulingIgnoredDuringExecution
  return [
    ...(wanted ? nodeSelectorProblems(`${field}.requiredDuringSchedulingIgnoredDuringExecution`, wanted) : []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(
      ({ weight = 0, preference = {} }, index) => {
        const at = `${field}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`
        const isInRange = weight > 0 && weight <= 100
        return [
          ...(isInRange ? [] : [invalid(`${at}.weight`, weight, 'must be in the range 1-100')]),
          ...nodeSelectorTermProblems(`${at}.preference`, preference),
        ]
      },
    ),
  ]
}

function schedulingGateProblems(field: string, gates: Loose<PodSpec>['schedulingGates']): FieldProblem[] {
  const seen = new Set<string>()
  return (gates ?? []).flatMap(({ name = '' }, index) => {
    const at = `${field}[${index}]`
    const isRepeated = seen.has(name)
    seen.add(name)
    return [...invalidFor(at, name, validateQualifiedName(name)), ...(isRepeated ? [duplicate(at, name)] : [])]
  })
}
