export type {
  KubeObject,
  ObjectList,
  ObjectMeta,
  ObjectRef,
  OwnerReference,
  Status,
  StatusCause,
  StatusDetails,
} from './object.ts'
export { apiVersionOf, parseApiVersion, qualifiedResource } from './resource-type.ts'
export type { ResourceType } from './resource-type.ts'
export type {
  Api,
  DeleteOptions,
  GetOptions,
  JsonPatchOperation,
  ListOptions,
  Patch,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './api.ts'
export {
  ApiError,
  isAlreadyExists,
  isApiError,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  isRetriable,
  isTooManyRequests,
  REASON_CODES,
} from './api-error.ts'
export type { StatusReason } from './api-error.ts'
export { formatReason, objectAwaited, reason } from './reason.ts'
export type { ActorAwaited, ObjectAwaited, Reason, ReasonIn } from './reason.ts'
export {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  QuantityError,
  quantityOfBytes,
  quantityToBytes,
} from './quantity.ts'
export type { QuantityFormat } from './quantity.ts'
export {
  validateAnnotations,
  validateConfigMapKey,
  validateDns1035Label,
  validateDnsLabel,
  validateDnsSubdomain,
  validateLabels,
  validateLabelValue,
  validateName,
  validatePathSegmentName,
  validatePathSegmentPrefix,
  validateQualifiedName,
} from './names.ts'
export type { MapProblem, NameOptions, NameRule } from './names.ts'
export { createLabelRequirement, formatLabelRequirement, matchesLabelRequirement } from './label-requirement.ts'
export type { LabelOperator, LabelRequirement, LabelRequirements, Labels } from './label-requirement.ts'
export {
  formatLabelSelector,
  labelRequirementsOf,
  matchesLabelSelector,
  parseLabelSelector,
  selectsLabels,
} from './label-selector.ts'
export {
  escapeFieldValue,
  findExactField,
  formatFieldSelector,
  matchesFieldSelector,
  parseFieldSelector,
} from './field-selector.ts'
export type { FieldRequirement, FieldRequirements } from './field-selector.ts'
export { matchesNodeSelector, matchesNodeSelectorTerm, matchesTopologyTerms } from './node-selector.ts'
export { SelectorError } from './selector-error.ts'
export { quoteGo } from './quote-go.ts'
export { applyJsonPatch } from './json-patch.ts'
export { JsonPatchError } from './json-patch-error.ts'
export { JsonPatchSyntaxError, parseJsonPatch } from './parse-json-patch.ts'
export { formatJsonPointer, parseJsonPointer } from './json-pointer.ts'
export { applyMergePatch, createMergePatch } from './merge-patch.ts'
export { isEqualJson } from './equal-json.ts'
export type { Int64 } from './int64.ts'
export { deepFreeze } from './freeze.ts'
export { findCondition, hasCondition, removeCondition, setCondition } from './conditions.ts'
export { addFinalizerPatch, dropFinalizerPatch, hasFinalizer, removeFinalizerPatch } from './finalizers.ts'
export type { FinalizerPatchOptions } from './finalizers.ts'
export { findControllerReference, isControlledBy, isOwnedBy, ownerReferenceTo } from './owner-references.ts'
export type { OwnerOptions } from './owner-references.ts'
export { formatObject, formatRef, keyOf, keyOfRef, parseKey, refOf } from './object-key.ts'
export type { ObjectKey } from './object-key.ts'
export { findTimestamp, formatMicroTimestamp, formatTimestamp, parseTimestamp } from './timestamps.ts'
export {
  ALL_RESOURCE_TYPES,
  ANSWERED_RESOURCE_TYPES,
  findResourceType,
  SNAPSHOT_RESOURCE_TYPES,
  STORED_RESOURCE_TYPES,
} from './kinds/all-resource-types.ts'
export { SELF_SUBJECT_REVIEWS, TOKEN_REVIEWS } from './kinds/authentication.ts'
export type {
  BoundObjectReference,
  SelfSubjectReview,
  TokenRequest,
  TokenRequestSpec,
  TokenReview,
  UserInfo,
} from './kinds/authentication.ts'
export {
  LOCAL_SUBJECT_ACCESS_REVIEWS,
  SELF_SUBJECT_ACCESS_REVIEWS,
  SELF_SUBJECT_RULES_REVIEWS,
  SUBJECT_ACCESS_REVIEWS,
} from './kinds/authorization.ts'
export type {
  AccessAttributes,
  FieldSelectorRequirement,
  LocalSubjectAccessReview,
  NonResourceRule,
  ResourceAttributes,
  ResourceRule,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
  SubjectRulesReviewStatus,
} from './kinds/authorization.ts'
export { BINDINGS } from './kinds/binding.ts'
export type { Binding } from './kinds/binding.ts'
export type { Condition, ConditionStatus, ObservedCondition } from './kinds/condition.ts'
export { CONFIG_MAPS } from './kinds/config-map.ts'
export type { ConfigMap } from './kinds/config-map.ts'
export { CONTROLLER_REVISIONS } from './kinds/controller-revision.ts'
export type { ControllerRevision } from './kinds/controller-revision.ts'
export { CRON_JOBS } from './kinds/cron-job.ts'
export type { CronJob, CronJobSpec, CronJobStatus } from './kinds/cron-job.ts'
export { CSI_DRIVERS } from './kinds/csi-driver.ts'
export type {
  CSIDriver,
  CSIDriverSpec,
  CSIDriverTokenRequest,
  FSGroupPolicy,
  VolumeLifecycleMode,
} from './kinds/csi-driver.ts'
export { CSI_NODES } from './kinds/csi-node.ts'
export type { CSINode, CSINodeDriver } from './kinds/csi-node.ts'
export { CSI_STORAGE_CAPACITIES } from './kinds/csi-storage-capacity.ts'
export type { CSIStorageCapacity } from './kinds/csi-storage-capacity.ts'
export { CUSTOM_RESOURCE_DEFINITIONS } from './kinds/custom-resource-definition.ts'
export type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
  ValidationRule,
} from './kinds/custom-resource-definition.ts'
export { DAEMON_SETS } from './kinds/daemon-set.ts'
export type { DaemonSet, DaemonSetSpec, DaemonSetStatus } from './kinds/daemon-set.ts'
export { DEPLOYMENTS } from './kinds/deployment.ts'
export type { Deployment, DeploymentSpec, DeploymentStatus } from './kinds/deployment.ts'
export { EVENTS } from './kinds/event.ts'
export type { Event } from './kinds/event.ts'
export { EVENTS_V1_EVENTS } from './kinds/events-v1-event.ts'
export type { EventsV1Event } from './kinds/events-v1-event.ts'
export type { Eviction } from './kinds/eviction.ts'
export { JOBS } from './kinds/job.ts'
export type { Job, JobSpec, JobStatus } from './kinds/job.ts'
export { LEASES } from './kinds/lease.ts'
export type { Lease, LeaseSpec } from './kinds/lease.ts'
export { NAMESPACES } from './kinds/namespace.ts'
export type { Namespace } from './kinds/namespace.ts'
export { NODES } from './kinds/node.ts'
export type { AttachedVolume, Node, NodeCondition, NodeSpec, NodeStatus, NodeSystemInfo, Taint } from './kinds/node.ts'
export { PERSISTENT_VOLUME_CLAIMS } from './kinds/persistent-volume-claim.ts'
export type {
  ClaimResourceStatus,
  ModifyVolumeStatus,
  PersistentVolumeClaim,
  PersistentVolumeClaimCondition,
  PersistentVolumeClaimPhase,
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimStatus,
} from './kinds/persistent-volume-claim.ts'
export { PERSISTENT_VOLUMES } from './kinds/persistent-volume.ts'
export type {
  AccessMode,
  CSIPersistentVolumeSource,
  PersistentVolume,
  PersistentVolumePhase,
  PersistentVolumeSpec,
  PersistentVolumeStatus,
  ReclaimPolicy,
  VolumeMode,
} from './kinds/persistent-volume.ts'
export { POD_DISRUPTION_BUDGETS } from './kinds/pod-disruption-budget.ts'
export type {
  PodDisruptionBudget,
  PodDisruptionBudgetSpec,
  PodDisruptionBudgetStatus,
} from './kinds/pod-disruption-budget.ts'
export { PODS } from './kinds/pod.ts'
export type {
  Affinity,
  ConfigMapVolumeSource,
  Container,
  ContainerPort,
  ContainerSecurityContext,
  ContainerState,
  ContainerStatus,
  CSIVolumeSource,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  EphemeralVolumeSource,
  KeyToPath,
  NodeAffinity,
  Pod,
  PodAffinity,
  PodAffinityTerm,
  PodCondition,
  PodPhase,
  PodSecurityContext,
  PodSpec,
  PodStatus,
  ProjectedVolumeSource,
  SecretVolumeSource,
  SELinuxOptions,
  Toleration,
  Volume,
  VolumeDevice,
  VolumeMount,
  VolumeProjection,
} from './kinds/pod.ts'
export { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from './kinds/rbac.ts'
export type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef, Subject } from './kinds/rbac.ts'
export type {
  LocalObjectReference,
  ObjectReference,
  SecretReference,
  TypedLocalObjectReference,
  TypedObjectReference,
} from './kinds/references.ts'
export type { IntOrString, Quantity, ResourceList, ResourceRequirements } from './kinds/resources.ts'
export type { Scale } from './kinds/scale.ts'
export { REPLICA_SETS } from './kinds/replica-set.ts'
export type { ReplicaSet, ReplicaSetSpec, ReplicaSetStatus } from './kinds/replica-set.ts'
export { REPLICATION_CONTROLLERS } from './kinds/replication-controller.ts'
export type {
  ReplicationController,
  ReplicationControllerSpec,
  ReplicationControllerStatus,
} from './kinds/replication-controller.ts'
export { SECRETS } from './kinds/secret.ts'
export type { Secret } from './kinds/secret.ts'
export type {
  LabelSelector,
  LabelSelectorRequirement,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  TopologySelectorTerm,
} from './kinds/selectors.ts'
export { SERVICE_ACCOUNTS } from './kinds/service-account.ts'
export type { ServiceAccount } from './kinds/service-account.ts'
export { SERVICES } from './kinds/service.ts'
export type { Service, ServicePort, ServiceSpec } from './kinds/service.ts'
export { STATEFUL_SETS } from './kinds/stateful-set.ts'
export type {
  PersistentVolumeClaimTemplate,
  PodTemplateSpec,
  StatefulSet,
  StatefulSetSpec,
  StatefulSetStatus,
} from './kinds/stateful-set.ts'
export { STORAGE_CLASSES } from './kinds/storage-class.ts'
export type { StorageClass, VolumeBindingMode } from './kinds/storage-class.ts'
export { VOLUME_ATTACHMENTS } from './kinds/volume-attachment.ts'
export type {
  VolumeAttachment,
  VolumeAttachmentSpec,
  VolumeAttachmentStatus,
  VolumeError,
} from './kinds/volume-attachment.ts'
export { VOLUME_ATTRIBUTES_CLASSES } from './kinds/volume-attributes-class.ts'
export type { VolumeAttributesClass } from './kinds/volume-attributes-class.ts'
export {
  VOLUME_GROUP_SNAPSHOT_CLASSES,
  VOLUME_GROUP_SNAPSHOT_CONTENTS,
  VOLUME_GROUP_SNAPSHOTS,
} from './kinds/volume-group-snapshot.ts'
export type {
  VolumeGroupSnapshot,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
  VolumeGroupSnapshotContentSpec,
  VolumeGroupSnapshotContentStatus,
  VolumeGroupSnapshotSpec,
  VolumeGroupSnapshotStatus,
  VolumeSnapshotInfo,
} from './kinds/volume-group-snapshot.ts'
export { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from './kinds/volume-snapshot.ts'
export type {
  DeletionPolicy,
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
  VolumeSnapshotContentSpec,
  VolumeSnapshotContentStatus,
  VolumeSnapshotError,
  VolumeSnapshotSpec,
  VolumeSnapshotStatus,
} from './kinds/volume-snapshot.ts'
