import { doesNotThrow, throws } from 'node:assert/strict'
import { test } from 'node:test'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { LEASES } from '../../api/kinds/lease.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node } from '../../api/kinds/node.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod, PodSpec } from '../../api/kinds/pod.ts'
import { SERVICE_ACCOUNTS } from '../../api/kinds/service-account.ts'
import { isApiError } from '../../api/api-error.ts'
import type { ObjectMeta } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { Authorizer } from '../core/request.ts'
import { createNodeRestriction } from './node-restriction.ts'
import { nodeUser } from './node-identity.ts'
import { admissionUnderTest, openStoreUnderTest, podUnderTest } from './testing/store-under-test.ts'
import type { AdmissionUnderTest } from './testing/store-under-test.ts'

const N1 = nodeUser('n1')
const CSI_NODE_INFOS: ResourceType = {
  group: 'csi.storage.k8s.io',
  version: 'v1alpha1',
  kind: 'CSINodeInfo',
  plural: 'csinodeinfos',
  namespaced: false,
}
const NOBODY: Authorizer = { authorize: () => ({ kind: 'no-opinion' }) }

const node = (name: string, metadata: ObjectMeta = {}, spec: Node['spec'] = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: `uid-${name}`, ...metadata },
  spec,
})
const claim = (change: Partial<PersistentVolumeClaim> = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'apps', name: 'c1', uid: 'u', resourceVersion: '7', labels: { a: 'b' } },
  spec: { volumeName: 'v1', resources: { requests: { storage: '1Gi' } } },
  status: { phase: 'Bound', capacity: { storage: '1Gi' } },
  ...change,
})
const pv: PersistentVolume = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'v1' },
  spec: { csi: { driver: 'pv-driver', volumeHandle: 'v1' } },
}
const driver = (name: string, audience: string): CSIDriver => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name },
  spec: { tokenRequests: [{ audience }] },
})

const P1 = podUnderTest('p1', 'n1', {
  serviceAccountName: 'a1',
  volumes: [
    { name: 'token', projected: { sources: [{ serviceAccountToken: { path: 't', audience: 'projected' } }] } },
    { name: 'inline', csi: { driver: 'inline-driver' } },
    { name: 'data', persistentVolumeClaim: { claimName: 'c1' } },
    { name: 'lost', persistentVolumeClaim: { claimName: 'no-such-claim' } },
  ],
})
const P2 = podUnderTest('p2', 'n2', { serviceAccountName: 'a1' })
const PLAIN = podUnderTest('plain', 'n1', {
  serviceAccountName: 'a1',
  volumes: [{ name: 't', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }],
})
const WORLD = [
  P1,
  P2,
  PLAIN,
  node('n1'),
  node('n2'),
  claim(),
  pv,
  driver('inline-driver', 'inline'),
  driver('pv-driver', 'volume'),
  driver('unused', 'undeclared'),
]

const OWNER = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'uid-n1', controller: true }
const mirror = (metadata: ObjectMeta = {}, spec: Partial<PodSpec> = {}): Pod =>
  podUnderTest('m', 'n1', spec, {
    annotations: { 'kubernetes.io/config.mirror': 'x' },
    ownerReferences: [OWNER],
    ...metadata,
  })

const token = (spec: object, account = 'a1'): AdmissionUnderTest => ({
  type: SERVICE_ACCOUNTS,
  operation: 'CREATE',
  subresource: 'token',
  user: N1,
  namespace: 'apps',
  name: account,
  object: { metadata: {}, spec },
})
const bound = (name: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name,
  uid: `uid-${name}`,
  ...more,
})

const writeNode = (object: Node, old?: Node): AdmissionUnderTest => ({
  type: NODES,
  operation: old ? 'UPDATE' : 'CREATE',
  user: N1,
  object,
  ...(old ? { old } : {}),
})
const named = (
  type: ResourceType,
  operation: AdmissionUnderTest['operation'],
  name: string,
  namespace = '',
): AdmissionUnderTest => {
  const object = { metadata: { name, ...(namespace ? { namespace } : {}) } }
  return {
    type,
    operation,
    user: N1,
    ...(operation === 'DELETE' ? {} : { object }),
    ...(operation === 'CREATE' ? {} : { old: object }),
  }
}
const claimStatus = (object: PersistentVolumeClaim): AdmissionUnderTest => ({
  type: PERSISTENT_VOLUME_CLAIMS,
  operation: 'UPDATE',
  subresource: 'status',
  user: N1,
  object,
  old: claim(),
})
const podStatus = (pod: Pod, metadata: ObjectMeta = {}): AdmissionUnderTest => ({
  type: PODS,
  operation: 'UPDATE',
  subresource: 'status',
  user: N1,
  object: { ...pod, metadata: { ...pod.metadata, ...metadata }, status: { phase: 'Running' } },
  old: pod,
})

type Row = [behaviour: string, request: AdmissionUnderTest, refusal?: RegExp]

const ROWS: Row[] = [
  // Pods.
  ['the status of a pod on it', podStatus(P1)],
  [
    'not the status of a pod elsewhere',
    podStatus(P2),
    /can only update pod status for pods with spec\.nodeName set to itself/,
  ],
  [
    'no labels through the status',
    podStatus(P1, { labels: { tier: 'gold' } }),
    /cannot update labels through pod status/,
  ],
  ['the deletion of a pod on it', named(PODS, 'DELETE', 'p1', 'apps')],
  [
    'not the deletion of a pod elsewhere',
    named(PODS, 'DELETE', 'p2', 'apps'),
    /can only delete pods with spec\.nodeName set to itself/,
  ],
  ['not the deletion of a pod that is not there', named(PODS, 'DELETE', 'p9', 'apps'), /pods "p9" not found/],
  [
    'no update of a pod',
    { type: PODS, operation: 'UPDATE', user: N1, object: P1, old: P1 },
    /can only create and delete mirror pods/,
  ],
  ['the eviction of a pod on it', { ...named(PODS, 'CREATE', 'p1', 'apps'), subresource: 'eviction' }],
  [
    'not the eviction of a pod elsewhere',
    { ...named(PODS, 'CREATE', 'p2', 'apps'), subresource: 'eviction' },
    /can only evict pods with spec\.nodeName set to itself/,
  ],
  [
    'no binding',
    { ...named(PODS, 'CREATE', 'p1', 'apps'), subresource: 'binding' },
    /only 'status' and 'eviction' are allowed/,
  ],
  ['a mirror pod', { type: PODS, operation: 'CREATE', user: N1, object: mirror() }],
  [
    'no other pod',
    { type: PODS, operation: 'CREATE', user: N1, object: podUnderTest('m', 'n1') },
    /can only create mirror pods/,
  ],
  [
    'no mirror pod elsewhere',
    { type: PODS, operation: 'CREATE', user: N1, object: mirror({}, { nodeName: 'n2' }) },
    /spec\.nodeName set to itself/,
  ],
  [
    'no mirror pod without an owner',
    { type: PODS, operation: 'CREATE', user: N1, object: mirror({ ownerReferences: [] }) },
    /with an owner reference set to itself/,
  ],
  [
    'no mirror pod of two owners',
    { type: PODS, operation: 'CREATE', user: N1, object: mirror({ ownerReferences: [OWNER, OWNER] }) },
    /a single owner reference/,
  ],
  [
    'no mirror pod of another owner',
    { type: PODS, operation: 'CREATE', user: N1, object: mirror({ ownerReferences: [{ ...OWNER, name: 'n2' }] }) },
    /an owner reference set to itself/,
  ],
  [
    'no mirror pod of a former node',
    { type: PODS, operation: 'CREATE', user: N1, object: mirror({ ownerReferences: [{ ...OWNER, uid: 'old' }] }) },
    /UID mismatch/,
  ],
  [
    'no mirror pod with an account',
    { type: PODS, operation: 'CREATE', user: N1, object: mirror({}, { serviceAccountName: 'a1' }) },
    /that reference serviceaccounts/,
  ],
  [
    'no mirror pod with a secret',
    {
      type: PODS,
      operation: 'CREATE',
      user: N1,
      object: mirror({}, { volumes: [{ name: 's', secret: { secretName: 's' } }] }),
    },
    /that reference secrets/,
  ],
  [
    'no mirror pod with a config map',
    {
      type: PODS,
      operation: 'CREATE',
      user: N1,
      object: mirror({}, { volumes: [{ name: 's', configMap: { name: 's' } }] }),
    },
    /that reference configmaps/,
  ],
  [
    'no mirror pod with a claim',
    { type: PODS, operation: 'CREATE', user: N1, object: mirror({}, { volumes: [{ name: 's', ephemeral: {} }] }) },
    /that reference persistentvolumeclaims/,
  ],
  [
    'no mirror pod with a CSI volume',
    {
      type: PODS,
      operation: 'CREATE',
      user: N1,
      object: mirror({}, { volumes: [{ name: 's', csi: { driver: 'd' } }] }),
    },
    /csidrivers \(via CSI volumes\)/,
  ],
  [
    'no mirror pod with a projected token',
    {
      type: PODS,
      operation: 'CREATE',
      user: N1,
      object: mirror(
        {},
        { volumes: [{ name: 's', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] },
      ),
    },
    /serviceaccounts \(via projected volumes\)/,
  ],

  // Its Node.
  [
    'its Node',
    writeNode(
      node('n1', {
        labels: {
          'kubernetes.io/hostname': 'n1',
          'topology.kubernetes.io/zone': 'z',
          'node.kubernetes.io/any': 'x',
          'topology.csi.example.com/rack': 'r',
        },
      }),
    ),
  ],
  ['not another Node', writeNode(node('n2')), /node "n1" is not allowed to modify node "n2"/],
  [
    'S3-148: no new Node with a label of a Kubernetes domain',
    writeNode(node('n1', { labels: { 'foo.k8s.io/x': 'y' } })),
    /not allowed to set the following labels: foo\.k8s\.io\/x/,
  ],
  [
    'S3-148: no label of a Kubernetes domain later',
    writeNode(node('n1', { labels: { 'foo.k8s.io/x': 'y', 'bar.kubernetes.io/x': 'y' } }), node('n1')),
    /is not allowed to modify labels: bar\.kubernetes\.io\/x, foo\.k8s\.io\/x/,
  ],
  [
    'S3-148: not taking one away',
    writeNode(node('n1'), node('n1', { labels: { 'foo.k8s.io/x': 'y' } })),
    /is not allowed to modify labels: foo\.k8s\.io\/x/,
  ],
  [
    'S3-148: a label that was there all along',
    writeNode(node('n1', { labels: { 'foo.k8s.io/x': 'y' } }), node('n1', { labels: { 'foo.k8s.io/x': 'y' } })),
  ],
  [
    'S3-148: the key of a driver, on registration',
    { ...writeNode(node('n1', { labels: { 'topology.hostpath.csi/node': 'n1' } }), node('n1')), subresource: 'status' },
  ],
  [
    'S3-148: never a label that sets nodes apart',
    writeNode(node('n1', { labels: { 'node-restriction.kubernetes.io/fips': 'true' } }), node('n1')),
    /node-restriction\.kubernetes\.io\/fips/,
  ],
  ['taints on registration', writeNode(node('n1', {}, { taints: [{ key: 'a', effect: 'NoSchedule' }] }))],
  [
    'no change of taints',
    writeNode(node('n1'), node('n1', {}, { taints: [{ key: 'a', effect: 'NoSchedule' }] })),
    /is not allowed to modify taints/,
  ],
  ['an empty list of taints for none', writeNode(node('n1', {}, { taints: [] }), node('n1'))],
  [
    'no change of owners',
    writeNode(node('n1', { ownerReferences: [OWNER] }), node('n1')),
    /is not allowed to modify ownerReferences/,
  ],
  [
    'an annotation',
    {
      ...writeNode(node('n1', { annotations: { 'csi.volume.kubernetes.io/nodeid': '{}' } }), node('n1')),
      subresource: 'status',
    },
  ],

  // Claims.
  ['the capacity of a claim', claimStatus(claim({ status: { phase: 'Bound', capacity: { storage: '2Gi' } } }))],
  [
    'conditions and what is allocated of a claim',
    claimStatus(
      claim({
        status: {
          phase: 'Bound',
          capacity: { storage: '1Gi' },
          conditions: [],
          allocatedResources: { storage: '2Gi' },
          allocatedResourceStatuses: { storage: 'NodeResizePending' },
        },
      }),
    ),
  ],
  [
    'a status sent without the resource version',
    claimStatus(claim({ metadata: { namespace: 'apps', name: 'c1', uid: 'u', labels: { a: 'b' } } })),
  ],
  [
    'not the phase of a claim',
    claimStatus(claim({ status: { phase: 'Lost', capacity: { storage: '1Gi' } } })),
    /is not allowed to update fields other than/,
  ],
  [
    'not the spec of a claim through its status',
    claimStatus(claim({ spec: { volumeName: 'v2', resources: { requests: { storage: '1Gi' } } } })),
    /is not allowed to update fields other than/,
  ],
  [
    'not the labels of a claim through its status',
    claimStatus(claim({ metadata: { namespace: 'apps', name: 'c1', uid: 'u', labels: { a: 'c' } } })),
    /is not allowed to update fields other than/,
  ],
  [
    'not the finalizers of a claim',
    claimStatus(
      claim({ metadata: { namespace: 'apps', name: 'c1', uid: 'u', labels: { a: 'b' }, finalizers: ['x/y'] } }),
    ),
    /is not allowed to update fields other than/,
  ],
  [
    'not a claim itself',
    { type: PERSISTENT_VOLUME_CLAIMS, operation: 'UPDATE', user: N1, object: claim(), old: claim() },
    /may only update PVC status/,
  ],
  [
    'no new claim',
    { type: PERSISTENT_VOLUME_CLAIMS, operation: 'CREATE', user: N1, object: claim() },
    /may only update PVC status/,
  ],

  // Objects with the node's name.
  ['its lease', named(LEASES, 'CREATE', 'n1', 'kube-node-lease')],
  ['not another lease', named(LEASES, 'CREATE', 'n2', 'kube-node-lease'), /same name as the requesting node/],
  [
    'not the deletion of another lease',
    named(LEASES, 'DELETE', 'n2', 'kube-node-lease'),
    /same name as the requesting node/,
  ],
  ['no lease elsewhere', named(LEASES, 'CREATE', 'n1', 'apps'), /in the "kube-node-lease" system namespace/],
  ['S3-36: its CSINode', named(CSI_NODES, 'CREATE', 'n1')],
  [
    'S3-36: not the creation of another CSINode',
    named(CSI_NODES, 'CREATE', 'n2'),
    /can only access CSINode with the same name/,
  ],
  [
    'S3-36: not the update of another CSINode',
    named(CSI_NODES, 'UPDATE', 'n2'),
    /can only access CSINode with the same name/,
  ],
  [
    'S3-36: not the deletion of another CSINode',
    named(CSI_NODES, 'DELETE', 'n2'),
    /can only access CSINode with the same name/,
  ],
  ['S3-36: its CSINodeInfo', named(CSI_NODE_INFOS, 'CREATE', 'n1')],
  [
    'S3-36: not another CSINodeInfo',
    named(CSI_NODE_INFOS, 'CREATE', 'n2'),
    /can only access CSINodeInfo with the same name/,
  ],
  ['whatever nobody restricts', named(CONFIG_MAPS, 'CREATE', 'any', 'apps')],

  // Tokens.
  ['a token of a projected volume', token({ audiences: ['projected'], boundObjectRef: bound('p1') })],
  [
    'S4-18: a token that the driver of an in-line volume asks for',
    token({ audiences: ['inline'], boundObjectRef: bound('p1') }),
  ],
  [
    'S4-18: a token that the driver of a claimed volume asks for',
    token({ audiences: ['volume'], boundObjectRef: bound('p1') }),
  ],
  [
    'a token for the server itself, where a volume asks for one',
    token({ audiences: [], boundObjectRef: bound('plain') }),
  ],
  [
    'no token for the server itself, where none does',
    token({ audiences: [], boundObjectRef: bound('p1') }),
    /audience "" not found in pod spec volume/,
  ],
  [
    'no token of an audience that no volume names',
    token({ audiences: ['undeclared'], boundObjectRef: bound('p1') }),
    /audience "undeclared" not found in pod spec volume, system:node:n1 is not authorized/,
  ],
  [
    'no token of two audiences',
    token({ audiences: ['projected', 'inline'], boundObjectRef: bound('p1') }),
    /may only request 0 or 1 audiences/,
  ],
  ['no token that is bound to nothing', token({ audiences: ['projected'] }), /not bound to a pod/],
  [
    'no token that is bound to a secret',
    token({ boundObjectRef: bound('p1', { kind: 'Secret' }) }),
    /not bound to a pod/,
  ],
  [
    'no token that is bound to the node itself',
    token({ boundObjectRef: bound('n1', { kind: 'Node' }) }),
    /not bound to a pod/,
  ],
  [
    'no token bound to a pod without its uid',
    token({ audiences: ['projected'], boundObjectRef: bound('p1', { uid: undefined }) }),
    /without a uid/,
  ],
  [
    'no token bound to a former pod',
    token({ audiences: ['projected'], boundObjectRef: bound('p1', { uid: 'old' }) }),
    /does not match the UID in record/,
  ],
  [
    'no token bound to a pod that is not there',
    token({ audiences: ['projected'], boundObjectRef: bound('p9') }),
    /pods "p9" not found/,
  ],
  [
    'no token bound to a pod elsewhere',
    token({ audiences: [], boundObjectRef: bound('p2') }),
    /scheduled on a different node/,
  ],
]

for (const [behaviour, request, refusal] of ROWS) {
  test(`a node may write: ${behaviour}`, async () => {
    const store = await openStoreUnderTest(...WORLD)
    const admit = (): void =>
      createNodeRestriction({ authorizer: NOBODY }).validate?.(admissionUnderTest(store, request))
    if (refusal) throws(admit, (error) => isApiError(error, 'Forbidden', 'NotFound') && refusal.test(error.message))
    else doesNotThrow(admit)
    // Only nodes are restricted.
    const user = { name: 'admin', groups: ['system:authenticated'] }
    doesNotThrow(() =>
      createNodeRestriction({ authorizer: NOBODY }).validate?.(admissionUnderTest(store, { ...request, user })),
    )
  })
}

const refused = async (
  request: AdmissionUnderTest,
  parts: Partial<Parameters<typeof createNodeRestriction>[0]> = {},
  world = WORLD,
): Promise<boolean> => {
  const store = await openStoreUnderTest(...world)
  try {
    createNodeRestriction({ authorizer: NOBODY, ...parts }).validate?.(admissionUnderTest(store, request))
    return false
  } catch (error) {
    if (!isApiError(error, 'Forbidden')) throw error
    return true
  }
}
const expectRefusal = async (expected: boolean, ...request: Parameters<typeof refused>): Promise<void> => {
  const was = await refused(...request)
  if (was !== expected) throw new Error(expected ? 'was let through' : 'was refused')
}

test('a node loses the audience of a driver once its CSIDriver is deleted', async () => {
  const request = token({ audiences: ['volume'], boundObjectRef: bound('p1') })
  await expectRefusal(
    true,
    request,
    {},
    WORLD.filter(({ metadata }) => metadata.name !== 'pv-driver'),
  )
})

test('a role can let a node have tokens of any audience', async () => {
  const authorizer: Authorizer = {
    authorize: (asked) =>
      asked.isResource &&
      asked.verb === 'request-serviceaccounts-token-audience' &&
      asked.resource === 'undeclared' &&
      asked.name === 'a1' &&
      asked.namespace === 'apps'
        ? { kind: 'allow', reason: '' }
        : { kind: 'no-opinion' },
  }
  await expectRefusal(false, token({ audiences: ['undeclared'], boundObjectRef: bound('p1') }), { authorizer })
  await expectRefusal(true, token({ audiences: ['undeclared'], boundObjectRef: bound('p1') }, 'a2'), { authorizer })
})

test('S3-148: an installer can allow label prefixes beforehand, but not those that set nodes apart', async () => {
  const parts = { allowedLabelPrefixes: ['csi.kubernetes.io', 'node-restriction.kubernetes.io'] }
  await expectRefusal(
    false,
    writeNode(node('n1', { labels: { 'disk.csi.kubernetes.io/zone': 'z' } }), node('n1')),
    parts,
  )
  await expectRefusal(true, writeNode(node('n1', { labels: { 'disk.kubernetes.io/zone': 'z' } }), node('n1')), parts)
  await expectRefusal(
    true,
    writeNode(node('n1', { labels: { 'node-restriction.kubernetes.io/zone': 'z' } }), node('n1')),
    parts,
  )
})

test('a node without a name may write nothing', async () => {
  await expectRefusal(true, { ...named(CONFIG_MAPS, 'CREATE', 'any', 'apps'), user: nodeUser('') })
})
