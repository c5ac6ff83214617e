import type { Refinements } from './format-kinds.ts'

/** `apps/v1 Deployment`: the kinds whose types are generated, with every struct they are made of. */
export const GENERATED_KINDS: readonly string[] = [
  'v1 Binding',
  'v1 ConfigMap',
  'v1 Endpoints',
  'v1 Event',
  'v1 LimitRange',
  'v1 Namespace',
  'v1 Node',
  'v1 PersistentVolume',
  'v1 PersistentVolumeClaim',
  'v1 Pod',
  'v1 ReplicationController',
  'v1 ResourceQuota',
  'v1 Secret',
  'v1 Service',
  'v1 ServiceAccount',
  'admissionregistration.k8s.io/v1 MutatingAdmissionPolicy',
  'admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding',
  'admissionregistration.k8s.io/v1 MutatingWebhookConfiguration',
  'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy',
  'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding',
  'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration',
  'apps/v1 ControllerRevision',
  'apps/v1 DaemonSet',
  'apps/v1 Deployment',
  'apps/v1 ReplicaSet',
  'apps/v1 StatefulSet',
  'authentication.k8s.io/v1 SelfSubjectReview',
  'authentication.k8s.io/v1 TokenRequest',
  'authentication.k8s.io/v1 TokenReview',
  'authorization.k8s.io/v1 LocalSubjectAccessReview',
  'authorization.k8s.io/v1 SelfSubjectAccessReview',
  'authorization.k8s.io/v1 SelfSubjectRulesReview',
  'authorization.k8s.io/v1 SubjectAccessReview',
  'autoscaling/v1 Scale',
  'batch/v1 CronJob',
  'batch/v1 Job',
  'coordination.k8s.io/v1 Lease',
  'discovery.k8s.io/v1 EndpointSlice',
  'events.k8s.io/v1 Event',
  'policy/v1 Eviction',
  'policy/v1 PodDisruptionBudget',
  'rbac.authorization.k8s.io/v1 ClusterRole',
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding',
  'rbac.authorization.k8s.io/v1 Role',
  'rbac.authorization.k8s.io/v1 RoleBinding',
  'storage.k8s.io/v1 CSIDriver',
  'storage.k8s.io/v1 CSINode',
  'storage.k8s.io/v1 CSIStorageCapacity',
  'storage.k8s.io/v1 StorageClass',
  'storage.k8s.io/v1 VolumeAttachment',
  'storage.k8s.io/v1 VolumeAttributesClass',
  'apiextensions.k8s.io/v1 CustomResourceDefinition',
]

/** What the Go types do not say: literal values, fields that every object has in practice, and what a field means. */
export const REFINEMENTS: Refinements = {
  'apiextensions-v1.CustomResourceColumnDefinition': {
    fields: {
      priority: { doc: 'A column above 0 is shown in wide output only.' },
    },
  },
  'apiextensions-v1.CustomResourceConversion': {
    fields: {
      strategy: { type: "'None' | 'Webhook'" },
    },
  },
  'apiextensions-v1.CustomResourceDefinition': {
    doc: 'Named `PLURAL.GROUP`.',
  },
  'apiextensions-v1.CustomResourceDefinitionCondition': {
    fields: {
      status: { type: 'ConditionStatus' },
    },
  },
  'apiextensions-v1.CustomResourceDefinitionSpec': {
    fields: {
      scope: { type: "'Cluster' | 'Namespaced'" },
      versions: { doc: 'Exactly one has `storage`.' },
    },
  },
  'apiextensions-v1.CustomResourceDefinitionStatus': {
    fields: {
      conditions: { type: 'readonly CustomResourceDefinitionCondition[] | null' },
      storedVersions: { type: 'readonly string[] | null' },
    },
  },
  'apiextensions-v1.JSONSchemaProps': {
    doc: 'The part of JSON Schema that the API server supports.',
    fields: {
      'x-kubernetes-list-type': { type: "'atomic' | 'set' | 'map'" },
      'x-kubernetes-map-type': { type: "'granular' | 'atomic'" },
      items: { type: 'JSONSchemaProps' },
    },
  },
  'apiextensions-v1.ValidationRule': {
    doc: 'A CEL rule. One that uses `oldSelf` is evaluated on updates only.',
  },
  'apps-v1.DaemonSet': {
    fields: {
      spec: { required: true },
    },
  },
  'apps-v1.DaemonSetCondition': {
    fields: {
      status: { type: 'ConditionStatus' },
    },
  },
  'apps-v1.DaemonSetUpdateStrategy': {
    fields: {
      type: { type: "'RollingUpdate' | 'OnDelete'" },
    },
  },
  'apps-v1.Deployment': {
    fields: {
      spec: { required: true },
    },
  },
  'apps-v1.DeploymentCondition': {
    fields: {
      status: { type: 'ConditionStatus' },
    },
  },
  'apps-v1.DeploymentStrategy': {
    fields: {
      type: { type: "'Recreate' | 'RollingUpdate'" },
    },
  },
  'apps-v1.ReplicaSet': {
    fields: {
      spec: { required: true },
    },
  },
  'apps-v1.ReplicaSetCondition': {
    fields: {
      status: { type: 'ConditionStatus' },
    },
  },
  'apps-v1.ReplicaSetSpec': {
    fields: {
      template: { required: true },
    },
  },
  'apps-v1.StatefulSet': {
    fields: {
      spec: { required: true },
    },
  },
  'apps-v1.StatefulSetCondition': {
    fields: {
      status: { type: 'ConditionStatus' },
    },
  },
  'apps-v1.StatefulSetPersistentVolumeClaimRetentionPolicy': {
    fields: {
      whenDeleted: { type: "'Retain' | 'Delete'" },
      whenScaled: { type: "'Retain' | 'Delete'" },
    },
  },
  'apps-v1.StatefulSetSpec': {
    fields: {
      volumeClaimTemplates: {
        doc: 'Each pod gets one claim of each, named `TEMPLATE-SET-ORDINAL`.',
        type: "readonly (Omit<PersistentVolumeClaim, 'apiVersion' | 'kind'> & { readonly apiVersion?: string; readonly kind?: string })[]",
      },
      podManagementPolicy: { type: "'OrderedReady' | 'Parallel'" },
      persistentVolumeClaimRetentionPolicy: { doc: 'What happens to the claims. Default: `Retain` in both cases.' },
      ordinals: { doc: 'The number of the first pod. Default 0.' },
    },
  },
  'apps-v1.StatefulSetUpdateStrategy': {
    fields: {
      type: { type: "'RollingUpdate' | 'OnDelete'" },
    },
  },
  'authentication-v1.BoundObjectReference': {
    fields: {
      kind: { type: "'Pod' | 'Secret' | 'Node'" },
    },
  },
  'authentication-v1.SelfSubjectReview': {
    doc: 'Identifies the current user.',
  },
  'authentication-v1.TokenRequest': {
    doc: 'Requests a token of a service account. Posted to the `token` subresource; the response has the status.',
    fields: {
      spec: { required: true },
    },
  },
  'authentication-v1.TokenRequestSpec': {
    fields: {
      audiences: {
        doc: "Empty means the API server's own audience.",
        required: true,
        type: 'readonly string[] | null',
      },
      expirationSeconds: { doc: 'Default 3600, at least 600.', type: 'number | null' },
      boundObjectRef: {
        doc: 'The token is valid only as long as this object exists.',
        type: 'BoundObjectReference | null',
      },
    },
  },
  'authentication-v1.TokenRequestStatus': {
    fields: {
      token: { required: true },
      expirationTimestamp: { required: true },
    },
  },
  'authentication-v1.TokenReview': {
    doc: 'Identifies the user of a token.',
  },
  'authorization-v1.LocalSubjectAccessReview': {
    doc: 'Asks whether a user may perform an action in a namespace.',
  },
  'authorization-v1.SelfSubjectAccessReview': {
    doc: 'Asks whether the current user may perform an action.',
  },
  'authorization-v1.SelfSubjectRulesReview': {
    doc: 'Lists what the current user may do in a namespace.',
  },
  'authorization-v1.SubjectAccessReview': {
    doc: 'Asks whether a user may perform an action.',
  },
  'authorization-v1.SubjectAccessReviewStatus': {
    fields: {
      denied: { doc: 'Denied explicitly, rather than allowed by no authorizer.' },
    },
  },
  'authorization-v1.SubjectRulesReviewStatus': {
    fields: {
      resourceRules: { type: 'readonly ResourceRule[] | null' },
      nonResourceRules: { type: 'readonly NonResourceRule[] | null' },
      incomplete: { doc: 'True if the list of rules is incomplete.' },
    },
  },
  'autoscaling-v1.Scale': {
    doc: 'The `scale` subresource: a view of its object, never stored.',
  },
  'batch-v1.CronJob': {
    fields: {
      spec: { required: true },
    },
  },
  'batch-v1.Job': {
    fields: {
      spec: { required: true },
    },
  },
  'batch-v1.JobCondition': {
    fields: {
      status: { type: 'ConditionStatus' },
    },
  },
  'batch-v1.JobSpec': {
    fields: {
      completionMode: { type: "'NonIndexed' | 'Indexed'" },
    },
  },
  'coordination-v1.LeaseSpec': {
    fields: {
      holderIdentity: { doc: 'If unset or empty, the lease is free.' },
      leaseDurationSeconds: { doc: 'How long other candidates wait after `renewTime`.' },
      acquireTime: { doc: 'With microseconds, as `renewTime`.' },
    },
  },
  'core-v1.Binding': {
    doc: 'Assigns the pod of this name to a node. Posted to the `binding` subresource or to `bindings`, never stored.',
  },
  'core-v1.CSIVolumeSource': {
    doc: 'A volume that the driver creates and deletes with the pod; with a handle, an existing volume.',
    fields: {
      volumeHandle: {
        doc: "This and the next two fields exist on Holdfast's own API server only; elsewhere reserved attributes replace them.",
      },
    },
  },
  'core-v1.ConfigMap': {
    fields: {
      binaryData: { doc: 'Values are base64.' },
    },
  },
  'core-v1.Container': {
    fields: {
      restartPolicy: { doc: '`Always` makes an init container a sidecar.' },
      imagePullPolicy: { type: "'Always' | 'Never' | 'IfNotPresent'" },
    },
  },
  'core-v1.EphemeralContainer': {
    fields: {
      imagePullPolicy: { type: "'Always' | 'Never' | 'IfNotPresent'" },
    },
  },
  'core-v1.EphemeralVolumeSource': {
    doc: 'A claim named `POD-VOLUME` that is deleted with the pod.',
  },
  'core-v1.Event': {
    doc: 'The event of the core group: the same stored object as that of `events.k8s.io`.',
    fields: {
      eventTime: { doc: 'With microseconds. Null in events of the old kind, which have `firstTimestamp` instead.' },
    },
  },
  'core-v1.LocalObjectReference': {
    doc: 'An object in the same namespace, of a kind implied by the field.',
    fields: {
      name: { required: true },
    },
  },
  'core-v1.ModifyVolumeStatus': {
    fields: {
      status: { type: "'Pending' | 'InProgress' | 'Infeasible'" },
    },
  },
  'core-v1.Namespace': {
    fields: {
      spec: {
        doc: 'These finalizers, apart from those in the metadata, hold the namespace until its content is gone.',
      },
    },
  },
  'core-v1.NamespaceCondition': {
    fields: {
      status: { type: 'ConditionStatus' },
    },
  },
  'core-v1.NamespaceStatus': {
    fields: {
      phase: { type: "'Active' | 'Terminating'" },
    },
  },
  'core-v1.NodeCondition': {
    fields: {
      status: { type: 'ConditionStatus' },
    },
  },
  'core-v1.NodeSelector': {
    doc: 'One of the terms must match. Without terms, and for an empty term, no node matches.',
  },
  'core-v1.NodeSelectorRequirement': {
    fields: {
      operator: { type: "'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt'" },
    },
  },
  'core-v1.NodeSelectorTerm': {
    doc: 'All expressions must match: on labels, and on fields (only `metadata.name` is supported).',
  },
  'core-v1.NodeStatus': {
    fields: {
      volumesInUse: {
        doc: 'Unique names of the volumes that are mounted or about to be: none of them may be detached.',
      },
    },
  },
  'core-v1.ObjectReference': {
    doc: 'Any object. Complete as the subject of an event; elsewhere only what is needed to find the object.',
  },
  'core-v1.PersistentVolume': {
    fields: {
      spec: { required: true },
    },
  },
  'core-v1.PersistentVolumeClaim': {
    fields: {
      spec: { required: true },
    },
  },
  'core-v1.PersistentVolumeClaimCondition': {
    doc: '`Resizing`, `FileSystemResizePending`, `ModifyingVolume` and others.',
    fields: {
      status: { type: 'ConditionStatus' },
    },
  },
  'core-v1.PersistentVolumeClaimSpec': {
    fields: {
      storageClassName: { doc: 'If unset, the default class; if empty, a volume without a class.' },
      dataSource: {
        doc: 'A claim or a snapshot to copy. The server keeps it equal to `dataSourceRef` unless that names a namespace.',
      },
      accessModes: { type: 'readonly AccessMode[]' },
      volumeMode: { type: 'VolumeMode' },
    },
  },
  'core-v1.PersistentVolumeClaimStatus': {
    fields: {
      phase: { type: 'PersistentVolumeClaimPhase' },
      allocatedResources: {
        doc: 'The size that an expansion in progress may already have allocated: quota counts the larger of this and the request.',
      },
      allocatedResourceStatuses: {
        doc: 'Progress of an expansion, by resource name. Unset if none is in progress.',
        type: 'Readonly<Record<string, ClaimResourceStatus>>',
      },
      accessModes: { type: 'readonly AccessMode[]' },
    },
  },
  'core-v1.PersistentVolumeSpec': {
    doc: 'Has exactly one source.',
    fields: {
      accessModes: { type: 'readonly AccessMode[]' },
      claimRef: { doc: 'With a uid, exactly this claim; without, the next claim of that name.' },
      persistentVolumeReclaimPolicy: { type: 'ReclaimPolicy' },
      storageClassName: { doc: 'Empty and absent mean the same here, unlike in a claim.' },
      volumeMode: { type: 'VolumeMode' },
      nodeAffinity: { doc: 'The nodes that can access the volume. If unset, all.' },
    },
  },
  'core-v1.PersistentVolumeStatus': {
    fields: {
      phase: { type: 'PersistentVolumePhase' },
    },
  },
  'core-v1.Pod': {
    fields: {
      spec: { required: true },
    },
  },
  'core-v1.PodCondition': {
    fields: {
      status: { type: 'ConditionStatus' },
    },
  },
  'core-v1.PodSecurityContext': {
    fields: {
      fsGroup: { doc: "The group that may write to the pod's volumes." },
      fsGroupChangePolicy: {
        doc: 'Default `Always`; `OnRootMismatch` skips a volume whose root already has the right ownership.',
        type: "'OnRootMismatch' | 'Always'",
      },
      seLinuxChangePolicy: { type: "'Recursive' | 'MountOption'" },
    },
  },
  'core-v1.PodSpec': {
    fields: {
      restartPolicy: { type: "'Always' | 'OnFailure' | 'Never'" },
      nodeName: { doc: 'Set once, by the scheduler or by the creator of the pod.' },
      schedulingGates: { doc: 'The scheduler ignores the pod as long as it has a gate.' },
      serviceAccount: { doc: 'The old name of `serviceAccountName`, which the server keeps equal.' },
    },
  },
  'core-v1.PodStatus': {
    fields: {
      phase: { type: 'PodPhase' },
      qosClass: { type: "'Guaranteed' | 'Burstable' | 'BestEffort'" },
    },
  },
  'core-v1.PodTemplateSpec': {
    fields: {
      spec: { required: true },
    },
  },
  'core-v1.ProjectedVolumeSource': {
    fields: {
      sources: { required: true, type: 'readonly VolumeProjection[] | null' },
    },
  },
  'core-v1.ReplicationController': {
    fields: {
      spec: { required: true },
    },
  },
  'core-v1.ReplicationControllerCondition': {
    fields: {
      status: { type: 'ConditionStatus' },
    },
  },
  'core-v1.ReplicationControllerSpec': {
    fields: {
      template: { required: true },
    },
  },
  'core-v1.Secret': {
    fields: {
      data: { doc: 'Values are base64.' },
      stringData: { doc: 'Plain text, write-only: the server stores it in `data`.' },
    },
  },
  'core-v1.SecretReference': {
    doc: 'A secret in any namespace.',
  },
  'core-v1.Service': {
    doc: 'Stored and served only: Holdfast does not route traffic.',
  },
  'core-v1.ServiceSpec': {
    fields: {
      type: { type: "'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName'" },
      clusterIP: { doc: '`None` makes the service headless, as StatefulSets need it.' },
    },
  },
  'core-v1.Taint': {
    fields: {
      effect: { type: "'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'" },
      timeAdded: { doc: '`NoExecute` only.' },
    },
  },
  'core-v1.Toleration': {
    doc: 'An empty key with `Exists` tolerates every taint.',
    fields: {
      operator: { type: "'Exists' | 'Equal' | 'Lt' | 'Gt'" },
      effect: { type: "'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'" },
    },
  },
  'core-v1.TopologySelectorTerm': {
    doc: 'Where a class may place volumes: all expressions must match.',
  },
  'core-v1.TypedLocalObjectReference': {
    doc: 'An object in the same namespace. Without `apiGroup` (some servers write null), of the core group.',
    fields: {
      apiGroup: { type: 'string | null' },
    },
  },
  'core-v1.TypedObjectReference': {
    doc: 'An object in any namespace; by default that of the referring object.',
    fields: {
      apiGroup: { type: 'string | null' },
    },
  },
  'core-v1.Volume': {
    doc: 'Has exactly one source; without one, the server makes it an `emptyDir`.',
  },
  'core-v1.VolumeDevice': {
    doc: 'A volume as a block device inside a container.',
  },
  'core-v1.VolumeMount': {
    doc: 'A volume as a file system inside a container.',
    fields: {
      recursiveReadOnly: { type: "'Disabled' | 'IfPossible' | 'Enabled'" },
      mountPropagation: { type: "'None' | 'HostToContainer' | 'Bidirectional'" },
    },
  },
  'events-v1.Event': {
    doc: "The event of `events.k8s.io`: the same stored object as the core group's, under other field names.",
    fields: {
      eventTime: { doc: 'With microseconds.' },
    },
  },
  'meta-v1.Condition': {
    fields: {
      status: { type: 'ConditionStatus' },
    },
  },
  'meta-v1.LabelSelector': {
    doc: 'All parts must match. An empty selector matches everything, an absent one nothing.',
  },
  'meta-v1.LabelSelectorRequirement': {
    fields: {
      operator: { type: "'In' | 'NotIn' | 'Exists' | 'DoesNotExist'" },
    },
  },
  'policy-v1.Eviction': {
    doc: 'Evicts a pod if its disruption budget allows it. Posted to the `eviction` subresource, never stored.',
  },
  'policy-v1.PodDisruptionBudgetSpec': {
    fields: {
      unhealthyPodEvictionPolicy: { type: "'IfHealthyBudget' | 'AlwaysAllow'" },
    },
  },
  'policy-v1.PodDisruptionBudgetStatus': {
    fields: {
      disruptedPods: { doc: 'When the eviction of each pod was allowed, until the pod is gone.' },
      disruptionsAllowed: { required: true },
      currentHealthy: { required: true },
      desiredHealthy: { required: true },
      expectedPods: { required: true },
    },
  },
  'rbac-v1.ClusterRole': {
    fields: {
      rules: { required: true, type: 'readonly PolicyRule[] | null' },
      aggregationRule: { doc: 'The rules are then the union of all cluster roles that one of the selectors matches.' },
    },
  },
  'rbac-v1.PolicyRule': {
    doc: 'Either resources or URLs; `*` matches everything. Empty `resourceNames` means all names.',
  },
  'rbac-v1.Role': {
    fields: {
      rules: { required: true, type: 'readonly PolicyRule[] | null' },
    },
  },
  'rbac-v1.RoleRef': {
    fields: {
      apiGroup: { required: true },
      kind: { type: "'Role' | 'ClusterRole'" },
    },
  },
  'rbac-v1.Subject': {
    fields: {
      kind: { type: "'User' | 'Group' | 'ServiceAccount'" },
      namespace: { doc: 'Service accounts only.' },
    },
  },
  'storage-v1.CSIDriver': {
    doc: 'Named after the driver.',
  },
  'storage-v1.CSIDriverSpec': {
    fields: {
      attachRequired: {
        doc: 'Default true: a node uses a volume only after a VolumeAttachment reports it as attached.',
      },
      podInfoOnMount: { doc: 'Default false.' },
      volumeLifecycleModes: { doc: "Default `['Persistent']`.", type: 'readonly VolumeLifecycleMode[]' },
      storageCapacity: { doc: 'Default false: the scheduler does not look at CSIStorageCapacity objects.' },
      fsGroupPolicy: { type: 'FSGroupPolicy' },
      requiresRepublish: { doc: 'Default false: NodePublishVolume is not repeated while the pod runs.' },
      seLinuxMount: { doc: 'Default false: volumes are mounted without `-o context`.' },
      nodeAllocatableUpdatePeriodSeconds: {
        doc: "At least 10. If unset, the node's limit is read at registration only.",
      },
      serviceAccountTokenInSecrets: { doc: 'Default false: tokens go into the volume context, not into the secrets.' },
    },
  },
  'storage-v1.CSINode': {
    doc: 'Named after the node: the drivers that are registered on it.',
  },
  'storage-v1.CSINodeDriver': {
    fields: {
      nodeID: { doc: "The driver's own ID of the node." },
      topologyKeys: {
        doc: 'Node labels that describe which volumes the node can reach.',
        required: true,
        type: 'readonly string[] | null',
      },
      allocatable: { doc: 'Without a count the driver sets no limit.' },
    },
  },
  'storage-v1.CSINodeSpec': {
    fields: {
      drivers: { doc: 'Some servers write an empty list as null.', type: 'readonly CSINodeDriver[] | null' },
    },
  },
  'storage-v1.CSIStorageCapacity': {
    doc: 'The available capacity for one storage class in one part of the cluster.',
    fields: {
      nodeTopology: { doc: 'If unset, no node; if empty, every node.' },
      capacity: { doc: 'If unset, the capacity is unknown.' },
      maximumVolumeSize: { doc: 'If unset, `capacity` is the limit.' },
    },
  },
  'storage-v1.StorageClass': {
    fields: {
      reclaimPolicy: { type: 'ReclaimPolicy' },
      volumeBindingMode: { type: 'VolumeBindingMode' },
      allowedTopologies: { doc: 'A new volume must match one of the terms. If unset, any topology.' },
    },
  },
  'storage-v1.TokenRequest': {
    doc: 'An empty audience is that of the API server.',
  },
  'storage-v1.VolumeAttachmentSource': {
    fields: {
      volumeSource: {
        doc: "The source of a pod's volume. Only Holdfast's own API server accepts it, and stores it as `inlineVolumeSpec`.",
      },
    },
  },
  'storage-v1.VolumeAttachmentSpec': {
    fields: {
      source: { doc: 'Exactly one member is set.' },
    },
  },
  'storage-v1.VolumeAttachmentStatus': {
    fields: {
      attachmentMetadata: {
        doc: 'Returned by the driver; the node passes it on when it stages and publishes the volume.',
      },
    },
  },
  'storage-v1.VolumeError': {
    fields: {
      errorCode: { doc: 'The gRPC code, for some failures.' },
    },
  },
}
