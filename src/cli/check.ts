import { dirname, join, resolve } from 'node:path'
import { defineCommand, positional, UsageError } from '../base/options/index.ts'
import type { CaseInfo } from '../check/case.ts'
import { ALL_CASES } from '../check/cases/all-cases.ts'
import { CLUSTER_CASES } from '../check/cluster/all-cluster-cases.ts'
import { createClusterPhase } from '../check/cluster/run-cluster-cases.ts'
import { chooseCases } from '../check/choose-cases.ts'
import { cleanRun, isRunId } from '../check/clean-run.ts'
import { formatFailures, formatLoad, formatPlan, formatResult, formatVerdict } from '../check/report/format-text.ts'
import { formatList } from '../check/report/format-list.ts'
import { formatHtml } from '../check/report/format-html.ts'
import { formatJson } from '../check/report/format-json.ts'
import { formatJunit } from '../check/report/format-junit.ts'
import type { RpcLoad } from '../check/measure-calls.ts'
import { openCheck } from '../check/run-check.ts'
import type { CheckOptions } from '../check/run-check.ts'
import { createLoadPhase, loadCase } from '../check/run-load.ts'
import { createSilentLogger } from '../base/logger.ts'
import { findWatchedFiles, readStamps } from '../cluster/index.ts'
import { createSystemSockets } from '../csi/index.ts'
import { watchFailures } from './watch-failures.ts'
import type { WatchParts } from './watch-failures.ts'
import { cleanWith, repeatWith } from './check-commands.ts'
import { readMapFile, readSecretsFile } from './check-files.ts'
import { CHECK_OPTIONS } from './check-options.ts'
import type { CheckConfig } from './check-options.ts'
import { checkSocket } from './check-sockets.ts'
import { createCommandModule } from './command-module.ts'
import { defaultDataDirectory } from './default-data-directory.ts'
import type { World } from './world.ts'

const command = defineCommand({
  name: 'holdfast check',
  summary:
    'Tests a CSI driver over its socket. Every case quotes the rule of the CSI specification that it tests. It creates volumes of its own, deletes only what it has created, and keeps a journal on disk. Exit code 0: no case failed.',
  options: CHECK_OPTIONS,
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

/** One test of a driver. */
export const checkCommand = createCommandModule(command, async (config, world, { endpoint }, given) => {
  const { cases, unknown } = chooseCases<CaseInfo>([...ALL_CASES, ...CLUSTER_CASES], config.only, config.skip)
  if (unknown.length > 0)
    throw new UsageError([
      `--only, --skip: unknown case or topic ${unknown.join(', ')}; holdfast check --list prints all`,
    ])
  if (cases.length === 0) throw new UsageError(['--only, --skip: no case is left; leave out one of the two'])
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
    world.out.write(`\n${formatPlan(session.plan([...cases, ...load]), '00000000', cleanWith(config))}`)
    return 0
  }
  const stopped = world.untilStopped()
  const stop = new AbortController()
  void stopped.then(() => {
    world.err.write('Stopping: the running cases end first and remove their volumes. Ctrl-C again ends at once.\n')
    stop.abort()
  })
  const parts = { endpoint, options, world, signal: stop.signal }
  const runOnce = (chosen: readonly CaseInfo[], isRepeated: boolean): Promise<CaseInfo[]> =>
    runCases(chosen, isRepeated ? { ...config, load: 0 } : config, parts)
  if (!config.watch) return (await runOnce(cases, false)).length === 0 && !stop.signal.aborted ? 0 : 1
  return watchFailures(cases, runOnce, { ...(await watchedOf(config, parts)), stopped })
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
    ...(config.size === 0n ? ['--size: a volume needs a size; write for example --size=1Gi'] : []),
    ...(config.expandSize !== undefined && config.expandSize <= config.size
      ? ['--expand-size: volumes can only grow; give a size that is larger than --size, or leave --expand-size out']
      : []),
  ]
  for (const flagName of ['junit', 'html'] as const) {
    const directory = dirname(resolve(config[flagName] ?? '.'))
    if (config[flagName] !== undefined && !(await files.findStat(directory)))
      problems.push(`--${flagName}: directory ${directory} does not exist; create it first`)
  }
  if (config.driverLog !== undefined && !(await files.findStat(resolve(config.driverLog))))
    problems.push(`--driver-log: ${config.driverLog} does not exist; give the file to which the driver writes its log`)
  if (problems.length > 0) throw new UsageError(problems)
}

type RunParts = {
  readonly endpoint: string
  readonly options: CheckOptions
  readonly world: World
  readonly signal: AbortSignal
}

/** Runs the cases, reports the results, and returns the cases that failed or left something behind. */
async function runCases(
  cases: readonly CaseInfo[],
  config: CheckConfig,
  { endpoint, options, world, signal }: RunParts,
): Promise<CaseInfo[]> {
  using session = await openCheck(options, world)
  const progress = config.json ? world.err : world.out
  const chosen = new Set(cases)
  let load: readonly RpcLoad[] | undefined
  const { parallel } = session
  const clean = cleanWith(config)
  const measured = { volumes: config.load, parallel, onReport: (loads: readonly RpcLoad[]) => void (load = loads) }
  const ended = await session.run(
    ALL_CASES.filter((one) => chosen.has(one)),
    {
      onPlan: (plan, run) => progress.write(formatPlan(plan, run, clean)),
      onResult: (result) => progress.write(formatResult(result)),
      signal,
    },
    [
      createClusterPhase(CLUSTER_CASES.filter((one) => chosen.has(one))),
      ...(config.load > 0 ? [createLoadPhase(measured)] : []),
    ],
  )
  const report = load ? { ...ended, load } : ended
  const repeat = repeatWith(endpoint, config)
  // A part of the cases says nothing about the driver, so an interrupted run leaves earlier reports as they are.
  if (!report.isInterrupted) await writeReports(config, world, [session.features, report, repeat])
  if (config.json) world.out.write(formatJson(session.features, report, repeat))
  progress.write(formatFailures(report.results, repeat))
  if (load) progress.write(formatLoad(load))
  progress.write(formatVerdict(session.features, report, clean))
  const failed = report.results.filter(({ outcome }) => outcome.kind === 'failed').map((result) => result.case)
  // What is left behind is a failure too; all cases may be to blame.
  return failed.length === 0 && report.left.length > 0 ? [...cases] : failed
}

/** What `--watch` waits for: the driver comes back, or its files change. */
async function watchedOf(
  config: CheckConfig,
  { endpoint, options, world }: RunParts,
): Promise<Omit<WatchParts, 'stopped'>> {
  const { clock, random, host, out } = world
  const { files } = host
  const command = config.restart ?? ''
  const paths = await findWatchedFiles(files, command, process.cwd())
  return {
    clock,
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
  const names = (await files.findStat(work)) ? (await files.list(work)).map(({ name }) => name) : []
  const known = names.filter((name) => isRunId(name))
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
