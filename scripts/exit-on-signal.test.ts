import { deepEqual, equal, match } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from './run.ts'

// Each starts a program and has its process ID printed.
for (const [behaviour, start] of [
  [
    'ends the programs that it started',
    `import { startLogged } from '${ROOT}/test/kubernetes/start-logged.ts'
    process.stdout.write(String(startLogged('sleep', ['600'], '/dev/null').pid))`,
  ],
  [
    'ends what its programs started',
    `import { runInherited } from '${ROOT}/scripts/run.ts'
    void runInherited('sh', ['-c', 'sleep 600 & echo $!; wait'], { endsWithThisProcess: true })`,
  ],
] as const) {
  test(`a script that is ended by SIGTERM ${behaviour}`, async () => {
    const script = `
      import { exitOnSignal } from '${ROOT}/scripts/exit-on-signal.ts'
      exitOnSignal()
      ${start}
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [output] = (await once(child.stdout, 'data')) as [Buffer]
    const pid = Number(output.toString())
    equal(stateOf(pid), 'running')
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    deepEqual(await exited, [1, null])
    // Whoever adopts it may take a moment to bury it.
    while (stateOf(pid) === 'running') await new Promise((resolve) => setImmediate(resolve))
    equal(stateOf(pid), 'ended')
  })
}

function stateOf(pid: number): 'running' | 'ended' {
  try {
    return / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')) ? 'ended' : 'running'
  } catch {
    return 'ended'
  }
}

test('the scripts that start programs use it', () => {
  for (const name of ['test-control-plane', 'test-e2e'])
    match(readFileSync(join(ROOT, `scripts/${name}.ts`), 'utf8'), /^exitOnSignal\(\)$/m)
})

// npm starts a shell, and the shell does not pass SIGTERM on.
test('a signal to npm reaches the script: the shell of npm becomes the script', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  for (const [name, command] of Object.entries(scripts))
    if (command.includes('node ')) match(command, /^(\w+=\S+ )*exec node /, name)
})
