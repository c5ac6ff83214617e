import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../../scripts/run.ts'
import type { Api } from '../../../src/api/api.ts'
import { NODES } from '../../../src/api/kinds/node.ts'
import { hasCondition } from '../../../src/api/conditions.ts'
import { createSilentLogger, createSystemClock, createSystemRandom } from '../../../src/base/index.ts'
import { createUntilObject } from '../../../src/cluster/until-object.ts'
import type { UntilObject } from '../../../src/cluster/until-object.ts'
import { buildPeer } from '../peers.ts'
import { connectAdmin } from '../sidecar-stage.ts'
import { formatTokenKubeconfig } from '../start-kubernetes.ts'
import { buildTestImages } from './build-test-images.ts'
import type { ClusterReady, Command, FromInside, Request } from './protocol.ts'

/** etcd, the whole control plane of Kubernetes, and kubelets with containerd; in namespaces of their own, so that nothing is left afterwards. */
export type RunningCluster = {
  readonly api: Api
  readonly until: UntilObject
  /** The path of the administrator's kubeconfig. */
  readonly kubeconfig: string
  /** Shared by all nodes, as a storage backend is. */
  readonly backend: string
  addNode(name: string): Promise<void>
  killKubelet(name: string): Promise<void>
  startKubelet(name: string): Promise<void>
  /** Sends the signal to each process in the cluster whose command line has all these words. Returns how many there were. */
  signal(signal: NodeJS.Signals, ...words: string[]): Promise<number>
  /** What the containers of this name have logged, in pods of this namespace that exist. */
  containerLogs(namespace: string, container: string): string
  /** The end of each log, for the message of a failed test. */
  logs(): string
  stop(): Promise<void>
}

const NODE_READY_MS = 180_000
const LOG_SHOWN = 1500

export type ClusterOptions = {
  /** Writes archives with further images for the nodes into the folder, and returns their paths. */
  readonly buildMoreImages?: (directory: string) => Promise<string[]>
}

export async function startCluster({ buildMoreImages }: ClusterOptions = {}): Promise<RunningCluster> {
  for (const name of ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet'] as const)
    await buildPeer(name)
  // The path of a unix socket has at most 108 bytes.
  const directory = mkdtempSync(join(tmpdir(), 'hf-'))
  const images = [...buildTestImages(directory), ...((await buildMoreImages?.(directory)) ?? [])]
  const inside = startInside(directory, images)
  try {
    const ready = await inside.ready
    const proxy = await forwardTo(ready.socket)
    const address = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const kubeconfig = join(directory, 'kubeconfig')
    writeFileSync(kubeconfig, formatTokenKubeconfig({ address, ca: ready.ca, token: ready.token }), { mode: 0o600 })
    const { api, close } = await connectAdmin({ kubeconfig: () => kubeconfig })
    const random = createSystemRandom()
    const until = createUntilObject({ api, clock: createSystemClock(), random, log: createSilentLogger() })
    const { ask } = inside
    return {
      api,
      until,
      kubeconfig,
      backend: join(directory, 'backend'),
      addNode: async (name) => {
        await ask({ kind: 'add-node', name })
        const isReady = { limitMs: NODE_READY_MS }
        await until(NODES, { name }, (node) => hasCondition(node?.status?.conditions, 'Ready'), isReady)
      },
      killKubelet: async (name) => void (await ask({ kind: 'kill-kubelet', name })),
      startKubelet: async (name) => void (await ask({ kind: 'start-kubelet', name })),
      signal: (signal, ...words) => ask({ kind: 'signal', signal, words }),
      containerLogs: (namespace, container) =>
        globSync(`node-*/pods/${namespace}_*/${container}/*.log`, { cwd: directory })
          .map((name) => readFileSync(join(directory, name), 'utf8'))
          .join(''),
      logs: () => readLogs(directory),
      stop: async () => {
        close()
        proxy.close()
        await inside.stop()
        rmSync(directory, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await inside.stop()
    throw error
  }
}

type Inside = {
  readonly ready: Promise<ClusterReady>
  ask(command: Command): Promise<number>
  stop(): Promise<void>
}

function startInside(directory: string, images: readonly string[]): Inside {
  const child: ChildProcess = spawn(
    'unshare',
    [
      ...['-n', '-m', '-p', '--fork', '--mount-proc', '--kill-child'],
      ...[process.execPath, join(import.meta.dirname, 'inside.ts'), directory, ...images],
    ],
    { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  )
  const exited = once(child, 'exit')
  const kill = (): void => void child.kill('SIGKILL')
  process.on('exit', kill)
  const ready = Promise.withResolvers<ClusterReady>()
  const waiting = new Map<number, PromiseWithResolvers<number>>()
  child.on('message', (message: FromInside) => {
    if (message.kind === 'ready') ready.resolve(message)
    else if (message.kind === 'answer') waiting.get(message.id)?.resolve(message.value)
    else waiting.get(message.id)?.reject(new Error(message.message))
  })
  void exited.then(([code]) => {
    const ended = new Error(`the cluster ended with ${String(code)}\n${readLogs(directory)}`)
    ready.reject(ended)
    for (const { reject } of waiting.values()) reject(ended)
  })
  ready.promise.catch(() => {})
  let id = 0
  return {
    ready: ready.promise,
    ask: (command) => {
      id += 1
      const answer = Promise.withResolvers<number>()
      waiting.set(id, answer)
      child.send({ id, command } satisfies Request)
      return answer.promise
    },
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        kill()
        await exited
      }
      process.off('exit', kill)
    },
  }
}

/** A port on loopback that leads to the API server inside. */
async function forwardTo(path: string): Promise<Server> {
  const server = createServer((client) => {
    const upstream = connect(path)
    client.pipe(upstream).pipe(client)
    client.on('error', () => upstream.destroy())
    upstream.on('error', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function readLogs(directory: string): string {
  const containers = globSync('node-*/pods/*/*/*.log', { cwd: directory })
  return ['kube-scheduler.log', 'node-1/containerd.log', 'node-1/kubelet.log', 'node-2/kubelet.log', ...containers]
    .map((name) => join(directory, name))
    .filter((path) => existsSync(path))
    .map((path) => `${path}:\n${readFileSync(path, 'utf8').slice(-LOG_SHOWN)}`)
    .join('\n')
}
