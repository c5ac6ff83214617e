import { deepEqual, match } from 'node:assert/strict'
import { test } from 'node:test'
import { checkWorld } from './check-world.ts'
import type { WorldExemption } from './check-world.ts'

const problemsOf = (text: string, path = 'src/kube/a.ts', exemptions: WorldExemption[] = []): string[] =>
  checkWorld([{ path, text }], exemptions)

const refused: [code: string, problem: RegExp][] = [
  ['const now = Date.now()', /a\.ts:1: Date\.now/],
  ['const now = Date?.now()', /Date\.now/],
  ['const now = new Date()', /Date without/],
  ['const now = new Date', /Date without/],
  ['const now = Date()', /Date without/],
  ['const now = globalThis.Date.now()', /Date\.now/],
  ['performance.now()', /performance\.now/],
  ['setTimeout(f, 5)', /setTimeout/],
  ['globalThis.setTimeout(f, 5)', /setTimeout/],
  ['setInterval(f, 5)', /setInterval/],
  ['setImmediate(f)', /setImmediate/],
  ['AbortSignal.timeout(5)', /AbortSignal\.timeout/],
  ['Math.random()', /Math\.random/],
  ['crypto.randomUUID()', /randomUUID/],
  [`import { randomBytes } from 'node:crypto'`, /randomBytes/],
  ['const home = process.env.HOME', /process\.env/],
  ['const text = `at ${Date.now()}`', /Date\.now/],
  [`\n\nimport { readFile } from 'node:fs/promises'`, /a\.ts:3: imports node:fs\/promises/],
  [`import net from 'node:net'`, /imports node:net/],
  [`await import('node:child_process')`, /imports node:child_process/],
  [`import { connect } from 'node:http2'`, /imports node:http2/],
  [`import { setTimeout as sleep } from 'node:timers/promises'`, /./],
]
for (const [code, problem] of refused) {
  test(`the world check refuses ${code.trim()}`, () => match(problemsOf(code).join('\n'), problem))
}

const accepted: string[] = [
  '// Date.now() is not read here',
  `const text = 'setTimeout and process.env'`,
  'const text = `Math.random() ${a}`',
  'const day = new Date(clock.nowMs())',
  'const start: Date = parse(text)',
  'const utc = Date.UTC(2030, 0, 1)',
  'clock.setTimer(5, f)',
  'socket.setTimeout(5)',
  'process.nextTick(f)',
  `import { createHash } from 'node:crypto'`,
  `import type { Socket } from 'node:net'`,
]
for (const code of accepted) test(`the world check accepts ${code}`, () => deepEqual(problemsOf(code), []))

test('base/ may read the clock but must name the files that open others', () => {
  deepEqual(problemsOf('Date.now()', 'src/base/clock.ts'), [])
  deepEqual(problemsOf(`import fs from 'node:fs'`, 'src/base/a.ts').length, 1)
})

test('cli/ and tests see the world as it is', () => {
  const code = `import fs from 'node:fs'\nDate.now()`
  deepEqual(problemsOf(code, 'src/cli/main.ts'), [])
  deepEqual(problemsOf(code, 'src/kube/a.test.ts'), [])
})

test('an exemption covers the modules it names and nothing else', () => {
  const exemption = { file: 'src/kube/a.ts', modules: ['node:net'], because: 'it listens' }
  deepEqual(problemsOf(`import net from 'node:net'`, 'src/kube/a.ts', [exemption]), [])
  deepEqual(problemsOf(`import net from 'node:net'\nimport fs from 'node:fs'`, 'src/kube/a.ts', [exemption]).length, 1)
})

test('an exemption that is no longer needed is reported', () => {
  const exemption = { file: 'src/kube/a.ts', modules: ['node:net'], because: 'it listened' }
  match(problemsOf('const a = 1', 'src/kube/a.ts', [exemption]).join('\n'), /imports none of node:net any more/)
})
