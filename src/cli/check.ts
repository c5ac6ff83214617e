import { dirname, join, resolve } from 'node:path'
import {
  count,
  defineCommand,
  duration,
  flag,
  list,
  map,
  path,
  positional,
  quantity,
  text,
  UsageError,
} from '../base/options/index.ts'
import type { ConfigOf } from '../base/options/index.ts'
import type { CaseInfo } from '../check/case.ts'
import { ALL_CASES } from '../check/cases/all-cases.ts'
import { CLUSTER_CASES } from '../check/cluster/all-cluster-cases.ts'
import { createClusterPhase } from '../check/cluster/run-cluster-cases.ts'
import { chooseCases } from '../check/choose-cases.ts'
import { cleanRun } from '../check/clean-run.ts'
import { formatFailures, formatLoad, formatPlan, formatResult, formatVerdict } from '../check/report/format-text.ts'
import { formatList } from '../check/report/format-list.ts'
import { formatHtml } from '../check/report/format-html.ts'
import { formatJson } from '../check/report/format-json.ts'
import { formatJunit } from '../check/report/format-junit.ts'
import type { RpcLoad } from '../check/measure-calls.ts'
import { openCheck } from '../check/run-check.ts'
import type { CheckOptions } from '../check/run-check.ts'
import { createLoadPhase, loadCase, MOST_LOAD_VOLUMES } from '../check/run-load.ts'
import { createSilentLogger } from '../base/logger.ts'
import { findWatchedFiles, readStamps } from '../cluster/index.ts'
import { createSystemSockets } from '../csi/index.ts'
import { watchFailures } from './watch-failures.ts'
import type { WatchParts } from './watch-failures.ts'
import { readMapFile, readSecretsFile } from './check-files.ts'
import { checkSocket } from './check-sockets.ts'
import { createCommandModule } from './command-module.ts'
import { defaultDataDirectory } from './default-data-directory.ts'
import type { World } from './world.ts'

const options = {
  node: list([], 'Socket of a node service. Repeat it for several nodes. Default: ENDPOINT, if it serves nodes.', {
    separator: null,
  }),
  params: path.optional('YAML file with the parameters of volumes, as in a StorageClass.'),
  mutableParams: path.optional('YAML file with parameters that ControllerModifyVolume accepts.'),
  snapshotParams: path.optional('YAML file with the parameters of snapshots.'),
  secrets: path.optional('YAML file with the secrets of each call, in the format of csi-sanity.'),
  topology: map({}, 'Topology segments in which volumes are created. Default: those of the first node.'),
  size: quantity('1Gi', 'Size of a volume.'),
  expandSize: quantity.optional('Size to which volumes are expanded. Default: twice the size.'),
  restart: text.optional(
    'Command that stops the driver and starts it again, for cases about restarts. It runs in a shell and must return.',
  ),
  only: list([], 'Cases or topics to run: create, create/repeat, create/no-*. Default: all.'),
  skip: list([], 'Cases or topics to leave out.'),
  parallel: count(4, 'Cases that run at the same time.', { minimum: 1, maximum: 64 }),
  timeoutMs: duration('60s', 'Longest wait for one call.', { minimum: '1s' }),
  caseTimeoutMs: duration('10m', 'Longest duration of one case.', { minimum: '1s' }),
  driverLog: path.optional('File to which the driver writes its log. A failed case shows what it wrote meanwhile.'),
  work: path.optional(
    'Directory for journals, and for the paths at which volumes are staged and published. The driver must see the same paths. Default: check in the data directory.',
  ),
  json: flag(false, 'Print the result as JSON instead of text.'),
  junit: path.optional('File for the result as JUnit XML.'),
  html: path.optional('File for the result as one HTML page, which needs no other files.'),
  list: flag(false, 'Print all cases and exit.'),
  dryRun: flag(
    false,
    'Print which cases would run, and what they would create, and exit. Calls only what changes nothing.',
  ),
  load: count(
    0,
    `Volumes to create, use and delete after the cases, as many at a time as --parallel says, to report rate and latency of each RPC. 0: none. At most ${MOST_LOAD_VOLUMES}, and for five minutes.`,
    { maximum: MOST_LOAD_VOLUMES },
  ),
  watch: flag(
    false,
    'Run the cases that failed again whenever the driver comes back, or, with --restart, when a file that the command names changes, until none fails.',
  ),
  clean: text.optional('Remove what an interrupted run left behind, and exit. The value is the ID of the run.'),
} as const

const command = defineCommand({
  name: 'holdfast check',
  summary:
    'Tests a CSI driver over its socket. Every case quotes the rule of the CSI specification that it tests. It creates volumes of its own, deletes only what it has created, and keeps a journal on disk. Exit code 0: no case failed.',
  options,
  positionals: {
    endpoint: positional.optional('Socket of the controller service, as unix:///path/to/csi.sock or a path.', {
      name: 'ENDPOINT',
    }),
  },
  examples: [
    { text: 'Everything that the driver supports', command: 'holdfast check unix:///tmp/csi.sock' },
    {
      text: 'One topic, on two nodes',
      command: 'holdfast check /tmp/csi.sock --node=/tmp/a.sock --node=/tmp/b.sock --only=publish',
    },
    {
      text: 'While you mend the driver',
      command: "holdfast check /tmp/csi.sock --watch --restart='./restart-driver.sh'",
    },
    { text: 'What would happen', command: 'holdfast check /tmp/csi.sock --dry-run' },
    { text: 'Remove what an interrupted run left', command: 'holdfast check --clean=1f0c22ab' },
  ],
})

type CheckConfig = ConfigOf<typeof options>

/** One test of a driver. */
export const checkCommand = createCommandModule(command, async (config, world, { endpoint }, given) => {
  const { cases, unknown } = chooseCases<CaseInfo>([...ALL_CASES, ...CLUSTER_CASES], config.only, config.skip)
  if (unknown.length > 0)
    throw new UsageError([
      `--only, --skip: unknown case or topic ${unknown.join(', ')}; holdfast check --list prints all`,
    ])
  if (config.list) {
    world.out.write(formatList(cases))
    return 0
  }
  if (config.clean !== undefined) return clean(config, config.clean, world)
  if (endpoint === undefined)
    throw new UsageError(['ENDPOINT is required: the socket of the driver; write for example unix:///tmp/csi.sock'])
  await refuseWrong(config, endpoint, { ...world, given })
  const options = await checkOptions(config, endpoint, world)
  if (config.dryRun) {
    using session = await openCheck(options, world)
    const load = config.load > 0 ? [loadCase(config.load, session.parallel)] : []
    world.out.write(formatList([...cases, ...load], session.offer))
    world.out.write(`\n${formatPlan(session.plan([...cases, ...load]), '00000000')}`)
    return 0
  }
  const runOnce = (chosen: readonly CaseInfo[], isRepeated: boolean): Promise<CaseInfo[]> =>
    runCases(chosen, isRepeated ? { ...config, load: 0 } : config, { endpoint, options, world })
  if (!config.watch) return (await runOnce(cases, false)).length === 0 ? 0 : 1
  return watchFailures(cases, runOnce, await watchedOf(config, { endpoint, options, world }))
})

/** Refuses what cannot work before anything is called or created. */
async function refuseWrong(
  config: CheckConfig,
  endpoint: string,
  { host: { files }, given }: World & { readonly given: ReadonlySet<string> },
): Promise<void> {
  const problems = [
    ...checkSocket('ENDPOINT', endpoint),
    ...config.node.flatMap((word) => checkSocket('--node', word)),
    ...(given.has('restart') && (config.restart ?? '').trim() === ''
      ? ["--restart: the value is empty; write for example --restart='systemctl restart my-driver'"]
      : []),
    ...(config.expandSize !== undefined && config.expandSize <= config.size
      ? ['--expand-size: volumes can only grow; give a size that is larger than --size, or leave --expand-size out']
      : []),
  ]
  for (const flagName of ['junit', 'html'] as const) {
    const directory = dirname(resolve(config[flagName] ?? '.'))
    if (config[flagName] !== undefined && !(await files.findStat(directory)))
      problems.push(`--${flagName}: directory ${directory} does not exist; create it first`)
  }
  if (problems.length > 0) throw new UsageError(problems)
}

type RunParts = { readonly endpoint: string; readonly options: CheckOptions; readonly world: World }

/** Runs the cases, reports the results, and returns the cases that failed or left something behind. */
async function runCases(
  cases: readonly CaseInfo[],
  config: CheckConfig,
  { endpoint, options, world }: RunParts,
): Promise<CaseInfo[]> {
  using session = await openCheck(options, world)
  const progress = config.json ? world.err : world.out
  const chosen = new Set(cases)
  let load: readonly RpcLoad[] | undefined
  const { parallel } = session
  const measured = { volumes: config.load, parallel, onReport: (loads: readonly RpcLoad[]) => void (load = loads) }
  const ended = await session.run(
    ALL_CASES.filter((one) => chosen.has(one)),
    {
      onPlan: (plan, run) => progress.write(formatPlan(plan, run)),
      onResult: (result) => progress.write(formatResult(result)),
    },
    [
      createClusterPhase(CLUSTER_CASES.filter((one) => chosen.has(one))),
      ...(config.load > 0 ? [createLoadPhase(measured)] : []),
    ],
  )
  const report = load ? { ...ended, load } : ended
  const repeat = (one: CaseInfo): string => `holdfast check ${endpoint}${repeatedFlags(config)} --only=${one.id}`
  await writeReports(config, world, [session.features, report, repeat])
  if (config.json) world.out.write(formatJson(session.features, report, repeat))
  progress.write(formatFailures(report.results, repeat))
  if (load) progress.write(formatLoad(load))
  progress.write(formatVerdict(session.features, report))
  const failed = report.results.filter(({ outcome }) => outcome.kind === 'failed').map((result) => result.case)
  // What is left behind is a failure too; all cases may be to blame.
  return failed.length === 0 && report.left.length > 0 ? [...cases] : failed
}

/** What `--watch` waits for: the driver comes back, or its files change. */
async function watchedOf(config: CheckConfig, { endpoint, options, world }: RunParts): Promise<WatchParts> {
  const { clock, random, host, out } = world
  const { files } = host
  const command = config.restart ?? ''
  const paths = await findWatchedFiles(files, command, process.cwd())
  return {
    clock,
    stopped: world.untilStopped(),
    connect: () =>
      createSystemSockets({ files, clock, random, log: createSilentLogger() }).connectDriver(endpoint).connection,
    stamps: () => readStamps(files, paths),
    ...(options.restart ? { restart: options.restart } : {}),
    say: (text) => out.write(text),
  }
}

async function writeReports(
  { junit, html }: CheckConfig,
  { host: { files } }: World,
  parts: Parameters<typeof formatJson>,
): Promise<void> {
  const write = (file: string, content: string): Promise<void> =>
    files.writeFile(resolve(file), new TextEncoder().encode(content), { mode: 0o644 })
  if (junit !== undefined) await write(junit, formatJunit(...parts))
  if (html !== undefined) await write(html, formatHtml(...parts))
}

const workOf = ({ work }: CheckConfig, world: World): string =>
  resolve(work ?? join(defaultDataDirectory(world), 'check'))

async function checkOptions(config: CheckConfig, endpoint: string, world: World): Promise<CheckOptions> {
  const { files } = world.host
  return {
    endpoint,
    nodes: config.node,
    settings: {
      sizeBytes: config.size,
      expandBytes: config.expandSize ?? 2n * config.size,
      parameters: await readMapFile(files, config.params, '--params'),
      mutableParameters: await readMapFile(files, config.mutableParams, '--mutable-params'),
      snapshotParameters: await readMapFile(files, config.snapshotParams, '--snapshot-params'),
      secrets: await readSecretsFile(files, config.secrets),
      topology: config.topology,
      callTimeoutMs: config.timeoutMs,
    },
    work: workOf(config, world),
    parallel: config.parallel,
    caseTimeoutMs: config.caseTimeoutMs,
    ...(config.restart === undefined ? {} : { restart: restartWith(config.restart, world) }),
    ...(config.driverLog === undefined ? {} : { log: readLog(config.driverLog, world) }),
  }
}

function restartWith(shell: string, { host, env }: World): () => Promise<void> {
  return async () => {
    const known = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const { exitCode, stderr } = await host.processes.run('/bin/sh', ['-c', shell], { env: Object.fromEntries(known) })
    if (exitCode !== 0) throw new Error(`the --restart command ended with ${exitCode}: ${stderr.trim()}`)
  }
}

const MOST_LOG_BYTES = 8192

function readLog(file: string, { host: { files } }: World): NonNullable<CheckOptions['log']> {
  const size = async (): Promise<bigint> => (await files.findStat(resolve(file)))?.sizeBytes ?? 0n
  return {
    mark: size,
    since: async (mark) => {
      const end = await size()
      const start = end - mark > MOST_LOG_BYTES ? end - BigInt(MOST_LOG_BYTES) : mark
      return end > start
        ? new TextDecoder().decode(await files.readRange(resolve(file), start, Number(end - start)))
        : ''
    },
  }
}

async function clean(config: CheckConfig, run: string, world: World): Promise<number> {
  const { files } = world.host
  const work = workOf(config, world)
  const known = (await files.findStat(work)) ? (await files.list(work)).map(({ name }) => name) : []
  if (!known.includes(run))
    throw new UsageError([
      `--clean: there is no run ${JSON.stringify(run)} in ${work}; ${known.length > 0 ? `write one of ${known.join(', ')}` : 'give the directory of the run with --work'}`,
    ])
  const left = await cleanRun(
    {
      work: workOf(config, world),
      run,
      secrets: await readSecretsFile(world.host.files, config.secrets),
      callTimeoutMs: config.timeoutMs,
      onCleaned: (what) => world.out.write(`removed ${what}\n`),
    },
    world,
  )
  for (const what of left) world.out.write(`left behind: ${what}\n`)
  if (left.length === 0) world.out.write(`nothing of run ${run} is left\n`)
  return left.length === 0 ? 0 : 1
}

/** The flags that say how to reach and use the driver, to repeat one case. */
function repeatedFlags(config: CheckConfig): string {
  const flags: [string, string | undefined][] = [
    ...config.node.map((node): [string, string] => ['node', node]),
    ['params', config.params],
    ['mutable-params', config.mutableParams],
    ['snapshot-params', config.snapshotParams],
    ['secrets', config.secrets],
    ...Object.entries(config.topology).map(([key, value]): [string, string] => ['topology', `${key}=${value}`]),
    ['restart', config.restart],
    ['work', config.work],
  ]
  return flags.flatMap(([name, value]) => (value === undefined ? [] : [` --${name}=${quoted(value)}`])).join('')
}

const quoted = (value: string): string =>
  /^[\w./:=@,+-]+$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`
