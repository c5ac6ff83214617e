import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { buildPeer } from './peers.ts'

export type KubernetesOptions = {
  /** Beside the administrator, by the name they are given here. Each gets a token. */
  users?: Readonly<Record<string, { user: string; groups: readonly string[] }>>
  /** Further flags of kube-apiserver; they win over ours. */
  apiserverFlags?: readonly string[]
  /** Whether pods need a service account. Default: only if all controllers run, one of which creates them. */
  serviceAccounts?: boolean
  /** Controllers of kube-controller-manager to run, by their names there. Default: none, and no such program. */
  controllers?: readonly string[]
  /** Further flags of kube-controller-manager, given the directory with keys and certificates. */
  controllerManagerFlags?: (directory: string) => readonly string[]
  /** Where the directory with state, keys and logs is made. Default: the temporary one. */
  parentDirectory?: string
}

export type RunningKubernetes = {
  /** `https://127.0.0.1:PORT`. */
  readonly address: string
  /** What signed the server's certificate, in PEM. */
  readonly ca: string
  /** State, keys and logs; gone after `stop`. */
  readonly directory: string
  readonly pids: { readonly etcd: number; readonly apiserver: number }
  /** From the start of both programs until /readyz said ok. */
  readonly readyMs: number
  /** Of the administrator, or of one of `users`. */
  token(name?: string): string
  /** The path of a kubeconfig of the administrator, or of one of `users`. */
  kubeconfig(name?: string): string
  /** Ends both programs and removes the directory. */
  stop(): Promise<void>
}

const READY_WITHIN_MS = 120_000
const ASK_EVERY_MS = 20
const ADMIN = 'admin'

/** A real Kubernetes API on loopback: kube-apiserver on one etcd, and the requested controllers. The programs are built when they aren't there. */
export async function startKubernetes(options: KubernetesOptions = {}): Promise<RunningKubernetes> {
  const { controllers = [] } = options
  const programs = {
    etcd: await buildPeer('etcd'),
    apiserver: await buildPeer('kube-apiserver'),
    controllers: controllers.length > 0 ? await buildPeer('kube-controller-manager') : '',
  }
  const directory = mkdtempSync(join(options.parentDirectory ?? tmpdir(), 'holdfast-kubernetes-'))
  const within = (name: string): string => join(directory, name)
  const users = { [ADMIN]: { user: 'admin', groups: ['system:masters'] }, ...options.users }
  const tokens = writeTokens(within('tokens.csv'), users)
  writeServiceAccountKey(within('service-account.key'))
  const port = await findFreePort()

  const startMs = performance.now()
  const etcd = startPeer(programs.etcd, etcdFlags(directory), directory)
  // Without all controllers there is none that would make the service accounts that pods are asked to have.
  const { serviceAccounts = controllers.includes('*') } = options
  const withoutAccounts = serviceAccounts ? [] : ['--disable-admission-plugins=ServiceAccount']
  const flags = [...apiserverFlags(directory, port), ...withoutAccounts, ...(options.apiserverFlags ?? [])]
  const apiserver = startPeer(programs.apiserver, flags, directory)
  let manager: Peer | undefined
  const stop = async (): Promise<void> => {
    // Clients before the server, and the server before its store: they would only complain.
    await manager?.stop()
    await apiserver.stop()
    await etcd.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    await Promise.race([untilReady(port, tokenOf(tokens, ADMIN)), etcd.failed, apiserver.failed])
  } catch (error) {
    await stop()
    throw error
  }
  const readyMs = performance.now() - startMs

  const address = `https://127.0.0.1:${port}`
  const ca = readFileSync(within('pki/apiserver.crt'), 'utf8')
  const kubeconfig = (name = ADMIN): string => {
    const path = within(`${name}.kubeconfig`)
    writeFileSync(path, formatTokenKubeconfig({ address, ca, token: tokenOf(tokens, name) }), { mode: 0o600 })
    return path
  }
  if (controllers.length > 0) {
    const managerFlags = [
      ...controllerManagerFlags(directory, kubeconfig(), await findFreePort(), controllers),
      ...(options.controllerManagerFlags?.(directory) ?? []),
    ]
    manager = startPeer(programs.controllers, managerFlags, directory)
  }
  return {
    address,
    ca,
    directory,
    pids: { etcd: etcd.pid, apiserver: apiserver.pid },
    readyMs,
    token: (name = ADMIN) => tokenOf(tokens, name),
    kubeconfig,
    stop,
  }
}

// On sockets of the file system, so that nobody else can take or reach its ports. etcd wants to see a port in every address; these are
// names of files in its working directory.
const ETCD_CLIENT = 'etcd-client:0'
const ETCD_PEER = 'etcd-peer:0'

function etcdFlags(directory: string): string[] {
  return [
    `--data-dir=${join(directory, 'etcd')}`,
    `--listen-client-urls=unix://${ETCD_CLIENT}`,
    `--advertise-client-urls=unix://${ETCD_CLIENT}`,
    `--listen-peer-urls=unix://${ETCD_PEER}`,
    `--initial-advertise-peer-urls=unix://${ETCD_PEER}`,
    `--initial-cluster=default=unix://${ETCD_PEER}`,
    '--log-level=warn',
  ]
}

function apiserverFlags(directory: string, port: number): string[] {
  const key = join(directory, 'service-account.key')
  return [
    `--etcd-servers=unix://${join(directory, ETCD_CLIENT)}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    // It makes a certificate of its own there.
    `--cert-dir=${join(directory, 'pki')}`,
    `--token-auth-file=${join(directory, 'tokens.csv')}`,
    '--authorization-mode=Node,RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    // A loopback address is no endpoint of a service.
    '--endpoint-reconciler-type=none',
    '--allow-privileged=true',
  ]
}

const controllerManagerFlags = (
  directory: string,
  kubeconfig: string,
  port: number,
  controllers: readonly string[],
): string[] => [
  `--kubeconfig=${kubeconfig}`,
  `--authentication-kubeconfig=${kubeconfig}`,
  `--authorization-kubeconfig=${kubeconfig}`,
  '--bind-address=127.0.0.1',
  `--secure-port=${port}`,
  `--cert-dir=${join(directory, 'controller-manager-pki')}`,
  '--leader-elect=false',
  `--controllers=${controllers.join(',')}`,
]

/** A line for each user; gives the token of each name. */
function writeTokens(path: string, users: NonNullable<KubernetesOptions['users']>): ReadonlyMap<string, string> {
  const tokens = new Map(Object.keys(users).map((name) => [name, randomBytes(16).toString('hex')]))
  const lines = Object.entries(users).map(
    ([name, { user, groups }]) => `${tokens.get(name)},${user},${user},"${groups.join(',')}"\n`,
  )
  writeFileSync(path, lines.join(''), { mode: 0o600 })
  return tokens
}

function tokenOf(tokens: ReadonlyMap<string, string>, name: string): string {
  const token = tokens.get(name)
  if (token === undefined) throw new Error(`there is no user ${name}`)
  return token
}

function writeServiceAccountKey(path: string): void {
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  writeFileSync(path, privateKey, { mode: 0o600 })
}

/** A kubeconfig with a token in it. */
export function formatTokenKubeconfig({ address, ca, token }: { address: string; ca: string; token: string }): string {
  // JSON is YAML.
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'kubernetes',
        cluster: { server: address, 'certificate-authority-data': Buffer.from(ca).toString('base64') },
      },
    ],
    users: [{ name: 'user', user: { token } }],
    contexts: [{ name: 'kubernetes', context: { cluster: 'kubernetes', user: 'user' } }],
    'current-context': 'kubernetes',
  })
}

/** One that is free now. The programs of Kubernetes can't pick one themselves and say which. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

type Peer = { pid: number; failed: Promise<never>; stop(): Promise<void> }

function startPeer(program: string, flags: readonly string[], directory: string): Peer {
  const logPath = join(directory, `${basename(program)}.log`)
  const log = openSync(logPath, 'a')
  const child: ChildProcess = spawn(program, flags, { cwd: directory, stdio: ['ignore', log, log] })
  closeSync(log)
  const exited = once(child, 'exit')
  // Whatever ends this process ends what it started.
  const kill = (): void => void child.kill('SIGKILL')
  process.on('exit', kill)
  const failed = exited.then(([code]) => {
    throw new Error(`${program} ended with ${String(code)}: ${readFileSync(logPath, 'utf8').slice(-4000)}`)
  })
  failed.catch(() => {})
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      // kube-apiserver waits for watches to end; nobody here does.
      const timer = setTimeout(kill, 5000)
      await exited
      clearTimeout(timer)
    }
    process.off('exit', kill)
  }
  return { pid: child.pid ?? 0, failed, stop }
}

async function untilReady(port: number, token: string): Promise<void> {
  const until = performance.now() + READY_WITHIN_MS
  while (!(await isReady(port, token))) {
    if (performance.now() > until) throw new Error(`kube-apiserver was not ready after ${READY_WITHIN_MS / 1000} s`)
    await delay(ASK_EVERY_MS)
  }
}

/** Does the server say that it is ready? Its certificate is not looked at: it may just be in the making. */
export function isReady(port: number, token: string): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` }
    const asked = request(
      { host: '127.0.0.1', port, path: '/readyz', headers, rejectUnauthorized: false, agent: false },
      (response) => {
        response.resume()
        resolve(response.statusCode === 200)
      },
    )
    asked.on('error', () => resolve(false))
    asked.end()
  })
}
