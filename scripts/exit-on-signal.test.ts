import { deepEqual, equal, match } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from './run.ts'

test('a script that is ended by SIGTERM ends the programs that it started', async (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-signal-'))
  context.after(() => rmSync(directory, { recursive: true, force: true }))
  const script = `
    import { exitOnSignal } from '${ROOT}/scripts/exit-on-signal.ts'
    import { startLogged } from '${ROOT}/test/kubernetes/start-logged.ts'
    exitOnSignal()
    const { pid } = startLogged('sleep', ['600'], '${directory}/log')
    process.stdout.write(String(pid))
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
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
