import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { fails } from './testing/host-under-test.ts'
import { createLauncher } from './system-launcher.ts'
import { createSystemProcesses } from './system-processes.ts'

const launch = createLauncher(createSystemProcesses())
const childrenOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((text) => text !== '')

test('arguments reach the program as they are, whatever a shell would make of them', async () => {
  const words = [
    "a'b",
    '$HOME',
    '`id`',
    '$(id)',
    '; exit 3',
    '*',
    '',
    ' two  words ',
    String.raw`\n\\`,
    '-n',
    '"',
    'ü',
    '#',
    '&',
  ]
  const { exitCode, stderr } = await launch('printf', ['%s|', ...words])
  assert.deepEqual([exitCode, stderr.split('|').slice(0, -1)], [0, words])
})

test('arguments of several lines reach the program too', async () => {
  assert.deepEqual(await launch('printf', ['%s|', 'a\nb', '\n']), { exitCode: 0, stdout: '', stderr: 'a\nb|\n|' })
  await fails(launch('printf', ['a\0b']), 'EINVAL')
})

test('it says how the program ended and what it said', async () => {
  assert.deepEqual(await launch('sh', ['-c', 'echo out; echo err >&2; exit 5']), {
    exitCode: 5,
    stdout: '',
    stderr: 'out\nerr',
  })
  assert.equal((await launch('sh', ['-c', 'kill -9 $$'])).exitCode, 128 + 9)
  assert.equal((await launch('no-such-program', [])).exitCode, 127)
  assert.equal((await launch('sh', ['-c', 'yes | head -c 100000'])).stderr.length, 3000)
})

test('the program sees nothing of our environment but PATH, and has nothing to read', async () => {
  const { stderr } = await launch('sh', ['-c', 'cat; env'])
  const names = stderr
    .split('\n')
    .map((line) => line.replace(/=.*/, ''))
    .filter((name) => !['PWD', 'OLDPWD', '_', 'SHLVL'].includes(name))
  assert.deepEqual(new Set(names), new Set(['LC_ALL', 'PATH']))
})

test('many at once get each their own answer, and one that hangs holds up nobody', async () => {
  const [shell = ''] = childrenOf(process.pid)
  const hanging = launch('sleep', ['1000'])
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => launch('printf', ['%s', `${index}-${'x'.repeat(index * 20)}`])),
  )
  assert.deepEqual(
    answers.map(({ stderr }) => stderr),
    answers.map((_, index) => `${index}-${'x'.repeat(index * 20)}`),
  )
  // Only the running program, and programs that ended since the shell last read its input.
  await launch('true', [])
  assert.ok(childrenOf(Number(shell)).length < 20, 'those that ended are let go')
  // The sleeping program is the shell's grandchild.
  for (const job of childrenOf(Number(shell)))
    for (const program of childrenOf(Number(job))) process.kill(Number(program))
  assert.equal((await hanging).exitCode, 128 + 15)
})

test('when the small process is killed, who waited for it is told so, and the next one finds another', async () => {
  const [shell = ''] = childrenOf(process.pid)
  process.kill(Number(shell), 'SIGSTOP')
  const lost = launch('true', [])
  process.kill(Number(shell), 'SIGKILL')
  await fails(lost, 'EIO')
  assert.deepEqual(await launch('printf', ['again']), { exitCode: 0, stdout: '', stderr: 'again' })
})

test('it neither keeps our process alive nor outlives it', async () => {
  const files = ['system-launcher.ts', 'system-processes.ts'].map((name) =>
    JSON.stringify(new URL(name, import.meta.url).href),
  )
  const script = `
    const [{ createLauncher }, { createSystemProcesses }] = await Promise.all([import(${files[0]}), import(${files[1]})])
    await createLauncher(createSystemProcesses())('true', [])
    console.log((await import('node:fs')).readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8'))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  const pid = Number(stdout)
  assert.ok(pid > 0)
  while (isRunning(pid)) await new Promise((done) => setImmediate(done))
})

// A zombie has ended too.
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
