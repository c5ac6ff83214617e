import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/run.ts'
import { sidecarPath, skipWithout } from '../../test/kubernetes/peers.ts'
import type { AuditedServer } from '../../test/kubernetes/start-audited-server.ts'
import { startLogged } from '../../test/kubernetes/start-logged.ts'
import type { LoggedProgram } from '../../test/kubernetes/start-logged.ts'
import { nodeFlagsOf } from '../node-flags.ts'

/** Who made the sidecars, and in how many processes they run. */
export type SubjectName = 'together' | 'apart' | 'go'
export const SUBJECT_NAMES: readonly SubjectName[] = ['together', 'apart', 'go']
export type Settings = 'tuned' | 'default'

const CONTROLLER = 'snapshot-controller'
const VOLUME_PROGRAMS = ['csi-provisioner', 'csi-attacher'] as const
const CHANGE_PROGRAMS = ['csi-resizer', 'csi-snapshotter', CONTROLLER] as const
type Program = (typeof VOLUME_PROGRAMS)[number] | (typeof CHANGE_PROGRAMS)[number]

/** Which programs are measured: those that make and attach volumes, those that change them, all sidecars, or those and the snapshot-controller. */
export type SubjectSet = 'volumes' | 'changes' | 'roles' | 'all'
const PROGRAMS: Record<SubjectSet, readonly Program[]> = {
  volumes: VOLUME_PROGRAMS,
  changes: CHANGE_PROGRAMS,
  roles: [...VOLUME_PROGRAMS, 'csi-resizer', 'csi-snapshotter'],
  all: [...VOLUME_PROGRAMS, ...CHANGE_PROGRAMS],
}
const COUNTS: Record<SubjectSet, string> = { volumes: 'two', changes: 'three', roles: 'four', all: 'five' }

export const titleOf = (name: SubjectName, set: SubjectSet): string => {
  if (name === 'together') {
    if (set === 'roles') return 'holdfast sidecar, all roles'
    return set === 'volumes' ? 'holdfast sidecar' : 'holdfast sidecar + controller'
  }
  return `${name === 'go' ? 'Go' : 'holdfast'}, ${COUNTS[set]} processes`
}

/** The account of each program. */
export const ACCOUNTS = [...PROGRAMS.all, 'csi-sidecar'] as const

const LIMITS = ['--kube-api-qps=1000', '--kube-api-burst=2000']
const flagsOf = (settings: Settings, program: (typeof ACCOUNTS)[number]): string[] =>
  // The resizer has another name for them.
  settings === 'default' ? [] : [program === 'csi-resizer' ? '--workers=100' : '--worker-threads=100', ...LIMITS]

export type RunningSubject = {
  readonly pids: readonly number[]
  /** The process of the snapshot-controller, which is one of them; none in the set of volumes. */
  readonly controllerPids: readonly number[]
  describe(): string
  stop(): Promise<void>
}

export type SubjectPlace = {
  server: AuditedServer
  socket: string
  /** For logs. */
  directory: string
  /** Further words for Node, such as --cpu-prof. */
  nodeFlags: readonly string[]
  /** The program as it is installed, and not its source. */
  built: boolean
  /** Further flags for our sidecars. */
  flags?: readonly string[]
}

export const availableSubjects = (set: SubjectSet): SubjectName[] =>
  SUBJECT_NAMES.filter((name) => name !== 'go' || skipWithout(...PROGRAMS[set]) === false)

export function startSubject(
  name: SubjectName,
  set: SubjectSet,
  settings: Settings,
  { server, socket, directory, nodeFlags, built, flags: further = [] }: SubjectPlace,
): RunningSubject {
  const main = join(ROOT, built ? 'dist/cli/main.js' : 'src/cli/main.ts')
  if (!existsSync(main)) throw new Error(`there is no ${main}: npm run build makes it`)
  const start = (account: (typeof ACCOUNTS)[number], command: readonly string[], ...flags: string[]): LoggedProgram => {
    const [program = '', ...args] = [
      ...command,
      ...(account === CONTROLLER ? [] : [`--csi-address=${socket}`]),
      `--kubeconfig=${server.kubeconfig(account)}`,
      ...flagsOf(settings, account),
      ...flags,
    ]
    return startLogged(program, args, join(directory, `${account}-${randomUUID()}.log`))
  }
  const ours = (command: string): string[] => [process.execPath, ...nodeFlagsOf(command), ...nodeFlags, main, command]
  const apart = (program: Program): LoggedProgram =>
    start(program, name === 'go' ? [sidecarPath(program)] : ours(program))
  const wanted = PROGRAMS[set]
  const sidecars = wanted.filter((program) => program !== CONTROLLER)
  const roles = sidecars.map((program) => program.replace('csi-', '')).join(',')
  const controllers = wanted.filter((program) => program === CONTROLLER).map(apart)
  const programs = [
    ...(name === 'together'
      ? [start('csi-sidecar', ours('sidecar'), `--controllers=${roles}`, ...further)]
      : sidecars.map(apart)),
    ...controllers,
  ]
  return {
    pids: programs.map(({ pid }) => pid),
    controllerPids: controllers.map(({ pid }) => pid),
    describe: () =>
      programs.map((program) => `exit code ${program.exitCode()}: ${program.log().slice(-2000)}`).join('\n'),
    stop: async () => {
      for (const program of programs) if (program.exitCode() === undefined) await program.stop()
    },
  }
}
