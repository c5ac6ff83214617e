import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { run } from './run.ts'
import type { RunResult } from './run.ts'
import { formatTestCommand } from './test-command.ts'

const makeRoot = (t: TestContext, files: Record<string, string>): string => {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  t.after(() => rmSync(root, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}
const patterns = ['src/**/*.test.ts', 'examples/**/*.test.ts']
const filesOf = (root: string, args: string[]): string[] | undefined =>
  formatTestCommand({ root, patterns, args, isTerminal: false })?.filter((arg) => !arg.startsWith('-'))

const runTests = (root: string, args: string[] = [], timeoutMs = 60_000): Promise<RunResult> => {
  const command = formatTestCommand({ root, patterns, args, timeoutMs, isTerminal: false }) ?? []
  // The variable tells a nested test runner to be quiet: this one is a run of its own.
  return run(process.execPath, command, {
    cwd: root,
    env: { NODE_TEST_CONTEXT: undefined, HOLDFAST_TEST_GRACE_MS: '100' },
  })
}
const header = `import { test, describe } from 'node:test'\n`

test('npm test takes every test file, or those in the folders and files named', (t) => {
  const root = makeRoot(t, { 'src/a/a.test.ts': '', 'src/b/b.test.ts': '', 'src/a/a.ts': '', 'examples/c.test.ts': '' })
  deepEqual(filesOf(root, []), ['examples/c.test.ts', 'src/a/a.test.ts', 'src/b/b.test.ts'])
  deepEqual(filesOf(root, ['src/a/']), ['src/a/a.test.ts'])
  deepEqual(filesOf(root, ['src/b/b.test.ts', '--test-name-pattern=x']), ['src/b/b.test.ts'])
  equal(filesOf(makeRoot(t, { 'src/a/a.ts': '' }), []), undefined)
})

test('a run that passes ends with the closing lines and code 0', async (t) => {
  const root = makeRoot(t, {
    'src/a.test.ts': `${header}describe('s', () => { test('one', () => {}); test('two', { skip: 'no root' }, () => {}) })`,
  })
  const { code, stdout } = await runTests(root)
  equal(code, 0, stdout)
  match(stdout, /ok one \(\d+ ms\)\n\s*ok two # SKIP no root\n/)
  match(
    stdout,
    /\n# tests 2\n# suites 1\n# pass 1\n# fail 0\n# cancelled 0\n# skipped 1\n# todo 0\n# duration_ms [\d.]+\n$/,
  )
})

test('a run that fails shows the error, names the test at the end, and ends with the closing lines', async (t) => {
  const root = makeRoot(t, {
    'src/a.test.ts': `${header}test('one', () => {})\ntest('two', () => { throw new Error('broken cup') })`,
  })
  const { code, stdout } = await runTests(root)
  equal(code, 1)
  match(stdout, /not ok two .*\n.*broken cup/)
  match(stdout, /failed:\n.*src\/a\.test\.ts: two\n\n# tests 2\n[^]*# fail 1\n[^]*# duration_ms [\d.]+\n$/)
})

test('a run in which no test ran fails', async (t) => {
  const root = makeRoot(t, { 'src/a.test.ts': 'export {}\n', 'src/b.test.ts': `${header}test('one', () => {})` })
  const empty = await runTests(root, ['src/a.test.ts'])
  deepEqual([empty.code, empty.stderr], [1, 'no test ran\n'])
  const filtered = await runTests(root, ['src/b.test.ts', '--test-name-pattern=nothing'])
  deepEqual([filtered.code, filtered.stderr], [1, 'no test ran\n'])
  const some = await runTests(root)
  equal(some.code, 0)
  doesNotMatch(some.stderr, /no test ran/)
})

test('a test that hangs fails', async (t) => {
  const root = makeRoot(t, {
    'src/a.test.ts': `${header}test('one', () => new Promise(() => setInterval(() => {}, 1000)))`,
  })
  const { code, stdout } = await runTests(root, [], 300)
  equal(code, 1)
  match(stdout, /timed out after 300ms/)
})

test('a file that leaves something open after its last test fails and says what', async (t) => {
  const root = makeRoot(t, {
    'src/a.test.ts': `import { createServer } from 'node:net'\n${header}test('one', () => { createServer().listen(0) })`,
  })
  const { code, stdout } = await runTests(root)
  equal(code, 1)
  match(stdout, /a\.test\.ts: still open 100 ms after its last test: .*TCPServerWrap/)
})
