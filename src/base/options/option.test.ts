import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import {
  choice,
  count,
  decimal,
  defineCommand,
  duration,
  featureGates,
  flag,
  integer,
  list,
  map,
  parseArguments,
  path,
  positional,
  quantity,
  text,
  type ConfigOf,
  type OptionTable,
  type PositionalsOf,
  type PositionalTable,
} from './index.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const isSame = <A, B>(same: Same<A, B>): void => equal(same, true)

const options = {
  csiAddress: path('/run/csi/socket', 'Socket on which the driver listens.'),
  kubeconfig: path.optional('Configuration of the client.'),
  registrationPath: path.required('Socket as the kubelet sees it.'),
  prefix: text('pvc', 'Prefix of volume names.'),
  leaderElection: flag(false, 'Run on one replica only.'),
  workers: count(10, 'Workers.'),
  uuidLength: integer(-1, 'Letters kept of the UID.'),
  qps: decimal(5, 'Requests per second.'),
  timeoutMs: duration('15s', 'Longest wait for one call.'),
  pauseMs: duration.optional('Pause between rounds.'),
  capacityBytes: quantity('1Gi', 'Size of the pool.'),
  format: choice(['text', 'json'], 'text', 'Form of the log.'),
  mode: choice.optional(['fast', 'safe'], 'Mode.'),
  roles: list([], 'Parts to run.', { choices: ['attacher', 'resizer'] }),
  names: list([], 'Names.'),
  labels: map({}, 'Labels.'),
  gates: featureGates({ Topology: { default: true, stage: 'GA' } }, 'Features.'),
} satisfies OptionTable

test('the type of the configuration follows from the table', () => {
  isSame<
    ConfigOf<typeof options>,
    {
      readonly csiAddress: string
      readonly kubeconfig: string | undefined
      readonly registrationPath: string
      readonly prefix: string
      readonly leaderElection: boolean
      readonly workers: number
      readonly uuidLength: number
      readonly qps: number
      readonly timeoutMs: number
      readonly pauseMs: number | undefined
      readonly capacityBytes: bigint
      readonly format: 'text' | 'json'
      readonly mode: 'fast' | 'safe' | undefined
      readonly roles: readonly ('attacher' | 'resizer')[]
      readonly names: readonly string[]
      readonly labels: Readonly<Record<string, string>>
      readonly gates: { readonly Topology: boolean }
    }
  >(true)
})

test('the type of positional arguments follows from their table', () => {
  const table = {
    socket: positional.required('Socket.'),
    node: positional.optional('Node.'),
    files: positional.rest('Files.'),
  } satisfies PositionalTable
  type Expected = { readonly socket: string; readonly node: string | undefined; readonly files: readonly string[] }
  isSame<PositionalsOf<typeof table>, Expected>(true)
})

test('a choice and a list of choices take only their own words as default', () => {
  // @ts-expect-error: xml is no choice
  const wrongChoice = () => choice(['text', 'json'], 'xml', 'Form of the log.')
  // @ts-expect-error: binder is no choice
  const wrongList = () => list(['binder'], 'Parts to run.', { choices: ['attacher', 'resizer'] })
  equal(typeof wrongChoice, typeof wrongList)
})

test('a check and a result know the types of their table', () => {
  const command = defineCommand({
    name: 'holdfast test',
    summary: 'Tests.',
    options,
    positionals: { socket: positional.required('Socket.') },
    check: (config, { socket }) => {
      isSame<typeof config.timeoutMs, number>(true)
      isSame<typeof socket, string>(true)
      return []
    },
  })
  const parsed = parseArguments(command, ['--registration-path=/a', 'x.sock'])
  if (parsed.kind !== 'run') throw new Error(parsed.kind)
  isSame<typeof parsed.config.format, 'text' | 'json'>(true)
  deepEqual(parsed.positionals, { socket: 'x.sock' })
})

test('without arguments each option has its default, and everything is frozen', () => {
  const parsed = parseArguments({ name: 'holdfast test', summary: 'Tests.', options }, ['--registration-path=/a'])
  if (parsed.kind !== 'run') throw new Error(parsed.kind)
  const { config } = parsed
  deepEqual(config, {
    csiAddress: '/run/csi/socket',
    kubeconfig: undefined,
    registrationPath: '/a',
    prefix: 'pvc',
    leaderElection: false,
    workers: 10,
    uuidLength: -1,
    qps: 5,
    timeoutMs: 15_000,
    pauseMs: undefined,
    capacityBytes: 1_073_741_824n,
    format: 'text',
    mode: undefined,
    roles: [],
    names: [],
    labels: {},
    gates: { Topology: true },
  })
  const parts = [config, config.roles, config.names, config.labels, config.gates, parsed.positionals, parsed]
  deepEqual(
    parts.map(Object.isFrozen),
    parts.map(() => true),
  )
})
