import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT, run, runInherited } from '../scripts/run.ts'
import { formatPage } from './all/format-page.ts'
import { PART_NAMES, PARTS } from './all/parts.ts'
import type { PartName } from './all/parts.ts'
import type { Result, Results } from './all/results.ts'

// Everything, and the page docs/performance.md: npm run bench all [-- --only=up,scale --quick --page]. How to read it: bench/README.md.
const { values: options } = parseArgs({
  options: {
    /** Parts to run, with commas between; the results of the others are kept. Default: all. */
    only: { type: 'string', default: PART_NAMES.join(',') },
    /** Fewer of everything. Marked on the page. */
    quick: { type: 'boolean', default: false },
    /** Only writes the page again, from the results. */
    page: { type: 'boolean', default: false },
  },
})
const RESULTS = join(ROOT, 'bench/results.json')
const PAGE = join(ROOT, 'docs/performance.md')
const write = (line: string): void => void process.stdout.write(`${line}\n`)

const asked = options.page ? [] : options.only.split(',')
const unknown = asked.filter((name) => !(PART_NAMES as string[]).includes(name))
if (unknown.length > 0)
  throw new Error(`there is no part ${unknown.join(', ')}; the parts are ${PART_NAMES.join(', ')}`)
const names = PART_NAMES.filter((name) => asked.includes(name))

const readResults = (): Results => (existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as Results) : {})

/** After each part, so that an interrupted run keeps what it has. */
function keep(name: PartName, result: Result): void {
  writeFileSync(RESULTS, `${JSON.stringify({ ...readResults(), [name]: result }, null, 2)}\n`)
  writePage()
}
const writePage = (): void => writeFileSync(PAGE, formatPage(readResults()))

/** Shows what it prints, and returns it. Rejects if it fails: a failed run leaves the earlier result. */
function runShown(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
    const end = (): void => void child.kill('SIGTERM')
    process.on('exit', end)
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      process.stdout.write(text)
    })
    child.on('error', reject)
    child.on('close', (code) => {
      process.off('exit', end)
      if (code === 0) resolve(output)
      else reject(new Error(`it ended with ${code}`))
    })
  })
}

async function measure(name: PartName, commit: string): Promise<void> {
  const { command, quick, times } = PARTS[name]
  const [program = '', ...flags] = options.quick ? quick : command
  const [startMs, at, loadBefore] = [performance.now(), new Date().toISOString().slice(0, 16), loadavg()[0] ?? 0]
  const outputs: string[] = []
  for (let time = 0; time < (options.quick ? 1 : times); time++)
    outputs.push(await runShown([join(ROOT, 'bench', `${program}.ts`), ...flags]))
  keep(name, {
    outputs,
    command: `${program}${flags.length > 0 ? ` -- ${flags.join(' ')}` : ''}`,
    isQuick: options.quick,
    at: `${at}Z`,
    seconds: Math.round((performance.now() - startMs) / 1000),
    commit,
    machine: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.version}`,
    loadBefore,
  })
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))
const failed: string[] = []
if (names.length > 0) {
  if (names.some((name) => PARTS[name].command.includes('--built'))) {
    const code = await runInherited(process.execPath, [join(ROOT, 'scripts/emit.ts')])
    if (code !== 0) throw new Error('the build failed')
  }
  const commit = (await run('git', ['rev-parse', '--short', 'HEAD'])).stdout.trim()
  write(
    `about ${names.reduce((sum, name) => sum + PARTS[name].minutes, 0)} minutes on two idle cores${options.quick ? ', less with --quick' : ''}`,
  )
  for (const name of names) {
    write(`\n== ${name}`)
    try {
      await measure(name, commit)
    } catch (error) {
      // The other parts are still worth something.
      failed.push(name)
      write(`${name} FAILED: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
} else writePage()
write(`\nwritten: docs/performance.md`)
if (failed.length > 0) {
  write(`FAILED, with the earlier result kept: ${failed.join(', ')}`)
  process.exitCode = 1
}
