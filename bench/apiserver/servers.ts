import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ROOT } from '../../scripts/run.ts'
import { parseKubeconfig } from '../../src/kube/client/parse-kubeconfig.ts'
import { peerPath } from '../../test/kubernetes/peers.ts'
import { findFreePort, isReady, startKubernetes } from '../../test/kubernetes/start-kubernetes.ts'
import { nodeFlagsOf } from '../node-flags.ts'

/** A server to be measured, in processes of its own. */
export interface RunningServer {
  readonly address: string
  readonly ca: string
  readonly token: string
  readonly pids: readonly number[]
  /** From the start of the processes until /readyz said ok. */
  readonly readyMs: number
  /** Keeps what it has stored, and starts it again on that. Only ours can. */
  restart?(): Promise<RunningServer>
  stop(): Promise<void>
}

export type ServerName = 'holdfast' | 'memory' | 'slow-disk' | 'kubernetes'

export const SERVER_TITLES: Record<ServerName, string> = {
  holdfast: 'holdfast',
  memory: 'holdfast, in memory',
  'slow-disk': 'holdfast, +5 ms a commit',
  kubernetes: 'kube-apiserver + etcd',
}

/** Flags of ours for each way to keep state; undefined for what isn't ours. */
const STATE_FLAGS: Record<ServerName, ((directory: string) => string[]) | undefined> = {
  holdfast: (directory) => [`--data=${join(directory, 'data')}`],
  memory: () => ['--in-memory'],
  'slow-disk': (directory) => [`--data=${join(directory, 'data')}`, '--bench-commit-delay=5ms'],
  kubernetes: undefined,
}

export type ServerOptions = {
  /** Where state is kept: the same disk for all. */
  parentDirectory: string
  /** Further words for Node, such as --cpu-prof. */
  nodeFlags: readonly string[]
  /** The program as it is installed, and not its source. */
  built: boolean
}

/** Are the programs there? They are never built here: that takes minutes. */
export const hasKubernetes = (): boolean => existsSync(peerPath('etcd')) && existsSync(peerPath('kube-apiserver'))

export async function startServer(name: ServerName, options: ServerOptions): Promise<RunningServer> {
  const stateFlags = STATE_FLAGS[name]
  if (!stateFlags) {
    const kubernetes = await startKubernetes({ parentDirectory: options.parentDirectory })
    const { address, ca, readyMs, pids, stop } = kubernetes
    return { address, ca, readyMs, pids: [pids.apiserver, pids.etcd], token: kubernetes.token(), stop }
  }
  const directory = mkdtempSync(join(options.parentDirectory, 'holdfast-bench-'))
  const token = randomBytes(16).toString('hex')
  writeFileSync(join(directory, 'tokens.csv'), `${token},admin,admin,"system:masters"\n`, { mode: 0o600 })
  return startHoldfast(directory, token, stateFlags(directory), options)
}

async function startHoldfast(
  directory: string,
  token: string,
  stateFlags: readonly string[],
  options: ServerOptions,
): Promise<RunningServer> {
  const port = await findFreePort()
  const kubeconfigPath = join(directory, 'kubeconfig')
  const main = join(ROOT, options.built ? 'dist/cli/main.js' : 'src/cli/main.ts')
  if (!existsSync(main)) throw new Error(`there is no ${main}: npm run build makes it`)
  const flags = [
    `--port=${port}`,
    `--token-auth-file=${join(directory, 'tokens.csv')}`,
    `--kubeconfig=${kubeconfigPath}`,
    ...stateFlags,
  ]
  const log = openSync(join(directory, 'log'), 'a')
  const startMs = performance.now()
  const child = spawn(
    process.execPath,
    [...nodeFlagsOf('apiserver'), ...options.nodeFlags, main, 'apiserver', ...flags],
    { cwd: ROOT, stdio: ['ignore', log, log] },
  )
  closeSync(log)
  const exited = once(child, 'exit')
  const kill = (): void => void child.kill('SIGKILL')
  process.on('exit', kill)
  const end = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await exited
    }
    process.off('exit', kill)
  }
  const stop = async (): Promise<void> => {
    await end()
    rmSync(directory, { recursive: true, force: true })
  }
  while (!(await isReady(port, token))) {
    if (child.exitCode !== null) {
      const text = readFileSync(join(directory, 'log'), 'utf8')
      await stop()
      throw new Error(`the server ended: ${text}`)
    }
    await delay(5)
  }
  const readyMs = performance.now() - startMs
  // Written a moment after it serves.
  const ca = await untilKubeconfig(kubeconfigPath)
  const restart = async (): Promise<RunningServer> => {
    await end()
    return startHoldfast(directory, token, stateFlags, options)
  }
  return { address: `https://127.0.0.1:${port}`, ca, token, pids: [child.pid ?? 0], readyMs, restart, stop }
}

async function untilKubeconfig(path: string): Promise<string> {
  while (!existsSync(path)) await delay(5)
  const { certificateAuthority } = parseKubeconfig(readFileSync(path, 'utf8'), path)
  if (!certificateAuthority || !('text' in certificateAuthority))
    throw new Error(`${path} has no certificate authority`)
  return certificateAuthority.text
}
