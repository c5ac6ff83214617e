import { parseArgs } from 'node:util'
import { ROOT, runInherited } from './run.ts'
import { formatTestCommand } from './test-command.ts'

// npm run test:simulation -- [--seeds N|FIRST-LAST] [--seed N] [--allow-missing] [PATH…]: the whole cluster under seeded faults.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '100' },
    seed: { type: 'string' },
    'allow-missing': { type: 'boolean', default: false },
  },
})
const isUsable = /^(\d+-)?\d+$/.test(values.seeds) && /^\d+$/.test(values.seed ?? '0')
const command = formatTestCommand({
  root: ROOT,
  patterns: ['src/**/*.simulation.ts'],
  args: positionals,
  timeoutMs: 120 * 60_000,
  isTerminal: process.stdout.isTTY,
})
if (!isUsable) {
  process.stderr.write('--seeds takes a whole number or a range such as 501-1000, --seed a whole number\n')
  process.exitCode = 2
} else if (command) {
  const seed = values.seed ?? process.env['HOLDFAST_SEED']
  process.stderr.write(
    seed === undefined ? `seeds: ${values.seeds}; replay one with HOLDFAST_SEED=N\n` : `seed ${seed} alone\n`,
  )
  const env = { HOLDFAST_SEEDS: values.seeds, ...(seed === undefined ? {} : { HOLDFAST_SEED: seed }) }
  process.exitCode = await runInherited(process.execPath, command, { env })
} else {
  process.stderr.write('no simulation found: no src/**/*.simulation.ts\n')
  process.exitCode = values['allow-missing'] ? 0 : 1
}
