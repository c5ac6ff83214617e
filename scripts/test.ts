import { ROOT, runInherited } from './run.ts'
import { formatTestCommand } from './test-command.ts'

// npm test [-- PATH… --test-name-pattern=…]: everything that needs neither Go nor root nor a network.
const command = formatTestCommand({
  root: ROOT,
  patterns: ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'examples/**/*.test.ts'],
  args: process.argv.slice(2),
  isTerminal: process.stdout.isTTY,
})
if (command) {
  process.exitCode = await runInherited(process.execPath, command)
} else {
  process.stderr.write('no test found\n')
  process.exitCode = 1
}
