import { deepEqual, equal, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { defineCommand, type Command } from './command.ts'
import { parseArguments } from './parse-arguments.ts'
import { positional, type PositionalTable } from './positional.ts'
import { choice, count, decimal, duration, flag, integer, path, text } from './single-options.ts'
import { list, map } from './collection-options.ts'
import type { ConfigOf, OptionTable } from './option.ts'
import { UsageError } from './usage-error.ts'

const options = {
  csiAddress: path('/run/csi/socket', 'Socket on which the driver listens.'),
  timeoutMs: duration('15s', 'Longest wait for one call.'),
  workerThreads: count(10, 'Workers of each queue.', { aliases: ['workers'] }),
  maxGrpcLogLength: integer(-1, 'Longest answer logged.'),
  kubeApiQps: decimal(5, 'Requests to the API server.'),
  leaderElection: flag(false, 'Run on one replica only.'),
  immediateTopology: flag(true, 'Topology at once.'),
  nodeName: text.optional('Node.', { short: 'n' }),
  v: count(0, 'Level of the log.'),
  labels: map({}, 'Labels of the lease.', { flag: 'leader-election-labels', pairSeparator: ':', exactlyOne: true }),
  controllers: list([], 'Parts to run.'),
  loggingFormat: choice(['text', 'json'], 'text', 'Form of the log.'),
  metricsAddress: text('', 'Address of the metrics.', { deprecated: 'use --http-endpoint' }),
  vmodule: text('', 'Nothing.', { hidden: true }),
  logtostderr: flag(false, 'Nothing.', { hidden: true }),
} satisfies OptionTable
const command = defineCommand({ name: 'holdfast test', summary: 'Tests.', options })

const withArguments = defineCommand({
  name: command.name,
  summary: command.summary,
  options: command.options,
  positionals: {
    kind: positional.required('Kind.', { name: 'KIND/NAME' }),
    node: positional.optional('Node.'),
    files: positional.rest('Files.'),
  },
})

function run<O extends OptionTable, P extends PositionalTable>(given: Command<O, P>, words: readonly string[]) {
  const parsed = parseArguments(given, words)
  if (parsed.kind !== 'run') throw new Error(`expected a run, got ${parsed.kind}`)
  return parsed
}

function problemsOf<O extends OptionTable, P extends PositionalTable>(
  given: Command<O, P>,
  words: readonly string[],
): readonly string[] {
  try {
    parseArguments(given, words)
  } catch (error) {
    if (error instanceof UsageError) return error.problems
    throw error
  }
  return []
}

describe('parseArguments reads', () => {
  const cases: [behaviour: string, words: string[], changed: Partial<ConfigOf<typeof options>>][] = [
    ['a value after an equals sign', ['--csi-address=/a'], { csiAddress: '/a' }],
    ['a value as the next word', ['--csi-address', '/a', '--timeout', '1m'], { csiAddress: '/a', timeoutMs: 60_000 }],
    ['one dash as well as two', ['-csi-address=/a', '-timeout', '1m'], { csiAddress: '/a', timeoutMs: 60_000 }],
    ['a value that holds an equals sign', ['--csi-address=a=b'], { csiAddress: 'a=b' }],
    ['an empty value', ['--csi-address='], { csiAddress: '' }],
    ['an empty next word', ['--csi-address', ''], { csiAddress: '' }],
    ['a value over several lines', ['--csi-address=a\nb=c'], { csiAddress: 'a\nb=c' }],
    ['a negative number as the next word', ['--max-grpc-log-length', '-5'], { maxGrpcLogLength: -5 }],
    ['a next word that only looks like a flag', ['--csi-address', '-x'], { csiAddress: '-x' }],
    ['a lone dash as a value', ['--csi-address', '-'], { csiAddress: '-' }],
    ['a boolean alone as true', ['--leader-election'], { leaderElection: true }],
    [
      'a boolean with a value',
      ['--immediate-topology=F', '--leader-election=1'],
      { immediateTopology: false, leaderElection: true },
    ],
    [
      'the last of several',
      ['--timeout=1s', '--timeout=2s', '-leader-election', '--leader-election=false'],
      { timeoutMs: 2_000 },
    ],
    ['an alias', ['--workers=3'], { workerThreads: 3 }],
    ['an alias and the name as one flag', ['--workers=3', '--worker-threads=4'], { workerThreads: 4 }],
    ['a short name', ['-n', 'n1'], { nodeName: 'n1' }],
    ['a one-letter flag with two dashes', ['--v=5'], { v: 5 }],
    ['a one-letter flag with one dash', ['-v=5'], { v: 5 }],
    ['a one-letter flag and the next word', ['-v', '5'], { v: 5 }],
    ['a number attached to a one-letter flag', ['-v5'], { v: 5 }],
    ['repeated lists', ['--controllers=a,b', '--controllers', 'c'], { controllers: ['a', 'b', 'c'] }],
    ['pairs with a colon', ['--leader-election-labels=app:x,tier:y'], { labels: { app: 'x', tier: 'y' } }],
    ['flags that nobody sees', ['--vmodule=a=5', '--logtostderr'], { vmodule: 'a=5', logtostderr: true }],
    ['nothing after the end of the flags', ['--timeout=1s', '--'], { timeoutMs: 1_000 }],
  ]
  const { config: defaults } = run(command, [])
  for (const [behaviour, words, changed] of cases)
    test(behaviour, () => deepEqual(run(command, words).config, { ...defaults, ...changed }))

  test('which keys were given, even with their default', () => {
    deepEqual(
      [...run(command, ['--workers=10', '-n=x', '--leader-election=false']).given],
      ['workerThreads', 'nodeName', 'leaderElection'],
    )
  })

  test('deprecated flags with a warning', () => {
    const parsed = run(command, ['--metrics-address=:80', '--metrics-address=:90'])
    equal(parsed.config.metricsAddress, ':90')
    deepEqual(parsed.warnings, ['--metrics-address is deprecated: use --http-endpoint'])
    deepEqual(run(command, []).warnings, [])
  })

  test('any value after an equals sign as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) =>
        equal(run(command, [`--csi-address=${value}`]).config.csiAddress, value),
      ),
    )
  })
})

describe('parseArguments with positional arguments', () => {
  const cases: [
    behaviour: string,
    words: string[],
    positionals: { kind: string; node: string | undefined; files: string[] },
  ][] = [
    ['takes what is there', ['pod/a'], { kind: 'pod/a', node: undefined, files: [] }],
    ['takes them in order', ['a', 'b', 'c', 'd'], { kind: 'a', node: 'b', files: ['c', 'd'] }],
    [
      'takes flags between them',
      ['--timeout', '1s', 'a', '--leader-election', 'b', '-v', '2', 'c'],
      { kind: 'a', node: 'b', files: ['c'] },
    ],
    [
      'takes a word after a boolean for an argument',
      ['--leader-election', 'false'],
      { kind: 'false', node: undefined, files: [] },
    ],
    [
      'takes everything after two dashes',
      ['a', '--', '--timeout=1s', '--', '-h'],
      { kind: 'a', node: '--timeout=1s', files: ['--', '-h'] },
    ],
    ['takes a lone dash and an empty word', ['-', ''], { kind: '-', node: '', files: [] }],
  ]
  for (const [behaviour, words, positionals] of cases)
    test(behaviour, () => deepEqual(run(withArguments, words).positionals, positionals))

  test('gives frozen arguments', () => {
    const { positionals } = run(withArguments, ['a', 'b', 'c'])
    deepEqual([positionals, positionals.files].map(Object.isFrozen), [true, true])
  })

  test('asks for what is missing', () => {
    deepEqual(problemsOf(withArguments, []), [
      'the argument KIND/NAME is missing; usage: holdfast test [flags] KIND/NAME [NODE] [FILES]...',
    ])
    const positionals = { files: positional.rest('Files.', { minimum: 1 }) }
    const some = defineCommand({ name: 'holdfast apply', summary: 'Applies.', options: {}, positionals })
    deepEqual(problemsOf(some, []), ['the argument FILES is missing; usage: holdfast apply [flags] FILES...'])
  })

  test('refuses a table whose words could not be told apart', () => {
    const [required, optional, rest] = [positional.required('A.'), positional.optional('B.'), positional.rest('C.')]
    const some = positional.rest('C.', { minimum: 1 })
    const tables: PositionalTable[] = [
      { optional, required },
      { rest, optional },
      { rest, other: rest },
      { optional, some },
    ]
    for (const positionals of tables) {
      throws(
        () => defineCommand({ name: 'x', summary: 'X.', options: {}, positionals }),
        /is ambiguous at its position/,
      )
    }
  })
})

describe('parseArguments asked for help or version', () => {
  const kinds: [words: string[], kind: string][] = [
    [['--help'], 'help'],
    [['-h'], 'help'],
    [['-help'], 'help'],
    [['--bogus', '--timeout=x', '--help'], 'help'],
    [['--csi-address', '--help'], 'help'],
    [['--version', '--help'], 'help'],
    [['--version'], 'version'],
    [['--version=true'], 'version'],
    [['--version', '--version=false'], 'run'],
  ]
  for (const [words, kind] of kinds)
    test(`${words.join(' ')} gives ${kind}`, () => equal(parseArguments(command, words).kind, kind))

  test('the version needs nothing that is required, but no flag may be wrong', () => {
    const positionals = { a: positional.required('A.') }
    const strict = defineCommand({
      name: 'x',
      summary: 'X.',
      options: { socket: path.required('Socket.') },
      positionals,
    })
    equal(parseArguments(strict, ['--version']).kind, 'version')
    deepEqual(problemsOf(strict, ['--version', '--socket=']), [
      '--socket: the value is empty; write for example --socket=/path',
      'the argument A is missing; usage: x [flags] A',
    ])
    deepEqual(problemsOf(command, ['--version=maybe']), [
      '--version: "maybe" is neither true nor false; write --version',
    ])
  })

  test('a command may have a version flag of its own', () => {
    const own = defineCommand({ name: 'x', summary: 'X.', options: { version: text('', 'Version to install.') } })
    equal(run(own, ['--version=1.2']).config.version, '1.2')
  })

  test('help after the end of the flags is a word', () =>
    deepEqual(run(withArguments, ['--', '--help']).positionals.kind, '--help'))
})

describe('parseArguments says what to type instead', () => {
  const cases: [behaviour: string, words: string[], problems: string[]][] = [
    ['of an unknown flag', ['--worker-thread=3'], ['unknown flag --worker-thread; did you mean --worker-threads=10?']],
    ['of an unknown boolean', ['-leader-elction'], ['unknown flag -leader-elction; did you mean --leader-election?']],
    [
      'of a flag in the wrong case',
      ['--csiAddress=/a', '--LEADER_ELECTION'],
      [
        'unknown flag --csiAddress; did you mean --csi-address=/run/csi/socket?',
        'unknown flag --LEADER_ELECTION; did you mean --leader-election?',
      ],
    ],
    ['of help', ['--hlep'], ['unknown flag --hlep; did you mean --help?']],
    ['of a flag like no other', ['--bogus=1'], ['unknown flag --bogus; holdfast test --help lists what there is']],
    ['never with a hidden flag', ['--vmodul=1'], ['unknown flag --vmodul; holdfast test --help lists what there is']],
    [
      'and takes the next word for the value that was meant',
      ['--timeuot', '5s', '--workers=2'],
      ['unknown flag --timeuot; did you mean --timeout=15s?'],
    ],
    [
      'of what is no flag',
      ['---x', '--=x', '-='],
      [
        '"---x" is not a flag; flags look like --name=value',
        '"--=x" is not a flag; flags look like --name=value',
        '"-=" is not a flag; flags look like --name=value',
      ],
    ],
    [
      'of an unknown flag with odd letters, on one line',
      ['--a\nb=1'],
      ['unknown flag "--a\\nb"; holdfast test --help lists what there is'],
    ],
    [
      'of a missing value at the end',
      ['--csi-address'],
      ['--csi-address needs a value; write for example --csi-address=/run/csi/socket'],
    ],
    [
      'of a missing value before a flag',
      ['--csi-address', '--timeout=1s'],
      ['--csi-address needs a value; write for example --csi-address=/run/csi/socket'],
    ],
    [
      'of a missing value before the end of the flags',
      ['--timeout', '--'],
      ['--timeout needs a value; write for example --timeout=15s'],
    ],
    [
      'of a bad value',
      ['--timeout=15'],
      ['--timeout: "15" is not a duration: 15 has no unit (h, m, s, ms, us or ns); write for example --timeout=15s'],
    ],
    [
      'of a bad value by the proper name',
      ['-workers=x'],
      ['--worker-threads: "x" is not a whole number; write for example --worker-threads=10'],
    ],
    [
      'of a bad choice',
      ['--logging-format=xml'],
      ['--logging-format: "xml" is not one of text, json; write for example --logging-format=text'],
    ],
    [
      'of a bad boolean',
      ['--leader-election=yes'],
      ['--leader-election: "yes" is neither true nor false; write for example --leader-election=true'],
    ],
    [
      'of a bad pair',
      ['--leader-election-labels=a=b'],
      [
        '--leader-election-labels: "a=b" is not a pair: ":" has to stand between key and value; write for example --leader-election-labels=key:value',
      ],
    ],
    ['of a word too many', ['x'], ['unexpected argument "x"; usage: holdfast test [flags]']],
    [
      'of a word after a boolean',
      ['--leader-election', 'false'],
      ['unexpected argument "false"; a boolean takes its value after an equals sign: --leader-election=false'],
    ],
    [
      'of a word after a boolean that is none',
      ['--leader-election', 'x'],
      ['unexpected argument "x"; usage: holdfast test [flags]'],
    ],
    [
      'of everything at once',
      ['--bogus', '--timeout=1', '--v', 'x', 'y'],
      [
        'unknown flag --bogus; holdfast test --help lists what there is',
        '--timeout: "1" is not a duration: 1 has no unit (h, m, s, ms, us or ns); write for example --timeout=15s',
        '--v: "x" is not a whole number; write for example --v=10',
        'unexpected argument "y"; usage: holdfast test [flags]',
      ],
    ],
  ]
  for (const [behaviour, words, problems] of cases)
    test(behaviour, () => deepEqual(problemsOf(command, words), problems))

  test('of what is required', () => {
    const required = { socket: path.required('Socket.', { example: '/run/x.sock' }), size: count.required('Size.') }
    const given = defineCommand({ name: 'x', summary: 'X.', options: required })
    deepEqual(problemsOf(given, ['--size=x']), [
      '--size: "x" is not a whole number; write for example --size=10',
      '--socket is required; write for example --socket=/run/x.sock',
    ])
  })

  test('in a message of one line for each problem', () => {
    const isTwoLines = (error: unknown): boolean =>
      error instanceof UsageError && error.message.split('\n').length === 2
    throws(() => parseArguments(command, ['--timeout', 'a\nb', '--v=']), isTwoLines)
  })

  test('one line for each problem, whatever is typed', () => {
    const telling = fc.constantFrom(
      '--timeout',
      '-v',
      '--leader-election',
      '--',
      '-',
      '--v=\n',
      '--x\ny',
      '---',
      'a\nb',
    )
    const word = fc.oneof(fc.string({ unit: 'binary' }), telling)
    fc.assert(
      fc.property(fc.array(word), (words) =>
        equal(
          problemsOf(command, words).every((problem) => !/[\n\r]/.test(problem)),
          true,
        ),
      ),
    )
  })
})

describe('parseArguments with a check between options', () => {
  const checked = defineCommand({
    name: 'x',
    summary: 'X.',
    options: { renewMs: duration('10s', 'Renew.'), retryMs: duration('5s', 'Retry.') },
    check: ({ renewMs, retryMs }) =>
      renewMs > 1.2 * retryMs ? [] : ['--renew must be more than 1.2 times --retry', 'second'],
  })

  test('passes what it accepts', () =>
    deepEqual(run(checked, ['--renew=7s']).config, { renewMs: 7_000, retryMs: 5_000 }))
  test('reports each of its problems', () =>
    deepEqual(problemsOf(checked, ['--renew=6s']), ['--renew must be more than 1.2 times --retry', 'second']))
  test('is not asked while an option is wrong by itself', () =>
    equal(problemsOf(checked, ['--renew=6s', '--retry=x']).length, 1))
})
