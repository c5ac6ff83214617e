import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { ApiError } from '../../api/api-error.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import { NAMESPACES } from '../../api/kinds/namespace.ts'
import { SERVICE_ACCOUNTS } from '../../api/kinds/service-account.ts'
import { makeDirectories } from '../../base/host/index.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { AccessMode } from '../../csi/index.ts'
import { POD_HANDLES_ANNOTATION } from '../../compat/mirror-csi-driver.ts'
import { claimOf, createBoundPair, volumeOf } from '../../testing/objects.ts'
import { bindVolume, createPod, deletePod, openVolumes, ROOT } from './testing/describe-volumes.ts'
import type { VolumesUnderTest } from './testing/describe-volumes.ts'
import { DRIVER } from './testing/ledger-driver.ts'

const claim = (claimName: string, more: { readOnly?: boolean } = {}) => [
  { name: 'data', persistentVolumeClaim: { claimName, ...more } },
]
const makeSecret = (node: VolumesUnderTest, name: string, values: Record<string, string>) =>
  node.api.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'default', name },
    stringData: values,
  })

test('S2-1, S2-6, S2-8, H38, H39: a volume in the pod is published under a name of its own, neither attached nor staged, and gone with the pod', async (context) => {
  const node = await openVolumes(context, { csiDriver: { volumeLifecycleModes: ['Ephemeral'], podInfoOnMount: true } })
  const pod = await createPod(node.api, 'a', {
    volumes: [{ name: 'scratch', csi: { driver: DRIVER, fsType: 'xfs', volumeAttributes: { size: '1Mi' } } }],
  })
  await node.settled()
  const [request] = node.ledger.publishRequests
  match(request?.volumeId ?? '', /^csi-[0-9a-f]{64}$/)
  equal(request?.stagingTargetPath, '')
  equal(request.targetPath, `${ROOT}/pods/${pod.metadata.uid}/volumes/kubernetes.io~csi/scratch/mount`)
  equal(request.volumeContext['size'], '1Mi')
  equal(request.volumeContext['csi.storage.k8s.io/ephemeral'], 'true')
  deepEqual(request.volumeCapability?.accessType, {
    $case: 'mount',
    value: { fsType: 'xfs', mountFlags: [], volumeMountGroup: '' },
  })
  deepEqual(await node.inUse(), [])
  equal((await node.pod('a'))?.status?.phase, 'Running')
  await deletePod(node.api, 'a')
  await node.settled()
  deepEqual(
    node.ledger.calls.map((call) => call.split(' ')[0]),
    ['publish', 'unpublish'],
  )
  equal(await node.pod('a'), undefined)
})

test('H40: a driver whose object does not list Ephemeral serves no volume in a pod, until it does', async (context) => {
  const node = await openVolumes(context, { csiDriver: {} })
  await createPod(node.api, 'a', { volumes: [{ name: 'scratch', csi: { driver: DRIVER } }] })
  await node.settled()
  deepEqual(node.ledger.calls, [])
  match(
    String(await node.events()),
    /FailedMount: MountVolume.SetUp failed for volume "scratch" : volume mode "Ephemeral" not supported by driver ledger\.example\.com/,
  )
  await node.api.delete(CSI_DRIVERS, { name: DRIVER })
  await node.api.create(CSI_DRIVERS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: DRIVER },
    spec: { volumeLifecycleModes: ['Ephemeral'], podInfoOnMount: true },
  })
  await node.settled()
  equal((await node.pod('a'))?.status?.phase, 'Running')
})

const inLineWithHandle = (handle: string) => [
  {
    name: 'old',
    csi: {
      driver: DRIVER,
      readOnly: true,
      volumeAttributes: {
        tier: 'gold',
        'csi.kubernetes.io/inline.volumeHandle': handle,
        'csi.kubernetes.io/inline.nodeStageSecretName': 'pass',
      },
      nodePublishSecretRef: { name: 'pass' },
    },
  },
]

test('S2-4, S2-7, S2-12, S2-14, S2-24, S2-25, S2-26, S2-27, H44: a volume in the pod that has a handle is staged and published like any other, with secrets of the namespace of the pod', async (context) => {
  const node = await openVolumes(context, { csiDriver: undefined })
  await node.api.create(CSI_DRIVERS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: DRIVER, annotations: { [POD_HANDLES_ANNOTATION]: 'true' } },
    spec: { attachRequired: false, volumeLifecycleModes: ['Ephemeral', 'Persistent'] },
  })
  await makeSecret(node, 'pass', { user: 'me', key: 'open sesame' })
  await createPod(node.api, 'a', {
    volumes: inLineWithHandle('vol-7').map((volume) => ({
      ...volume,
      csi: { ...volume.csi, nodeStageSecretRef: { name: 'pass' } },
    })),
  })
  await node.settled()
  deepEqual(node.ledger.calls, ['stage vol-7', 'publish vol-7'])
  const [stage, publish] = [node.ledger.stageRequests[0], node.ledger.publishRequests[0]]
  deepEqual(stage?.secrets, { user: 'me', key: 'open sesame' })
  deepEqual(publish?.secrets, { user: 'me', key: 'open sesame' })
  deepEqual(publish?.volumeContext, { tier: 'gold' })
  equal(publish.readonly, true)
  equal(
    publish.volumeCapability?.accessType?.$case === 'mount' && publish.volumeCapability.accessType.value.fsType,
    'ext4',
  )
  await deletePod(node.api, 'a')
  await node.settled()
  deepEqual(node.ledger.calls.slice(2), ['unpublish vol-7', 'unstage vol-7'])
})

test('H40: a handle in a pod is refused where that is not switched on', async (context) => {
  const node = await openVolumes(context)
  await createPod(node.api, 'a', { volumes: inLineWithHandle('vol-7') })
  await node.settled()
  deepEqual(node.ledger.calls, [])
  match(String(await node.events()), /names a volume handle, which driver \S+ does not allow in pods/)
})

test('H43: by a handle alone no pod comes to what a pod of another namespace has here', async (context) => {
  const node = await openVolumes(context, { csiDriver: undefined })
  const { api } = node
  await api.create(CSI_DRIVERS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: DRIVER, annotations: { [POD_HANDLES_ANNOTATION]: 'true' } },
    spec: { attachRequired: false, volumeLifecycleModes: ['Ephemeral', 'Persistent'] },
  })
  await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } })
  await api
    .create(SERVICE_ACCOUNTS, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { namespace: 'other', name: 'default' },
    })
    .catch(() => {})
  await bindVolume(api, 'a', { spec: { accessModes: ['ReadWriteMany'] } })
  await createPod(api, 'a')
  await node.settled()
  await createPod(api, 'thief', {
    namespace: 'other',
    volumes: [
      { name: 'loot', csi: { driver: DRIVER, volumeAttributes: { 'csi.kubernetes.io/inline.volumeHandle': 'h-a' } } },
    ],
  })
  await node.settled()
  deepEqual(node.ledger.calls, ['stage h-a', 'publish h-a'])
  match(String(await node.events()), /a pod of another namespace has this volume on the node/)
})

test('a pod does not run with a volume of a kind that nobody here mounts, and an event says which one and what to do', async (context) => {
  const node = await openVolumes(context)
  await bindVolume(node.api, 'a')
  // Kinds that the types leave out, as a server keeps them.
  const foreign = [
    { name: 'share', nfs: { server: 'files.example.com', path: '/' } },
    { name: 'flex', flexVolume: { driver: 'example.com/flex' } },
    { name: 'lun', iscsi: { targetPortal: '10.0.0.1:3260', iqn: 'iqn.2001-04.com.example:a', lun: 0 } },
  ]
  for (const volume of foreign)
    await createPod(node.api, volume.name, {
      volumes: [volume, { name: 'data', persistentVolumeClaim: { claimName: 'a' } }],
    })
  await node.settled()
  for (const { name } of foreign) equal((await node.pod(name))?.status?.phase, 'Pending')
  const events = String(await node.events())
  match(events, /FailedMount: .*volume "share": no volume plugin matched: volume share is of kind nfs\. Use a claim/)
  match(events, /no volume plugin matched: volume flex is of kind flexVolume/)
  match(events, /no volume plugin matched: volume lun is of kind iscsi/)
  // It is said once, however long the pod waits, and waiting costs the server nothing.
  const [told, reads] = [(await node.events()).length, node.reads.length]
  await node.advance(600_000)
  deepEqual([(await node.events()).length, node.reads.length], [told, reads])
  equal((await node.pod('share'))?.status?.phase, 'Pending')
  for (const { name } of foreign) await deletePod(node.api, name)
  await node.settled()
  for (const { name } of foreign) equal(await node.pod(name), undefined)
  deepEqual(
    node.tree().filter((path) => path.startsWith(`${ROOT}/pods/`)),
    [],
  )
})

test('volumes that a kubelet makes for containers alone hold up no pod, since no container runs', async (context) => {
  const node = await openVolumes(context)
  const volumes = [
    { name: 'none' },
    { name: 'empty', emptyDir: {} },
    { name: 'config', configMap: { name: 'c' } },
    { name: 'secret', secret: { secretName: 's' } },
    { name: 'several', projected: { sources: [{ configMap: { name: 'c' } }] } },
    { name: 'self', downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
    { name: 'host', hostPath: { path: '/var/log' } },
  ]
  await createPod(node.api, 'a', { volumes })
  await node.settled()
  equal((await node.pod('a'))?.status?.phase, 'Running')
})

test('a pod does not run with a claim whose volume is of no CSI driver, not even one on the machine itself', async (context) => {
  const node = await openVolumes(context)
  for (const [name, source] of [
    ['nfs', { nfs: { server: 'files.example.com', path: '/' } }],
    ['here', { hostPath: { path: '/srv' } }],
  ] as const) {
    const { csi: _none, ...spec } = volumeOf().spec
    const volume = { ...volumeOf({ name }), spec: { ...spec, ...source } }
    await createBoundPair(node.api, { claim: claimOf({ name }), volume })
    await createPod(node.api, name)
  }
  await node.settled()
  for (const name of ['nfs', 'here']) equal((await node.pod(name))?.status?.phase, 'Pending')
  const events = String(await node.events())
  match(events, /no volume plugin matched: PersistentVolume nfs is of kind nfs/)
  match(events, /no volume plugin matched: PersistentVolume here is of kind hostPath/)
})

const MIGRATED = [
  ['awsElasticBlockStore', { volumeID: 'vol-1' }, 'ebs.csi.aws.com'],
  ['azureDisk', { diskName: 'd', diskURI: 'https://example.com/d' }, 'disk.csi.azure.com'],
  ['azureFile', { secretName: 's', shareName: 'f' }, 'file.csi.azure.com'],
  ['cinder', { volumeID: 'vol-1' }, 'cinder.csi.openstack.org'],
  ['gcePersistentDisk', { pdName: 'd' }, 'pd.csi.storage.gke.io'],
  ['portworxVolume', { volumeID: 'vol-1' }, 'pxd.portworx.com'],
  ['vsphereVolume', { volumePath: '[d] a' }, 'csi.vsphere.vmware.com'],
  ['rbd', { monitors: ['m'], image: 'i' }, 'rbd.csi.ceph.com'],
  ['cephfs', { monitors: ['m'] }, 'cephfs.csi.ceph.com'],
] as const

for (const [kind, source, driver] of MIGRATED)
  test(`a pod with a volume of kind ${kind}, in the pod or through a claim, is refused with the CSI driver that serves it today`, async (context) => {
    const node = await openVolumes(context)
    const { csi: _none, ...spec } = volumeOf().spec
    const volume = { ...volumeOf({ name: 'old' }), spec: { ...spec, [kind]: source } }
    await createBoundPair(node.api, { claim: claimOf({ name: 'old' }), volume })
    await createPod(node.api, 'old')
    await createPod(node.api, 'direct', { volumes: [{ name: 'data', [kind]: source }] })
    await node.settled()
    for (const name of ['old', 'direct']) equal((await node.pod(name))?.status?.phase, 'Pending')
    const events = (await node.events()).filter((event) => event.startsWith('FailedMount'))
    equal(events.length, 2)
    const cure = `Use a claim whose volume belongs to the CSI driver ${driver}, which serves this kind today`
    for (const event of events) ok(event.includes(cure), event)
    ok(events.some((event) => event.includes(`no volume plugin matched: PersistentVolume old is of kind ${kind}`)))
  })

test('read-only is what the pod says of its claim', async (context) => {
  const node = await openVolumes(context)
  await bindVolume(node.api, 'a', { source: { readOnly: true } })
  await bindVolume(node.api, 'b')
  await createPod(node.api, 'a')
  await createPod(node.api, 'b', { volumes: claim('b', { readOnly: true }) })
  await node.settled()
  deepEqual(
    new Map(node.ledger.publishRequests.map(({ volumeId, readonly }) => [volumeId, readonly])),
    new Map([
      ['h-a', false],
      ['h-b', true],
    ]),
  )
})

test('S3-103, S3-104, S3-181, S3-183, S3-185, H47: attributes, mount options, file system and secrets of the volume reach the calls they are for; undoing asks for no secret', async (context) => {
  const node = await openVolumes(context)
  await makeSecret(node, 'for-stage', { s: '1' })
  await makeSecret(node, 'for-publish', { p: '2' })
  const source = {
    fsType: 'ext4',
    volumeAttributes: { tier: 'gold' },
    nodeStageSecretRef: { namespace: 'default', name: 'for-stage' },
    nodePublishSecretRef: { namespace: 'default', name: 'for-publish' },
  }
  await bindVolume(node.api, 'a', { source, spec: { mountOptions: ['noatime'] } })
  await createPod(node.api, 'a')
  await node.settled()
  const capability = {
    accessType: { $case: 'mount', value: { fsType: 'ext4', mountFlags: ['noatime'], volumeMountGroup: '' } },
    accessMode: { mode: AccessMode.SINGLE_NODE_WRITER },
  }
  const [stage, publish] = [node.ledger.stageRequests[0], node.ledger.publishRequests[0]]
  deepEqual(stage?.volumeCapability, capability)
  deepEqual(publish?.volumeCapability, capability)
  deepEqual([stage?.volumeContext, publish?.volumeContext], [{ tier: 'gold' }, { tier: 'gold' }])
  deepEqual([stage?.secrets, publish?.secrets], [{ s: '1' }, { p: '2' }])
  const isSecret = (read: string): boolean => read.startsWith('get secrets')
  equal(node.reads.filter(isSecret).length, 2)
  await deletePod(node.api, 'a')
  await node.settled()
  deepEqual(node.ledger.calls.slice(2), ['unpublish h-a', 'unstage h-a'])
  equal(node.reads.filter(isSecret).length, 2)
})

test('H4, S3-186: a secret that is missing holds the mount up, and is said to be missing; nothing of one is written down', async (context) => {
  const node = await openVolumes(context)
  await bindVolume(node.api, 'a', { source: { nodePublishSecretRef: { namespace: 'default', name: 'pass' } } })
  await createPod(node.api, 'a')
  await node.settled()
  deepEqual(node.ledger.calls, ['stage h-a'])
  match(String(await node.events()), /secret default\/pass not found/)
  await makeSecret(node, 'pass', { key: 'open sesame' })
  await node.advance(500)
  equal((await node.pod('a'))?.status?.phase, 'Running')
  node.ledger.before = () => {
    throw new CsiError('INTERNAL', 'can not open with open sesame')
  }
  await deletePod(node.api, 'a')
  await node.settled()
  for (const { path, kind } of node.machine.snapshotTree()) {
    if (kind === 'file' && path.startsWith(ROOT))
      equal(new TextDecoder().decode(await node.machine.files.readFile(path)).includes('sesame'), false)
  }
})

test('H52: a secret that is no text is refused by the name of its key', async (context) => {
  const node = await openVolumes(context)
  await node.api.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'default', name: 'pass' },
    data: { key: Buffer.from([0xff, 0xfe]).toString('base64') },
  })
  await bindVolume(node.api, 'a', { source: { nodeStageSecretRef: { namespace: 'default', name: 'pass' } } })
  await createPod(node.api, 'a')
  await node.settled()
  deepEqual(node.ledger.calls, [])
  match(String(await node.events()), /secret default\/pass is not valid UTF-8 under the key "key"/)
})

test('H59: a block volume is published as a device, linked in the directory of the pod, and given back', async (context) => {
  const node = await openVolumes(context, {
    csiDriver: { attachRequired: false, podInfoOnMount: true, tokenRequests: [{ audience: 'vault' }] },
  })
  const { api, ledger, machine } = node
  await bindVolume(api, 'a', { spec: { volumeMode: 'Block' } })
  const pod = await createPod(api, 'a', { asDevice: true })
  await node.settled()
  const [request] = ledger.publishRequests
  equal(request?.volumeCapability?.accessType?.$case, 'block')
  equal(request.targetPath, `${ROOT}/plugins/kubernetes.io/csi/volumeDevices/publish/a/${pod.metadata.uid}`)
  equal(request.stagingTargetPath, `${ROOT}/plugins/kubernetes.io/csi/volumeDevices/staging/a`)
  equal(request.volumeContext['csi.storage.k8s.io/pod.name'], 'a')
  equal('csi.storage.k8s.io/serviceAccount.tokens' in request.volumeContext, false)
  equal(
    await machine.files.readSymlink(`${ROOT}/pods/${pod.metadata.uid}/volumeDevices/kubernetes.io~csi/a`),
    request.targetPath,
  )
  equal((await node.pod('a'))?.status?.phase, 'Running')
  await deletePod(api, 'a')
  await node.settled()
  deepEqual(ledger.calls, ['stage h-a', 'publish h-a', 'unpublish h-a', 'unstage h-a'])
  deepEqual(
    node.tree().filter((path) => /volumeDevices\/(a|publish\/a|staging\/a)|pods\//.test(path)),
    [],
  )
})

test('a volume is used as its mode says', async (context) => {
  const node = await openVolumes(context)
  await bindVolume(node.api, 'a', { spec: { volumeMode: 'Block' } })
  await createPod(node.api, 'a')
  await node.settled()
  deepEqual(node.ledger.calls, [])
  match(String(await node.events()), /volume data has volumeMode Block, but is specified in volumeMounts/)
})

test('a volume for one pod alone waits until the other pod has let it go', async (context) => {
  const node = await openVolumes(context, { features: { singleNodeMultiWriter: true } })
  await bindVolume(node.api, 'a', { spec: { accessModes: ['ReadWriteOncePod'] } })
  await createPod(node.api, 'one', { volumes: claim('a') })
  await node.settled()
  await createPod(node.api, 'two', { volumes: claim('a') })
  await node.settled()
  equal(node.ledger.publishRequests.length, 1)
  equal(node.ledger.publishRequests[0]?.volumeCapability?.accessMode?.mode, AccessMode.SINGLE_NODE_SINGLE_WRITER)
  match(
    String(await node.events()),
    /volume uses the ReadWriteOncePod access mode and is already in use by another pod/,
  )
  await deletePod(node.api, 'one')
  await node.settled()
  equal((await node.pod('two'))?.status?.phase, 'Running')
})

test('a volume that this node can not reach is not staged here', async (context) => {
  const node = await openVolumes(context)
  const nodeAffinity = {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In' as const, values: ['b'] }] }] },
  }
  await bindVolume(node.api, 'a', { spec: { nodeAffinity } })
  await createPod(node.api, 'a')
  await node.settled()
  deepEqual(node.ledger.calls, [])
  match(String(await node.events()), /no matching NodeSelectorTerms: node node-1 cannot access volume a/)
})

test('files get the group of the pod where the driver leaves that to us', async (context) => {
  const node = await openVolumes(context)
  const { api, machine } = node
  await makeDirectories(machine.files, '/content/h-a/sub')
  await machine.files.writeFile('/content/h-a/sub/file', new Uint8Array(), { mode: 0o600 })
  await bindVolume(api, 'a', { source: { fsType: 'ext4' } })
  await createPod(api, 'a', { spec: { securityContext: { fsGroup: 4321 } } })
  await node.settled()
  equal((await node.pod('a'))?.status?.phase, 'Running')
  const [root, file] = [
    await machine.files.findStat('/content/h-a'),
    await machine.files.findStat('/content/h-a/sub/file'),
  ]
  deepEqual([root?.gid, (root?.mode ?? 0) & 0o2770], [4321, 0o2770])
  deepEqual([file?.gid, file?.mode], [4321, 0o660])
})

test('a driver that can is told the group instead', async (context) => {
  const node = await openVolumes(context, { features: { mountGroup: true } })
  await bindVolume(node.api, 'a', { source: { fsType: 'ext4' } })
  await createPod(node.api, 'a', { spec: { securityContext: { fsGroup: 4321 } } })
  await node.settled()
  const groups = [node.ledger.stageRequests[0], node.ledger.publishRequests[0]].map((request) =>
    request?.volumeCapability?.accessType?.$case === 'mount'
      ? request.volumeCapability.accessType.value.volumeMountGroup
      : undefined,
  )
  deepEqual(groups, ['4321', '4321'])
  equal((await node.machine.files.findStat('/content/h-a'))?.gid, 0)
})

test('a volume that the controller has grown grows here too, and its claim says so', async (context) => {
  const node = await openVolumes(context, { features: { expand: true } })
  const { api, ledger } = node
  await bindVolume(api, 'a')
  await createPod(api, 'a')
  await node.settled()
  await api.patch(
    PERSISTENT_VOLUMES,
    { name: 'a' },
    { type: 'merge', value: { spec: { capacity: { storage: '2Gi' } } } },
  )
  await api.patch(
    PERSISTENT_VOLUME_CLAIMS,
    { namespace: 'default', name: 'a' },
    { type: 'merge', value: { status: { conditions: [{ type: 'FileSystemResizePending', status: 'True' }] } } },
    { subresource: 'status' },
  )
  await node.advance(90_000)
  deepEqual(ledger.calls.slice(2), ['expand h-a'])
  const { status } = await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name: 'a' })
  equal(status?.capacity?.['storage'], '2Gi')
  deepEqual(status.conditions ?? [], [])
  await node.advance(200_000)
  deepEqual(ledger.calls.slice(2), ['expand h-a'])
})

const grow = async ({ api }: VolumesUnderTest, storage: string) => {
  await api.patch(PERSISTENT_VOLUMES, { name: 'a' }, { type: 'merge', value: { spec: { capacity: { storage } } } })
  await api.patch(
    PERSISTENT_VOLUME_CLAIMS,
    { namespace: 'default', name: 'a' },
    {
      type: 'merge',
      value: {
        status: { allocatedResources: { storage }, allocatedResourceStatuses: { storage: 'NodeResizePending' } },
      },
    },
    { subresource: 'status' },
  )
}
const hint = ({ api }: VolumesUnderTest, storage: string) =>
  api.patch(
    PODS,
    { namespace: 'default', name: 'a' },
    { type: 'merge', value: { metadata: { annotations: { 'expansion.holdfast.dev/data': storage } } } },
  )

test('a hint on the pod has its volume expanded at once, also if the first read fails', async (context) => {
  let failures = 0
  const node = await openVolumes(context, {
    features: { expand: true },
    apiOf: (api) => ({
      ...api,
      get: (type, ref, options) =>
        failures-- > 0 && type.plural === 'persistentvolumeclaims'
          ? Promise.reject(new Error('no answer'))
          : api.get(type, ref, options),
    }),
  })
  await bindVolume(node.api, 'a')
  await createPod(node.api, 'a')
  await node.settled()
  await grow(node, '2Gi')
  await node.settled()
  deepEqual(node.ledger.calls.slice(2), [])
  node.writes.length = 0
  await hint(node, '2Gi')
  await node.settled()
  deepEqual(node.ledger.calls.slice(2), ['expand h-a'])
  deepEqual(node.writes, ['patch persistentvolumeclaims/status a'])
  await grow(node, '3Gi')
  failures = 1
  await hint(node, '3Gi')
  await node.advance(1000)
  deepEqual(node.ledger.calls.slice(3), ['expand h-a'])
})

test('an expansion that succeeded leaves no condition of its failures, and keeps those of others', async (context) => {
  const node = await openVolumes(context, { features: { expand: true } })
  await bindVolume(node.api, 'a')
  await createPod(node.api, 'a')
  await node.settled()
  await grow(node, '2Gi')
  const ref = { namespace: 'default', name: 'a' }
  const types = ['Resizing', 'ControllerResizeError', 'NodeResizeError', 'FileSystemResizePending', 'ModifyingVolume']
  const status = { conditions: types.map((type) => ({ type, status: 'True' })) }
  await node.api.patch(PERSISTENT_VOLUME_CLAIMS, ref, { type: 'merge', value: { status } }, { subresource: 'status' })
  await hint(node, '2Gi')
  await node.settled()
  const { conditions = [] } = (await node.api.get(PERSISTENT_VOLUME_CLAIMS, ref)).status ?? {}
  deepEqual(
    conditions.map(({ type }) => type),
    ['ModifyingVolume'],
  )
})

test('an expansion is complete only once the claim says so, also if the first write fails', async (context) => {
  let failures = 1
  const node = await openVolumes(context, {
    features: { expand: true },
    apiOf: (api) => ({
      ...api,
      patch: (type, ref, patch, options) =>
        type.plural === 'persistentvolumeclaims' && failures-- > 0
          ? Promise.reject(new ApiError('Conflict', 'the object has been modified'))
          : api.patch(type, ref, patch, options),
    }),
  })
  await bindVolume(node.api, 'a')
  await createPod(node.api, 'a')
  await node.settled()
  await grow(node, '2Gi')
  await hint(node, '2Gi')
  await node.advance(10_000)
  const { status } = await node.api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name: 'a' })
  deepEqual([status?.capacity?.['storage'], status?.allocatedResourceStatuses], ['2Gi', undefined])
})

test('a pod that already has a hint when the agent starts costs no extra read', async (context) => {
  const node = await openVolumes(context, { features: { expand: true } })
  await bindVolume(node.api, 'a')
  await createPod(node.api, 'a')
  await node.settled()
  await hint(node, '1Gi')
  await node.stop()
  node.reads.length = 0
  await node.start()
  await node.settled()
  deepEqual(node.reads, ['get persistentvolumeclaims a', 'get persistentvolumes a'])
})

test('a volume whose expansion was infeasible is expanded once the resizer asks for another size', async (context) => {
  const node = await openVolumes(context, { features: { expand: true } })
  const { api, ledger } = node
  await bindVolume(api, 'a')
  await createPod(api, 'a')
  await node.settled()
  ledger.before = (call) => {
    if (call === 'expand h-a') throw new CsiError('OUT_OF_RANGE', 'too large')
  }
  await grow(node, '9Gi')
  await hint(node, '9Gi')
  await node.settled()
  const statusOf = async () => (await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name: 'a' })).status
  deepEqual((await statusOf())?.allocatedResourceStatuses, { storage: 'NodeResizeInfeasible' })
  const { length } = ledger.calls
  await node.advance(300_000)
  equal(ledger.calls.length, length)
  ledger.before = () => {}
  await grow(node, '2Gi')
  await hint(node, '2Gi')
  await node.settled()
  equal((await statusOf())?.capacity?.['storage'], '2Gi')
})

test('a volume that grew while nobody used it grows with its next pod', async (context) => {
  const node = await openVolumes(context, { features: { expand: true } })
  await bindVolume(node.api, 'a', { size: '2Gi', claimSize: '1Gi' })
  await createPod(node.api, 'a')
  await node.settled()
  deepEqual(node.ledger.calls, ['stage h-a', 'publish h-a', 'expand h-a'])
})

test('names from outside never become paths that lead elsewhere', async (context) => {
  const node = await openVolumes(context)
  await bindVolume(node.api, 'a', { source: { driver: '../../etc' } }).catch(() => {})
  const { isPathName } = await import('./paths.ts')
  for (const name of ['', '.', '..', 'a/b', 'a\0b', 'a\nb', 'x'.repeat(256)])
    equal(isPathName(name), false, JSON.stringify(name))
  for (const name of ['a', '...', 'pvc-1', 'x'.repeat(255)]) ok(isPathName(name))
  await createPod(node.api, 'a')
  await node.settled()
  deepEqual(node.ledger.calls, [])
})
