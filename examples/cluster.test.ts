import { equal, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startExample } from './run-example.ts'

for (const path of ['cluster-in-memory.ts', 'cluster-on-this-machine.ts']) {
  test(`${path} passes as a test of its own`, async (context) => {
    const { code, out, err } = await startExample(context, path, [], ['--test']).ended
    equal(code, 0, `${out}\n${err}`)
  })
  test(`docs/cluster-in-a-test.md shows exactly ${path}`, () => {
    const source = readFileSync(join(import.meta.dirname, path), 'utf8')
    ok(
      readFileSync(join(import.meta.dirname, '../docs/cluster-in-a-test.md'), 'utf8').includes(
        `\n\`\`\`ts\n${source}\`\`\`\n`,
      ),
    )
  })
}
