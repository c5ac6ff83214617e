import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../api/object.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { createNodeAuthorizer } from './node-authorizer.ts'
import type { NodeAuthorizer } from './node-authorizer.ts'
import { reasonOf } from './decision.ts'
import { nodeUser } from './node-identity.ts'
import { openStoreUnderTest, podUnderTest, requestUnderTest } from './testing/store-under-test.ts'
import type { StoreUnderTest } from './testing/store-under-test.ts'

const N1 = nodeUser('n1')

const volume = (
  name: string,
  claim: string | undefined,
  csi: Partial<NonNullable<PersistentVolume['spec']['csi']>> = {},
): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name, uid: `uid-${name}` },
  spec: {
    csi: { driver: 'd', volumeHandle: name, ...csi },
    ...(claim === undefined ? {} : { claimRef: { namespace: 'apps', name: claim, uid: `uid-${claim}` } }),
  },
})
const secret = (name: string, namespace = 'storage'): { name: string; namespace: string } => ({ name, namespace })

const attachment = (name: string, nodeName: string): VolumeAttachment => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name },
  spec: { attacher: 'd', nodeName, source: { persistentVolumeName: 'v1' } },
})

// The attributes in which a pod of an unmodified cluster passes what its source has no fields for.
const IN_LINE = 'csi.kubernetes.io/inline.'

const P1 = podUnderTest('p1', 'n1', {
  serviceAccountName: 'a1',
  imagePullSecrets: [{ name: 'pull' }],
  initContainers: [{ name: 'i', envFrom: [{ secretRef: { name: 'from-init' } }] } as never],
  containers: [
    {
      name: 'c',
      env: [
        { name: 'A', valueFrom: { secretKeyRef: { name: 'env-secret', key: 'k' } } },
        { name: 'B', valueFrom: { configMapKeyRef: { name: 'env-map', key: 'k' } } },
      ],
      envFrom: [{ configMapRef: { name: 'from-map' } }],
    } as never,
  ],
  volumes: [
    { name: 'data', persistentVolumeClaim: { claimName: 'c1' } },
    { name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: {} } } },
    {
      name: 'inline',
      csi: {
        driver: 'd',
        nodePublishSecretRef: { name: 'inline-publish' },
        nodeStageSecretRef: { name: 'inline-stage' },
        controllerPublishSecretRef: { name: 'inline-controller' },
      },
    },
    {
      name: 'attributes',
      csi: {
        driver: 'd',
        volumeAttributes: {
          [`${IN_LINE}nodeStageSecretName`]: 'attribute-stage',
          [`${IN_LINE}controllerPublishSecretName`]: 'attribute-controller',
        },
      },
    },
    { name: 'secret', secret: { secretName: 'mounted' } },
    { name: 'map', configMap: { name: 'mounted-map' } },
    {
      name: 'both',
      projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'projected-map' } }] },
    },
    { name: 'old', rbd: { secretRef: { name: 'in-tree' } } } as never,
  ],
})

const WORLD: KubeObject[] = [
  P1,
  podUnderTest('p2', 'n2', {
    serviceAccountName: 'a2',
    volumes: [
      { name: 'd', persistentVolumeClaim: { claimName: 'c2' } },
      { name: 's', secret: { secretName: 'other' } },
    ],
  }),
  podUnderTest('waiting', '', {
    serviceAccountName: 'a3',
    volumes: [{ name: 's', secret: { secretName: 'unscheduled' } }],
  }),
  podUnderTest(
    'mirror',
    'n1',
    { serviceAccountName: 'a4', volumes: [{ name: 's', secret: { secretName: 'mirrored' } }] },
    { annotations: { 'kubernetes.io/config.mirror': 'x' } },
  ),
  volume('v1', 'c1', {
    nodeStageSecretRef: secret('stage'),
    nodePublishSecretRef: secret('publish'),
    nodeExpandSecretRef: secret('expand'),
    controllerPublishSecretRef: secret('controller-publish'),
    controllerExpandSecretRef: secret('controller-expand'),
  }),
  volume('v2', 'c2', { nodeStageSecretRef: secret('stage2'), nodePublishSecretRef: secret('publish2') }),
  volume('ve', 'p1-scratch', { nodePublishSecretRef: secret('ephemeral-publish') }),
  volume('free', undefined, { nodeStageSecretRef: secret('free-stage') }),
  attachment('va1', 'n1'),
  attachment('va2', 'n2'),
]

type Row = [behaviour: string, request: string, expected: 'yes' | 'no', fieldSelector?: string]

const ROWS: Row[] = [
  // Secrets of volumes.
  ['S3-186, S3-181: the stage secret of its volume', 'get secrets storage/stage', 'yes'],
  ['S3-186, S3-183: the publish secret of its volume', 'get secrets storage/publish', 'yes'],
  ['S3-186: the expand secret of its volume', 'get secrets storage/expand', 'yes'],
  ['S3-186, S3-180: never the controller-publish secret', 'get secrets storage/controller-publish', 'no'],
  ['S3-186: never the controller-expand secret', 'get secrets storage/controller-expand', 'no'],
  ['S3-186: not the stage secret of another node’s volume', 'get secrets storage/stage2', 'no'],
  ['S3-186: not the publish secret of another node’s volume', 'get secrets storage/publish2', 'no'],
  ['S3-186: not the secret of a volume that nobody claimed', 'get secrets storage/free-stage', 'no'],
  ['S3-186: the secret of a volume made for the pod alone', 'get secrets storage/ephemeral-publish', 'yes'],
  ['S3-186: a secret of the same name elsewhere is another one', 'get secrets apps/stage', 'no'],
  ['S3-185: a watch of one named secret', 'watch secrets storage/stage', 'yes', 'metadata.name=stage'],
  ['S3-185: a list of one named secret', 'list secrets storage/stage', 'yes', 'metadata.name=stage'],
  ['S3-185: no list of all secrets', 'list secrets', 'no'],
  ['S3-185: no list of the secrets of a namespace', 'list secrets storage/', 'no'],
  ['S3-185: no watch of the secrets of a namespace', 'watch secrets storage/', 'no'],
  ['S3-185: no list by name in all namespaces', 'list secrets stage', 'no', 'metadata.name=stage'],
  ['S3-185: no write of a secret that it may read', 'update secrets storage/stage', 'no'],
  ['S3-185: no deletion of one', 'delete secrets storage/stage', 'no'],
  ['S3-185: no creation of one', 'create secrets storage/', 'no'],
  ['no sub-resource of a secret', 'get secrets/status storage/stage', 'no'],
  // Secrets and config maps of pods.
  ['S2-27: the publish secret of an in-line volume', 'get secrets apps/inline-publish', 'yes'],
  ['S2-27: the stage secret of an in-line volume', 'get secrets apps/inline-stage', 'yes'],
  ['S2-27: the stage secret that an attribute of an in-line volume names', 'get secrets apps/attribute-stage', 'yes'],
  ['S2-9: not the controller-publish secret that one names', 'get secrets apps/attribute-controller', 'no'],
  ['S2-13: only in the pod’s own namespace', 'get secrets storage/inline-publish', 'no'],
  ['S2-9: not the controller-publish secret of an in-line volume', 'get secrets apps/inline-controller', 'no'],
  ['a mounted secret', 'get secrets apps/mounted', 'yes'],
  ['a projected secret', 'get secrets apps/projected', 'yes'],
  ['a secret in the environment', 'get secrets apps/env-secret', 'yes'],
  ['a secret as the environment of an init container', 'get secrets apps/from-init', 'yes'],
  ['a secret for pulling images', 'get secrets apps/pull', 'yes'],
  ['the secret of an in-tree volume', 'get secrets apps/in-tree', 'yes'],
  ['not the secret of a pod on another node', 'get secrets apps/other', 'no'],
  ['not the secret of a pod without a node', 'get secrets apps/unscheduled', 'no'],
  ['nothing through a pod that mirrors a file of the node', 'get secrets apps/mirrored', 'no'],
  ['a mounted config map', 'get configmaps apps/mounted-map', 'yes'],
  ['a projected config map', 'watch configmaps apps/projected-map', 'yes'],
  ['a config map in the environment', 'get configmaps apps/env-map', 'yes'],
  ['a config map as environment', 'get configmaps apps/from-map', 'yes'],
  ['not any config map', 'get configmaps apps/unknown', 'no'],
  // Claims, volumes, attachments.
  ['its claim', 'get persistentvolumeclaims apps/c1', 'yes'],
  ['the claim made for its pod', 'get persistentvolumeclaims apps/p1-scratch', 'yes'],
  ['not another node’s claim', 'get persistentvolumeclaims apps/c2', 'no'],
  ['no list of claims', 'list persistentvolumeclaims apps/', 'no'],
  ['no watch of its own claim', 'watch persistentvolumeclaims apps/c1', 'no'],
  ['no write of its claim', 'update persistentvolumeclaims apps/c1', 'no'],
  ['a patch of its claim’s status', 'patch persistentvolumeclaims/status apps/c1', 'yes'],
  ['an update of its claim’s status', 'update persistentvolumeclaims/status apps/c1', 'yes'],
  ['no patch of another claim’s status', 'patch persistentvolumeclaims/status apps/c2', 'no'],
  ['its volume', 'get persistentvolumes v1', 'yes'],
  ['not another node’s volume', 'get persistentvolumes v2', 'no'],
  ['not a volume that nobody claimed', 'get persistentvolumes free', 'no'],
  ['no list of volumes', 'list persistentvolumes', 'no'],
  ['no watch of volumes', 'watch persistentvolumes', 'no'],
  ['no write of its volume', 'patch persistentvolumes v1', 'no'],
  ['an attachment to it', 'get volumeattachments.storage.k8s.io va1', 'yes'],
  ['not an attachment to another node', 'get volumeattachments.storage.k8s.io va2', 'no'],
  ['not an attachment that does not exist', 'get volumeattachments.storage.k8s.io va3', 'no'],
  ['no list of attachments', 'list volumeattachments.storage.k8s.io', 'no'],
  ['no write of an attachment’s status', 'patch volumeattachments.storage.k8s.io/status va1', 'no'],
  // Objects of the node itself.
  ['S3-36: its CSINode', 'get csinodes.storage.k8s.io n1', 'yes'],
  ['S3-36: an update of its CSINode', 'update csinodes.storage.k8s.io n1', 'yes'],
  ['S3-36: the deletion of its CSINode', 'delete csinodes.storage.k8s.io n1', 'yes'],
  ['S3-36: the creation of a CSINode, whose name admission checks', 'create csinodes.storage.k8s.io', 'yes'],
  ['S3-36: not another CSINode', 'get csinodes.storage.k8s.io n2', 'no'],
  ['S3-36: no update of another CSINode', 'update csinodes.storage.k8s.io n2', 'no'],
  ['S3-36: no deletion of another CSINode', 'delete csinodes.storage.k8s.io n2', 'no'],
  ['S3-36: no list of CSINodes', 'list csinodes.storage.k8s.io', 'no'],
  ['S3-36: no watch of CSINodes', 'watch csinodes.storage.k8s.io', 'no'],
  ['S3-36: no sub-resource of its CSINode', 'update csinodes.storage.k8s.io/status n1', 'no'],
  ['S3-36: its CSINodeInfo', 'update csinodeinfos.csi.storage.k8s.io n1', 'yes'],
  ['S3-36: not another CSINodeInfo', 'get csinodeinfos.csi.storage.k8s.io n2', 'no'],
  ['S3-36: no list of CSINodeInfos', 'list csinodeinfos.csi.storage.k8s.io', 'no'],
  ['all drivers', 'watch csidrivers.storage.k8s.io', 'yes'],
  ['all drivers in the alpha’s form', 'list csidrivers.csi.storage.k8s.io', 'yes'],
  ['no write of a driver', 'update csidrivers.storage.k8s.io d', 'no'],
  ['its Node, before it exists too', 'get nodes n1', 'yes'],
  ['a watch of its Node', 'watch nodes n1', 'yes', 'metadata.name=n1'],
  ['not another Node', 'get nodes n2', 'no'],
  ['no list of Nodes', 'list nodes', 'no'],
  ['its Node’s status', 'patch nodes/status n1', 'yes'],
  ['no deletion of its Node', 'delete nodes n1', 'no'],
  ['its lease', 'update leases.coordination.k8s.io kube-node-lease/n1', 'yes'],
  ['not another lease', 'update leases.coordination.k8s.io kube-node-lease/n2', 'no'],
  ['no lease of its name elsewhere', 'get leases.coordination.k8s.io apps/n1', 'no'],
  ['no list of leases', 'list leases.coordination.k8s.io kube-node-lease/', 'no'],
  // Pods and tokens.
  ['its pods', 'list pods', 'yes', 'spec.nodeName=n1'],
  ['a watch of its pods among others', 'watch pods', 'yes', 'metadata.namespace=apps,spec.nodeName=n1'],
  ['no list of all pods', 'list pods', 'no'],
  ['no list of another node’s pods', 'list pods', 'no', 'spec.nodeName=n2'],
  ['no list of all pods but some', 'list pods', 'no', 'spec.nodeName!=n1'],
  ['nothing by a selector that nobody understands', 'list pods', 'no', 'spec.nodeName'],
  ['one of its pods', 'get pods apps/p1', 'yes'],
  ['its mirror pod', 'get pods apps/mirror', 'yes'],
  ['a watch of one of its pods', 'watch pods apps/p1', 'yes', 'metadata.name=p1'],
  ['not another node’s pod', 'get pods apps/p2', 'no'],
  ['no update of a pod', 'update pods apps/p1', 'no'],
  ['the status of a pod, which admission limits', 'patch pods/status apps/p1', 'yes'],
  ['no command in a pod', 'create pods/exec apps/p1', 'no'],
  ['no binding of a pod', 'create pods/binding apps/p1', 'no'],
  ['a token of its pod’s account', 'create serviceaccounts/token apps/a1', 'yes'],
  ['no token of another node’s pod’s account', 'create serviceaccounts/token apps/a2', 'no'],
  ['no token of the account of a pod without a node', 'create serviceaccounts/token apps/a3', 'no'],
  ['no token through a mirror pod', 'create serviceaccounts/token apps/a4', 'no'],
  ['its pod’s account', 'get serviceaccounts apps/a1', 'yes'],
  ['no list of accounts', 'list serviceaccounts apps/', 'no'],
  ['no other account', 'get serviceaccounts apps/a2', 'no'],
  ['events', 'create events apps/', 'yes'],
  ['no reading of events', 'list events', 'no'],
  ['no storage classes', 'list storageclasses.storage.k8s.io', 'no'],
  ['no roles', 'list clusterroles.rbac.authorization.k8s.io', 'no'],
  ['no paths', 'get /metrics', 'no'],
]

const open = async (objects: KubeObject[] = WORLD): Promise<{ store: StoreUnderTest; authorizer: NodeAuthorizer }> => {
  const store = await openStoreUnderTest(...objects)
  const authorizer = createNodeAuthorizer(store.visible)
  store.onChange(authorizer.onChange)
  return { store, authorizer }
}

for (const [behaviour, request, expected, selector] of ROWS) {
  test(`a node may${expected === 'yes' ? '' : ' not'} have: ${behaviour}`, async () => {
    const { authorizer } = await open()
    equal(
      authorizer.authorize(requestUnderTest(N1, request, selector)).kind,
      expected === 'yes' ? 'allow' : 'no-opinion',
    )
  })
}

test('the same holds when the authorizer has seen every object arrive', async () => {
  const { store, authorizer } = await open([])
  // Volumes before claims have pods, pods before volumes: the order must not matter.
  await store.put(...WORLD.toReversed())
  for (const [behaviour, request, expected, selector] of ROWS) {
    equal(
      authorizer.authorize(requestUnderTest(N1, request, selector)).kind,
      expected === 'yes' ? 'allow' : 'no-opinion',
      behaviour,
    )
  }
})

test('S3-186: everything that a pod opened is closed again once the pod is gone', async () => {
  const { store, authorizer } = await open()
  await store.remove(P1)
  for (const request of [
    'get secrets storage/stage',
    'get secrets apps/mounted',
    'get persistentvolumes v1',
    'get persistentvolumeclaims apps/c1',
    'create serviceaccounts/token apps/a1',
    'get pods apps/p1',
  ]) {
    equal(authorizer.authorize(requestUnderTest(N1, request)).kind, 'no-opinion', request)
  }
})

test('S3-186: a secret that two pods need stays open until the last of them is gone', async () => {
  const { store, authorizer } = await open()
  const twin = podUnderTest('twin', 'n1', { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'c1' } }] })
  await store.put(twin)
  const ask = (): string => authorizer.authorize(requestUnderTest(N1, 'get secrets storage/stage')).kind
  await store.remove(P1)
  equal(ask(), 'allow')
  await store.remove(twin)
  equal(ask(), 'no-opinion')
})

test('a secret shared by the volumes of two nodes is closed to the one whose pod leaves', async () => {
  const shared = { nodeStageSecretRef: secret('shared'), nodePublishSecretRef: secret('shared') }
  const p1 = podUnderTest('p1', 'n1', { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'c1' } }] })
  const p2 = podUnderTest('p2', 'n2', { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'c2' } }] })
  const { store, authorizer } = await open([p1, p2, volume('v1', 'c1', shared), volume('v2', 'c2', shared)])
  const ask = (node: string): string =>
    authorizer.authorize(requestUnderTest(nodeUser(node), 'get secrets storage/shared')).kind
  deepEqual([ask('n1'), ask('n2'), ask('n3')], ['allow', 'allow', 'no-opinion'])
  await store.remove(p1)
  deepEqual([ask('n1'), ask('n2')], ['no-opinion', 'allow'])
})

test('a volume that changes hands opens its secrets to the node of the new claim', async () => {
  const { store, authorizer } = await open()
  await store.put(volume('v1', 'c2', { nodeStageSecretRef: secret('stage') }))
  const ask = (node: string, request: string): string =>
    authorizer.authorize(requestUnderTest(nodeUser(node), request)).kind
  equal(ask('n1', 'get secrets storage/stage'), 'no-opinion')
  equal(ask('n1', 'get persistentvolumes v1'), 'no-opinion')
  equal(ask('n2', 'get secrets storage/stage'), 'allow')
  equal(ask('n2', 'get secrets storage/publish'), 'no-opinion')
})

test('a volume whose secret is exchanged closes the old one', async () => {
  const { store, authorizer } = await open()
  await store.put(volume('v1', 'c1', { nodeStageSecretRef: secret('stage-new') }))
  equal(authorizer.authorize(requestUnderTest(N1, 'get secrets storage/stage')).kind, 'no-opinion')
  equal(authorizer.authorize(requestUnderTest(N1, 'get secrets storage/stage-new')).kind, 'allow')
})

test('a pod that is bound opens its objects at that moment, and a pod of the same name elsewhere closes them', async () => {
  const { store, authorizer } = await open([])
  const spec = { volumes: [{ name: 's', secret: { secretName: 's' } }] }
  const ask = (node: string): string =>
    authorizer.authorize(requestUnderTest(nodeUser(node), 'get secrets apps/s')).kind
  await store.put(podUnderTest('p', '', spec))
  equal(ask('n1'), 'no-opinion')
  await store.put(podUnderTest('p', 'n1', spec))
  equal(ask('n1'), 'allow')
  await store.put(podUnderTest('p', 'n2', spec, { uid: 'another' }))
  deepEqual([ask('n1'), ask('n2')], ['no-opinion', 'allow'])
})

test('a container that is added to a running pod opens what it names', async () => {
  const { store, authorizer } = await open([podUnderTest('p', 'n1')])
  await store.put(
    podUnderTest('p', 'n1', {
      ephemeralContainers: [{ name: 'debug', envFrom: [{ secretRef: { name: 'late' } }] } as never],
    }),
  )
  equal(authorizer.authorize(requestUnderTest(N1, 'get secrets apps/late')).kind, 'allow')
})

test('a pod that takes a mirror annotation off opens nothing', async () => {
  const spec = { volumes: [{ name: 's', secret: { secretName: 's' } }] }
  const { store, authorizer } = await open([
    podUnderTest('p', 'n1', spec, { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
  ])
  await store.put(podUnderTest('p', 'n1', spec))
  equal(authorizer.authorize(requestUnderTest(N1, 'get secrets apps/s')).kind, 'no-opinion')
})

test('objects can come and go any number of times', async () => {
  const { store, authorizer } = await open([])
  for (let round = 0; round < 3; round++) {
    await store.put(...WORLD)
    for (const object of WORLD) await store.remove(object)
    equal(authorizer.authorize(requestUnderTest(N1, 'get secrets storage/stage')).kind, 'no-opinion')
  }
  await store.put(...WORLD)
  equal(authorizer.authorize(requestUnderTest(N1, 'get secrets storage/stage')).kind, 'allow')
})

test('a node is one by its name and by its group', async () => {
  const { authorizer } = await open()
  const ask = (name: string, groups: string[]): string =>
    authorizer.authorize(requestUnderTest({ name, groups }, 'get secrets storage/stage')).kind
  equal(ask('system:node:n1', ['system:nodes']), 'allow')
  equal(ask('system:node:n1', ['system:authenticated']), 'no-opinion')
  equal(ask('n1', ['system:nodes']), 'no-opinion')
  equal(ask('system:node:', ['system:nodes']), 'no-opinion')
})

test('who is refused is told why', async () => {
  const { authorizer } = await open()
  const reason = (request: string): string => reasonOf(authorizer.authorize(requestUnderTest(N1, request)))
  match(reason('get secrets storage/stage2'), /^no relationship found between node 'n1' and this object$/)
  match(reason('list secrets storage/'), /^No Object name found$/)
  match(reason('list pods'), /spec\.nodeName field selector/)
  match(reason('list nodes'), /^node 'n1' cannot read all nodes, only its own Node object$/)
  match(reason('get nodes n2'), /^node 'n1' cannot read 'n2', only its own Node object$/)
})

test('a node’s rights are not to be listed as rules', async () => {
  const { authorizer } = await open()
  equal(authorizer.rulesFor(N1, 'apps').incomplete, true)
  equal(authorizer.rulesFor({ name: 'u', groups: [] }, 'apps').incomplete, false)
})
