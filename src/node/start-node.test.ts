import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../api/api.ts'
import { hasCondition } from '../api/conditions.ts'
import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { LEASES } from '../api/kinds/lease.ts'
import type { Lease } from '../api/kinds/lease.ts'
import { NODES } from '../api/kinds/node.ts'
import { PODS } from '../api/kinds/pod.ts'
import { nodeUser } from '../apiserver/authorization/node-identity.ts'
import { openTestCore } from '../apiserver/testing/open-test-core.ts'
import { createSystemClock } from '../base/clock.ts'
import { createSystemHost, makeDirectories } from '../base/host/index.ts'
import { createSilentLogger } from '../base/logger.ts'
import { createSystemRandom } from '../base/random.ts'
import { connectDriver, connectRegistrar, createSystemSockets } from '../csi/index.ts'
import { createLockTable, serve } from '../csi/kit/index.ts'
import { openTestDirectory } from '../csi/testing/open-test-directory.ts'
import { createHostpathDriver, openHostpath } from '../drivers/hostpath/index.ts'
import { untilObject } from '../kube/cache/until-object.ts'
import { startNodeRegistrar } from '../sidecars/node-registrar/index.ts'
import { DEFAULT_REGISTRATION, DEFAULT_REPORT, DEFAULT_VOLUMES, describeNode, startNode } from './index.ts'
import type { RunningNode } from './index.ts'
import { bindVolume, createPod } from './volumes/testing/describe-volumes.ts'

// The whole agent on the real machine: real sockets, the bundled driver and its registrar, real mounts where they are allowed.

const NODE = 'node-1'
const DRIVER = 'hostpath.example.com'
const host = createSystemHost()
const random = createSystemRandom()
const log = createSilentLogger()

async function openMachine(context: TestContext, publish: 'auto' | 'link') {
  const clock = createSystemClock()
  const core = await openTestCore(context, { clock })
  const { api, server } = core
  const root = await openTestDirectory(context)
  const data = await openTestDirectory(context)
  const directory = join(root, 'plugins', DRIVER)
  await makeDirectories(host.files, directory)
  await makeDirectories(host.files, join(root, 'plugins_registry'))
  const hostpath = await openHostpath({ root: join(data, 'volumes'), host, clock, random, log })
  const { server: dispatcher, publisher } = await createHostpathDriver({
    hostpath,
    node: { id: 'id-1', topology: {}, attachLimit: 0 },
    name: DRIVER,
    version: '1',
    attach: false,
    publish,
    locks: createLockTable(),
  })
  const socket = join(directory, 'csi.sock')
  const served = await serve({ endpoint: socket, servers: [dispatcher], files: host.files, random, clock, log })
  context.after(() => served.stop({ graceMs: 0 }))
  const registrar = await startNodeRegistrar(
    {
      csiAddress: socket,
      kubeletRegistrationPath: socket,
      pluginRegistrationPath: join(root, 'plugins_registry'),
      requiresPublishPod: false,
      timeoutMs: 5000,
      httpEndpoint: '',
      healthPort: 0,
      mode: '',
      connectionTimeoutMs: 0,
      enablePprof: false,
    },
    { files: host.files, sockets: createSystemSockets({ files: host.files, clock, random, log }), clock, random, log },
    { onRefusal: 'end' },
  )
  context.after(() => registrar.stop())
  await api.create(CSI_DRIVERS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: DRIVER },
    spec: { attachRequired: false, podInfoOnMount: true, volumeLifecycleModes: ['Persistent', 'Ephemeral'] },
  })
  const description = describeNode(NODE, {
    labels: { 'example.com/rack': '7' },
    rootDir: root,
    version: '1',
    hostname: 'machine',
    architecture: 'x64',
    capacity: { pods: 10, cpu: '4', memory: '8Gi' },
  })
  const start = async (): Promise<RunningNode> => {
    const node = await startNode(
      {
        name: NODE,
        rootDir: root,
        description,
        registration: DEFAULT_REGISTRATION,
        volumes: DEFAULT_VOLUMES,
        report: DEFAULT_REPORT,
      },
      {
        host,
        clock,
        random,
        log,
        api: server.core.as(nodeUser(NODE)),
        connectDriver: (endpoint) => connectDriver({ endpoint, clock }),
        connectRegistrar: (endpoint) => connectRegistrar({ endpoint, clock }),
      },
      new AbortController().signal,
    )
    context.after(() => node.stop())
    return node
  }
  const { driver, connection } = connectDriver({ endpoint: socket, clock })
  context.after(() => connection.close())
  const makeVolume = async (name: string): Promise<string> => {
    const { volume } = await driver.createVolume({
      name,
      capacityRange: { requiredBytes: 1_000_000n },
      volumeCapabilities: [{ accessType: { $case: 'mount', value: {} }, accessMode: { mode: 1 } }],
    })
    return volume?.volumeId ?? ''
  }
  return { api, root, publisher, start, makeVolume, hostpath }
}

/** Waits until the phase is as wanted; undefined stands for a pod that is gone. */
const untilPod = (api: Api, name: string, isSo: (phase: string | undefined) => boolean): Promise<unknown> =>
  untilObject(
    PODS,
    { namespace: 'default', name },
    (pod) => isSo(pod && (pod.status?.phase ?? '')),
    { api, clock: createSystemClock(), random, log },
    AbortSignal.timeout(20_000),
  )

for (const publish of ['auto', 'link'] as const) {
  test(`S3-2, S3-164: with a real socket (${publish}) a claim and an in-line volume reach the pod, live through a restart, and are given back`, async (context) => {
    const { api, root, publisher, start, makeVolume, hostpath } = await openMachine(context, publish)
    context.diagnostic(`volumes appear by ${publisher.kind}`)
    const handle = await makeVolume('one')
    await bindVolume(api, 'a', { source: { driver: DRIVER, volumeHandle: handle } })
    const first = await start()
    const pod = await createPod(api, 'a', {
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: 'a' } },
        { name: 'scratch', csi: { driver: DRIVER, volumeAttributes: { size: '1Mi' } } },
      ],
    })
    await untilPod(api, 'a', (phase) => phase === 'Running')
    const mounts = join(root, 'pods', pod.metadata.uid ?? '', 'volumes', 'kubernetes.io~csi')
    await host.files.writeFile(join(mounts, 'a', 'mount', 'hello'), new TextEncoder().encode('world'))
    await host.files.writeFile(join(mounts, 'scratch', 'mount', 'note'), new TextEncoder().encode('here'))

    await first.stop()
    const second = await start()
    // Everything is published again, in its place.
    const idle = async (): Promise<void> => {
      while (
        !(second.volumes.mounts().length === 2 && second.volumes.mounts().every(({ state }) => state === 'mounted'))
      )
        await new Promise((resolve) => setImmediate(resolve))
    }
    await idle()
    equal(new TextDecoder().decode(await host.files.readFile(join(mounts, 'a', 'mount', 'hello'))), 'world')

    await api.delete(PODS, { namespace: 'default', name: 'a' })
    await untilPod(api, 'a', (phase) => phase === undefined)
    while (second.volumes.devices().length > 0) await new Promise((resolve) => setImmediate(resolve))
    deepEqual(await host.files.list(join(root, 'pods')), [])
    deepEqual(await host.files.list(join(root, 'plugins', 'kubernetes.io', 'csi', DRIVER)), [])
    deepEqual(
      (await host.mounts.list()).filter(({ target }) => target.startsWith(root)),
      [],
    )
    deepEqual(
      [...hostpath.volumes.all()].map(({ name }) => name),
      ['one'],
    )
    await second.stop()
  })
}

test('the node makes its object, marks it, says that it is ready, and renews its lease', async (context) => {
  const { api, start } = await openMachine(context, 'link')
  const running = await start()
  const watching = AbortSignal.timeout(20_000)
  for await (const event of api.watch(NODES, {
    signal: watching,
    sendInitialEvents: true,
    resourceVersionMatch: 'NotOlderThan',
    allowBookmarks: true,
  })) {
    if (event.type === 'ADDED' || event.type === 'MODIFIED')
      if (hasCondition(event.object.status?.conditions, 'Ready')) break
  }
  const node = await api.get(NODES, { name: NODE })
  equal(node.metadata.annotations?.['volumes.kubernetes.io/controller-managed-attach-detach'], 'true')
  equal(node.metadata.labels?.['example.com/rack'], '7')
  equal(node.metadata.labels['kubernetes.io/hostname'], NODE)
  equal(node.status?.capacity?.['pods'], '10')
  match(node.status.nodeInfo?.kubeletVersion ?? '', /^holdfast-/)
  const lease = await untilLease(api)
  equal(lease?.spec?.holderIdentity, NODE)
  ok(lease.spec.renewTime)
  await running.stop()
})

const untilLease = (api: Api): Promise<Lease | undefined> =>
  untilObject(
    LEASES,
    { namespace: 'kube-node-lease', name: NODE },
    (lease) => lease !== undefined,
    { api, clock: createSystemClock(), random, log },
    AbortSignal.timeout(20_000),
  )
