import { findTimestamp } from '../../api/timestamps.ts'
import { startDeadline } from '../../base/abort.ts'
import type { CredentialParts, Identity } from './identity.ts'
import type { Expiring } from './keep-until-expiry.ts'
import { KubeconfigError } from './parse-kubeconfig.ts'
import type { ExecPlugin, KubeconfigContext } from './parse-kubeconfig.ts'

const TIMEOUT_MS = 60_000
// A credential without expiration is kept until the server rejects it, so it may still change.
const FAR_FUTURE_MS = Number.MAX_SAFE_INTEGER

/**
 * Runs a program that provides a token, a client certificate, or both. Its standard output is never shown, because it may contain a credential; its
 * standard error is.
 */
export async function runCredentialPlugin(
  parts: CredentialParts,
  plugin: ExecPlugin,
  context: KubeconfigContext,
  { ca }: Identity,
): Promise<Expiring<Identity>> {
  const { command, args, apiVersion } = plugin
  const fail = (problem: string): KubeconfigError => new KubeconfigError(`credential plugin ${command} ${problem}`)
  const cluster = plugin.provideClusterInfo ? { cluster: clusterInfo(context, ca) } : {}
  const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec: { interactive: false, ...cluster } })
  const inherited = Object.fromEntries(
    Object.entries(parts.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  using deadline = startDeadline(parts.clock, TIMEOUT_MS, () => fail(`did not end within ${TIMEOUT_MS / 1000} s`))
  const env = { ...inherited, ...plugin.env, KUBERNETES_EXEC_INFO: info }
  const { exitCode, stdout, stderr } = await parts.host.processes.run(command, args, { env, signal: deadline.signal })
  if (exitCode !== 0) throw fail(`failed with exit code ${exitCode}: ${stderr.trim().slice(0, 500)}`)
  const { token, cert, key, expirationTimestamp } = parseExecCredential(plugin, stdout)
  if (!token && !(cert && key)) throw fail(`gave neither a token nor a client certificate with its key`)
  const value = { ...(ca && { ca }), ...(token && { token }), ...(cert && key && { cert, key }) }
  return { value, expiresMs: findTimestamp(expirationTimestamp) ?? FAR_FUTURE_MS }
}

function clusterInfo(
  { server, tlsServerName, insecureSkipTlsVerify, execConfig }: KubeconfigContext,
  ca: string | undefined,
): object {
  return {
    server,
    'tls-server-name': tlsServerName,
    'insecure-skip-tls-verify': insecureSkipTlsVerify || undefined,
    'certificate-authority-data': ca === undefined ? undefined : Buffer.from(ca).toString('base64'),
    config: execConfig,
  }
}

type PluginAnswer = { token?: string; cert?: string; key?: string; expirationTimestamp?: string }

function parseExecCredential({ command, apiVersion }: ExecPlugin, text: string): PluginAnswer {
  let answer: { kind?: unknown; apiVersion?: unknown; status?: Record<string, unknown> } | null
  try {
    answer = JSON.parse(text) as typeof answer
  } catch {
    answer = null
  }
  if (answer?.kind !== 'ExecCredential')
    throw new KubeconfigError(`credential plugin ${command} did not print an ExecCredential`)
  if (answer.apiVersion !== apiVersion)
    throw new KubeconfigError(
      `credential plugin ${command} printed another version than ${apiVersion}, which the kubeconfig asks for`,
    )
  const member = (name: string): string | undefined =>
    typeof answer.status?.[name] === 'string' ? answer.status[name] : undefined
  const [token, cert, key, expirationTimestamp] = [
    'token',
    'clientCertificateData',
    'clientKeyData',
    'expirationTimestamp',
  ].map(member)
  return {
    ...(token && { token }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(expirationTimestamp && { expirationTimestamp }),
  }
}
