import { parseArgs } from 'node:util'
import { findMissingGo } from './find-missing-go.ts'
import { readArguments } from './read-arguments.ts'
import { ROOT, runInherited } from './run.ts'
import { formatTestCommand } from './test-command.ts'
import { NEWEST, parseMinor, RELEASE_VARIABLE } from '../test/kubernetes/kubernetes-release.ts'
import { buildPeer, PEER_NAMES } from '../test/kubernetes/peers.ts'

// npm run test:kubernetes [-- --kubernetes=1.34] [--allow-missing] [PATH…]: interoperability with the programs of Kubernetes itself, built from their
// Go modules. On another release than the newest one, only the stories run: the other tests compare with the newest one.
const STORIES = ['test/kubernetes/stories.test.ts', 'test/kubernetes/cluster/cluster.test.ts']

const args = process.argv.slice(2)
const { values } = parseArgs({
  strict: false,
  options: { kubernetes: { type: 'string', default: NEWEST }, 'allow-missing': { type: 'boolean', default: false } },
})
const minor = readArguments(() => parseMinor(String(values.kubernetes)))
process.env[RELEASE_VARIABLE] = minor
const others = args.filter(
  (arg, index) => arg !== '--allow-missing' && !arg.startsWith('--kubernetes') && args[index - 1] !== '--kubernetes',
)
const namesFiles = others.some((arg) => !arg.startsWith('-'))
const missing = await findMissingGo()
const command = formatTestCommand({
  root: ROOT,
  patterns: ['test/kubernetes/**/*.test.ts'],
  args: minor === NEWEST || namesFiles ? others : [...others, ...STORIES],
  timeoutMs: 20 * 60_000,
  isTerminal: process.stdout.isTTY,
})
if (missing !== undefined) {
  process.stderr.write(`test:kubernetes did not run: ${missing}\n`)
  process.exitCode = values['allow-missing'] ? 0 : 1
} else {
  // Before the tests, since files that run at once would each build the same. Who names files waits only for what those need.
  if (!namesFiles) for (const name of PEER_NAMES) await buildPeer(name)
  process.exitCode = command ? await runInherited(process.execPath, command) : 1
}
