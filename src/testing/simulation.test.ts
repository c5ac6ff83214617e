import { equal, match, ok, rejects } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { runKeeperScenario } from './keeper-under-test.ts'

describe('simulation', () => {
  test('one seed gives the same transcript, byte for byte, in two processes', () => {
    const program = `import { runKeeperScenario } from ${JSON.stringify(new URL('./keeper-under-test.ts', import.meta.url).href)}
      process.stdout.write(await runKeeperScenario(7, 'intent first'))`
    const run = (): string => {
      const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
        encoding: 'utf8',
      })
      equal(status, 0, stderr)
      return stdout
    }
    const first = run()
    match(first, /keeper: patch configmaps .* ok\n/)
    equal(run(), first)
  })

  test('other seeds give other transcripts', async () => {
    equal((await runKeeperScenario(1, 'intent first')) === (await runKeeperScenario(2, 'intent first')), false)
  })

  test('a controller that writes its intent down first survives kills and faults', async () => {
    for (let seed = 1; seed <= 10; seed++) await runKeeperScenario(seed, 'intent first')
  })

  test('a controller that acts before it writes its intent down is found', async () => {
    await rejects(async () => {
      for (let seed = 1; seed <= 30; seed++) await runKeeperScenario(seed, 'effect first')
    }, /one thing for each ConfigMap/)
  })
})

test('docs/simulation.md shows follower.simulation.ts as it is', () => {
  const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
  ok(read('../../docs/simulation.md').includes(`\n\`\`\`ts\n${read('./follower.simulation.ts')}\`\`\`\n`))
})
