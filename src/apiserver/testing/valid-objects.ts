import type { KubeObject } from '../../api/object.ts'

/** An object that the server takes, whatever its kind: for tests that change something in it. */
export type ValidObject = KubeObject & Readonly<Record<string, unknown>>

const meta = (name: string) => ({
  name,
  labels: { app: 'web', 'example.com/tier': '' },
  annotations: { 'example.com/note': 'any text' },
  finalizers: ['example.com/hold'],
})
const namespaced = (name: string) => ({ ...meta(name), namespace: 'default' })

const container = {
  name: 'web',
  image: 'web:1',
  command: ['run'],
  args: ['--all'],
  env: [
    { name: 'A', value: 'b' },
    { name: 'B', valueFrom: { secretKeyRef: { name: 'secret', key: 'k', optional: true } } },
    { name: 'C', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ],
  envFrom: [{ configMapRef: { name: 'map' } }],
  ports: [{ name: 'http', containerPort: 80, protocol: 'TCP' }],
  resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: 1, memory: '128Mi' } },
  volumeMounts: [
    { name: 'data', mountPath: '/data', subPath: 'a/b', readOnly: true },
    { name: 'inline', mountPath: '/inline', mountPropagation: 'HostToContainer' },
  ],
  volumeDevices: [{ name: 'block', devicePath: '/dev/block' }],
  livenessProbe: { httpGet: { path: '/', port: 80, scheme: 'HTTP' }, periodSeconds: 5 },
  securityContext: { privileged: false, runAsUser: 1000 },
  imagePullPolicy: 'IfNotPresent',
}
const claimSpec = {
  accessModes: ['ReadWriteOnce'],
  storageClassName: 'fast',
  resources: { requests: { storage: '1Gi' } },
}
const podSpec = {
  nodeName: 'n1',
  serviceAccountName: 'default',
  automountServiceAccountToken: false,
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  nodeSelector: { zone: 'a' },
  tolerations: [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoExecute', tolerationSeconds: 60 }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }] }],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, preference: { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] } },
      ],
    },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'web' } } },
      ],
    },
  },
  securityContext: { fsGroup: 1000, fsGroupChangePolicy: 'OnRootMismatch', supplementalGroups: [1] },
  initContainers: [{ name: 'init', image: 'init:1' }],
  containers: [container],
  volumes: [
    { name: 'data', persistentVolumeClaim: { claimName: 'data', readOnly: false } },
    { name: 'block', persistentVolumeClaim: { claimName: 'block' } },
    {
      name: 'inline',
      csi: {
        driver: 'hostpath.holdfast.dev',
        readOnly: true,
        fsType: 'ext4',
        volumeAttributes: { a: 'b' },
        nodePublishSecretRef: { name: 'secret' },
      },
    },
    { name: 'scratch', ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: 'b' } }, spec: claimSpec } } },
    { name: 'secret', secret: { secretName: 'secret', defaultMode: 256, items: [{ key: 'k', path: 'p', mode: 420 }] } },
    {
      name: 'projected',
      projected: {
        sources: [
          { serviceAccountToken: { audience: 'vault', expirationSeconds: 600, path: 'token' } },
          { configMap: { name: 'map', items: [{ key: 'k', path: 'q' }] } },
          { downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
        ],
      },
    },
    { name: 'empty', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
    { name: 'host', hostPath: { path: '/tmp', type: 'Directory' } },
  ],
}
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } }
const rules = [{ apiGroups: [''], resources: ['pods', 'pods/status'], verbs: ['get', 'list'], resourceNames: ['a'] }]
const subjects = [
  { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'ann' },
  { kind: 'ServiceAccount', name: 'default', namespace: 'default' },
]
const selector = { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['x'] }] }

/** One of each kind that storage has to do with, with most of what such an object can say. All can be created in any order. */
export const VALID_OBJECTS: readonly ValidObject[] = [
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: namespaced('claim'),
    spec: {
      ...claimSpec,
      selector,
      volumeMode: 'Filesystem',
      volumeName: 'volume',
      volumeAttributesClassName: 'gold',
      dataSourceRef: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'snap' },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: meta('volume'),
    spec: {
      capacity: { storage: '5Gi' },
      accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: 'fast',
      volumeMode: 'Filesystem',
      mountOptions: ['noatime'],
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: 'default',
        name: 'claim',
        uid: 'u',
        resourceVersion: '1',
      },
      csi: {
        driver: 'hostpath.holdfast.dev',
        volumeHandle: 'handle',
        fsType: 'ext4',
        readOnly: true,
        volumeAttributes: { a: 'b' },
        nodeStageSecretRef: { name: 'secret', namespace: 'default' },
        controllerExpandSecretRef: { name: 'secret', namespace: 'default' },
      },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }] },
      },
    },
  },
  { apiVersion: 'v1', kind: 'Pod', metadata: namespaced('pod'), spec: podSpec },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: meta('fast'),
    provisioner: 'hostpath.holdfast.dev',
    parameters: { type: 'ssd' },
    reclaimPolicy: 'Retain',
    mountOptions: ['noatime'],
    allowVolumeExpansion: true,
    volumeBindingMode: 'WaitForFirstConsumer',
    allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] }],
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: meta('hostpath.holdfast.dev'),
    spec: {
      attachRequired: false,
      podInfoOnMount: true,
      volumeLifecycleModes: ['Persistent', 'Ephemeral'],
      storageCapacity: true,
      fsGroupPolicy: 'File',
      tokenRequests: [{ audience: 'vault', expirationSeconds: 3600 }],
      requiresRepublish: true,
      seLinuxMount: true,
      nodeAllocatableUpdatePeriodSeconds: 10,
    },
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: meta('n1'),
    spec: {
      drivers: [
        { name: 'hostpath.holdfast.dev', nodeID: 'id', topologyKeys: ['example.com/zone'], allocatable: { count: 10 } },
      ],
    },
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: meta('attachment'),
    spec: { attacher: 'hostpath.holdfast.dev', nodeName: 'n1', source: { persistentVolumeName: 'volume' } },
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: meta('attachment-inline'),
    spec: {
      attacher: 'hostpath.holdfast.dev',
      nodeName: 'n1',
      source: { inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], csi: { driver: 'd', volumeHandle: 'h' } } },
    },
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIStorageCapacity',
    metadata: namespaced('capacity'),
    storageClassName: 'fast',
    capacity: '10Gi',
    maximumVolumeSize: '1Gi',
    nodeTopology: selector,
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttributesClass',
    metadata: meta('gold'),
    driverName: 'hostpath.holdfast.dev',
    parameters: { iops: '5' },
  },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: meta('widgets.example.com'),
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: {
        plural: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        listKind: 'WidgetList',
        shortNames: ['wd'],
        categories: ['all'],
      },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: {
            status: {},
            scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
          },
          additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size', priority: 1 }],
          schema: {
            openAPIV3Schema: {
              type: 'object',
              required: ['spec'],
              properties: {
                spec: {
                  type: 'object',
                  required: ['size'],
                  'x-kubernetes-validations': [{ rule: 'self.size > 0', message: 'size has to be positive' }],
                  properties: {
                    size: { type: 'integer', format: 'int32', minimum: 1, maximum: 100, default: 2 },
                    replicas: { type: 'integer' },
                    name: { type: 'string', pattern: '^[a-z]*$', maxLength: 5, enum: ['a', 'b'], nullable: true },
                    items: {
                      type: 'array',
                      maxItems: 5,
                      'x-kubernetes-list-type': 'map',
                      'x-kubernetes-list-map-keys': ['key'],
                      items: { type: 'object', required: ['key'], properties: { key: { type: 'string' } } },
                    },
                    any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                    map: { type: 'object', additionalProperties: { type: 'string' } },
                    port: { 'x-kubernetes-int-or-string': true },
                  },
                },
                status: { type: 'object', properties: { replicas: { type: 'integer' } } },
              },
            },
          },
        },
      ],
    },
  },
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: namespaced('role'), rules },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: namespaced('binding'),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'role' },
    subjects,
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: meta('cluster-role'),
    rules: [...rules, { nonResourceURLs: ['/metrics'], verbs: ['get'] }],
    aggregationRule: { clusterRoleSelectors: [selector] },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: meta('cluster-binding'),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects,
  },
  { apiVersion: 'v1', kind: 'Namespace', metadata: meta('team'), spec: { finalizers: ['kubernetes'] } },
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: meta('n1'),
    spec: { unschedulable: true, taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: namespaced('secret'),
    type: 'Opaque',
    data: { k: 'dg==' },
    stringData: { s: 'text' },
    immutable: false,
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: namespaced('map'),
    data: { k: 'v' },
    binaryData: { b: 'AP8=' },
    immutable: false,
  },
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: namespaced('robot'),
    secrets: [{ name: 'secret' }],
    imagePullSecrets: [{ name: 'secret' }],
    automountServiceAccountToken: false,
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: namespaced('web'),
    spec: {
      selector: { app: 'web' },
      ports: [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }],
      clusterIP: 'None',
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: namespaced('event'),
    involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'pod', uid: 'u' },
    reason: 'Tested',
    message: 'all is well',
    type: 'Normal',
    count: 1,
    source: { component: 'test', host: 'n1' },
    firstTimestamp: '2030-01-01T00:00:00Z',
    lastTimestamp: '2030-01-01T00:00:00Z',
  },
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: namespaced('lease'),
    spec: {
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      leaseTransitions: 1,
      acquireTime: '2030-01-01T00:00:00.000001Z',
      renewTime: '2030-01-01T00:00:00.500000Z',
    },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: namespaced('set'),
    spec: {
      serviceName: 'web',
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template,
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec }],
    },
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: namespaced('budget'),
    spec: { minAvailable: '50%', selector },
  },
]

/** A custom resource of the definition above. */
export const VALID_CUSTOM_OBJECT: ValidObject = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: namespaced('widget'),
  spec: {
    size: 3,
    replicas: 1,
    name: 'a',
    items: [{ key: 'x' }, { key: 'y' }],
    any: { deep: [{ down: null }] },
    map: { a: 'b' },
    port: 'http',
  },
}
