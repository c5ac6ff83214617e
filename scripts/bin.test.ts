import { equal, match } from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT, run } from './run.ts'

const program = join(ROOT, 'bin/holdfast')

test('on an old Node.js the program says in one line which one it needs and how to get it', async () => {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '20.1.0' }); require(${JSON.stringify(program)})`
  const { code, stdout, stderr } = await run(process.execPath, ['--input-type=commonjs', '--eval', pretend])
  equal(code, 1)
  equal(stdout, '')
  match(stderr, /^holdfast needs Node\.js 24 or newer, this is 20\.1\.0: install it from .*\n$/)
})

test('the program runs from a checkout', async () => {
  const { code, stdout } = await run(process.execPath, [program, '--help'])
  equal(code, 0)
  match(stdout, /Usage: holdfast/)
})
