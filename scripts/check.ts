import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkFileNames } from './check-file-names.ts'
import { checkImports } from './check-imports.ts'
import { checkFolderTable, checkReadmes } from './check-readmes.ts'
import { checkLockFile, checkText } from './check-text.ts'
import { checkWorld } from './check-world.ts'
import { findStaleDocs } from './generate-docs.ts'
import { findDifferences, generateFiles } from './generate.ts'
import { ROOT, run } from './run.ts'
import { listFiles, readFiles } from './source-file.ts'
import { checkTrace } from './trace.ts'
import { WORLD_EXEMPTIONS } from './world-exemptions.ts'

/** A check lists its problems; none means that it holds. */
type Check = { name: string; run(): string[] | Promise<string[]> }

const SOURCES = ['src/**/*.ts']
const PAGES = ['README.md', 'CONTRIBUTING.md', 'docs/**/*.md', '{src,bench,scripts,test,examples}/**/*.md']

const checks: readonly Check[] = [
  { name: 'types', run: () => runTool('tsc', ['-p', '.']) },
  { name: "types of the console's page", run: () => runTool('tsc', ['-p', 'src/console/page']) },
  { name: 'format (npm run format)', run: () => runTool('oxfmt', ['--check']) },
  { name: 'lint', run: () => runTool('oxlint', ['.']) },
  { name: 'direction of imports', run: () => checkImports(readFiles(ROOT, SOURCES)) },
  { name: 'the world is passed in', run: () => checkWorld(readFiles(ROOT, SOURCES), WORLD_EXEMPTIONS) },
  { name: 'generated files unchanged', run: async () => findDifferences(ROOT, await generateFiles()) },
  { name: 'generated docs unchanged', run: () => findStaleDocs(ROOT) },
  { name: 'requirements, their tests and mutations', run: checkTrace },
  { name: 'a page for each folder', run: () => checkReadmes(listFiles(ROOT, ['src/**/*'])) },
  {
    name: 'CONTRIBUTING.md lists every folder',
    run: () => checkFolderTable(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8'), listFiles(ROOT, ['src/**/*'])),
  },
  { name: 'pages name files that exist', run: () => checkFileNames(readFiles(ROOT, PAGES), listFiles(ROOT, ['**/*'])) },
  {
    name: 'lock file without addresses',
    run: () => checkLockFile(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')),
  },
  { name: 'text without hosts and machines', run: () => checkText(readFiles(ROOT, ['**/*', '**/.*', '**/.*/**/*'])) },
]

async function runTool(command: string, args: readonly string[]): Promise<string[]> {
  const { code, stdout, stderr } = await run(command, args)
  return code === 0 ? [] : [`${stdout}${stderr}`.trim() || `${command} ended with ${code}`]
}

let failed = 0
for (const { name, run: runCheck } of checks) {
  const startMs = performance.now()
  let problems: string[]
  try {
    problems = await runCheck()
  } catch (error) {
    problems = [error instanceof Error ? error.message : String(error)]
  }
  const took = `${((performance.now() - startMs) / 1000).toFixed(1)} s`
  process.stdout.write(`${problems.length === 0 ? 'ok    ' : 'FAILED'}  ${name} (${took})\n`)
  for (const problem of problems) process.stdout.write(`        ${problem.replaceAll('\n', '\n        ')}\n`)
  if (problems.length > 0) failed += 1
}
process.exitCode = failed === 0 ? 0 : 1
