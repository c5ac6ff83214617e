import { deepEqual, equal, ok } from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../../src/api/api.ts'
import { CSI_NODES } from '../../src/api/kinds/csi-node.ts'
import { NAMESPACES } from '../../src/api/kinds/namespace.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../src/api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../src/api/kinds/pod.ts'
import type { Container, PodSpec } from '../../src/api/kinds/pod.ts'
import { SERVICE_ACCOUNTS } from '../../src/api/kinds/service-account.ts'
import { STORAGE_CLASSES } from '../../src/api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../../src/api/kinds/volume-attachment.ts'
import type { KubeObject } from '../../src/api/object.ts'
import type { ResourceType } from '../../src/api/resource-type.ts'
import { SYSTEM_USER } from '../../src/apiserver/core/user.ts'
import { applyManifest, readManifest } from '../../src/apiserver/testing/apply-manifest.ts'
import { SIDECAR_USER } from '../../src/apiserver/testing/shipped-identity.ts'
import { startTestServer } from '../../src/apiserver/testing/start-test-server.ts'
import { createSilentLogger } from '../../src/base/logger.ts'
import { createStops } from '../../src/base/stops.ts'
import { startCommand } from '../../src/cli/testing/cli-under-test.ts'
import { defineDriver } from '../../src/csi/kit/index.ts'
import type { Dispatcher } from '../../src/csi/kit/index.ts'
import { serveTest } from '../../src/csi/testing/start-test-driver.ts'
import { placeContainers, runContainer } from './run-pod-template.ts'
import type { Machine } from './run-pod-template.ts'

const HERE = 'examples/driver-deployment'
const DRIVER = 'csi.example.com'

type Workload = KubeObject & {
  readonly spec: { readonly replicas?: number; readonly template: { readonly spec: PodSpec } }
}
const workloadType = (kind: string): ResourceType<Workload> => ({
  group: 'apps',
  version: 'v1',
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: true,
})
const readWorkload = (file: string): Workload => readManifest(`${HERE}/${file}`)[0] as Workload
const podOf = ({ spec }: Workload): PodSpec => spec.template.spec

/** `plugin-dir at /csi`. */
const mountsOf = ({ volumeMounts = [] }: Container): string[] =>
  volumeMounts.map(
    ({ name, mountPath, mountPropagation }) =>
      `${name} at ${mountPath}${mountPropagation ? ` ${mountPropagation}` : ''}`,
  )
const containersOf = (spec: PodSpec): Map<string, Container> =>
  new Map(spec.containers.map((container) => [container.name, container]))
const volumeOf = ({ volumes = [] }: PodSpec, name: string): object | undefined =>
  volumes.find((volume) => volume.name === name)
const commandsOf = (spec: PodSpec): string[] =>
  spec.containers.map(({ args = [] }) => args[0] ?? '').filter((word) => !word.startsWith('--'))

test('S3-127, S3-133: the control part is a Deployment of the driver with helper containers, which share the directory of its socket', () => {
  const workload = readWorkload('controller.yaml')
  equal(workload.kind, 'Deployment')
  const pod = podOf(workload)
  deepEqual([...containersOf(pod).keys()], ['csi-driver', 'sidecar', 'liveness-probe'])
  deepEqual(commandsOf(pod), ['sidecar', 'livenessprobe'])
  deepEqual(pod.volumes, [{ name: 'socket-dir', emptyDir: {} }])
  for (const container of pod.containers) deepEqual(mountsOf(container), ['socket-dir at /csi'])
  // Several replicas need an election.
  ok((workload.spec.replicas ?? 1) === 1 || containersOf(pod).get('sidecar')?.args?.includes('--leader-election'))
})

test('S0-30, S3-134: the node part is a DaemonSet of the driver with one registrar', () => {
  const workload = readWorkload('node.yaml')
  equal(workload.kind, 'DaemonSet')
  const pod = podOf(workload)
  deepEqual([...containersOf(pod).keys()], ['csi-driver', 'node-driver-registrar', 'liveness-probe'])
  equal(commandsOf(pod).filter((command) => command === 'node-driver-registrar').length, 1)
  equal(pod.serviceAccountName, undefined, 'nothing on the nodes asks the API server')
})

test('S3-135, S3-136, S3-137: the containers of the node part mount what they need, and no more', () => {
  const pod = podOf(readWorkload('node.yaml'))
  const containers = containersOf(pod)
  deepEqual(volumeOf(pod, 'registration-dir'), {
    name: 'registration-dir',
    hostPath: { path: '/var/lib/kubelet/plugins_registry', type: 'DirectoryOrCreate' },
  })
  deepEqual(volumeOf(pod, 'kubelet-dir'), {
    name: 'kubelet-dir',
    hostPath: { path: '/var/lib/kubelet', type: 'Directory' },
  })
  deepEqual(volumeOf(pod, 'plugin-dir'), {
    name: 'plugin-dir',
    hostPath: { path: `/var/lib/kubelet/plugins/${DRIVER}`, type: 'DirectoryOrCreate' },
  })
  deepEqual(Object.fromEntries([...containers].map(([name, container]) => [name, mountsOf(container)])), {
    'csi-driver': ['plugin-dir at /csi', 'kubelet-dir at /var/lib/kubelet Bidirectional'],
    'node-driver-registrar': ['plugin-dir at /csi', 'registration-dir at /registration'],
    'liveness-probe': ['plugin-dir at /csi'],
  })
  equal(containers.get('csi-driver')?.securityContext?.privileged, true, 'only then mounts may propagate')
})

type Published = { readonly nodeId: string; readonly volumeContext: Readonly<Record<string, string>> }

/** The driver of an author who has read nothing of Kubernetes: it makes directories. */
const createDriver = (nodeId: string | undefined, published: Published[]): Dispatcher =>
  defineDriver(
    { name: DRIVER, version: '1' },
    {
      handlers:
        nodeId === undefined
          ? {
              createVolume: ({ name, capacityRange }) =>
                Promise.resolve({ volume: { volumeId: name, capacityBytes: capacityRange?.requiredBytes ?? 0n } }),
              deleteVolume: () => Promise.resolve({}),
              controllerPublishVolume: () => Promise.resolve({}),
              controllerUnpublishVolume: () => Promise.resolve({}),
            }
          : {
              nodeGetInfo: () => Promise.resolve({ nodeId }),
              nodePublishVolume: async ({ targetPath, volumeContext }) => {
                published.push({ nodeId, volumeContext })
                await mkdir(targetPath, { recursive: true })
                return {}
              },
              nodeUnpublishVolume: async ({ targetPath }) => {
                await rm(targetPath, { recursive: true, force: true })
                return {}
              },
            },
      log: createSilentLogger(),
    },
  )

/** Runs one pod of a workload: the driver here in the test, all else as the programs that the manifest names. */
async function runPod(
  context: TestContext,
  workload: Workload,
  machine: Machine,
  published: Published[],
): Promise<void> {
  const containers = await placeContainers(podOf(workload), machine)
  const isNode = workload.kind === 'DaemonSet'
  for (const placed of containers) {
    if (placed.container.name !== 'csi-driver') continue
    const flag = (name: string): string =>
      placed.args.find((word) => word.startsWith(`--${name}=`))?.replace(/^[^=]*=/, '') ?? ''
    const path = flag('endpoint').replace('unix://', '')
    await mkdir(dirname(path), { recursive: true })
    await serveTest(context, path, createDriver(isNode ? flag('node-id') : undefined, published))
  }
  for (const placed of containers)
    if (placed.container.name !== 'csi-driver') await runContainer(context, placed, machine).untilOut(/^ready/m)
}

/** Resolves when it holds for the objects that there are, now or later. */
async function until<T extends KubeObject>(
  context: TestContext,
  api: Api,
  type: ResourceType<T>,
  holds: (objects: readonly T[]) => boolean,
): Promise<void> {
  if (holds((await api.list(type)).items)) return
  for await (const _event of api.watch(type, { signal: context.signal }))
    if (holds((await api.list(type)).items)) return
  throw new Error('the watch has ended')
}

test(
  'S0-30, S0-38, S3-127, S3-135: applied as they ship, the manifests serve pods on every node, and the driver is told for which pod it mounts',
  { timeout: 60_000 },
  async (t) => {
    // In reverse: whoever uses the server and the directory ends first.
    const stops = createStops()
    t.after(() => stops.run())
    const context = { after: (stop: () => unknown) => stops.onStop(stop), signal: t.signal } as TestContext
    const server = await startTestServer()
    context.after(() => server[Symbol.asyncDispose]())
    const api = server.server.core.as(SYSTEM_USER)
    await applyManifest(api, 'examples/sidecar/rbac.yaml')
    await applyManifest(api, `${HERE}/csidriver.yaml`)
    const [controller, node] = [readWorkload('controller.yaml'), readWorkload('node.yaml')]
    for (const workload of [controller, node])
      await api.create(workloadType(workload.kind), workload, { fieldValidation: 'Strict' })

    const published: Published[] = []
    // Short, for the sake of sockets below it.
    const root = await mkdtemp('/tmp/holdfast-')
    context.after(() => rm(root, { recursive: true, force: true }))
    const kubeconfigOf = async (name: string, user: string, groups: readonly string[]): Promise<string> => {
      const path = join(root, `${name}.kubeconfig`)
      await writeFile(path, await server.kubeconfigFor(user, [...groups]), { mode: 0o600 })
      return path
    }
    const nodes = ['node-1', 'node-2']
    for (const name of nodes) {
      const kubelet = join(root, name, 'var/lib/kubelet')
      await mkdir(kubelet, { recursive: true })
      await startCommand(context, [
        'node',
        `--name=${name}`,
        `--root-dir=${kubelet}`,
        // The driver of this test only notes its calls.
        '--allow-unmounted',
        `--kubeconfig=${await kubeconfigOf(name, `system:node:${name}`, ['system:nodes'])}`,
      ]).untilOut(/^ready/m)
      await runPod(context, node, { root: join(root, name), nodeName: name, podName: `csi-example-${name}` }, published)
    }
    const kubeconfig = await kubeconfigOf('sidecar', SIDECAR_USER.name, SIDECAR_USER.groups)
    await runPod(
      context,
      controller,
      { root: join(root, 'control'), nodeName: 'control', podName: 'csi-example-0', kubeconfig },
      published,
    )
    await startCommand(context, ['controllers', `--kubeconfig=${server.kubeconfigPath}`]).untilOut(/^ready/m)
    await until(
      context,
      api,
      CSI_NODES,
      (all) =>
        all.filter(({ spec }) => spec.drivers?.some(({ name, nodeID }) => name === DRIVER && nodes.includes(nodeID)))
          .length === 2,
    )

    await api.create(STORAGE_CLASSES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'example' },
      provisioner: DRIVER,
    })
    await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } })
    await api.create(SERVICE_ACCOUNTS, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { namespace: 'team', name: 'reader' },
    })
    for (const name of nodes) {
      const claimName = `of-${name}`
      await api.create(PERSISTENT_VOLUME_CLAIMS, {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { namespace: 'team', name: claimName },
        spec: {
          storageClassName: 'example',
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Mi' } },
        },
      })
      const spec: PodSpec = {
        nodeName: name,
        serviceAccountName: 'reader',
        containers: [{ name: 'main', image: 'none', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
      }
      await api.create(PODS, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { namespace: 'team', name: `on-${name}` },
        spec,
      })
    }
    await until(
      context,
      api,
      PODS,
      // Those of the workloads are only objects here: their containers run in this test.
      (pods) =>
        pods.filter(({ metadata, status }) => metadata.namespace === 'team' && status?.phase === 'Running').length ===
        2,
    )
    equal((await api.list(VOLUME_ATTACHMENTS)).items.filter(({ status }) => status?.attached).length, 2)
    const told = published.map(({ nodeId, volumeContext }) =>
      [
        nodeId,
        ...['pod.namespace', 'pod.name', 'serviceAccount.name'].map(
          (fact) => volumeContext[`csi.storage.k8s.io/${fact}`],
        ),
      ].join(' '),
    )
    deepEqual(
      told.sort(),
      nodes.map((name) => `${name} team on-${name} reader`),
    )

    for (const name of nodes) {
      await api.delete(PODS, { namespace: 'team', name: `on-${name}` })
      await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: 'team', name: `of-${name}` })
    }
    await until(context, api, PERSISTENT_VOLUME_CLAIMS, (claims) => claims.length === 0)
    await until(context, api, VOLUME_ATTACHMENTS, (attachments) => attachments.length === 0)
  },
)
