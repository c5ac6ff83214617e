import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiVersionOf, qualifiedResource } from '../resource-type.ts'
import {
  ALL_RESOURCE_TYPES,
  ANSWERED_RESOURCE_TYPES,
  findResourceType,
  SNAPSHOT_RESOURCE_TYPES,
  STORED_RESOURCE_TYPES,
} from './all-resource-types.ts'
import { CSI_DRIVERS } from './csi-driver.ts'
import { EVENTS } from './event.ts'
import { EVENTS_V1_EVENTS } from './events-v1-event.ts'

// As a Kubernetes 1.36 server and the snapshot CRDs list them in discovery.
const ANNOUNCED = `
v1 bindings Binding ns
v1 configmaps ConfigMap ns
v1 endpoints Endpoints ns
v1 events Event ns
v1 limitranges LimitRange ns
v1 resourcequotas ResourceQuota ns
v1 namespaces Namespace cluster
v1 nodes Node cluster
v1 persistentvolumeclaims PersistentVolumeClaim ns
v1 persistentvolumes PersistentVolume cluster
v1 pods Pod ns
v1 replicationcontrollers ReplicationController ns
v1 secrets Secret ns
v1 serviceaccounts ServiceAccount ns
v1 services Service ns
admissionregistration.k8s.io/v1 mutatingadmissionpolicies MutatingAdmissionPolicy cluster
admissionregistration.k8s.io/v1 mutatingadmissionpolicybindings MutatingAdmissionPolicyBinding cluster
admissionregistration.k8s.io/v1 mutatingwebhookconfigurations MutatingWebhookConfiguration cluster
admissionregistration.k8s.io/v1 validatingadmissionpolicies ValidatingAdmissionPolicy cluster
admissionregistration.k8s.io/v1 validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding cluster
admissionregistration.k8s.io/v1 validatingwebhookconfigurations ValidatingWebhookConfiguration cluster
apiextensions.k8s.io/v1 customresourcedefinitions CustomResourceDefinition cluster
apps/v1 controllerrevisions ControllerRevision ns
apps/v1 daemonsets DaemonSet ns
apps/v1 deployments Deployment ns
apps/v1 replicasets ReplicaSet ns
apps/v1 statefulsets StatefulSet ns
authentication.k8s.io/v1 selfsubjectreviews SelfSubjectReview cluster
authentication.k8s.io/v1 tokenreviews TokenReview cluster
authorization.k8s.io/v1 localsubjectaccessreviews LocalSubjectAccessReview ns
authorization.k8s.io/v1 selfsubjectaccessreviews SelfSubjectAccessReview cluster
authorization.k8s.io/v1 selfsubjectrulesreviews SelfSubjectRulesReview cluster
authorization.k8s.io/v1 subjectaccessreviews SubjectAccessReview cluster
batch/v1 cronjobs CronJob ns
batch/v1 jobs Job ns
coordination.k8s.io/v1 leases Lease ns
discovery.k8s.io/v1 endpointslices EndpointSlice ns
events.k8s.io/v1 events Event ns
groupsnapshot.storage.k8s.io/v1 volumegroupsnapshotclasses VolumeGroupSnapshotClass cluster
groupsnapshot.storage.k8s.io/v1 volumegroupsnapshotcontents VolumeGroupSnapshotContent cluster
groupsnapshot.storage.k8s.io/v1 volumegroupsnapshots VolumeGroupSnapshot ns
policy/v1 poddisruptionbudgets PodDisruptionBudget ns
rbac.authorization.k8s.io/v1 clusterrolebindings ClusterRoleBinding cluster
rbac.authorization.k8s.io/v1 clusterroles ClusterRole cluster
rbac.authorization.k8s.io/v1 rolebindings RoleBinding ns
rbac.authorization.k8s.io/v1 roles Role ns
snapshot.storage.k8s.io/v1 volumesnapshotclasses VolumeSnapshotClass cluster
snapshot.storage.k8s.io/v1 volumesnapshotcontents VolumeSnapshotContent cluster
snapshot.storage.k8s.io/v1 volumesnapshots VolumeSnapshot ns
storage.k8s.io/v1 csidrivers CSIDriver cluster
storage.k8s.io/v1 csinodes CSINode cluster
storage.k8s.io/v1 csistoragecapacities CSIStorageCapacity ns
storage.k8s.io/v1 storageclasses StorageClass cluster
storage.k8s.io/v1 volumeattachments VolumeAttachment cluster
storage.k8s.io/v1 volumeattributesclasses VolumeAttributesClass cluster
`

test('every kind is where a Kubernetes server has it', () => {
  const lines = ALL_RESOURCE_TYPES.map(
    (type) => `${apiVersionOf(type)} ${type.plural} ${type.kind} ${type.namespaced ? 'ns' : 'cluster'}`,
  )
  assert.deepEqual(lines.sort(), ANNOUNCED.trim().split('\n').sort())
})

test('each kind is listed once', () => {
  const names = ALL_RESOURCE_TYPES.map((type) => qualifiedResource(type))
  assert.equal(new Set(names).size, names.length)
  assert.equal(
    STORED_RESOURCE_TYPES.length + SNAPSHOT_RESOURCE_TYPES.length + ANSWERED_RESOURCE_TYPES.length,
    names.length,
  )
})

test('an object tells its type', () => {
  assert.equal(findResourceType({ apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver' }), CSI_DRIVERS)
  assert.equal(findResourceType({ apiVersion: 'v1', kind: 'Event' }), EVENTS)
  assert.equal(findResourceType({ apiVersion: 'events.k8s.io/v1', kind: 'Event' }), EVENTS_V1_EVENTS)
  assert.equal(findResourceType({ apiVersion: 'storage.k8s.io/v1beta1', kind: 'CSIDriver' }), undefined)
})
