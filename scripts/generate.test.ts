import { deepEqual } from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { findDifferences, writeDifferences } from './generate.ts'

const folder = 'src/csi/generated'
const wanted = [
  { path: `${folder}/same.ts`, text: 'same' },
  { path: `${folder}/inner/changed.ts`, text: 'new' },
  { path: `${folder}/missing.ts`, text: 'missing' },
]

const makeRoot = (t: TestContext): string => {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  t.after(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, folder, 'inner'), { recursive: true })
  writeFileSync(join(root, folder, 'same.ts'), 'same')
  writeFileSync(join(root, folder, 'inner/changed.ts'), 'old')
  writeFileSync(join(root, folder, 'stray.ts'), 'stray')
  return root
}
const differing = [`${folder}/inner/changed.ts`, `${folder}/missing.ts`, `${folder}/stray.ts`]

test('a changed, a missing and a stray generated file are all differences', (t) => {
  deepEqual(findDifferences(makeRoot(t), wanted), differing)
})

test('writing leaves exactly the generated files', (t) => {
  const root = makeRoot(t)
  deepEqual(writeDifferences(root, wanted), differing)
  deepEqual(findDifferences(root, wanted), [])
  deepEqual(readFileSync(join(root, folder, 'inner/changed.ts'), 'utf8'), 'new')
})
