import { equal, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startExample } from './run-example.ts'

const PAGES = {
  'cluster-in-memory.ts': 'docs/cluster-in-a-test.md',
  'cluster-on-this-machine.ts': 'docs/cluster-in-a-test.md',
  'check-classes-in-memory.ts': 'docs/kubernetes-client.md',
}

for (const [path, page] of Object.entries(PAGES)) {
  test(`${path} passes as a test of its own`, async (context) => {
    const { code, out, err } = await startExample(context, path, [], ['--test']).ended
    equal(code, 0, `${out}\n${err}`)
  })
  test(`${page} shows exactly ${path}`, () => {
    const source = readFileSync(join(import.meta.dirname, path), 'utf8')
    ok(readFileSync(join(import.meta.dirname, '..', page), 'utf8').includes(`\n\`\`\`ts\n${source}\`\`\`\n`))
  })
}
