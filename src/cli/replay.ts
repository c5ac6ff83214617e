import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import { removeTree } from '../base/host/index.ts'
import { defineCommand, duration, flag, list, path, positional, text, UsageError } from '../base/options/index.ts'
import { createUuid } from '../base/random.ts'
import { connectDriver } from '../csi/index.ts'
import { serve } from '../csi/kit/index.ts'
import { createRecordedDriver, parseRecording, playRecording } from '../proxy/index.ts'
import type { PlayedCall, Recording } from '../proxy/index.ts'
import { checkSocket } from './check-sockets.ts'
import { createCommandModule } from './command-module.ts'
import { readGiven } from './proxy-files.ts'
import { formatPlayed, formatVerdict } from './format-replay.ts'
import { createCommandLogger, loggingOptions } from './logging.ts'
import type { World } from './world.ts'

const command = defineCommand({
  name: 'holdfast replay',
  summary:
    'Plays a recording of holdfast proxy. With --to, the calls go to a driver, and every answer that differs from the recording is shown field by field; IDs that the driver chooses are mapped. With --serve, it answers the calls of a cluster as the recorded driver did. Exit code of --to: 0: every answer is the same, 1: an answer differs.',
  options: {
    to: text.optional('Socket of the driver to play the calls against.', { example: 'unix:///tmp/csi.sock' }),
    serve: text.optional('Socket on which to answer as the recorded driver.', { example: 'unix:///tmp/replay.sock' }),
    root: path.optional(
      'Directory for the paths of the recording, so that no call touches the paths of the machine it was made on. Default: a temporary directory, removed at the end.',
    ),
    secrets: path.optional('YAML file with the values of secrets that the recording does not have: a map by key.'),
    ignore: list([], 'Fields that may differ, as RPC.FIELD; * stands for any characters. Can be repeated.', {
      repeated: true,
      example: 'GetCapacity.available_capacity',
    }),
    timeoutMs: duration('2m', 'Timeout of each call with --to.', { minimum: '1ms' }),
    timed: flag(false, 'With --serve, each answer takes as long as the recorded one.'),
    json: flag(false, 'With --to, print one JSON object per call.'),
    ...loggingOptions,
  },
  positionals: { file: positional.required('Recording to play.') },
  examples: [
    { text: 'Does the driver still answer the same?', command: 'holdfast replay calls.jsonl --to=/tmp/csi.sock' },
    {
      text: 'Give a cluster the driver of a recording',
      command: 'holdfast replay calls.jsonl --serve=/tmp/replay.sock --timed',
    },
  ],
  check: ({ to, serve: socket }) =>
    (to === undefined) === (socket === undefined)
      ? ['give either --to or --serve; write for example --to=unix:///tmp/csi.sock']
      : [...checkSocket('--to', to), ...checkSocket('--serve', socket)],
})

/** A recording against a driver, or in place of one. */
export const replayCommand = createCommandModule(command, async (config, world, { file }) => {
  const { host, random } = world
  const recording = parseRecording(await readGiven('FILE', file, world), file)
  const root = config.root === undefined ? join('/tmp', `holdfast-replay-${createUuid(random)}`) : resolve(config.root)
  if (config.root === undefined) await host.files.makeDirectory(root, 0o700)
  try {
    return config.serve === undefined
      ? await play(recording, { ...config, to: config.to ?? '', root }, world)
      : await serveRecording(recording, { ...config, serve: config.serve, root }, world)
  } finally {
    if (config.root === undefined) await removeIfUnmounted(root, world)
  }
})

type Config = { root: string; secrets: string | undefined; ignore: readonly string[]; timeoutMs: number; json: boolean }

async function play(recording: Recording, config: Config & { to: string }, world: World): Promise<number> {
  const { clock, host, out } = world
  const secrets = config.secrets === undefined ? {} : await readSecrets(config.secrets, world)
  const { driver, connection } = connectDriver({ endpoint: config.to, clock })
  const ignored = config.ignore.map((pattern) => new RegExp(`^${pattern.split('*').map(RegExp.escape).join('.*')}$`))
  try {
    const played = await playRecording(recording, {
      driver,
      files: host.files,
      root: config.root,
      secrets,
      timeoutMs: config.timeoutMs,
      isIgnored: (rpc, field) => ignored.some((pattern) => pattern.test(`${rpc}.${field}`)),
      onPlayed: (each) => out.write(config.json ? `${jsonOf(each)}\n` : formatPlayed(each)),
    })
    if (!config.json) out.write(formatVerdict(played))
    return played.some(({ kind }) => kind === 'different') || !played.some(({ kind }) => kind === 'same') ? 1 : 0
  } finally {
    connection.close()
  }
}

const jsonOf = ({ call, ...played }: PlayedCall): string => JSON.stringify({ call: call.call, ...played })

type ServeConfig = Parameters<typeof createCommandLogger>[0] & { serve: string; root: string; timed: boolean }

async function serveRecording(recording: Recording, config: ServeConfig, world: World): Promise<number> {
  const { clock, random, host } = world
  const log = createCommandLogger(config, world)
  const { files } = host
  const driver = createRecordedDriver(recording, { clock, files, log, root: config.root, isTimed: config.timed })
  const stopped = world.untilStopped()
  const running = await serve({ endpoint: config.serve, servers: [driver], files, random, clock, log })
  world.out.write(`ready unix://${running.path} calls=${recording.calls.length}\n`)
  log.info('stopping', { signal: await stopped })
  await running.stop()
  return 0
}

async function readSecrets(file: string, { host }: World): Promise<Record<string, string>> {
  const value: unknown = parse(Buffer.from(await host.files.readFile(resolve(file))).toString('utf8'))
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
  if (entries.length === 0 || entries.some(([, secret]) => typeof secret !== 'string'))
    throw new UsageError([`--secrets: ${file} has to be a map of keys and strings, for example password: "x"`])
  return Object.fromEntries(entries) as Record<string, string>
}

/** What a driver left mounted is not ours to unmount. */
async function removeIfUnmounted(root: string, { host, err }: World): Promise<void> {
  const mounts = (await host.mounts.list()).filter(({ target }) => target.startsWith(`${root}/`))
  if (mounts.length === 0) return removeTree(host, root)
  err.write(`holdfast replay: ${root} was not removed: the driver left ${mounts.length} mounts there\n`)
}
