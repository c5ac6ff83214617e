import { equal, match, ok } from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startExample } from './run-example.ts'

test('create-volume makes a volume in the bundled driver, and finds it the second time', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-example-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const socket = join(folder, 'csi.sock')
  const driver = startExample(t, '../src/cli/main.ts', [
    'driver',
    `--endpoint=${socket}`,
    '--node-id=node-1',
    `--data=${join(folder, 'data')}`,
    '--publish=link',
  ])
  match(await driver.firstLine, /^ready /)
  const first = await startExample(t, 'create-volume.ts', [socket]).ended
  equal(first.err, '')
  match(first.out, /^[0-9a-f-]{36} 1073741824\n$/)
  equal((await startExample(t, 'create-volume.ts', [socket]).ended).out, first.out)
  equal((await driver.stop()).code, 0)
})

test('create-volume says that a driver that is gone leaves it in doubt', async (t) => {
  const { out, err } = await startExample(t, 'create-volume.ts', ['/nonexistent/csi.sock']).ended
  equal(out, '')
  match(err, /^in-doubt: CreateVolume: Unavailable: /)
})

test('README.md shows exactly this file', () => {
  const source = readFileSync(join(import.meta.dirname, 'create-volume.ts'), 'utf8')
  ok(readFileSync(join(import.meta.dirname, '../README.md'), 'utf8').includes(`\n\`\`\`ts\n${source}\`\`\`\n`))
})
