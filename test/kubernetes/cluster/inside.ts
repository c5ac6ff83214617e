import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { ListenOptions } from 'node:net'
import { join } from 'node:path'
import { once } from 'node:events'
import { buildPeer } from '../peers.ts'
import { findFreePort, startKubernetes } from '../start-kubernetes.ts'
import { startLogged } from '../start-logged.ts'
import type { LoggedProgram } from '../start-logged.ts'
import { NODE_NAMES } from './protocol.ts'
import type { Command, FromInside, Request } from './protocol.ts'
import { startNode } from './start-node.ts'
import type { RunningNode } from './start-node.ts'

// Runs as the first process of network, mount and PID namespaces of its own; whatever it starts ends with it.

const SERVICE_ADDRESS = '10.96.0.1'
const [directory = '', ...images] = process.argv.slice(2)

const run = (command: string, ...args: string[]): string => execFileSync(command, args, { encoding: 'utf8' })

function openNetwork(): void {
  run('ip', 'link', 'set', 'lo', 'up')
  // No kube-proxy: the address of the service is this machine's, and a forwarder listens there.
  run('ip', 'address', 'add', `${SERVICE_ADDRESS}/32`, 'dev', 'lo')
  for (const [index] of NODE_NAMES.entries()) {
    run('ip', 'link', 'add', `cni${index + 1}`, 'type', 'bridge')
    run('ip', 'address', 'add', `10.244.${index + 1}.1/24`, 'dev', `cni${index + 1}`)
    run('ip', 'link', 'set', `cni${index + 1}`, 'up')
  }
  // kube-apiserver does not start without one.
  run('ip', 'route', 'add', 'default', 'via', '10.244.1.1')
}

async function forward(from: ListenOptions, port: number): Promise<void> {
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.pipe(other)
      one.on('error', () => other.destroy())
    }
  })
  server.listen(from)
  await once(server, 'listening')
}

async function startScheduler(kubeconfig: string): Promise<LoggedProgram> {
  const flags = [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${await findFreePort()}`,
    '--leader-elect=false',
  ]
  return startLogged(await buildPeer('kube-scheduler'), flags, join(directory, 'kube-scheduler.log'))
}

/** Sends the signal to each process whose command line has all words. Returns how many there were. */
function signalMatching(signal: NodeJS.Signals, words: readonly string[]): number {
  let count = 0
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)) {
    let commandLine = ''
    try {
      commandLine = readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ')
    } catch {
      continue // It has ended meanwhile.
    }
    if (commandLine === '' || !words.every((word) => commandLine.includes(word))) continue
    process.kill(Number(entry), signal)
    count += 1
  }
  return count
}

openNetwork()
const users = Object.fromEntries(
  NODE_NAMES.map((name) => [name, { user: `system:node:${name}`, groups: ['system:nodes'] }]),
)
const kubernetes = await startKubernetes({
  users,
  parentDirectory: directory,
  apiserverFlags: [
    '--service-cluster-ip-range=10.96.0.0/24',
    '--enable-admission-plugins=NodeRestriction',
    '--kubelet-preferred-address-types=InternalIP',
  ],
  controllers: ['*'],
  controllerManagerFlags: (within) => [
    `--root-ca-file=${join(within, 'pki/apiserver.crt')}`,
    `--service-account-private-key-file=${join(within, 'service-account.key')}`,
    // A claim is tried again within seconds, as on a cluster that is in use.
    '--pvclaimbinder-sync-period=5s',
  ],
})
const port = Number(new URL(kubernetes.address).port)
const socket = join(directory, 'api.sock')
await forward({ path: socket }, port)
await forward({ host: SERVICE_ADDRESS, port: 443 }, port)
await startScheduler(kubernetes.kubeconfig())
const kubelet = await buildPeer('kubelet')
const nodes = new Map<string, RunningNode>()

async function addNode(name: string): Promise<void> {
  const index = NODE_NAMES.findIndex((known) => known === name) + 1
  const node = await startNode({
    name,
    index,
    directory: join(directory, name),
    kubeconfig: kubernetes.kubeconfig(name),
    kubelet,
    images,
  })
  nodes.set(name, node)
}

const requireNode = (name: string): RunningNode => {
  const node = nodes.get(name)
  if (!node) throw new Error(`there is no node ${name}`)
  return node
}

async function obey(command: Command): Promise<number> {
  switch (command.kind) {
    case 'add-node':
      await addNode(command.name)
      return 1
    case 'kill-kubelet':
      await requireNode(command.name).killKubelet()
      return 1
    case 'start-kubelet':
      requireNode(command.name).startKubelet()
      return 1
    case 'signal':
      return signalMatching(command.signal, command.words)
    case 'stop':
      // The namespace ends with its first process, and with it everything else.
      process.exit(0)
  }
}

const send = (message: FromInside): void => void process.send?.(message)
process.on('message', (request: Request) => {
  obey(request.command).then(
    (value) => send({ kind: 'answer', id: request.id, value }),
    (error: unknown) => send({ kind: 'failed', id: request.id, message: String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
writeFileSync(join(directory, 'ready'), '')
send({ kind: 'ready', ca: kubernetes.ca, token: kubernetes.token(), socket })
