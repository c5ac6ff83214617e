import { parseArgs } from 'node:util'
import { ROOT, runInherited } from './run.ts'
import { formatTestCommand } from './test-command.ts'

// npm run test:simulation -- [--seeds N] [--seed N] [--allow-missing] [PATH…]: the whole cluster under seeded faults.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '100' },
    seed: { type: 'string' },
    'allow-missing': { type: 'boolean', default: false },
  },
})
const numbers = [values.seeds, values.seed ?? '0']
const command = formatTestCommand({
  root: ROOT,
  patterns: ['src/**/*.simulation.ts'],
  args: positionals,
  timeoutMs: 30 * 60_000,
  isTerminal: process.stdout.isTTY,
})
if (!numbers.every((text) => /^\d+$/.test(text))) {
  process.stderr.write('--seeds and --seed take a whole number\n')
  process.exitCode = 2
} else if (command) {
  const seed = values.seed ?? process.env['HOLDFAST_SEED']
  process.stderr.write(
    seed === undefined ? `${values.seeds} seeds; replay one with HOLDFAST_SEED=N\n` : `seed ${seed} alone\n`,
  )
  const env = { HOLDFAST_SEEDS: values.seeds, ...(seed === undefined ? {} : { HOLDFAST_SEED: seed }) }
  process.exitCode = await runInherited(process.execPath, command, { env })
} else {
  process.stderr.write('no simulation found: no src/**/*.simulation.ts\n')
  process.exitCode = values['allow-missing'] ? 0 : 1
}
