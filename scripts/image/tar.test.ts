import { deepEqual, equal } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readTar, writeTar, type TarEntry } from './tar.ts'

const LONG = `${'folder/'.repeat(20)}file`

const ENTRIES: readonly TarEntry[] = [
  { kind: 'file', path: 'usr/bin/program', content: Buffer.from('#!'), isExecutable: true },
  { kind: 'file', path: 'etc/empty', content: Buffer.alloc(0) },
  { kind: 'file', path: LONG, content: Buffer.alloc(513, 'x') },
  { kind: 'link', path: 'bin', target: 'usr/bin' },
  { kind: 'directory', path: 'tmp', mode: 0o1777 },
]

test('tar unpacks what was written, with its modes, links and long names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-tar-'))
  try {
    execFileSync('tar', ['-xpf', '-', '-C', folder], { input: writeTar(ENTRIES) })
    equal(statSync(join(folder, 'usr/bin/program')).mode & 0o7777, 0o755)
    equal(statSync(join(folder, 'etc/empty')).size, 0)
    equal(statSync(join(folder, 'tmp')).mode & 0o7777, 0o1777)
    equal(readFileSync(join(folder, LONG), 'utf8'), 'x'.repeat(513))
    equal(readlinkSync(join(folder, 'bin')), 'usr/bin')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the bytes depend on the entries, not on their order', () => {
  deepEqual(writeTar(ENTRIES.toReversed()), writeTar(ENTRIES))
})

test('what was written is read back, and what tar wrote too', () => {
  const paths = readTar(writeTar(ENTRIES)).map(({ path }) => path)
  deepEqual(paths.slice(0, 5), ['bin', 'etc', 'etc/empty', 'folder', 'folder/folder'])
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-tar-'))
  try {
    execFileSync('tar', ['-xf', '-', '-C', folder], { input: writeTar(ENTRIES) })
    const archive = execFileSync('tar', ['-C', folder, '-cf', '-', '.'])
    deepEqual(
      writeTar(readTar(archive)),
      writeTar(ENTRIES.map((entry) => (entry.path === 'tmp' ? { ...entry, mode: 0o755 } : entry))),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})
