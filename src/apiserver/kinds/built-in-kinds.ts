import type { KindDefinition } from '../core/kind-definition.ts'
import { ADMISSION_KINDS } from './admission-kinds.ts'
import { ANSWERED_KINDS } from './answered-kinds.ts'
import { CLUSTER_KINDS } from './cluster-kinds.ts'
import { CONFIG_MAP_KIND } from './config-map.ts'
import { CSI_DRIVER_KIND } from './csi-driver.ts'
import { CSI_NODE_KIND } from './csi-node.ts'
import { CSI_STORAGE_CAPACITY_KIND } from './csi-storage-capacity.ts'
import { CUSTOM_RESOURCE_DEFINITION_KIND } from './custom-resource-definition.ts'
import { defineKind } from './define-kind.ts'
import type { KindTable } from './define-kind.ts'
import { EVENT_KIND, EVENTS_V1_EVENT_KIND } from './event.ts'
import { LEASE_KIND } from './lease.ts'
import { LIMIT_RANGE_KIND } from './limit-range.ts'
import { NAMESPACE_KIND } from './namespace.ts'
import { NETWORK_KINDS } from './network-kinds.ts'
import { NODE_KIND } from './node.ts'
import { PERSISTENT_VOLUME_CLAIM_KIND } from './persistent-volume-claim.ts'
import { PERSISTENT_VOLUME_KIND } from './persistent-volume.ts'
import { POD_DISRUPTION_BUDGET_KIND } from './pod-disruption-budget.ts'
import { POD_KIND } from './pod.ts'
import { CLUSTER_ROLE_BINDING_KIND, CLUSTER_ROLE_KIND, ROLE_BINDING_KIND, ROLE_KIND } from './rbac.ts'
import { RESOURCE_QUOTA_KIND } from './resource-quota.ts'
import { SCHEDULING_KINDS } from './scheduling-kinds.ts'
import { SECRET_KIND } from './secret.ts'
import { SERVICE_ACCOUNT_KIND } from './service-account.ts'
import { SERVICE_KIND } from './service.ts'
import { STATEFUL_SET_KIND } from './stateful-set.ts'
import { STORAGE_CLASS_KIND } from './storage-class.ts'
import { VOLUME_ATTACHMENT_KIND } from './volume-attachment.ts'
import { VOLUME_ATTRIBUTES_CLASS_KIND, VOLUME_ATTRIBUTES_CLASS_V1BETA1_KIND } from './volume-attributes-class.ts'
import { WORKLOAD_KINDS } from './workload-kinds.ts'

const TABLES: readonly KindTable[] = [
  NAMESPACE_KIND,
  NODE_KIND,
  POD_KIND,
  PERSISTENT_VOLUME_KIND,
  PERSISTENT_VOLUME_CLAIM_KIND,
  SECRET_KIND,
  CONFIG_MAP_KIND,
  SERVICE_ACCOUNT_KIND,
  SERVICE_KIND,
  RESOURCE_QUOTA_KIND,
  LIMIT_RANGE_KIND,
  // Of kinds that share their objects, the one in whose form they are stored comes first.
  EVENT_KIND,
  EVENTS_V1_EVENT_KIND,
  STORAGE_CLASS_KIND,
  VOLUME_ATTACHMENT_KIND,
  CSI_DRIVER_KIND,
  CSI_NODE_KIND,
  CSI_STORAGE_CAPACITY_KIND,
  VOLUME_ATTRIBUTES_CLASS_KIND,
  VOLUME_ATTRIBUTES_CLASS_V1BETA1_KIND,
  LEASE_KIND,
  ROLE_KIND,
  ROLE_BINDING_KIND,
  CLUSTER_ROLE_KIND,
  CLUSTER_ROLE_BINDING_KIND,
  STATEFUL_SET_KIND,
  POD_DISRUPTION_BUDGET_KIND,
  CUSTOM_RESOURCE_DEFINITION_KIND,
  ...WORKLOAD_KINDS,
  ...SCHEDULING_KINDS,
  ...NETWORK_KINDS,
  ...CLUSTER_KINDS,
  ...ADMISSION_KINDS,
  ...ANSWERED_KINDS,
]

/** Every kind that the server has without a CRD. */
export const builtInKinds = (): KindDefinition[] => TABLES.map(defineKind)
