import { findMissingGo } from './find-missing-go.ts'
import { ROOT, runInherited } from './run.ts'
import { formatTestCommand } from './test-command.ts'
import { buildPeer, PEER_NAMES } from '../test/kubernetes/peers.ts'

// npm run test:kubernetes [-- --allow-missing] [PATH…]: interoperability with the programs of Kubernetes itself, built from their Go modules.

const args = process.argv.slice(2)
const missing = await findMissingGo()
const command = formatTestCommand({
  root: ROOT,
  patterns: ['test/kubernetes/**/*.test.ts'],
  args: args.filter((arg) => arg !== '--allow-missing'),
  timeoutMs: 20 * 60_000,
  isTerminal: process.stdout.isTTY,
})
if (missing !== undefined) {
  process.stderr.write(`test:kubernetes did not run: ${missing}\n`)
  process.exitCode = args.includes('--allow-missing') ? 0 : 1
} else {
  // Before the tests, since files that run at once would each build the same. Who names files waits only for what those need.
  if (args.every((arg) => arg.startsWith('-'))) for (const name of PEER_NAMES) await buildPeer(name)
  process.exitCode = command ? await runInherited(process.execPath, command) : 1
}
