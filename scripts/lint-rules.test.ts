import { deepEqual } from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT, run } from './run.ts'

// Each line breaks the rule that it is named after.
const FAULTS: Readonly<Record<string, string>> = {
  'typescript(no-floating-promises)': `wait()`,
  'typescript(no-misused-promises)': `[1].forEach(async () => { await wait() })`,
  'typescript(switch-exhaustiveness-check)': `export const miss = (x: 'a' | 'b'): void => { switch (x) { case 'a': break } }`,
  'typescript(no-explicit-any)': `export const loose: any = 1`,
  'typescript(no-non-null-assertion)': `export const sure = (x: string | undefined): string => x!`,
  'typescript(consistent-type-imports)': `import { Socket } from './types.ts'\nexport type S = Socket`,
  'import(no-default-export)': `export default 1`,
  'eslint(eqeqeq)': `export const same = (a: number, b: number): boolean => a == b`,
  'eslint(prefer-const)': `let fixed = 1; export { fixed }`,
  'eslint(no-console)': `console.log('x')`,
  'eslint(max-lines)': `export const long = 1\n`.replace('long = 1', (name) => name + '\n'.repeat(350)),
  'eslint(max-lines-per-function)': `export const f = (): void => {\n${'void 0,\n'.repeat(200)}void 0\n}`,
  'eslint(max-statements)': `export function g(): void {\n${'void 0;'.repeat(36)}\n}`,
}

test('the lint configuration reports each fault that the house style forbids', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-lint-'))
  t.after(() => rmSync(folder, { recursive: true }))
  copyFileSync(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    target: 'es2024',
    noEmit: true,
    allowImportingTsExtensions: true,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  writeFileSync(join(folder, 'types.ts'), 'export type Socket = { path: string }\n')
  const names = Object.keys(FAULTS)
  for (const [index, fault] of Object.values(FAULTS).entries()) {
    writeFileSync(join(folder, `fault-${index}.ts`), `export const wait = async (): Promise<void> => {}\n${fault}\n`)
  }
  const { stdout, code } = await run('oxlint', ['--format', 'json', '.'], { cwd: folder })
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] }
  const found = diagnostics.map(({ code: rule, filename }) => `${filename}: ${rule}`)
  deepEqual(code, 1)
  deepEqual(
    names.map((name, index) => `fault-${index}.ts: ${name}`).filter((line) => !found.includes(line)),
    [],
    found.join('\n'),
  )
})
