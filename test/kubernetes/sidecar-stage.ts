import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../scripts/run.ts'
import type { Api } from '../../src/api/api.ts'
import { applyManifest } from '../../src/apiserver/testing/apply-manifest.ts'
import { createSystemClock, createSystemHost, createSystemRandom } from '../../src/base/index.ts'
import { connectDriver } from '../../src/csi/index.ts'
import type { Driver } from '../../src/csi/index.ts'
import { connectApi } from '../../src/kube/client/connect-api.ts'
import { loadKubeconfig } from '../../src/kube/client/credentials.ts'
import { sidecarPath } from './peers.ts'
import { NODE_ID, playCluster, registerDriver, TOPOLOGY } from './play-cluster.ts'
import type { PlayedCluster } from './play-cluster.ts'
import { grantSidecars, SIDECAR_NAMESPACE, sidecarUser } from './sidecar-rbac.ts'
import type { AuditedOptions, AuditedServer } from './start-audited-server.ts'
import { startLogged } from './start-logged.ts'
import type { LoggedProgram } from './start-logged.ts'

export const DRIVER = 'hostpath.test.holdfast.dev'

/** Whose program it is. */
export type Maker = 'holdfast' | 'go'

export type StartOptions = {
  flags?: readonly string[]
  /** What the program takes for the name of its host, and so for its identity; needs `canNameHosts`. */
  host?: string
}

/** Whether programs can be given host names of their own, as pods have them. Takes root. */
export const canNameHosts = (): boolean => spawnSync('unshare', ['--uts', 'hostname', 'a-pod']).status === 0

/** A server, the bundled driver on its socket, and whoever plays the rest of the cluster. */
export interface SidecarStage {
  readonly server: AuditedServer
  readonly cluster: PlayedCluster
  readonly driver: Driver
  /** Handles of the volumes that the driver has, and the nodes that it has them published to. */
  backend(): Promise<{ handle: string; nodes: readonly string[] }[]>
  /** Anything of a volume on the driver's disk. */
  leftovers(): string[]
  /** Starts one sidecar under the account of its name, on a host of that name if there is one. */
  start(sidecar: 'csi-provisioner' | 'csi-attacher', maker: Maker, options?: StartOptions): LoggedProgram
  /** Starts all of ours in one process, under the account and the rights of `examples/sidecar/rbac.yaml`. */
  startTogether(options?: StartOptions): LoggedProgram
  /** Does it. After a failure it says what the programs logged last, and ends them: the next story has its own. */
  telling(story: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

const MAIN = join(ROOT, 'src/cli/main.ts')
const TOGETHER = 'csi-sidecar'
const LOG_SHOWN = 4000

export async function openSidecarStage(
  startServer: (options: AuditedOptions) => Promise<AuditedServer>,
): Promise<SidecarStage> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-sidecars-'))
  const socket = join(directory, 'csi.sock')
  const data = join(directory, 'volumes')
  const accounts = ['csi-provisioner', 'csi-attacher', TOGETHER]
  const server = await startServer({
    users: Object.fromEntries(accounts.map((account) => [account, sidecarUser(account)])),
  })
  const backend = startLogged(
    process.execPath,
    [
      MAIN,
      'driver',
      `--endpoint=unix://${socket}`,
      `--node-id=${NODE_ID}`,
      `--data=${data}`,
      `--driver-name=${DRIVER}`,
      ...Object.entries(TOPOLOGY).map((pair) => `--topology=${pair.join('=')}`),
      '--attach',
      '--capacity=1Ti',
      '--publish=link',
    ],
    join(directory, 'driver.log'),
  )
  await backend.ready
  const { api, close: disconnect } = await connectAdmin(server)
  await grantSidecars(api, {
    'csi-provisioner': ['csi-provisioner'],
    'csi-attacher': ['csi-attacher'],
  })
  // All roles together have exactly what they declare; the two above have what manifests of the Go sidecars grant.
  await applyManifest(api, 'examples/sidecar/rbac.yaml')
  await registerDriver(api, DRIVER)
  const cluster = await playCluster(api, DRIVER)
  const { driver, connection } = connectDriver({ endpoint: socket, clock: createSystemClock() })

  const running: (LoggedProgram & { name: string })[] = []
  const startUnder = (
    account: string,
    command: readonly string[],
    { flags = [], host }: StartOptions,
  ): LoggedProgram => {
    const standard = [
      `--csi-address=${socket}`,
      `--kubeconfig=${server.kubeconfig(account)}`,
      '--leader-election',
      `--leader-election-namespace=${SIDECAR_NAMESPACE}`,
    ]
    const onHost = host === undefined ? [] : ['unshare', '--uts', 'sh', '-c', `hostname ${host} && exec "$@"`, 'sh']
    const [program = '', ...args] = [...onHost, ...command, ...standard, ...flags]
    const started = startLogged(program, args, join(directory, `${account}-${running.length}.log`))
    running.push({ name: account, ...started })
    return started
  }
  const stopAll = async (): Promise<void> => {
    for (const program of running) if (program.exitCode() === undefined) await program.stop()
  }
  return {
    server,
    cluster,
    driver,
    backend: async () => {
      const { entries } = await driver.listVolumes({ maxEntries: 0, startingToken: '' })
      return entries.map(({ volume, status }) => ({
        handle: volume?.volumeId ?? '',
        nodes: status?.publishedNodeIds ?? [],
      }))
    },
    leftovers: () =>
      ['volumes', 'volumes.making']
        .map((name) => join(data, name))
        .flatMap((path) => (existsSync(path) ? readdirSync(path) : [])),
    start: (sidecar, maker, options = {}) =>
      startUnder(sidecar, maker === 'holdfast' ? [process.execPath, MAIN, sidecar] : [sidecarPath(sidecar)], options),
    startTogether: (options = {}) => startUnder(TOGETHER, [process.execPath, MAIN, 'sidecar'], options),
    telling: async (story) => {
      try {
        await story()
      } catch (error) {
        const logs = running
          .slice(-2)
          .map((program) => `${program.name}, exit code ${program.exitCode()}:\n${program.log().slice(-LOG_SHOWN)}`)
        await stopAll()
        if (error instanceof Error) error.message += `\n\n${logs.join('\n')}`
        throw error
      }
    },
    close: async () => {
      await stopAll()
      await cluster.stop()
      connection.close()
      disconnect()
      await backend.stop()
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

export async function connectAdmin(server: Pick<AuditedServer, 'kubeconfig'>): Promise<{ api: Api; close(): void }> {
  const clock = createSystemClock()
  const credentials = await loadKubeconfig({
    path: server.kubeconfig(),
    parts: { host: createSystemHost(), clock, env: {} },
  })
  return connectApi({ credentials, clock, random: createSystemRandom(), userAgent: 'holdfast-test' })
}
