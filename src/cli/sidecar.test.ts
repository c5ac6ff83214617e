import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../api/api.ts'
import { isAlreadyExists } from '../api/api-error.ts'
import { CSI_NODES } from '../api/kinds/csi-node.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../api/kinds/custom-resource-definition.ts'
import { EVENTS } from '../api/kinds/event.ts'
import { LEASES } from '../api/kinds/lease.ts'
import { NAMESPACES } from '../api/kinds/namespace.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { SECRETS } from '../api/kinds/secret.ts'
import { STORAGE_CLASSES } from '../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS } from '../api/kinds/volume-snapshot.ts'
import type { KubeObject } from '../api/object.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { applyManifest } from '../apiserver/testing/apply-manifest.ts'
import { SIDECAR_USER } from '../apiserver/testing/shipped-identity.ts'
import { startTestServer } from '../apiserver/testing/start-test-server.ts'
import type { TestServer } from '../apiserver/testing/start-test-server.ts'
import { createSystemClock } from '../base/clock.ts'
import { createSystemHost } from '../base/host/index.ts'
import { createSilentLogger } from '../base/logger.ts'
import { createSystemRandom } from '../base/random.ts'
import { ALPHA_CSI_NODE_INFO_CRD } from '../compat/alpha-crds.ts'
import { createLockTable, defineDriver } from '../csi/kit/index.ts'
import type { CsiHandlers } from '../csi/kit/index.ts'
import { openTestDirectory } from '../csi/testing/open-test-directory.ts'
import { serveTest } from '../csi/testing/start-test-driver.ts'
import { createHostpathDriver, openHostpath } from '../drivers/hostpath/index.ts'
import { SYSTEM_USER } from '../apiserver/core/user.ts'
import { claimOf as plainClaimOf, classOf, createBoundPair, createOn, volumeOf } from '../testing/objects.ts'
import { startCommand } from './testing/cli-under-test.ts'
import type { RunningCommand } from './testing/cli-under-test.ts'

// One for all tests here: each has a driver with a name of its own.
let server: TestServer
let api: Api
let kubeconfig: string
before(async () => {
  server = await startTestServer()
  api = server.server.core.as(SYSTEM_USER)
  await apply('rbac.yaml')
  kubeconfig = join(server.directory, 'sidecar.kubeconfig')
  await writeFile(kubeconfig, await server.kubeconfigFor(SIDECAR_USER.name, SIDECAR_USER.groups), { mode: 0o600 })
})
after(() => server[Symbol.asyncDispose]())

const apply = (name: string): Promise<void> => applyManifest(api, `examples/sidecar/${name}`)

/** The bundled driver on a socket. */
async function startHostpath(context: TestContext, name: string, path: string) {
  const [host, clock, random, log] = [
    createSystemHost(),
    createSystemClock(),
    createSystemRandom(),
    createSilentLogger(),
  ]
  const hostpath = await openHostpath({
    root: join(await openTestDirectory(context), 'data'),
    host,
    clock,
    random,
    log,
  })
  const node = { id: 'node-1', topology: {}, attachLimit: 0 }
  const { server: driver } = await createHostpathDriver({
    hostpath,
    node,
    name,
    version: '1',
    attach: true,
    publish: 'link',
    locks: createLockTable(),
  })
  return serveTest(context, path, driver)
}

/** A driver that only knows what it is told here. */
async function startScripted(context: TestContext, name: string, handlers: CsiHandlers): Promise<string> {
  const path = join(await openTestDirectory(context), 'csi.sock')
  await serveTest(context, path, defineDriver({ name, version: '1' }, { handlers, log: createSilentLogger() }))
  return path
}

/** Resolves with the first object that is so, now or later. */
async function untilSeen<T extends KubeObject>(
  context: TestContext,
  type: ResourceType<T>,
  holds: (object: T) => boolean,
  from = api,
): Promise<T> {
  for await (const event of from.watch(type, { signal: context.signal })) {
    if (event.type !== 'BOOKMARK' && event.type !== 'DELETED' && holds(event.object)) return event.object
  }
  throw new Error('the watch ended')
}

/** As the binder of the cluster would mark it. */
const claimOf = (name: string, driver: string, className: string): PersistentVolumeClaim => {
  const annotations = {
    'volume.kubernetes.io/storage-provisioner': driver,
    'volume.beta.kubernetes.io/storage-provisioner': driver,
  }
  return plainClaimOf({ name, size: '1Mi', className, metadata: { annotations } })
}

async function createClaim(driver: string): Promise<void> {
  await createOn(api, STORAGE_CLASSES, classOf({ provisioner: driver }, driver))
  await createOn(api, PERSISTENT_VOLUME_CLAIMS, claimOf(driver, driver, driver))
}

async function attach(driver: string, volume: string): Promise<void> {
  const csiNode = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name: `node-of-${driver}` },
    spec: { drivers: [{ name: driver, nodeID: 'node-1', topologyKeys: null }] },
  } as const
  await api.create(CSI_NODES, csiNode).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error
  })
  await api.create(VOLUME_ATTACHMENTS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: volume },
    spec: { attacher: driver, nodeName: `node-of-${driver}`, source: { persistentVolumeName: volume } },
  })
}

const isOf = (driver: string) => (volume: KubeObject & { spec: { csi?: { driver: string } } }) =>
  volume.spec.csi?.driver === driver

const sidecar = (
  context: TestContext,
  path: string,
  words: readonly string[] = [],
  hostname = 'pod-1',
): RunningCommand =>
  startCommand(context, ['sidecar', `--csi-address=${path}`, `--kubeconfig=${kubeconfig}`, ...words], {
    hostname,
    env: { POD_NAME: hostname },
  })

describe('holdfast sidecar', () => {
  test('S3-38, S3-39, S3-129, S3-130, S3-159: makes and attaches volumes with the rights of the manifests alone', async (context) => {
    const driver = 'whole.example.com'
    const path = join(await openTestDirectory(context), 'csi.sock')
    await startHostpath(context, driver, path)
    const command = sidecar(context, path, ['--leader-election'])
    await command.untilOut(/^ready .*$/m)
    deepEqual(command.out().split('\n'), [
      'not in this version: snapshot metadata (the driver can SNAPSHOT_METADATA_SERVICE)',
      `ready unix://${path} driver=${driver} roles=provisioner,attacher,resizer,snapshotter,health-monitor`,
      '',
    ])
    await createClaim(driver)
    const volume = await untilSeen(context, PERSISTENT_VOLUMES, isOf(driver))
    equal(volume.spec.claimRef?.name, driver)
    await attach(driver, volume.metadata.name ?? '')
    await untilSeen(
      context,
      VOLUME_ATTACHMENTS,
      ({ spec, status }) => spec.attacher === driver && status?.attached === true,
    )
    const { items } = await api.list(LEASES, { namespace: 'default' })
    const held = items.filter(({ spec }) => spec?.holderIdentity === 'pod-1').map(({ metadata }) => metadata.name)
    deepEqual(held, [
      'external-attacher-leader-whole-example-com',
      'external-health-monitor-leader-whole-example-com',
      'external-resizer-whole-example-com',
      'external-snapshotter-leader-whole-example-com',
      'whole-example-com',
    ])
    const event = await untilSeen(
      context,
      EVENTS,
      ({ involvedObject }) => involvedObject.name === driver && involvedObject.kind === 'PersistentVolumeClaim',
    )
    match(event.source?.component ?? '', /^whole\.example\.com_pod-1_[0-9a-f-]{36}$/)
    equal(await command.stop(), 0)
    ok(!/forbidden/i.test(command.err()), command.err())
  })

  test('H55: works where the cluster has no CSINodeInfo, and says nothing about it', async (context) => {
    await using bare = await startTestServer()
    const admin = bare.server.core.as(SYSTEM_USER)
    await applyManifest(admin, 'examples/sidecar/rbac.yaml')
    await admin.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: ALPHA_CSI_NODE_INFO_CRD.metadata.name ?? '' })
    const bareKubeconfig = join(bare.directory, 'sidecar.kubeconfig')
    await writeFile(bareKubeconfig, await bare.kubeconfigFor(SIDECAR_USER.name, SIDECAR_USER.groups), { mode: 0o600 })
    const driver = 'bare.example.com'
    const path = join(await openTestDirectory(context), 'csi.sock')
    await startHostpath(context, driver, path)
    const command = startCommand(context, ['sidecar', `--csi-address=${path}`, `--kubeconfig=${bareKubeconfig}`], {
      hostname: 'pod-1',
      env: { POD_NAME: 'pod-1' },
    })
    await command.untilOut(/^ready/m)
    await createOn(admin, STORAGE_CLASSES, classOf({ provisioner: driver }, driver))
    await createOn(admin, PERSISTENT_VOLUME_CLAIMS, claimOf(driver, driver, driver))
    await untilSeen(context, PERSISTENT_VOLUMES, isOf(driver), admin)
    equal(await command.stop(), 0)
    ok(!/csinodeinfo/i.test(command.err()), command.err())
  })

  test('runs what a driver can do and says what it lacks', async (context) => {
    const path = await startScripted(context, 'small.example.com', {})
    const command = sidecar(context, path)
    await command.untilOut(/^ready .* roles=attacher$/m)
    match(command.err(), /"role":"provisioner".*does not announce CREATE_DELETE_VOLUME/)
  })

  test('S3-131: a driver that only expands gets the resizer, which expands a claim, and no snapshotter', async (context) => {
    const driver = 'expands.example.com'
    const controllerExpandVolume: CsiHandlers['controllerExpandVolume'] = async ({ capacityRange }) => ({
      capacityBytes: capacityRange?.requiredBytes ?? 0n,
      nodeExpansionRequired: false,
    })
    const path = await startScripted(context, driver, { controllerExpandVolume })
    const command = sidecar(context, path)
    await command.untilOut(/^ready .* roles=attacher,resizer$/m)
    await createBoundPair(api, {
      claim: plainClaimOf({ name: 'grows', size: '2Mi' }),
      volume: volumeOf({
        name: 'grows',
        spec: { capacity: { storage: '1Mi' }, csi: { driver, volumeHandle: 'grows' } },
      }),
    })
    await untilSeen(
      context,
      PERSISTENT_VOLUME_CLAIMS,
      ({ metadata, status }) => metadata.name === 'grows' && status?.capacity?.['storage'] === '2Mi',
    )
  })

  test('S3-131: a driver that only takes snapshots gets the snapshotter, which takes one, and no resizer', async (context) => {
    const driver = 'snapshots.example.com'
    const path = await startScripted(context, driver, {
      createSnapshot: async ({ name, sourceVolumeId }) => ({
        snapshot: {
          snapshotId: name,
          sourceVolumeId,
          readyToUse: true,
          sizeBytes: 1n,
          creationTime: { seconds: 1n, nanos: 0 },
        },
      }),
      deleteSnapshot: async () => ({}),
    })
    const command = sidecar(context, path)
    await command.untilOut(/^ready .* roles=attacher,snapshotter$/m)
    const [apiVersion, deletionPolicy] = ['snapshot.storage.k8s.io/v1', 'Delete'] as const
    await api.create(VOLUME_SNAPSHOT_CLASSES, {
      apiVersion,
      kind: 'VolumeSnapshotClass',
      metadata: { name: driver },
      driver,
      deletionPolicy,
    })
    await api.create(VOLUME_SNAPSHOT_CONTENTS, {
      apiVersion,
      kind: 'VolumeSnapshotContent',
      metadata: { name: 'taken' },
      spec: {
        driver,
        deletionPolicy,
        volumeSnapshotClassName: driver,
        source: { volumeHandle: 'v' },
        volumeSnapshotRef: { namespace: 'default', name: 's', uid: 'u' },
      },
    })
    const { status } = await untilSeen(
      context,
      VOLUME_SNAPSHOT_CONTENTS,
      (content) => content.metadata.name === 'taken' && content.status?.readyToUse === true,
    )
    equal(status?.snapshotHandle, 'snapshot-u')
  })

  test('runs only the roles that were asked for', async (context) => {
    const driver = 'one.example.com'
    const path = join(await openTestDirectory(context), 'csi.sock')
    await startHostpath(context, driver, path)
    const command = sidecar(context, path, ['--controllers=attacher'])
    await command.untilOut(/^ready .* roles=attacher$/m)
  })

  test('S3-138, S3-140: of two replicas the other goes on when the first one ends', async (context) => {
    const driver = 'two.example.com'
    const path = join(await openTestDirectory(context), 'csi.sock')
    await startHostpath(context, driver, path)
    const election = [
      '--leader-election',
      '--leader-election-lease-duration=3s',
      '--leader-election-renew-deadline=2s',
      '--leader-election-retry-period=500ms',
    ]
    const first = sidecar(context, path, election, 'pod-1')
    await first.untilErr(/"message":"working"[^\n]*"role":"provisioner"|"role":"provisioner"[^\n]*"message":"working"/)
    const second = sidecar(context, path, election, 'pod-2')
    await second.untilOut(/^ready/m)
    await first.stop()
    await createClaim(driver)
    await untilSeen(context, PERSISTENT_VOLUMES, isOf(driver))
    const lease = await api.get(LEASES, { namespace: 'default', name: 'two-example-com' })
    equal(lease.spec?.holderIdentity, 'pod-2')
  })

  test('goes on with what it was doing when the driver was restarted', async (context) => {
    const driver = 'again.example.com'
    const path = join(await openTestDirectory(context), 'csi.sock')
    const first = await startHostpath(context, driver, path)
    const command = sidecar(context, path)
    await command.untilOut(/^ready/m)
    await first.stop({ graceMs: 0 })
    await command.untilErr(/the connection to the driver is lost/)
    await createClaim(driver)
    await startHostpath(context, driver, path)
    await untilSeen(context, PERSISTENT_VOLUMES, isOf(driver))
    equal(command.out().match(/^ready/gm)?.length, 1)
  })

  test('S3-168, S3-169, S3-177, S3-178, S3-180: the attacher reads the secrets of the namespace that it was confined to, and no others', async (context) => {
    const driver = 'secret.example.com'
    const secrets: Readonly<Record<string, string>>[] = []
    const path = await startScripted(context, driver, {
      controllerPublishVolume: async (request) => {
        secrets.push(request.secrets)
        return {}
      },
      controllerUnpublishVolume: async () => ({}),
    })
    for (const name of ['storage-secrets', 'other-secrets']) {
      await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
      await api.create(SECRETS, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: name, name: 'pass' },
        data: { user: Buffer.from('jane').toString('base64'), word: Buffer.from('open sesame').toString('base64') },
      })
    }
    await apply('secrets-one-namespace.yaml')
    const command = sidecar(context, path)
    await command.untilOut(/^ready/m)
    for (const namespace of ['storage-secrets', 'other-secrets']) {
      await api.create(PERSISTENT_VOLUMES, {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: `in-${namespace}` },
        spec: {
          accessModes: ['ReadWriteOnce'],
          capacity: { storage: '1Mi' },
          csi: { driver, volumeHandle: namespace, controllerPublishSecretRef: { namespace, name: 'pass' } },
        },
      })
      await attach(driver, `in-${namespace}`)
    }
    await untilSeen(
      context,
      VOLUME_ATTACHMENTS,
      ({ metadata, status }) => metadata.name === 'in-storage-secrets' && status?.attached === true,
    )
    const refused = await untilSeen(
      context,
      VOLUME_ATTACHMENTS,
      ({ metadata, status }) => metadata.name === 'in-other-secrets' && status?.attachError !== undefined,
    )
    match(refused.status?.attachError?.message ?? '', /other-secrets/)
    deepEqual(secrets, [{ user: 'jane', word: 'open sesame' }])
    equal(await command.stop(), 0)
    ok(!command.err().includes('open sesame'))
  })

  test('with --exit-on-driver-loss it ends with 1 when the driver goes', async (context) => {
    const path = join(await openTestDirectory(context), 'csi.sock')
    const driver = await startHostpath(context, 'gone.example.com', path)
    const command = sidecar(context, path, ['--exit-on-driver-loss'])
    await command.untilOut(/^ready/m)
    await driver.stop({ graceMs: 0 })
    equal(await command.ended, 1)
    match(command.err(), /holdfast: the connection to the driver at .* is lost\n$/)
  })

  test('can be stopped while it waits for the driver', async (context) => {
    const command = sidecar(context, join(await openTestDirectory(context), 'csi.sock'))
    await command.untilErr(/waiting for the driver/)
    deepEqual([await command.stop(), command.out()], [0, ''])
  })
})

describe('wrong usage of the sidecars', () => {
  const wrong: [words: string[], message: RegExp, env?: Record<string, string>][] = [
    [['sidecar', '--controllers=provisioner,resizr'], /--controllers: "resizr" is not one of provisioner, attacher/],
    [['sidecar', '--controllers='], /--controllers has to name at least one role/],
    [['sidecar', '--leader-election-shared'], /--leader-election-shared needs --leader-election/],
    [
      ['sidecar', '--provisioner-retry-interval-start=10m'],
      /--provisioner-retry-interval-start must not be longer than --provisioner-retry-interval-max/,
    ],
    [['sidecar', '--retry-interval-start=10m'], /must not be longer/],
    [['sidecar', '--strict-topology'], /unknown flag --strict-topology/],
    [
      ['sidecar', '--http-endpoint=:1', '--metrics-address=:2'],
      /--http-endpoint and --metrics-address exclude each other/,
    ],
    [['csi-attacher', '--worker-threads=0'], /--worker-threads/],
    [
      ['csi-attacher', '--leader-election-renew-deadline=20s'],
      /has to be longer than --leader-election-renew-deadline/,
    ],
    [['csi-provisioner', '--volume-name-prefix='], /--volume-name-prefix must not be empty/],
    [['csi-provisioner', '--feature-gates=Topolgy=true'], /Topolgy/],
    [['csi-provisioner', '--master=10.0.0.1'], /--master: "10.0.0.1" is not an address/],
    [['csi-provisioner', '--node-deployment'], /NODE_NAME/],
    [['csi-provisioner', '--enable-capacity'], /NAMESPACE[^]*POD_NAME/],
    [['csi-provisioner', '--enable-capacity'], /POD_NAME/, { NAMESPACE: 'default' }],
  ]
  for (const [words, message, env = {}] of wrong) {
    test(`${words.join(' ')} is refused${Object.keys(env).length > 0 ? ` with ${Object.keys(env).join()} alone` : ''}`, async (context) => {
      const command = startCommand(context, [...words, `--kubeconfig=${kubeconfig}`], { env })
      equal(await command.ended, 2)
      match(command.err(), message)
    })
  }
})

describe('holdfast csi-provisioner', () => {
  const start = (
    context: TestContext,
    path: string,
    words: readonly string[],
    env: Record<string, string> = {},
  ): RunningCommand => startCommand(context, ['csi-provisioner', `--csi-address=${path}`, ...words], { env })

  test('takes the kubeconfig of the environment before that of the flag', async (context) => {
    const path = await startScripted(context, 'env.example.com', {})
    const command = start(context, path, ['--kubeconfig=/does/not/exist'], { KUBECONFIG: kubeconfig })
    await command.untilOut(/^ready .* roles=provisioner$/m)
  })

  test('S3-138: on the nodes themselves it works without a lease', async (context) => {
    const driver = 'node.example.com'
    const path = join(await openTestDirectory(context), 'csi.sock')
    await startHostpath(context, driver, path)
    const command = start(context, path, [`--kubeconfig=${kubeconfig}`, '--leader-election', '--node-deployment'], {
      NODE_NAME: 'node-1',
    })
    await command.untilErr(/"message":"working"/)
    const { items } = await api.list(LEASES, { namespace: 'default' })
    deepEqual(
      items.filter(({ metadata }) => metadata.name === 'node-example-com'),
      [],
    )
  })

  test('the address of the flag counts before that of the kubeconfig', async (context) => {
    const path = await startScripted(context, 'master.example.com', {})
    const moved = join(server.directory, 'moved.kubeconfig')
    await writeFile(moved, readFileSync(kubeconfig, 'utf8').replace(server.address, 'https://127.0.0.1:1'), {
      mode: 0o600,
    })
    const command = start(context, path, [`--kubeconfig=${moved}`, `--master=${server.address}`])
    await command.untilErr(/"message":"working"/)
  })
})

describe('holdfast csi-external-health-monitor-controller', () => {
  test('reports an abnormal volume and its recovery on the claim, with its lease and the rights of the manifests', async (context) => {
    const driver = 'unwell.example.com'
    const lost = { status: 3, reason: 'Lost', message: 'the disk is gone' } as const
    let isLost = true
    const path = await startScripted(context, driver, {
      controllerListVolumeHealth: async () => ({
        entries: isLost ? [{ volumeId: 'v', healthStatuses: [lost] }] : [],
        nextToken: '',
      }),
      controllerGetVolumeHealth: async () => ({
        volumeHealth: { volumeId: 'v', healthStatuses: isLost ? [lost] : [] },
      }),
    })
    await createBoundPair(api, {
      claim: plainClaimOf({ name: 'unwell' }),
      volume: volumeOf({ name: 'unwell', spec: { csi: { driver, volumeHandle: 'v' } } }),
    })
    const flags = [`--csi-address=${path}`, `--kubeconfig=${kubeconfig}`, '--leader-election']
    const command = startCommand(
      context,
      ['csi-external-health-monitor-controller', ...flags, '--list-volumes-interval=50ms', '--enable-node-watcher'],
      { hostname: 'pod-1', env: { POD_NAME: 'pod-1' } },
    )
    await command.untilOut(/^ready .* roles=health-monitor$/m)
    const eventOf = (reason: string) =>
      untilSeen(context, EVENTS, (event) => event.reason === reason && event.involvedObject.name === 'unwell')
    const { type, message, source } = await eventOf('VolumeConditionAbnormal')
    deepEqual([type, message], ['Warning', 'DataLoss (Lost): the disk is gone'])
    equal(source?.component, `csi-pv-monitor-controller-${driver}`)
    isLost = false
    equal((await eventOf('VolumeConditionNormal')).message, 'The Volume returns to the healthy state')
    const lease = await api.get(LEASES, {
      namespace: 'default',
      name: 'external-health-monitor-leader-unwell-example-com',
    })
    equal(lease.spec?.holderIdentity, 'pod-1')
    equal(await command.stop(), 0)
    ok(!/forbidden/i.test(command.err()), command.err())
  })
})
