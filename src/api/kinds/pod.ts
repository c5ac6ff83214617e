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

/** Set on a mirror pod, the copy of a static pod of a node. Because the node writes it, it must not give the node access to anything. */
export const MIRROR_POD_ANNOTATION = 'kubernetes.io/config.mirror'
