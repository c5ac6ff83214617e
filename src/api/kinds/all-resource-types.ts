import type { ResourceType } from '../resource-type.ts'
import { parseApiVersion } from '../resource-type.ts'
import {
  MUTATING_ADMISSION_POLICIES,
  MUTATING_ADMISSION_POLICY_BINDINGS,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  VALIDATING_ADMISSION_POLICIES,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from './admission-registration.ts'
import { SELF_SUBJECT_REVIEWS, TOKEN_REVIEWS } from './authentication.ts'
import {
  LOCAL_SUBJECT_ACCESS_REVIEWS,
  SELF_SUBJECT_ACCESS_REVIEWS,
  SELF_SUBJECT_RULES_REVIEWS,
  SUBJECT_ACCESS_REVIEWS,
} from './authorization.ts'
import { BINDINGS } from './binding.ts'
import { CONFIG_MAPS } from './config-map.ts'
import { CONTROLLER_REVISIONS } from './controller-revision.ts'
import { CRON_JOBS } from './cron-job.ts'
import { CSI_DRIVERS } from './csi-driver.ts'
import { CSI_NODES } from './csi-node.ts'
import { CSI_STORAGE_CAPACITIES } from './csi-storage-capacity.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from './custom-resource-definition.ts'
import { DAEMON_SETS } from './daemon-set.ts'
import { DEPLOYMENTS } from './deployment.ts'
import { ENDPOINT_SLICES } from './endpoint-slice.ts'
import { ENDPOINTS } from './endpoints.ts'
import { EVENTS } from './event.ts'
import { EVENTS_V1_EVENTS } from './events-v1-event.ts'
import { JOBS } from './job.ts'
import { LEASES } from './lease.ts'
import { LIMIT_RANGES } from './limit-range.ts'
import { NAMESPACES } from './namespace.ts'
import { NODES } from './node.ts'
import { PERSISTENT_VOLUMES } from './persistent-volume.ts'
import { PERSISTENT_VOLUME_CLAIMS } from './persistent-volume-claim.ts'
import { PODS } from './pod.ts'
import { POD_DISRUPTION_BUDGETS } from './pod-disruption-budget.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from './rbac.ts'
import { REPLICA_SETS } from './replica-set.ts'
import { REPLICATION_CONTROLLERS } from './replication-controller.ts'
import { RESOURCE_QUOTAS } from './resource-quota.ts'
import { SECRETS } from './secret.ts'
import { SERVICES } from './service.ts'
import { SERVICE_ACCOUNTS } from './service-account.ts'
import { STATEFUL_SETS } from './stateful-set.ts'
import { STORAGE_CLASSES } from './storage-class.ts'
import { VOLUME_ATTACHMENTS } from './volume-attachment.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from './volume-attributes-class.ts'
import {
  VOLUME_GROUP_SNAPSHOT_CLASSES,
  VOLUME_GROUP_SNAPSHOT_CONTENTS,
  VOLUME_GROUP_SNAPSHOTS,
} from './volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from './volume-snapshot.ts'

/** Kinds that every server stores. Both kinds of events share one store. */
export const STORED_RESOURCE_TYPES: readonly ResourceType[] = [
  NAMESPACES,
  NODES,
  PODS,
  PERSISTENT_VOLUMES,
  PERSISTENT_VOLUME_CLAIMS,
  SECRETS,
  CONFIG_MAPS,
  SERVICE_ACCOUNTS,
  SERVICES,
  ENDPOINTS,
  ENDPOINT_SLICES,
  RESOURCE_QUOTAS,
  LIMIT_RANGES,
  EVENTS,
  EVENTS_V1_EVENTS,
  STORAGE_CLASSES,
  VOLUME_ATTACHMENTS,
  CSI_DRIVERS,
  CSI_NODES,
  CSI_STORAGE_CAPACITIES,
  VOLUME_ATTRIBUTES_CLASSES,
  LEASES,
  REPLICATION_CONTROLLERS,
  REPLICA_SETS,
  CONTROLLER_REVISIONS,
  DEPLOYMENTS,
  STATEFUL_SETS,
  DAEMON_SETS,
  JOBS,
  CRON_JOBS,
  POD_DISRUPTION_BUDGETS,
  ROLES,
  ROLE_BINDINGS,
  CLUSTER_ROLES,
  CLUSTER_ROLE_BINDINGS,
  CUSTOM_RESOURCE_DEFINITIONS,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  VALIDATING_ADMISSION_POLICIES,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
  MUTATING_ADMISSION_POLICIES,
  MUTATING_ADMISSION_POLICY_BINDINGS,
]

/** Kinds that a server stores once the CRDs of the snapshot controller are installed. */
export const SNAPSHOT_RESOURCE_TYPES: readonly ResourceType[] = [
  VOLUME_SNAPSHOTS,
  VOLUME_SNAPSHOT_CONTENTS,
  VOLUME_SNAPSHOT_CLASSES,
  VOLUME_GROUP_SNAPSHOTS,
  VOLUME_GROUP_SNAPSHOT_CONTENTS,
  VOLUME_GROUP_SNAPSHOT_CLASSES,
]

/** Kinds that a server answers but never stores: they can only be created. */
export const ANSWERED_RESOURCE_TYPES: readonly ResourceType[] = [
  BINDINGS,
  TOKEN_REVIEWS,
  SELF_SUBJECT_REVIEWS,
  SUBJECT_ACCESS_REVIEWS,
  SELF_SUBJECT_ACCESS_REVIEWS,
  LOCAL_SUBJECT_ACCESS_REVIEWS,
  SELF_SUBJECT_RULES_REVIEWS,
]

/** All kinds that have a constant here. */
export const ALL_RESOURCE_TYPES: readonly ResourceType[] = [
  ...STORED_RESOURCE_TYPES,
  ...SNAPSHOT_RESOURCE_TYPES,
  ...ANSWERED_RESOURCE_TYPES,
]

/** The type of an object by its apiVersion and kind; undefined for kinds without a constant here. */
export function findResourceType({ apiVersion, kind }: { apiVersion: string; kind: string }): ResourceType | undefined {
  const { group, version } = parseApiVersion(apiVersion)
  return ALL_RESOURCE_TYPES.find((type) => type.kind === kind && type.group === group && type.version === version)
}
