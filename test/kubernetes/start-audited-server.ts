import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseKubeconfig } from '../../src/kube/client/parse-kubeconfig.ts'
import { formatTokenKubeconfig, startKubernetes } from './start-kubernetes.ts'
import type { KubernetesOptions } from './start-kubernetes.ts'
import { startLogged } from './start-logged.ts'
import { ROOT } from '../../scripts/run.ts'

/** One request that the server has answered. */
export type AuditedRequest = {
  readonly user: string
  readonly verb: string
  /** With the sub-resource: `volumeattachments/status`. Of requests for no resource, the path. */
  readonly resource: string
  readonly name: string
  readonly code: number
  readonly receivedMs: number
}

/** A server that writes down who asked what of it. */
export type AuditedServer = {
  readonly pids: readonly number[]
  /** Of the log. */
  readonly auditPath: string
  /** The path of a kubeconfig of the administrator, or of one of `users`. */
  kubeconfig(name?: string): string
  /** What was answered so far; by ours, what it has written of that. */
  requests(): AuditedRequest[]
  stop(): Promise<void>
}

export type AuditedOptions = {
  users: NonNullable<KubernetesOptions['users']>
  /** What kube-apiserver writes down, as rules of an audit policy. Default: the metadata of what the users ask. */
  rules?: readonly object[]
  /** Only kube-apiserver takes them. */
  apiserverFlags?: readonly string[]
  /** Controllers of kube-controller-manager to run beside kube-apiserver. Default: none. */
  controllers?: readonly string[]
  /** Where state is kept. Default: the temporary directory. */
  parentDirectory?: string
  /** Of ours: state is kept there and synced, and not only in memory. */
  durable?: boolean
}

/** kube-apiserver on etcd. Only what the named users ask is written down. */
export async function startAuditedKubernetes({
  users,
  rules,
  apiserverFlags = [],
  controllers = [],
  parentDirectory = tmpdir(),
}: AuditedOptions): Promise<AuditedServer> {
  const directory = mkdtempSync(join(parentDirectory, 'holdfast-audit-'))
  const policyPath = join(directory, 'policy.json')
  const auditPath = join(directory, 'audit.log')
  const rule = {
    level: 'Metadata',
    users: Object.values(users).map(({ user }) => user),
    omitStages: ['RequestReceived'],
  }
  writeFileSync(
    policyPath,
    JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [...(rules ?? [rule]), { level: 'None' }] }),
  )
  const audit = [`--audit-policy-file=${policyPath}`, `--audit-log-path=${auditPath}`]
  const kubernetes = await startKubernetes({
    users,
    apiserverFlags: [...audit, ...apiserverFlags],
    controllers,
    parentDirectory,
  })
  const stop = async (): Promise<void> => {
    await kubernetes.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  return {
    pids: [kubernetes.pids.apiserver, kubernetes.pids.etcd],
    auditPath,
    kubeconfig: kubernetes.kubeconfig,
    requests: () => readAudit(auditPath),
    stop,
  }
}

/** `holdfast apiserver` as a process of its own. */
export async function startAuditedHoldfast({
  users,
  parentDirectory = tmpdir(),
  durable = false,
}: AuditedOptions): Promise<AuditedServer> {
  const directory = mkdtempSync(join(parentDirectory, 'holdfast-audit-'))
  const within = (name: string): string => join(directory, name)
  const tokens = new Map(Object.keys(users).map((name) => [name, randomBytes(16).toString('hex')]))
  const lines = Object.entries(users).map(
    ([name, { user, groups }]) => `${tokens.get(name)},${user},${user},"${groups.join(',')}"\n`,
  )
  writeFileSync(within('tokens.csv'), lines.join(''), { mode: 0o600 })
  const state = durable ? `--data=${within('data')}` : '--in-memory'
  const flags = [
    state,
    '--port=0',
    `--kubeconfig=${within('admin.kubeconfig')}`,
    `--token-auth-file=${within('tokens.csv')}`,
    `--audit-log=${within('audit.log')}`,
  ]
  const server = startLogged(
    process.execPath,
    [join(ROOT, 'src/cli/main.ts'), 'apiserver', ...flags],
    within('server.log'),
  )
  await server.ready
  const { server: address, certificateAuthority } = parseKubeconfig(
    readFileSync(within('admin.kubeconfig'), 'utf8'),
    within('admin.kubeconfig'),
  )
  if (!certificateAuthority || !('text' in certificateAuthority))
    throw new Error('the kubeconfig has no certificate authority')
  const ca = certificateAuthority.text
  const kubeconfig = (name?: string): string => {
    if (name === undefined) return within('admin.kubeconfig')
    const token = tokens.get(name)
    if (token === undefined) throw new Error(`there is no user ${name}`)
    const path = within(`${name}.kubeconfig`)
    writeFileSync(path, formatTokenKubeconfig({ address: String(address).replace(/\/$/, ''), ca, token }), {
      mode: 0o600,
    })
    return path
  }
  const stop = async (): Promise<void> => {
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  const auditPath = within('audit.log')
  return { pids: [server.pid], auditPath, kubeconfig, requests: () => readAudit(auditPath), stop }
}

// The parts of an audit.k8s.io/v1 Event that are looked at here.
type AuditEvent = {
  stage: string
  verb: string
  requestURI: string
  user: { username: string }
  objectRef?: { resource?: string; subresource?: string; name?: string }
  responseStatus?: { code?: number }
  requestReceivedTimestamp: string
}

/** The lines of an audit log that tell of something done. */
export function readAudit(path: string): AuditedRequest[] {
  if (!existsSync(path)) return []
  // The last line may still be in the making.
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  return lines.flatMap((line) => {
    const { stage, verb, requestURI, user, objectRef, responseStatus, requestReceivedTimestamp } = JSON.parse(
      line,
    ) as AuditEvent
    // A watch is told of when it begins, everything else when it is done.
    if (stage !== (verb === 'watch' ? 'ResponseStarted' : 'ResponseComplete')) return []
    const resource =
      objectRef?.resource === undefined
        ? requestURI
        : [objectRef.resource, objectRef.subresource].filter(Boolean).join('/')
    return [
      {
        user: user.username,
        verb,
        resource,
        name: objectRef?.name ?? '',
        code: responseStatus?.code ?? 0,
        receivedMs: Date.parse(requestReceivedTimestamp),
      },
    ]
  })
}
