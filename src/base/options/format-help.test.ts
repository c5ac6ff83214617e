import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { list, map } from './collection-options.ts'
import { featureGates } from './feature-gates.ts'
import { formatHelp, type HelpPage } from './format-help.ts'
import { formatOptionsMarkdown } from './format-options-markdown.ts'
import type { OptionTable } from './option.ts'
import { positional } from './positional.ts'
import { choice, count, decimal, duration, flag, path, quantity, text } from './single-options.ts'

const options = {
  csiAddress: path('/run/csi/socket', 'Socket on which the driver listens.'),
  registrationPath: path.required('Socket as the kubelet sees it.'),
  nodeName: text.optional('Node to look at.', { short: 'n' }),
  leaderElection: flag(false, 'Run on one replica only.', { section: 'leader election' }),
  labels: map({}, 'Labels of the lease.', {
    flag: 'leader-election-labels',
    pairSeparator: ':',
    section: 'leader election',
  }),
  immediateTopology: flag(true, 'Asks for topology at once.'),
  timeoutMs: duration(
    '15s',
    'Longest wait for one driver call, after which the call counts as in doubt and is repeated.',
  ),
  kubeApiQps: decimal(5, 'Requests to the API server.', { unit: 'requests per second' }),
  capacityBytes: quantity('1Gi', 'Size of the pool.'),
  depth: count.optional('How deep to look.', { unit: 'levels' }),
  loggingFormat: choice(['text', 'json'], 'text', 'Form of the log.'),
  skip: list([], 'Checks to leave out.', { choices: ['load', 'faults'] }),
  greeting: text('hello world', 'What to say.'),
  metricsAddress: text('', 'Address of the metrics.', { deprecated: 'use --http-endpoint.' }),
  featureGates: featureGates({ Topology: { default: true, stage: 'GA' } }, 'Features.'),
  vmodule: text('', 'Nothing.', { hidden: true }),
} satisfies OptionTable

const page: HelpPage = {
  name: 'holdfast check',
  summary:
    'Tells whether a driver is right: conformance, behaviour under a cluster, faults and load, over its socket alone.',
  options,
  positionals: { socket: positional.required('Socket of the driver.'), suites: positional.rest('Only these suites.') },
  examples: [{ text: 'Everything.', command: 'holdfast check /run/csi/socket' }],
}

describe('formatHelp', () => {
  test('shows everything in aligned columns', () => {
    const expected = `Usage: holdfast check [flags] SOCKET [SUITES]...

Tells whether a driver is right: conformance, behaviour under a cluster, faults
and load, over its socket alone.

Arguments:
  SOCKET                          Socket of the driver.
  SUITES                          Only these suites.

Flags:
  --csi-address=PATH              Socket on which the driver listens. (default
                                  /run/csi/socket)
  --registration-path=PATH        Socket as the kubelet sees it. (required)
  --node-name=TEXT, -n            Node to look at.
  --immediate-topology            Asks for topology at once. (default true)
  --timeout=DURATION              Longest wait for one driver call, after which
                                  the call counts as in doubt and is repeated.
                                  (default 15s)
  --kube-api-qps=NUMBER           Requests to the API server. (default 5
                                  requests per second)
  --capacity=SIZE                 Size of the pool. (default 1Gi)
  --depth=NUMBER                  How deep to look. In levels.
  --logging-format=text|json      Form of the log. (default text)
  --skip=TEXT,…                   Checks to leave out. Possible: load, faults.
  --greeting=TEXT                 What to say. (default "hello world")
  --metrics-address=TEXT          Address of the metrics. Deprecated: use
                                  --http-endpoint.
  --feature-gates=NAME=BOOL,…     Features. Gates: Topology=true (GA).

Flags for leader election:
  --leader-election               Run on one replica only.
  --leader-election-labels=KEY:VALUE,…
                                  Labels of the lease.

General:
  --help, -h                      Show this text.
  --version                       Show the version.

Examples:
  # Everything.
  holdfast check /run/csi/socket
`
    equal(formatHelp(page), expected)
  })

  test('keeps to the width where words allow it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 200 }), (width) => {
        const lines = formatHelp(page, width).split('\n')
        equal(
          lines.every((line) => line.length <= width && line === line.trimEnd()),
          true,
        )
      }),
    )
  })

  test('is short for a command with little to say', () => {
    const help =
      'Usage: x [flags]\n\nDoes.\n\nGeneral:\n  --help, -h  Show this text.\n  --version   Show the version.\n'
    equal(formatHelp({ name: 'x', summary: 'Does.', options: {} }), help)
  })

  test('leaves out the general version flag where the command has its own', () => {
    const help = formatHelp({ name: 'x', summary: 'Does.', options: { version: text('', 'Version to install.') } })
    equal(
      help,
      'Usage: x [flags]\n\nDoes.\n\nFlags:\n  --version=TEXT  Version to install.\n\nGeneral:\n  --help, -h      Show this text.\n',
    )
  })
})

describe('formatOptionsMarkdown', () => {
  test('shows every visible option in tables by section', () => {
    const { csiAddress, registrationPath, leaderElection, kubeApiQps, loggingFormat, vmodule } = options
    const expected = `| Flag | Default | Meaning |
|---|---|---|
| \`--csi-address=PATH\` | \`/run/csi/socket\` | Socket on which the driver listens. |
| \`--registration-path=PATH\` | **required** | Socket as the kubelet sees it. |
| \`--kube-api-qps=NUMBER\` | \`5 requests per second\` | Requests to the API server. |
| \`--logging-format=text\\|json\` | \`text\` | Form of the log. |
| \`--name=TEXT\` |  | a \\| b &lt;c> d |

### leader election

| Flag | Default | Meaning |
|---|---|---|
| \`--leader-election\` |  | Run on one replica only. |
`
    const name = text('', 'a | b <c>\nd')
    equal(
      formatOptionsMarkdown({ leaderElection, csiAddress, registrationPath, kubeApiQps, loggingFormat, vmodule, name }),
      expected,
    )
  })
})
