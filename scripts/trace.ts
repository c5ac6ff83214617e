import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { MET_WITHOUT_TEST } from './met-without-test.ts'
import requirementIds from './requirement-ids.json' with { type: 'json' }
import { ROOT } from './run.ts'
import { readFiles } from './source-file.ts'
import { formatPage, formatSummary, formatTable, traceRequirements } from './trace-requirements.ts'

// npm run trace [-- --json | --write | --check]: which requirements the tests prove, and which they don't yet.
const TESTS = ['src', 'examples', 'test'].flatMap((folder) => ['test', 'simulation'].map((kind) => `${folder}/**/*.${kind}.ts`))
const { values } = parseArgs({
  options: { json: { type: 'boolean' }, write: { type: 'boolean' }, check: { type: 'boolean' } },
})
const trace = traceRequirements(requirementIds, readFiles(ROOT, [...TESTS, 'src/**/describe-*.ts']), MET_WITHOUT_TEST)
if (values.json) {
  process.stdout.write(`${JSON.stringify({ tests: Object.fromEntries(trace.tests), unknown: trace.unknown }, undefined, 2)}\n`)
} else if (values.write) {
  writeFileSync(join(ROOT, 'docs/requirements.md'), formatPage(requirementIds, trace))
  process.stdout.write(formatSummary(trace))
} else {
  process.stdout.write(`${values.check ? '' : formatTable(trace)}${formatSummary(trace)}`)
}
// A mistyped id would leave its requirement without proof and nobody would notice.
if (values.check && trace.unknown.length > 0) process.exitCode = 1
