import { equal, ok, throws } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { withoutSymbols } from './without-symbols.ts'

test(
  'Node.js is smaller without its symbols, and runs',
  { skip: process.platform !== 'linux' && 'no ELF here' },
  (t) => {
    const program = readFileSync(process.execPath)
    const small = withoutSymbols(program)
    ok(small.length < program.length, `${small.length} of ${program.length}`)
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-symbols-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'node')
    writeFileSync(path, small, { mode: 0o755 })
    const script = 'process.stdout.write(`${process.version} ${require("zlib").gzipSync("a").length > 0}`)'
    equal(execFileSync(path, ['-e', script], { encoding: 'utf8' }), `${process.version} true`)
    ok(withoutSymbols(small).equals(small), 'there is nothing more to take away')
  },
)

test('anything but a program is refused', () => {
  throws(() => withoutSymbols(Buffer.alloc(64)), /not a 64-bit/)
})
