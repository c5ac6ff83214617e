import { deepEqual, equal, match } from 'node:assert/strict'
import { createRequire } from 'node:module'
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

test('as a kubectl plugin it is `holdfast why`', async () => {
  const { code, stdout } = await run(process.execPath, [join(ROOT, 'bin/kubectl-why'), '--help'])
  equal(code, 0)
  match(stdout, /Usage: holdfast why/)
})

/** Runs the program, and gives the flags with which Node was started, each time that it was. */
async function startsOf(words: readonly string[], nodeOptions = ''): Promise<string[]> {
  const tell = "process.stderr.write('flags: ' + process.execArgv.join(' ') + String.fromCharCode(10))"
  const env = {
    ...process.env,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tell)} ${nodeOptions}`,
  }
  const { code, stderr } = await run(process.execPath, [program, ...words], { env })
  equal(code, 0)
  return stderr
    .split('\n')
    .filter((line) => line.startsWith('flags: '))
    .map((line) => line.slice('flags: '.length))
}

test('a program that runs for long starts with a small young generation, in its own place', async () => {
  deepEqual(await startsOf(['sidecar', '--help']), ['', '--max-semi-space-size=8'])
  deepEqual(await startsOf(['apiserver', '--help']), ['', '--max-semi-space-size=8'])
})

test('one that ends soon does not, nor one whose user has said what it should be', async () => {
  deepEqual(await startsOf(['--help']), [''])
  deepEqual(await startsOf(['why', '--help']), [''])
  deepEqual(await startsOf(['sidecar', '--help'], '--max-semi-space-size=32'), [''])
})

const MiB = 2 ** 20
const { nodeFlagsOf } = createRequire(import.meta.url)('../bin/node-flags.js') as {
  nodeFlagsOf(command: string, limit?: number, total?: number, given?: string): string[]
}

test('the young generation of each sidecar and of the snapshot-controller is bounded', () => {
  for (const command of [
    'sidecar',
    'csi-provisioner',
    'csi-attacher',
    'csi-resizer',
    'csi-snapshotter',
    'snapshot-controller',
  ])
    deepEqual(nodeFlagsOf(command), ['--max-semi-space-size=8'], command)
  for (const command of ['livenessprobe', 'node-driver-registrar'])
    deepEqual(nodeFlagsOf(command), ['--max-semi-space-size=1'], command)
})

test('in a container with a memory limit, the heap may take what the program leaves of it', () => {
  const heapOf = (limit: number): string | undefined => nodeFlagsOf('sidecar', limit * MiB, 4096 * MiB)[1]
  equal(heapOf(512), '--max-old-space-size=432')
  equal(heapOf(256), '--max-old-space-size=176')
  equal(heapOf(128), '--max-old-space-size=64')
  equal(nodeFlagsOf('sidecar', 2 ** 64, 4096 * MiB).length, 1, 'no limit')
  equal(nodeFlagsOf('sidecar', 0, 4096 * MiB).length, 1, 'unknown limit')
  deepEqual(nodeFlagsOf('why', 128 * MiB, 4096 * MiB), [])
})

test('a flag of the user replaces only the same one of ours', () => {
  const flagsWith = (given: string): string[] => nodeFlagsOf('sidecar', 256 * MiB, 4096 * MiB, given)
  deepEqual(flagsWith('--max_semi_space_size=64'), ['--max-old-space-size=176'])
  deepEqual(flagsWith('--max-old-space-size=100'), ['--max-semi-space-size=8'])
  deepEqual(flagsWith('--max-old-space-size=100 --min-semi-space-size=1'), [])
})
