import { deepEqual, equal, match } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../api/api.ts'
import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { NODES } from '../api/kinds/node.ts'
import { PODS } from '../api/kinds/pod.ts'
import { hasCondition } from '../api/conditions.ts'
import type { KubeObject } from '../api/object.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { startTestServer } from '../apiserver/testing/start-test-server.ts'
import { createSystemClock } from '../base/clock.ts'
import { createSystemHost, makeDirectories } from '../base/host/index.ts'
import { createSilentLogger } from '../base/logger.ts'
import { createSystemRandom } from '../base/random.ts'
import { killChild } from '../base/testing/kill-child.ts'
import { connectDriver, createSystemSockets } from '../csi/index.ts'
import { createLockTable, serve } from '../csi/kit/index.ts'
import type { Dispatcher } from '../csi/kit/index.ts'
import { openTestDirectory } from '../csi/testing/open-test-directory.ts'
import { createHostpathDriver, openHostpath } from '../drivers/hostpath/index.ts'
import { connectApi } from '../kube/client/connect-api.ts'
import { loadKubeconfig } from '../kube/client/credentials.ts'
import { bindVolume, createPod, deletePod } from '../node/volumes/testing/describe-volumes.ts'
import { startNodeRegistrar } from '../sidecars/node-registrar/index.ts'
import { startCommand } from './testing/cli-under-test.ts'

// The agent as a process of its own that is killed, over HTTPS and as nothing more than its node; driver and registrar outlive it.

const NODE = 'node-1'
const DRIVER = 'hostpath.example.com'
const MAIN = join(import.meta.dirname, 'main.ts')
const LONGEST_WAIT_MS = 60_000
const [clock, random, host, log] = [createSystemClock(), createSystemRandom(), createSystemHost(), createSilentLogger()]

async function openMachine(context: TestContext) {
  const server = await startTestServer()
  context.after(() => server[Symbol.asyncDispose]())
  const { api, close } = connectApi({
    credentials: await loadKubeconfig({ path: server.kubeconfigPath, parts: { host, clock, env: {} } }),
    clock,
    random,
    userAgent: 'test',
  })
  context.after(close)
  let child: ChildProcess | undefined
  let root = ''
  const kill = async (): Promise<void> => {
    const ending = child
    child = undefined
    await killChild(ending)
  }
  // Before the directories go, which the agent would make again.
  context.after(async () => {
    await kill()
    for (const { target } of (await host.mounts.list())
      .filter((mount) => root !== '' && mount.target.startsWith(`${root}/`))
      .reverse())
      await host.mounts.unmount(target)
  })
  root = await openTestDirectory(context)
  const data = await openTestDirectory(context)
  const kubeconfig = join(data, 'node.kubeconfig')
  await writeFile(kubeconfig, await server.kubeconfigFor(`system:node:${NODE}`, ['system:nodes']), { mode: 0o600 })
  const directory = join(root, 'plugins', DRIVER)
  for (const path of [directory, join(root, 'plugins_registry')]) await makeDirectories(host.files, path)
  const hostpath = await openHostpath({ root: join(data, 'volumes'), host, clock, random, log })
  const { server: plain } = await createHostpathDriver({
    hostpath,
    node: { id: 'id-1', topology: {}, attachLimit: 0 },
    name: DRIVER,
    version: '1',
    attach: false,
    publish: 'auto',
    locks: createLockTable(),
  })
  // Calls can be held up on their way, so that the agent dies with one under way.
  const gate = { onCall: (_path: string): Promise<void> | void => {} }
  const held: Dispatcher = {
    ...plain,
    unary: async (path, request, call) => {
      await gate.onCall(path)
      return plain.unary(path, request, call)
    },
  }
  const socket = join(directory, 'csi.sock')
  const served = await serve({ endpoint: socket, servers: [held], files: host.files, random, clock, log })
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
    { onRefusal: 'retry' },
  )
  context.after(() => registrar.stop())
  await api.create(CSI_DRIVERS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: DRIVER },
    spec: { attachRequired: false },
  })
  const { driver, connection } = connectDriver({ endpoint: socket, clock })
  context.after(() => connection.close())
  const { volume } = await driver.createVolume({
    name: 'one',
    capacityRange: { requiredBytes: 1_000_000n },
    volumeCapabilities: [{ accessType: { $case: 'mount', value: {} }, accessMode: { mode: 1 } }],
  })
  await bindVolume(api, 'a', { source: { driver: DRIVER, volumeHandle: volume?.volumeId ?? '' } })

  const start = async (): Promise<void> => {
    const started = spawn(
      process.execPath,
      [MAIN, 'node', `--name=${NODE}`, `--kubeconfig=${kubeconfig}`, `--root-dir=${root}`],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    child = started
    let errors = ''
    started.stderr.on('data', (chunk: Buffer) => void (errors += chunk.toString()))
    await new Promise<void>((resolve, reject) => {
      createInterface(started.stdout).on('line', (line) => line.startsWith('ready ') && resolve())
      started.once('exit', (code, signal) => reject(new Error(`the agent ended with ${code ?? signal}: ${errors}`)))
    })
  }
  return { api, root, gate, start, kill }
}

/** Waits for a change that makes it so. */
async function until<T extends KubeObject>(
  api: Api,
  type: ResourceType<T>,
  isSo: (object: T | undefined) => boolean,
): Promise<void> {
  const watching = new AbortController()
  const signal = AbortSignal.any([watching.signal, AbortSignal.timeout(LONGEST_WAIT_MS)])
  try {
    for await (const event of api.watch(type, {
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowBookmarks: true,
      signal,
    })) {
      if (event.type === 'DELETED' ? isSo(undefined) : event.type !== 'BOOKMARK' && isSo(event.object)) return
    }
  } finally {
    watching.abort()
  }
}

/** Resolves when nothing is left of pods and volumes; looked at again whenever one of their directories changes. */
async function untilClean(root: string): Promise<void> {
  const directories = [join(root, 'pods'), join(root, 'plugins', 'kubernetes.io', 'csi', DRIVER)]
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const check = async (): Promise<void> => {
    const left = (await Promise.all(directories.map((directory) => readdir(directory)))).flat()
    if (left.length === 0) resolve()
  }
  const watches = await Promise.all(
    directories.map((directory) => host.files.watch(directory, () => void check().catch(reject))),
  )
  const timer = clock.setTimer(LONGEST_WAIT_MS, () => reject(new Error('something is left of pods and volumes')))
  check().catch(reject)
  try {
    await promise
  } finally {
    timer.cancel()
    for (const watch of watches) watch.close()
  }
  deepEqual(
    (await host.mounts.list()).filter(({ target }) => target.startsWith(root)),
    [],
  )
}

test('killed with SIGKILL while a volume is mounted, the agent takes it back when it starts and the pod has gone', async (context) => {
  const { api, root, start, kill } = await openMachine(context)
  await start()
  await createPod(api, 'a')
  await until(api, PODS, (pod) => pod?.status?.phase === 'Running')
  await kill()
  await api.delete(PODS, { namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 })
  await start()
  await untilClean(root)
})

test('killed with SIGKILL during NodePublishVolume, it publishes again and then gives everything back', async (context) => {
  const { api, root, gate, start, kill } = await openMachine(context)
  const [called, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  gate.onCall = (path) => {
    if (!path.endsWith('NodePublishVolume')) return
    called.resolve()
    return released.promise
  }
  await start()
  const pod = await createPod(api, 'a')
  await called.promise
  await kill()
  released.resolve()
  gate.onCall = () => {}
  await start()
  await until(api, PODS, (now) => now?.status?.phase === 'Running')
  const target = join(root, 'pods', pod.metadata.uid ?? '', 'volumes', 'kubernetes.io~csi', 'a', 'mount')
  if (await host.mounts.available())
    equal((await host.mounts.list()).filter((mount) => mount.target === target).length, 1)
  await deletePod(api, 'a')
  await until(api, PODS, (now) => now === undefined)
  await untilClean(root)
})

test('several nodes run in one process, each under its own name', async (context) => {
  const server = await startTestServer()
  context.after(() => server[Symbol.asyncDispose]())
  const { api, close } = connectApi({
    credentials: await loadKubeconfig({ path: server.kubeconfigPath, parts: { host, clock, env: {} } }),
    clock,
    random,
    userAgent: 'test',
  })
  context.after(close)
  const root = await openTestDirectory(context)
  const command = startCommand(context, [
    'node',
    '--name=n',
    '--count=2',
    '--impersonate',
    `--kubeconfig=${server.kubeconfigPath}`,
    `--root-dir=${root}`,
    '--labels=example.com/rack=7',
  ])
  await command.untilOut(/^ready nodes=n-1,n-2 /)
  const ready = new Set<string>()
  await until(api, NODES, (node) => {
    if (node && hasCondition(node.status?.conditions, 'Ready') && node.metadata.labels?.['example.com/rack'] === '7')
      ready.add(node.metadata.name ?? '')
    return ready.size === 2
  })
  equal(await command.stop(), 0)
})

test('more than one node needs the right to act for all of them', async (context) => {
  const command = startCommand(context, ['node', '--name=n', '--count=2'])
  equal(await command.ended, 2)
  match(command.err(), /--count needs --impersonate/)
})
