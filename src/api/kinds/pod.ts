import type { ResourceType } from '../resource-type.ts'
import type { Pod } from './generated/core-v1.ts'

export type {
  Affinity,
  CSIVolumeSource,
  ConfigMapVolumeSource,
  Container,
  ContainerPort,
  ContainerState,
  ContainerStatus,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  EphemeralVolumeSource,
  KeyToPath,
  NodeAffinity,
  Pod,
  PodAffinity,
  PodAffinityTerm,
  PodCondition,
  PodSecurityContext,
  PodSpec,
  PodStatus,
  ProjectedVolumeSource,
  SELinuxOptions,
  SecretVolumeSource,
  SecurityContext as ContainerSecurityContext,
  Toleration,
  Volume,
  VolumeDevice,
  VolumeMount,
  VolumeProjection,
} from './generated/core-v1.ts'
export type { PodPhase } from './values.ts'

export const PODS: ResourceType<Pod> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true }

/** On a pod that its node has copied from a file: it comes from the node itself, so it must not open anything to it. */
export const MIRROR_POD_ANNOTATION = 'kubernetes.io/config.mirror'
