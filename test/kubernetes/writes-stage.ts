import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ROOT } from '../../scripts/run.ts'
import type { Api } from '../../src/api/api.ts'
import { createSilentLogger, createSystemClock, createSystemRandom } from '../../src/base/index.ts'
import { createUntilObject } from '../../src/cluster/until-object.ts'
import type { UntilObject } from '../../src/cluster/until-object.ts'
import { sidecarPath } from './peers.ts'
import { NODE_ID, registerDriver, TOPOLOGY } from './play-cluster.ts'
import { grantSidecars, sidecarUser } from './sidecar-rbac.ts'
import { connectAdmin, DRIVER } from './sidecar-stage.ts'
import type { Maker } from './sidecar-stage.ts'
import { startAuditedKubernetes } from './start-audited-server.ts'
import { startLogged } from './start-logged.ts'
import type { LoggedProgram } from './start-logged.ts'
import { DRIVER_CAPACITY, installSnapshots } from './story-stage.ts'
import { changesOf, parseWrites } from './written-changes.ts'
import type { WrittenChanges } from './written-changes.ts'

/** The programs whose writes are compared. */
export const COMPARED = [
  'csi-resizer',
  'csi-snapshotter',
  'snapshot-controller',
  'csi-external-health-monitor-controller',
] as const
export type Compared = (typeof COMPARED)[number]

/** kube-apiserver with the controllers for volumes, the bundled driver and our provisioner; and of both makers the programs to compare. */
export interface WritesStage {
  readonly api: Api
  readonly until: UntilObject
  /** Runs the programs of that maker, and no others. */
  use(maker: Maker): Promise<void>
  /** What each of the running programs wrote from the beginning of the operation until nobody writes any more. */
  record(operation: () => Promise<void>): Promise<ReadonlyMap<Compared, WrittenChanges>>
  /** Where the driver keeps the content of the volume. */
  contentPath(handle: string): string
  /** After a failure it says what the programs logged last. */
  telling(story: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

const MAIN = join(ROOT, 'src/cli/main.ts')
const LOG_SHOWN = 3000
const QUIET_MS = 3000
const LOOK_EVERY_MS = 100
// The Go monitor repeats its events at each interval.
const LONGER_THAN_QUIET = '5s'
const PROVISIONER = 'csi-provisioner'
const CONTROLLERS = [
  'persistentvolume-binder-controller',
  'persistentvolume-expander-controller',
  'persistentvolumeclaim-protection-controller',
  'persistentvolume-protection-controller',
  'volumeattributesclass-protection-controller',
]
// Whoever writes to these objects: what one program changed shows only against what others had written before.
const RULES = [
  {
    level: 'RequestResponse',
    verbs: ['create', 'update', 'patch', 'delete'],
    omitStages: ['RequestReceived'],
    resources: [
      {
        group: '',
        resources: [
          'persistentvolumeclaims',
          'persistentvolumeclaims/status',
          'persistentvolumes',
          'persistentvolumes/status',
          'events',
        ],
      },
      { group: 'snapshot.storage.k8s.io' },
      { group: 'groupsnapshot.storage.k8s.io' },
    ],
  },
]
const GROUPS = '--feature-gates=CSIVolumeGroupSnapshot=true'
// Which state a gate has by default depends on the release of the sidecar.
const FLAGS: Readonly<Record<Compared, readonly string[]>> = {
  'csi-resizer': ['--feature-gates=AnnotateFsResize=true'],
  'csi-snapshotter': [GROUPS],
  'snapshot-controller': [GROUPS],
  'csi-external-health-monitor-controller': [`--list-volumes-interval=${LONGER_THAN_QUIET}`],
}
const accountOf = (program: Compared, maker: Maker): string => `${maker}-${program}`

export async function openWritesStage(): Promise<WritesStage> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-writes-'))
  const socket = join(directory, 'csi.sock')
  const data = join(directory, 'volumes')
  const accounts = COMPARED.flatMap((program) => [accountOf(program, 'go'), accountOf(program, 'holdfast')])
  const server = await startAuditedKubernetes({
    users: Object.fromEntries([PROVISIONER, ...accounts].map((account) => [account, sidecarUser(account)])),
    rules: RULES,
    controllers: CONTROLLERS,
  })
  const { api, close: disconnect } = await connectAdmin(server)
  const clock = createSystemClock()
  const until = createUntilObject({ api, clock, random: createSystemRandom(), log: createSilentLogger() })
  await installSnapshots(api, until)
  await grantSidecars(api, {
    'csi-provisioner': [PROVISIONER],
    ...Object.fromEntries(
      // The provisioner reads attributes classes with the rights of the resizer.
      COMPARED.map((program) => [program, [PROVISIONER, accountOf(program, 'go'), accountOf(program, 'holdfast')]]),
    ),
  })
  await registerDriver(api, DRIVER)

  const programs = new Map<string, LoggedProgram>()
  const start = (name: string, [program = '', ...args]: readonly string[]): LoggedProgram => {
    const started = startLogged(program, args, join(directory, `${name}.log`))
    programs.set(name, started)
    return started
  }
  const ours = (command: string, ...flags: string[]): string[] => [process.execPath, MAIN, command, ...flags]
  const common = (account: string): string[] => [`--kubeconfig=${server.kubeconfig(account)}`]
  await start(
    'driver',
    ours(
      'driver',
      `--endpoint=unix://${socket}`,
      `--node-id=${NODE_ID}`,
      `--data=${data}`,
      `--driver-name=${DRIVER}`,
      ...Object.entries(TOPOLOGY).map((pair) => `--topology=${pair.join('=')}`),
      `--capacity=${DRIVER_CAPACITY}`,
      '--publish=link',
    ),
  ).ready
  await start(PROVISIONER, ours(PROVISIONER, `--csi-address=${socket}`, ...common(PROVISIONER))).ready

  const commandOf = (program: Compared, maker: Maker): string[] => {
    const flags = [
      ...common(accountOf(program, maker)),
      ...(program === 'snapshot-controller' ? [] : [`--csi-address=${socket}`]),
      ...FLAGS[program],
    ]
    if (maker === 'go') return [sidecarPath(program), ...flags, '--kube-api-qps=200', '--kube-api-burst=400']
    return ours(program, ...flags)
  }
  let current: Maker = 'holdfast'
  let running: readonly LoggedProgram[] = []
  const use = async (maker: Maker): Promise<void> => {
    await Promise.all(running.map((program) => program.stop()))
    current = maker
    running = COMPARED.map((program) => start(accountOf(program, maker), commandOf(program, maker)))
    // The Go programs do not say when they are ready: they take up what they find.
    if (maker === 'holdfast') await Promise.all(running.map(({ ready }) => ready))
  }
  const readWrites = () => parseWrites(readFileSync(server.auditPath, 'utf8'))
  const untilQuiet = async (): Promise<void> => {
    let [size, sinceMs] = [-1, clock.monotonicMs()]
    while (clock.monotonicMs() - sinceMs < QUIET_MS) {
      const now = statSync(server.auditPath).size
      if (now !== size) [size, sinceMs] = [now, clock.monotonicMs()]
      await delay(LOOK_EVERY_MS)
    }
  }
  return {
    api,
    until,
    use,
    record: async (operation) => {
      await untilQuiet()
      const before = readWrites().length
      await operation()
      await untilQuiet()
      const history = readWrites()
      const changes = (program: Compared): WrittenChanges =>
        changesOf(sidecarUser(accountOf(program, current)).user, history.slice(before), history)
      return new Map(COMPARED.map((program) => [program, changes(program)]))
    },
    contentPath: (handle) => join(data, 'volumes', handle, 'data'),
    telling: async (story) => {
      try {
        await story()
      } catch (error) {
        const logs = [...programs].map(
          ([name, program]) => `${name}, exit code ${program.exitCode()}:\n${program.log().slice(-LOG_SHOWN)}`,
        )
        if (error instanceof Error) error.message += `\n\n${logs.join('\n')}`
        throw error
      }
    },
    close: async () => {
      for (const program of [...programs.values()].toReversed())
        if (program.exitCode() === undefined) await program.stop()
      disconnect()
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
