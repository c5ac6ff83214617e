import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/run.ts'
import { hasGoSidecars, sidecarPath } from '../../test/kubernetes/peers.ts'
import type { AuditedServer } from '../../test/kubernetes/start-audited-server.ts'
import { startLogged } from '../../test/kubernetes/start-logged.ts'
import type { LoggedProgram } from '../../test/kubernetes/start-logged.ts'
import { nodeFlagsOf } from '../node-flags.ts'

/** What is measured: who made the sidecars, and in how many processes they run. */
export type SubjectName = 'together' | 'apart' | 'go'
export type Settings = 'tuned' | 'default'

export const SUBJECT_TITLES: Record<SubjectName, string> = {
  together: 'holdfast sidecar',
  apart: 'holdfast, two processes',
  go: 'Go, two processes',
}

/** The account of each program. */
export const ACCOUNTS = ['csi-provisioner', 'csi-attacher', 'csi-sidecar'] as const

const FLAGS: Record<Settings, readonly string[]> = {
  tuned: ['--worker-threads=100', '--kube-api-qps=1000', '--kube-api-burst=2000'],
  default: [],
}

export type RunningSubject = { readonly pids: readonly number[]; describe(): string; stop(): Promise<void> }

export type SubjectPlace = {
  server: AuditedServer
  socket: string
  /** For logs. */
  directory: string
  /** Further words for Node, such as --cpu-prof. */
  nodeFlags: readonly string[]
  /** The program as it is installed, and not its source. */
  built: boolean
}

export function availableSubjects(): SubjectName[] {
  const commands = (name: string): boolean => existsSync(join(ROOT, 'src/cli', `${name}.ts`))
  return (Object.keys(SUBJECT_TITLES) as SubjectName[]).filter((name) =>
    name === 'go' ? hasGoSidecars() : name === 'together' ? commands('sidecar') : commands('csi-provisioner'),
  )
}

export function startSubject(
  name: SubjectName,
  settings: Settings,
  { server, socket, directory, nodeFlags, built }: SubjectPlace,
): RunningSubject {
  const main = join(ROOT, built ? 'dist/cli/main.js' : 'src/cli/main.ts')
  if (!existsSync(main)) throw new Error(`there is no ${main}: npm run build makes it`)
  const start = (
    account: (typeof ACCOUNTS)[number],
    command: readonly string[],
    flags: readonly string[],
  ): LoggedProgram => {
    const [program = '', ...args] = [
      ...command,
      `--csi-address=${socket}`,
      `--kubeconfig=${server.kubeconfig(account)}`,
      ...flags,
    ]
    return startLogged(program, args, join(directory, `${account}-${randomUUID()}.log`))
  }
  const ours = (command: string): string[] => [process.execPath, ...nodeFlagsOf(command), ...nodeFlags, main, command]
  const programs =
    name === 'together'
      ? [start('csi-sidecar', ours('sidecar'), FLAGS[settings])]
      : (['csi-provisioner', 'csi-attacher'] as const).map((sidecar) =>
          start(sidecar, name === 'go' ? [sidecarPath(sidecar)] : ours(sidecar), FLAGS[settings]),
        )
  return {
    pids: programs.map(({ pid }) => pid),
    describe: () =>
      programs.map((program) => `exit code ${program.exitCode()}: ${program.log().slice(-2000)}`).join('\n'),
    stop: async () => {
      for (const program of programs) if (program.exitCode() === undefined) await program.stop()
    },
  }
}
