import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSystemHost } from '../base/host/index.ts'
import { createSeededRandom } from '../base/random.ts'
import { createSimulatedClock } from '../base/simulated-clock.ts'
import { COMMANDS } from './commands.ts'
import { runCli } from './run-cli.ts'
import type { World } from './world.ts'

async function run(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = ''
  let err = ''
  const output = (add: (text: string) => void) => ({ write: add, isTerminal: false, columns: 80 })
  const world: World = {
    clock: createSimulatedClock(),
    random: createSeededRandom(1),
    host: createSystemHost(),
    hostname: 'test',
    env: {},
    version: '1.2.3',
    out: output((text) => void (out += text)),
    err: output((text) => void (err += text)),
    untilStopped: () => Promise.resolve('SIGTERM'),
    ask: () => Promise.resolve(undefined),
  }
  const code = await runCli(words, world)
  return { code, out, err }
}

describe('the command line', () => {
  test('shows every command, those to come too, when nothing is asked for', async () => {
    const { code, out } = await run()
    equal(code, 0)
    for (const name of Object.keys(COMMANDS)) match(out, new RegExp(`^  ${name} `, 'm'))
  })

  for (const name of Object.keys(COMMANDS)) {
    test(`${name} --help and help ${name} say the same`, async () => {
      const [asked, helped] = [await run(name, '--help'), await run('help', name)]
      equal(asked.code, 0)
      match(asked.out, new RegExp(`^Usage: holdfast ${name} `))
      deepEqual(helped, asked)
    })
  }

  test('tells its version', async () =>
    deepEqual(await run('--version'), { code: 0, out: 'holdfast 1.2.3\n', err: '' }))

  for (const words of [['bogus'], ['help', 'bogus'], ['toString'], ['__proto__']]) {
    test(`refuses ${words.join(' ')} with exit code 2`, async () => {
      const { code, err } = await run(...words)
      equal(code, 2)
      match(err, /^holdfast: unknown command ".*"; see holdfast --help\n$/)
    })
  }

  for (const [typed, meant] of [
    ['chek', 'check'],
    ['whi', 'why'],
    ['csi-provisoner', 'csi-provisioner'],
  ]) {
    test(`suggests ${meant} for ${typed}`, async () => {
      deepEqual(await run(`${typed}`), {
        code: 2,
        out: '',
        err: `holdfast: unknown command "${typed}"; did you mean ${meant}?\n`,
      })
    })
  }

  test('an unknown flag is one clear line and exit code 2', async () => {
    deepEqual(await run('up', '--nods=3'), {
      code: 2,
      out: '',
      err: 'holdfast: unknown flag --nods; did you mean --nodes=3?\n',
    })
  })
})
