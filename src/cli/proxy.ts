import { resolve } from 'node:path'
import { defineCommand, flag, path, text } from '../base/options/index.ts'
import { startProxy } from '../proxy/index.ts'
import { checkSocket } from './check-sockets.ts'
import { createCommandModule } from './command-module.ts'
import { createCommandLogger, loggingOptions } from './logging.ts'
import { openRecording, readFaults } from './proxy-files.ts'

const command = defineCommand({
  name: 'holdfast proxy',
  summary:
    'Runs a proxy in front of any CSI driver. Calls of every service pass through unchanged, unless the faults file delays, fails, duplicates, loses or alters them. With --record, every call is written to a file that holdfast replay plays.',
  options: {
    listen: text.required('Socket to serve, as unix:///path/to/csi.sock or a path.', {
      example: 'unix:///tmp/proxy.sock',
    }),
    to: text.required('Socket of the driver. It need not be served yet.', { example: 'unix:///run/csi/csi.sock' }),
    faults: path.optional('Faults to apply, as YAML.', { example: 'faults.yaml' }),
    record: path.optional('File to write the calls to, one JSON object per line. An existing file is replaced.', {
      example: 'calls.jsonl',
    }),
    recordSecrets: flag(
      false,
      'Write the values of secrets to the recording, and the messages of services other than CSI.',
    ),
    ...loggingOptions,
  },
  examples: [
    {
      text: 'Record the calls of a driver',
      command: 'holdfast proxy --listen=/tmp/proxy.sock --to=/tmp/csi.sock --record=calls.jsonl',
    },
    {
      text: 'Apply the faults of a file',
      command: 'holdfast proxy --listen=/tmp/proxy.sock --to=/tmp/csi.sock --faults=faults.yaml',
    },
  ],
  check: ({ listen, to, record, recordSecrets }) => [
    ...checkSocket('--listen', listen),
    ...checkSocket('--to', to),
    ...(listen === to ? ['--listen and --to are the same socket; give --listen a path of its own'] : []),
    ...(recordSecrets && record === undefined
      ? ['--record-secrets needs --record; write for example --record=calls.jsonl']
      : []),
  ],
})

/** A proxy in front of a driver. */
export const proxyCommand = createCommandModule(command, async (config, world) => {
  const log = createCommandLogger(config, world)
  const { clock, random, host } = world
  const faults = config.faults === undefined ? undefined : await readFaults(config.faults, world)
  using recording = config.record === undefined ? undefined : openRecording(resolve(config.record), config, world)
  const stopped = world.untilStopped()
  const running = await startProxy({
    listen: config.listen,
    to: config.to,
    ...(faults ? { faults: faults.chooser } : {}),
    ...(recording ? { recorder: recording.recorder } : {}),
    clock,
    random,
    files: host.files,
    log,
  })
  const seed = faults ? ` faults=${faults.chooser.applied().length} seed=${faults.seed}` : ''
  world.out.write(`ready unix://${running.path} to=${config.to}${seed}${recording ? ` record=${config.record}` : ''}\n`)
  const signal = await stopped
  log.info('stopping', { signal })
  await running.stop()
  if (faults) world.out.write(formatApplied(faults))
  return 0
})

const formatApplied = ({ labels, chooser }: Awaited<ReturnType<typeof readFaults>>): string =>
  chooser
    .applied()
    .map((times, index) => `  ${labels[index]}: applied ${times} times\n`)
    .join('')
