import { deepEqual, equal, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defineCommand } from './command.ts'
import { formatHelp } from './format-help.ts'
import type { ConfigOf, OptionTable } from './option.ts'
import { parseArguments } from './parse-arguments.ts'
import { pickPrefixed, prefixOptions } from './prefix-options.ts'
import { count, duration, path } from './single-options.ts'
import { UsageError } from './usage-error.ts'

const provisioner = {
  timeoutMs: duration('10s', 'Longest wait for one call.'),
  workerThreads: count(100, 'Workers.', { short: 'w', aliases: ['workers'] }),
  verbosity: count(0, 'Level.', { flag: 'v' }),
} satisfies OptionTable
const registrar = {
  timeoutMs: duration('1s', 'Longest wait for one call.'),
  registrationPath: path.required('Socket as the kubelet sees it.'),
} satisfies OptionTable

const command = defineCommand({
  name: 'holdfast sidecar',
  summary: 'All sidecars in one process.',
  options: {
    timeoutMs: duration.optional('Longest wait for one call, for every part.'),
    ...prefixOptions(provisioner, 'provisioner'),
    ...prefixOptions(registrar, 'nodeDriverRegistrar', 'the node driver registrar'),
  },
})

function parse(...words: string[]) {
  const parsed = parseArguments(command, words)
  if (parsed.kind !== 'run') throw new Error(parsed.kind)
  return parsed
}

describe('prefixOptions', () => {
  test('keeps values and defaults under longer keys and flags', () => {
    const { config } = parse(
      '--provisioner-timeout=3s',
      '--provisioner-workers=5',
      '--provisioner-v=2',
      '--node-driver-registrar-timeout=2s',
    )
    deepEqual(config, {
      timeoutMs: undefined,
      provisionerTimeoutMs: 3_000,
      provisionerWorkerThreads: 5,
      provisionerVerbosity: 2,
      nodeDriverRegistrarTimeoutMs: 2_000,
      nodeDriverRegistrarRegistrationPath: undefined,
    })
  })

  test('drops short names, so that two parts do not fight for them', () =>
    throws(() => parse('-w=5'), /unknown flag -w/))

  test('types the keys', () => {
    const config: ConfigOf<typeof command.options> = parse().config
    const timeoutMs: number = config.provisionerTimeoutMs
    // @ts-expect-error: the part may not run, so what it requires may be absent
    const socket: string = config.nodeDriverRegistrarRegistrationPath
    deepEqual([timeoutMs, socket], [10_000, undefined])
  })

  test('lists each part under its own heading', () => {
    const help = formatHelp(command)
    equal(/\nFlags for provisioner:\n {2}--provisioner-timeout=DURATION/.test(help), true)
    const words = help.replace(/\s+/g, ' ')
    equal(
      words.includes('Flags for the node driver registrar: --node-driver-registrar-timeout=DURATION Longest wait'),
      true,
    )
    equal(words.includes('Socket as the kubelet sees it. Required for the node driver registrar.'), true)
  })
})

describe('pickPrefixed', () => {
  const pick = (...words: string[]) => pickPrefixed(parse(...words), provisioner, 'provisioner')

  test('takes the defaults of the part when nothing is given', () =>
    deepEqual(pick(), { timeoutMs: 10_000, workerThreads: 100, verbosity: 0 }))
  test('takes the shared flag before the default', () => equal(pick('--timeout=7s').timeoutMs, 7_000))
  test('takes the flag of the part before the shared one', () =>
    equal(pick('--timeout=7s', '--provisioner-timeout=8s').timeoutMs, 8_000))
  test('takes the flag of the part even when it repeats the default', () =>
    equal(pick('--timeout=7s', '--provisioner-timeout=10s').timeoutMs, 10_000))
  test('gives a frozen object', () => equal(Object.isFrozen(pick()), true))

  test('asks for what the part requires', () => {
    const registrarOf = (...words: string[]) => pickPrefixed(parse(...words), registrar, 'nodeDriverRegistrar')
    deepEqual(registrarOf('--node-driver-registrar-registration-path=/a'), { timeoutMs: 1_000, registrationPath: '/a' })
    throws(
      () => registrarOf(),
      (error) =>
        error instanceof UsageError &&
        error.message ===
          '--node-driver-registrar-registration-path is required; write for example --node-driver-registrar-registration-path=/path',
    )
  })

  test('refuses a shared option of another type under the same key', () => {
    const parsed = { config: { ...parse().config, timeoutMs: '7s' }, given: new Set<string>() }
    // @ts-expect-error: the shared timeout would be text
    equal(pickPrefixed(parsed, provisioner, 'provisioner').timeoutMs, 10_000)
  })
})
