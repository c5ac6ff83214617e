import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ROOT } from '../../scripts/run.ts'
import type { Api } from '../../src/api/api.ts'
import { parseKubeconfig } from '../../src/kube/client/parse-kubeconfig.ts'
import { grantSidecars, sidecarUser } from '../../test/kubernetes/sidecar-rbac.ts'
import { connectAdmin } from '../../test/kubernetes/sidecar-stage.ts'
import { readAudit } from '../../test/kubernetes/start-audited-server.ts'
import type { AuditedRequest } from '../../test/kubernetes/start-audited-server.ts'
import { formatTokenKubeconfig } from '../../test/kubernetes/start-kubernetes.ts'
import { startLogged } from '../../test/kubernetes/start-logged.ts'
import type { LoggedProgram } from '../../test/kubernetes/start-logged.ts'
import { nodeFlagsOf } from '../node-flags.ts'
import { DRIVER, NODE_GRACE_MS } from './objects.ts'

export type StageOptions = {
  /** The API server keeps its state on the disk, and syncs it. */
  isDurable: boolean
  /** Server, controllers and sidecar in one process, and not in one each. */
  isOneProcess: boolean
  /** The server writes down who asked what of it. */
  isAudited: boolean
  /** As `holdfast controllers --controllers` has them. */
  controllers: string
  withSidecar: boolean
  /** Where everything is kept. */
  parentDirectory: string
  /** The program as it is installed, and not its source. */
  built: boolean
  /** Further words for Node, such as --cpu-prof. */
  nodeFlags: readonly string[]
  /** Puts the state into the data directory with which the server starts; only with `isDurable`. */
  fill?: (dataDirectory: string) => void
}

/** A whole cluster but for its nodes, with a driver that does nothing. */
export interface Stage {
  /** Of an administrator, over HTTPS. */
  readonly api: Api
  /** By who they are: `server`, `controllers`, `sidecar`; or `cluster` for all in one. */
  readonly pids: Readonly<Record<string, readonly number[]>>
  /** By account, of what is audited. */
  requests(): AuditedRequest[]
  /** Bytes on the heap after a collection. Only of one process that was started with --expose-gc. */
  liveBytes(): Promise<number>
  /** What the programs logged last. */
  describe(): string
  stop(): Promise<void>
}

/** Under which the programs are known to the server. */
export const ACCOUNTS: Readonly<Record<string, { user: string; groups: readonly string[] }>> = {
  controllers: { user: 'holdfast:controllers', groups: ['system:masters'] },
  sidecar: sidecarUser('csi-sidecar'),
}

const LOG_SHOWN = 2000

export async function startStage(options: StageOptions): Promise<Stage> {
  const directory = mkdtempSync(join(options.parentDirectory, 'holdfast-cluster-'))
  const within = (name: string): string => join(directory, name)
  const main = join(ROOT, options.built ? 'dist/cli/main.js' : 'src/cli/main.ts')
  if (!existsSync(main)) throw new Error(`there is no ${main}: npm run build makes it`)
  const programs = new Map<string, LoggedProgram>()
  const start = async (name: string, args: readonly string[]): Promise<void> => {
    const program = startLogged(process.execPath, args, within(`${name}.log`))
    programs.set(name, program)
    await program.ready
  }
  const describe = (): string =>
    Array.from(
      programs,
      ([name, program]) => `${name}, exit code ${program.exitCode()}: ${program.log().slice(-LOG_SHOWN)}`,
    ).join('\n')
  const clear = (): void => rmSync(directory, { recursive: true, force: true })
  process.on('exit', clear)
  const end = async (): Promise<void> => {
    for (const program of [...programs.values()].toReversed())
      if (program.exitCode() === undefined) await program.stop()
    process.off('exit', clear)
    clear()
  }
  try {
    if (options.isDurable) options.fill?.(within('data'))
    const socket = within('csi.sock')
    await start('driver', [join(import.meta.dirname, '../sidecars/null-driver.ts'), `unix://${socket}`, DRIVER])
    const state = options.isDurable ? `--data=${within('data')}` : '--in-memory'
    if (options.isOneProcess)
      await start('cluster', [
        ...nodeFlagsOf('up'),
        ...options.nodeFlags,
        join(import.meta.dirname, 'one-process.ts'),
        within('admin.kubeconfig'),
        socket,
        options.isDurable ? within('data') : '',
      ])
    else await startServer({ main, state, within, options, start })
    const { api, close } = await connectAdmin({ kubeconfig: () => within('admin.kubeconfig') })
    if (!options.isOneProcess) {
      await grantSidecars(api, {
        'csi-provisioner': ['csi-sidecar'],
        'csi-attacher': ['csi-sidecar'],
        'csi-resizer': ['csi-sidecar'],
        'csi-snapshotter': ['csi-sidecar'],
      })
      const controllers = start('controllers', [
        ...nodeFlagsOf('controllers'),
        ...options.nodeFlags,
        main,
        'controllers',
        `--kubeconfig=${within('controllers.kubeconfig')}`,
        `--controllers=${options.controllers}`,
        `--node-monitor-grace-period=${NODE_GRACE_MS}ms`,
        `--node-startup-grace-period=${NODE_GRACE_MS}ms`,
      ])
      const sidecar = options.withSidecar
        ? start('sidecar', [
            ...nodeFlagsOf('sidecar'),
            ...options.nodeFlags,
            main,
            'sidecar',
            `--kubeconfig=${within('sidecar.kubeconfig')}`,
            `--csi-address=${socket}`,
          ])
        : undefined
      await Promise.all([controllers, sidecar])
    }
    const pids = Object.fromEntries(
      Array.from(programs, ([name, { pid }]): [string, number[]] => [name, [pid]]).filter(
        ([name]) => name !== 'driver',
      ),
    )
    const stop = async (): Promise<void> => {
      close()
      await end()
    }
    const liveBytes = async (): Promise<number> => {
      const cluster = programs.get('cluster')
      const lines = (): string[] => cluster?.log().match(/^heap \d+$/gm) ?? []
      const known = lines().length
      cluster?.signal('SIGUSR2')
      while (lines().length === known) await delay(20)
      return Number(lines().at(-1)?.slice('heap '.length))
    }
    return { api, pids, requests: () => readAudit(within('audit.log')), liveBytes, describe, stop }
  } catch (error) {
    await end()
    throw error
  }
}

type ServerParts = {
  main: string
  state: string
  within(name: string): string
  options: StageOptions
  start(name: string, args: readonly string[]): Promise<void>
}

async function startServer({ main, state, within, options, start }: ServerParts): Promise<void> {
  const tokens = Object.entries(ACCOUNTS).map(([account, { user, groups }]) => ({
    account,
    user,
    groups,
    token: randomBytes(16).toString('hex'),
  }))
  writeFileSync(
    within('tokens.csv'),
    tokens.map(({ token, user, groups }) => `${token},${user},${user},"${groups.join(',')}"\n`).join(''),
    { mode: 0o600 },
  )
  const flags = [
    state,
    '--port=0',
    `--kubeconfig=${within('admin.kubeconfig')}`,
    `--token-auth-file=${within('tokens.csv')}`,
    ...(options.isAudited ? [`--audit-log=${within('audit.log')}`] : []),
  ]
  await start('server', [...nodeFlagsOf('apiserver'), ...options.nodeFlags, main, 'apiserver', ...flags])
  const { server, certificateAuthority } = parseKubeconfig(
    readFileSync(within('admin.kubeconfig'), 'utf8'),
    within('admin.kubeconfig'),
  )
  if (!certificateAuthority || !('text' in certificateAuthority))
    throw new Error('the kubeconfig has no certificate authority')
  const address = String(server).replace(/\/$/, '')
  for (const { account, token } of tokens)
    writeFileSync(
      within(`${account}.kubeconfig`),
      formatTokenKubeconfig({ address, ca: certificateAuthority.text, token }),
      { mode: 0o600 },
    )
}
