import { equal, match, ok } from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ApiError, isForbidden } from '../api/api-error.ts'
import type { Api, WatchOptions } from '../api/api.ts'
import { CONFIG_MAPS } from '../api/kinds/config-map.ts'
import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../api/kinds/csi-node.ts'
import type { CSINode } from '../api/kinds/csi-node.ts'
import { LEASES } from '../api/kinds/lease.ts'
import type { Lease } from '../api/kinds/lease.ts'
import { NODES } from '../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { PODS } from '../api/kinds/pod.ts'
import type { Pod } from '../api/kinds/pod.ts'
import { SECRETS } from '../api/kinds/secret.ts'
import { SERVICE_ACCOUNTS } from '../api/kinds/service-account.ts'
import { STORAGE_CLASSES } from '../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import type { KubeObject } from '../api/object.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { findResourceType } from '../api/kinds/all-resource-types.ts'
import { createSystemClock } from '../base/clock.ts'
import { createSystemHost } from '../base/host/index.ts'
import { createSystemRandom } from '../base/random.ts'
import { connectApi } from '../kube/client/connect-api.ts'
import { loadKubeconfig } from '../kube/client/credentials.ts'
import { nodeUser } from './authorization/node-identity.ts'
import { SYSTEM_USER } from './core/user.ts'
import { startTestServer } from './testing/start-test-server.ts'
import type { TestServer } from './testing/start-test-server.ts'

const DRIVER = 'hostpath.holdfast.dev'
const APPS = { namespace: 'apps' }
const STORAGE = { namespace: 'storage' }

const secret = (namespace: string, name: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name },
  data: { key: 'dg==' },
})
const account = (name: string) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...APPS, name } })
const claim = (name: string, volumeName: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { ...APPS, name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: '',
    volumeName,
    resources: { requests: { storage: '1Gi' } },
  },
})
const volume = (name: string, claimName: string, secrets: object) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    storageClassName: '',
    claimRef: { ...APPS, name: claimName },
    csi: { driver: DRIVER, volumeHandle: name, ...secrets },
  },
})
const pod = (name: string, nodeName: string, serviceAccountName: string, volumes: object[]) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...APPS, name },
  spec: {
    nodeName,
    serviceAccountName,
    automountServiceAccountToken: false,
    containers: [{ name: 'c', image: 'i' }],
    volumes,
  },
})
const mounted = (claimName: string) => ({ name: 'data', persistentVolumeClaim: { claimName } })
const attachment = (name: string, nodeName: string, persistentVolumeName: string) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name },
  spec: { attacher: DRIVER, nodeName, source: { persistentVolumeName } },
})
const csiNode = (name: string): CSINode => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: { name },
  spec: { drivers: [{ name: DRIVER, nodeID: name, topologyKeys: ['example.com/rack'] }] },
})
const lease = (name: string, namespace = 'kube-node-lease'): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace, name },
  spec: { holderIdentity: name, leaseDurationSeconds: 40 },
})
const node = (name: string) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } })

/** Two nodes, with a pod each. */
const WORLD: readonly object[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps' } },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'storage' } },
  ...['n1', 'n2'].flatMap((name) => [node(name), csiNode(name), lease(name)]),
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: DRIVER },
    spec: { tokenRequests: [{ audience: 'vault' }] },
  },
  account('a1'),
  account('a2'),
  ...['stage', 'publish', 'controller', 'stage2', 'publish2'].map((name) => secret('storage', name)),
  ...['stage', 'inline', 'mounted', 'other'].map((name) => secret('apps', name)),
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...APPS, name: 'settings' } },
  volume('v1', 'c1', {
    nodeStageSecretRef: { name: 'stage', ...STORAGE },
    nodePublishSecretRef: { name: 'publish', ...STORAGE },
    controllerPublishSecretRef: { name: 'controller', ...STORAGE },
  }),
  volume('v2', 'c2', {
    nodeStageSecretRef: { name: 'stage2', ...STORAGE },
    nodePublishSecretRef: { name: 'publish2', ...STORAGE },
  }),
  claim('c1', 'v1'),
  claim('c2', 'v2'),
  pod('p1', 'n1', 'a1', [
    mounted('c1'),
    { name: 'inline', csi: { driver: DRIVER, nodePublishSecretRef: { name: 'inline' } } },
    { name: 'secret', secret: { secretName: 'mounted' } },
    { name: 'map', configMap: { name: 'settings' } },
  ]),
  pod('p2', 'n2', 'a2', [mounted('c2'), { name: 'secret', secret: { secretName: 'other' } }]),
  attachment('va1', 'n1', 'v1'),
  attachment('va2', 'n2', 'v2'),
]

/** Whom the uids in requests belong to. */
type Uids = { p1: string; p2: string }
/** `yes`, or a part of the refusal. */
type Row = readonly [what: string, expected: 'yes' | RegExp, ask: (api: Api, uids: Uids) => Promise<unknown>]

const DRY = { dryRun: true } as const
const NOT_RELATED = /no relationship found between node 'n1' and this object/

const merge = (value: object) => ({ type: 'merge', value }) as const

/** The first event of a watch that begins with what there is. */
async function firstEvent<T extends KubeObject>(
  api: Api,
  type: ResourceType<T>,
  options: WatchOptions,
): Promise<unknown> {
  for await (const event of api.watch(type, options)) return event
  throw new Error('the watch ended without an event')
}

const tokenRequest = (name: string, uid: string, ...audiences: string[]) => ({
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
  spec: { audiences, expirationSeconds: 600, boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid } },
})
const mirror = (name: string, nodeName: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...APPS, name, annotations: { 'kubernetes.io/config.mirror': 'x' } },
  spec: { nodeName, containers: [{ name: 'c', image: 'i' }] },
})

const ROWS: readonly Row[] = [
  ['S3-186, S3-181: the stage secret of its volume', 'yes', (api) => api.get(SECRETS, { ...STORAGE, name: 'stage' })],
  [
    'S3-186, S3-183: the publish secret of its volume',
    'yes',
    (api) => api.get(SECRETS, { ...STORAGE, name: 'publish' }),
  ],
  [
    'S3-186, S3-180: not the controller-publish secret of its volume',
    NOT_RELATED,
    (api) => api.get(SECRETS, { ...STORAGE, name: 'controller' }),
  ],
  [
    'S3-186: not the stage secret of another node’s volume',
    NOT_RELATED,
    (api) => api.get(SECRETS, { ...STORAGE, name: 'stage2' }),
  ],
  [
    'S3-186: not the publish secret of another node’s volume',
    NOT_RELATED,
    (api) => api.get(SECRETS, { ...STORAGE, name: 'publish2' }),
  ],
  [
    'S3-186: not a secret of the same name elsewhere',
    NOT_RELATED,
    (api) => api.get(SECRETS, { ...APPS, name: 'stage' }),
  ],
  [
    'S2-27: the publish secret of an in-line volume of its pod',
    'yes',
    (api) => api.get(SECRETS, { ...APPS, name: 'inline' }),
  ],
  ['a secret that its pod mounts', 'yes', (api) => api.get(SECRETS, { ...APPS, name: 'mounted' })],
  [
    'not a secret that only another node’s pod mounts',
    NOT_RELATED,
    (api) => api.get(SECRETS, { ...APPS, name: 'other' }),
  ],
  [
    'S3-185: a list of one secret by its name',
    'yes',
    (api) => api.list(SECRETS, { ...STORAGE, fieldSelector: 'metadata.name=stage' }),
  ],
  [
    'S3-185: a watch of one secret by its name',
    'yes',
    (api) => firstEvent(api, SECRETS, { ...STORAGE, fieldSelector: 'metadata.name=stage' }),
  ],
  [
    'S3-185: no watch of one secret that is none of its own',
    NOT_RELATED,
    (api) => firstEvent(api, SECRETS, { ...STORAGE, fieldSelector: 'metadata.name=stage2' }),
  ],
  ['S3-185: no list of a namespace’s secrets', /cannot list resource "secrets"/, (api) => api.list(SECRETS, STORAGE)],
  ['S3-185: no watch of all secrets', /cannot watch resource "secrets"/, (api) => firstEvent(api, SECRETS, {})],
  [
    'S3-185: no write of a secret that it may read',
    /cannot patch resource "secrets"/,
    (api) => api.patch(SECRETS, { ...STORAGE, name: 'stage' }, merge({}), DRY),
  ],
  [
    'a config map that its pod mounts',
    'yes',
    (api) => firstEvent(api, CONFIG_MAPS, { ...APPS, fieldSelector: 'metadata.name=settings' }),
  ],
  ['its pod’s claim', 'yes', (api) => api.get(PERSISTENT_VOLUME_CLAIMS, { ...APPS, name: 'c1' })],
  ['not another node’s pod’s claim', NOT_RELATED, (api) => api.get(PERSISTENT_VOLUME_CLAIMS, { ...APPS, name: 'c2' })],
  [
    'the status of its pod’s claim',
    'yes',
    (api) =>
      api.patch(
        PERSISTENT_VOLUME_CLAIMS,
        { ...APPS, name: 'c1' },
        merge({ status: { capacity: { storage: '2Gi' } } }),
        {
          ...DRY,
          subresource: 'status',
        },
      ),
  ],
  [
    'no label of a claim along with its status',
    /not allowed to update fields other than/,
    (api) =>
      api.patch(PERSISTENT_VOLUME_CLAIMS, { ...APPS, name: 'c1' }, merge({ metadata: { labels: { a: 'b' } } }), {
        ...DRY,
        subresource: 'status',
      }),
  ],
  [
    'no claim itself',
    /cannot patch resource "persistentvolumeclaims"/,
    (api) => api.patch(PERSISTENT_VOLUME_CLAIMS, { ...APPS, name: 'c1' }, merge({}), DRY),
  ],
  ['its pod’s volume', 'yes', (api) => api.get(PERSISTENT_VOLUMES, { name: 'v1' })],
  ['not another node’s pod’s volume', NOT_RELATED, (api) => api.get(PERSISTENT_VOLUMES, { name: 'v2' })],
  ['no list of volumes', /cannot list resource "persistentvolumes"/, (api) => api.list(PERSISTENT_VOLUMES)],
  ['an attachment to it', 'yes', (api) => api.get(VOLUME_ATTACHMENTS, { name: 'va1' })],
  ['no attachment to another node', NOT_RELATED, (api) => api.get(VOLUME_ATTACHMENTS, { name: 'va2' })],
  ['all drivers', 'yes', (api) => firstEvent(api, CSI_DRIVERS, {})],
  ['no classes', /cannot list resource "storageclasses"/, (api) => api.list(STORAGE_CLASSES)],
  ['S3-36: its own CSINode', 'yes', (api) => api.get(CSI_NODES, { name: 'n1' })],
  [
    'S3-36, S3-14: a change of its own CSINode',
    'yes',
    (api) => api.patch(CSI_NODES, { name: 'n1' }, merge({ spec: { drivers: [] } }), DRY),
  ],
  [
    'S3-36: not another node’s CSINode',
    /can only access CSINode with the same name as the requesting node/,
    (api) => api.patch(CSI_NODES, { name: 'n2' }, merge({ spec: { drivers: [] } }), DRY),
  ],
  [
    'S3-36: no creation of another node’s CSINode',
    /can only access CSINode with the same name as the requesting node/,
    (api) => api.create(CSI_NODES, csiNode('n3'), DRY),
  ],
  ['its own Node', 'yes', (api) => firstEvent(api, NODES, { fieldSelector: 'metadata.name=n1' })],
  ['no other Node', /cannot get resource "nodes"/, (api) => api.get(NODES, { name: 'n2' })],
  [
    'S3-148, S3-24: a topology label of a driver on its Node',
    'yes',
    (api) => api.patch(NODES, { name: 'n1' }, merge({ metadata: { labels: { 'example.com/rack': 'r1' } } }), DRY),
  ],
  [
    'S3-148: no label that others decide by',
    /is not allowed to modify labels: node-restriction.kubernetes.io\/tier/,
    (api) =>
      api.patch(
        NODES,
        { name: 'n1' },
        merge({ metadata: { labels: { 'node-restriction.kubernetes.io/tier': 'x' } } }),
        DRY,
      ),
  ],
  [
    'no taint of its Node',
    /is not allowed to modify taints/,
    (api) => api.patch(NODES, { name: 'n1' }, merge({ spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }), DRY),
  ],
  [
    'no change of another Node',
    /node "n1" is not allowed to modify node "n2"|cannot patch resource "nodes"/,
    (api) => api.patch(NODES, { name: 'n2' }, merge({ metadata: { labels: { a: 'b' } } }), DRY),
  ],
  [
    'its own lease',
    'yes',
    (api) =>
      api.patch(
        LEASES,
        { namespace: 'kube-node-lease', name: 'n1' },
        merge({ spec: { leaseDurationSeconds: 41 } }),
        DRY,
      ),
  ],
  [
    'no other lease',
    /can only access node lease with the same name as the requesting node/,
    (api) =>
      api.patch(
        LEASES,
        { namespace: 'kube-node-lease', name: 'n2' },
        merge({ spec: { leaseDurationSeconds: 41 } }),
        DRY,
      ),
  ],
  [
    'no lease of its name elsewhere',
    /can only access leases in the "kube-node-lease" system namespace/,
    (api) => api.create(LEASES, lease('n1', 'apps'), DRY),
  ],
  ['its pods', 'yes', (api) => firstEvent(api, PODS, { fieldSelector: 'spec.nodeName=n1' })],
  ['not all pods', /can only list\/watch pods with spec.nodeName field selector/, (api) => api.list(PODS)],
  [
    'not another node’s pods',
    /can only list\/watch pods with spec.nodeName field selector/,
    (api) => api.list(PODS, { fieldSelector: 'spec.nodeName=n2' }),
  ],
  ['no pod of another node', NOT_RELATED, (api) => api.get(PODS, { ...APPS, name: 'p2' })],
  [
    'the status of its pod',
    'yes',
    (api) =>
      api.patch(PODS, { ...APPS, name: 'p1' }, merge({ status: { phase: 'Running' } }), {
        ...DRY,
        subresource: 'status',
      }),
  ],
  [
    'no status of another node’s pod',
    /can only update pod status for pods with spec.nodeName set to itself/,
    (api) =>
      api.patch(PODS, { ...APPS, name: 'p2' }, merge({ status: { phase: 'Running' } }), {
        ...DRY,
        subresource: 'status',
      }),
  ],
  ['the deletion of its pod', 'yes', (api) => api.delete(PODS, { ...APPS, name: 'p1' }, DRY)],
  [
    'no deletion of another node’s pod',
    /can only delete pods with spec.nodeName set to itself/,
    (api) => api.delete(PODS, { ...APPS, name: 'p2' }, DRY),
  ],
  [
    'no creation of a pod that others would run',
    /can only create pods with spec.nodeName set to itself/,
    (api) => api.create(PODS, mirror('m', 'n2'), DRY),
  ],
  [
    'S4-26, S4-17: a token of its pod’s account for an audience of the driver',
    'yes',
    (api, { p1 }) =>
      api.createSubresource(SERVICE_ACCOUNTS, { ...APPS, name: 'a1' }, 'token', tokenRequest('p1', p1, 'vault')),
  ],
  [
    'S4-17: no token that is bound to another node’s pod',
    /bound to a pod scheduled on a different node/,
    (api, { p2 }) =>
      api.createSubresource(SERVICE_ACCOUNTS, { ...APPS, name: 'a1' }, 'token', tokenRequest('p2', p2, 'vault')),
  ],
  [
    'S4-17: no token without a pod',
    /node requested token not bound to a pod/,
    (api) =>
      api.createSubresource(SERVICE_ACCOUNTS, { ...APPS, name: 'a1' }, 'token', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { audiences: ['vault'] },
      }),
  ],
  [
    'S4-17: no token for a pod that was replaced',
    /does not match the UID in record/,
    (api, { p2 }) =>
      api.createSubresource(SERVICE_ACCOUNTS, { ...APPS, name: 'a1' }, 'token', tokenRequest('p1', p2, 'vault')),
  ],
  [
    'S4-11: no token for an audience that nothing in the pod asks for',
    /audience "elsewhere" not found in pod spec volume/,
    (api, { p1 }) =>
      api.createSubresource(SERVICE_ACCOUNTS, { ...APPS, name: 'a1' }, 'token', tokenRequest('p1', p1, 'elsewhere')),
  ],
  [
    'no token of another account',
    NOT_RELATED,
    (api, { p2 }) =>
      api.createSubresource(SERVICE_ACCOUNTS, { ...APPS, name: 'a2' }, 'token', tokenRequest('p2', p2, 'vault')),
  ],
]

describe('what a node may do', () => {
  let server: TestServer
  let uids: Uids
  const apis = new Map<string, Api>()
  const close: (() => void)[] = []

  before(async () => {
    server = await startTestServer()
    const { core } = server.server
    const system = core.as(SYSTEM_USER)
    for (const object of WORLD as KubeObject[]) {
      const type = findResourceType(object)
      ok(type, object.kind)
      await system.create(type, object)
      // A namespace has to be filled before pods find their accounts in it.
      if (object.kind === 'Namespace') await server.server.idle()
    }
    const uidOf = async (name: string): Promise<string> =>
      (await system.get(PODS, { ...APPS, name })).metadata.uid ?? ''
    uids = { p1: await uidOf('p1'), p2: await uidOf('p2') }

    const path = join(server.directory, 'n1')
    const { name, groups } = nodeUser('n1')
    await writeFile(
      path,
      await server.kubeconfigFor(
        name,
        groups.filter((group) => group !== 'system:authenticated'),
      ),
    )
    const clock = createSystemClock()
    const credentials = await loadKubeconfig({ path, parts: { host: createSystemHost(), clock, env: {} } })
    const connection = connectApi({ credentials, clock, random: createSystemRandom(), userAgent: 'node-agent' })
    close.push(() => connection.close())
    apis.set('over HTTPS, by its certificate', connection.api)
    apis.set('joined', core.as(nodeUser('n1')))
  })
  after(async () => {
    for (const one of close) one()
    await server[Symbol.asyncDispose]()
  })

  for (const way of ['over HTTPS, by its certificate', 'joined']) {
    describe(way, () => {
      for (const [what, expected, ask] of ROWS) {
        test(what, async () => {
          const api = apis.get(way)
          ok(api)
          const refusal = await ask(api, uids).then(
            () => undefined,
            (error: unknown) => error,
          )
          if (expected === 'yes') return equal(refusal, undefined)
          ok(refusal instanceof ApiError && isForbidden(refusal), `it is refused: ${String(refusal)}`)
          match(refusal.message, expected)
        })
      }
    })
  }

  test('S3-186: everything that a pod opened is closed once the pod is gone', async () => {
    const system = server.server.core.as(SYSTEM_USER)
    await system.delete(PODS, { ...APPS, name: 'p1' }, { gracePeriodSeconds: 0 })
    for (const [way, api] of apis) {
      for (const name of ['stage', 'publish']) {
        const refusal: unknown = await api.get(SECRETS, { ...STORAGE, name }).catch((error: unknown) => error)
        ok(isForbidden(refusal), `${way}: ${name}`)
      }
    }
  })
})
