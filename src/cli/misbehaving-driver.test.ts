import { equal, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../api/api.ts'
import { CSI_NODES } from '../api/kinds/csi-node.ts'
import { EVENTS } from '../api/kinds/event.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import { SYSTEM_USER } from '../apiserver/core/user.ts'
import { startTestServer } from '../apiserver/testing/start-test-server.ts'
import {
  ControllerServiceCapability_RPC_Type as Capability,
  PluginCapability_Service_Type as Service,
} from '../csi/generated/csi/v1/csi.ts'
import type { CsiMethod } from '../csi/rpc.ts'
import { openTestDirectory } from '../csi/testing/open-test-directory.ts'
import { answerOf, startRawDriver } from '../csi/testing/start-raw-driver.ts'
import type { RawAnswer } from '../csi/testing/start-raw-driver.ts'

const DRIVER = 'odd.test.holdfast.dev'
const OBJECTS = 10
// The first makes what is made once, and is not counted.
const PASSES = 3
// Held when nothing is under way. A thousand failures lie between the two looks.
const MOST_GROWN_BYTES = 3 * 1024 * 1024
const WORK: readonly CsiMethod[] = ['createVolume', 'controllerPublishVolume']
// As much as a header can hold.
const LONG_TEXT_BYTES = 48 * 1024

const capability = (type: Capability): object => ({ type: { $case: 'rpc', value: { type } } })
const CAPABILITIES = [
  Capability.CREATE_DELETE_VOLUME,
  Capability.PUBLISH_UNPUBLISH_VOLUME,
  Capability.LIST_VOLUMES,
  Capability.LIST_VOLUMES_PUBLISHED_NODES,
].map(capability)

/** What it says about itself. */
function introduce(method: CsiMethod): RawAnswer {
  switch (method) {
    case 'getPluginInfo':
      return answerOf(method, { name: DRIVER, vendorVersion: '1' })
    case 'getPluginCapabilities':
      return answerOf(method, {
        capabilities: [{ type: { $case: 'service', value: { type: Service.CONTROLLER_SERVICE } } }],
      })
    case 'controllerGetCapabilities':
      return answerOf(method, { capabilities: CAPABILITIES })
    default:
      return answerOf(method)
  }
}

/** How it answers, and for how many calls of which kind. */
type Manner = {
  readonly answer: (method: CsiMethod, count: number) => RawAnswer
  readonly calls: number
  readonly of?: CsiMethod
}

const isWork = (method: CsiMethod): boolean => WORK.includes(method)
const atWork =
  (answer: (count: number, method: CsiMethod) => RawAnswer): Manner['answer'] =>
  (method, count) =>
    isWork(method) ? answer(count, method) : introduce(method)
const garbage = { kind: 'message', bytes: randomBytes(10_000) } as const
const tooLarge = { kind: 'message', bytes: new Uint8Array(17 * 1024 * 1024) } as const
const longContext = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`key-${index}`, 'x'.repeat(5000)]))
const pageOf = (count: number): object => ({
  entries: Array.from({ length: 100 }, (_, index) => ({
    volume: { volumeId: `v-${count}-${index}` },
    status: { publishedNodeIds: [`n-${index}`] },
  })),
  nextToken: `page ${count}`,
})

// A new text each time, so that whoever remembers what was said would have to remember it all.
const MANNERS: readonly Manner[] = [
  {
    calls: 300,
    answer: atWork((count) => ({ kind: 'error', code: 13, text: `${count} `.padEnd(LONG_TEXT_BYTES, 'x') })),
  },
  { calls: 200, answer: atWork(() => garbage) },
  { calls: 40, answer: atWork((count) => (count % 10 === 0 ? tooLarge : garbage)) },
  // A volume that is smaller than asked for, with far too much to remember about it.
  {
    calls: 30,
    answer: atWork((count, method) =>
      answerOf(method, {
        volume: { volumeId: `v-${count}`, capacityBytes: 1n, volumeContext: longContext },
        publishContext: longContext,
      }),
    ),
  },
  {
    calls: 150,
    of: 'listVolumes',
    answer: (method, count) =>
      method === 'listVolumes' ? answerOf(method, pageOf(count)) : isWork(method) ? garbage : introduce(method),
  },
  { calls: 60, answer: atWork(() => ({ kind: 'hang' })) },
  {
    calls: 100,
    answer: (method, count) =>
      count % 20 === 0
        ? { kind: 'cut' }
        : isWork(method)
          ? { kind: 'error', code: 14, text: `${count}` }
          : introduce(method),
  },
]

/** The sidecar as a process of its own, which tells what it holds. */
function startSidecar(context: TestContext, socket: string, kubeconfig: string) {
  const tell =
    "process.on('SIGUSR2', () => { gc(); gc(); process.stdout.write('\\nheld ' + process.memoryUsage().heapUsed + '\\n') })"
  const flags = [
    '--timeout=100ms',
    '--retry-interval-start=5ms',
    '--retry-interval-max=20ms',
    '--attacher-reconcile-sync=50ms',
    '--logging-format=json',
  ]
  const words = [
    '--expose-gc',
    `--import=data:text/javascript,${encodeURIComponent(tell)}`,
    join(import.meta.dirname, 'main.ts'),
    'sidecar',
    `--csi-address=${socket}`,
    `--kubeconfig=${kubeconfig}`,
    ...flags,
  ]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  context.after(async () => {
    const ended = once(child, 'exit')
    if (child.exitCode === null && child.kill('SIGKILL')) await ended
  })
  let longestLine = 0
  const held: ((bytes: number) => void)[] = []
  for (const output of [child.stdout, child.stderr]) {
    createInterface(output).on('line', (line) => {
      longestLine = Math.max(longestLine, line.length)
      const found = /^held (\d+)$/.exec(line)
      if (found) held.shift()?.(Number(found[1]))
    })
  }
  const heldBytes = async (): Promise<number> => {
    const { promise, resolve } = Promise.withResolvers<number>()
    held.push(resolve)
    child.kill('SIGUSR2')
    return promise
  }
  return { heldBytes, longestLine: () => longestLine, exitCode: () => child.exitCode }
}

async function createObjects(api: Api): Promise<void> {
  await api.create(STORAGE_CLASSES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'odd' },
    provisioner: DRIVER,
  })
  await api.create(CSI_NODES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name: 'n1' },
    spec: { drivers: [{ name: DRIVER, nodeID: 'n1', topologyKeys: null }] },
  })
  for (let index = 0; index < OBJECTS; index++) {
    const name = `v-${index}`
    const annotations = {
      'volume.kubernetes.io/storage-provisioner': DRIVER,
      'volume.beta.kubernetes.io/storage-provisioner': DRIVER,
    }
    await api.create(PERSISTENT_VOLUME_CLAIMS, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace: 'default', annotations },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'odd', resources: { requests: { storage: '1Gi' } } },
    })
    await api.create(PERSISTENT_VOLUMES, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        csi: { driver: DRIVER, volumeHandle: name },
      },
    })
    await api.create(VOLUME_ATTACHMENTS, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name },
      spec: { attacher: DRIVER, nodeName: 'n1', source: { persistentVolumeName: name } },
    })
  }
}

test(
  'memory of a sidecar stays flat, and what it tells is short, whatever its driver does',
  { timeout: 120_000 },
  async (context) => {
    await using server = await startTestServer()
    const api = server.server.core.as(SYSTEM_USER)
    const socket = join(await openTestDirectory(context), 'csi.sock')
    let answer: Manner['answer'] = introduce
    let count = 0
    const driver = await startRawDriver(context, socket, (method) => answer(method, ++count))
    await createObjects(api)
    const sidecar = startSidecar(context, socket, server.kubeconfigPath)

    const heldAfterPass = async (): Promise<number> => {
      for (const manner of MANNERS) {
        answer = manner.answer
        await driver.untilCalled(manner.calls, ...(manner.of ? [manner.of] : WORK))
      }
      return sidecar.heldBytes()
    }
    const before = await heldAfterPass()
    const countBefore = count
    let grown = 0
    for (let passes = 1; passes < PASSES; passes++) grown = (await heldAfterPass()) - before
    ok(grown < MOST_GROWN_BYTES, `${grown} bytes more after ${count - countBefore} calls`)
    equal(sidecar.exitCode(), null)

    const { items: attachments } = await api.list(VOLUME_ATTACHMENTS)
    const { items: events } = await api.list(EVENTS)
    const told = [
      ...attachments.map(({ status }) => status?.attachError?.message ?? ''),
      ...events.map(({ message = '' }) => message),
    ]
    equal(
      Math.max(...told.map((text) => Buffer.byteLength(text))),
      1024,
      'as much of the long texts as there is room for',
    )
    ok(
      sidecar.longestLine() > 4096 && sidecar.longestLine() < 10_000,
      `the longest line of the log has ${sidecar.longestLine()} characters`,
    )
  },
)
