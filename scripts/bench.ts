import { basename, join } from 'node:path'
import { ROOT, runInherited } from './run.ts'
import { listFiles } from './source-file.ts'

// npm run bench: lists the programs under bench/. npm run bench NAME… [-- --flags]: runs them one after the other.
const programs = new Map(listFiles(ROOT, ['bench/*.ts']).map((path) => [basename(path, '.ts'), path]))
const args = process.argv.slice(2)
const names = args.filter((arg) => !arg.startsWith('-'))
const flags = args.filter((arg) => arg.startsWith('-'))
const unknown = names.filter((name) => !programs.has(name))

if (names.length === 0 || unknown.length > 0) {
  for (const name of unknown) process.stderr.write(`no bench/${name}.ts\n`)
  process.stdout.write(programs.size === 0 ? 'no benchmark yet\n' : `benchmarks: ${[...programs.keys()].join(', ')}\n`)
  process.exitCode = unknown.length > 0 ? 2 : 0
} else {
  for (const name of names) {
    process.stdout.write(`${name}\n`)
    const code = await runInherited(process.execPath, [join(ROOT, programs.get(name) ?? ''), ...flags])
    if (code !== 0) process.exitCode = 1
  }
}
