import { equal, match, ok } from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { createSystemHost } from '../src/base/host/index.ts'

const ROOT = join(import.meta.dirname, '..')
const canMount = await createSystemHost().mounts.available()

type Workflow = { jobs: { check: { steps: { name?: string; run?: string }[] } } }

test(
  'the steps of the example workflow start a driver and check it',
  { skip: canMount ? false : 'this process is not allowed to mount', timeout: 240_000 },
  async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'hf-workflow-'))
    const { jobs } = parse(readFileSync(join(ROOT, 'examples/check-driver/check.yaml'), 'utf8')) as Workflow
    const step = (name: string): string => {
      const command = jobs.check.steps.find((one) => one.name === name)?.run ?? ''
      ok(command !== '', name)
      // sudo is needed on a runner; who may mount is root here already.
      return command.replaceAll('/tmp/', `${directory}/`).replaceAll('sudo ', '')
    }
    // One group of processes, as on a runner: the driver of the first step keeps running.
    const script = `${step('Start the driver')}\n${step('Check the driver')}\n`
    const shell = spawn('bash', ['-e', '-c', script], { cwd: ROOT, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const output: Buffer[] = []
    shell.stdout.on('data', (part: Buffer) => output.push(part))
    shell.stderr.on('data', (part: Buffer) => output.push(part))
    t.after(() => {
      if (shell.pid !== undefined) spawnSync('kill', ['--', `-${shell.pid}`])
      rmSync(directory, { recursive: true, force: true })
    })
    const code = await new Promise((resolve) => shell.on('exit', resolve))
    const text = Buffer.concat(output).toString()
    equal(code, 0, text.slice(-4000))
    match(text, /PASSED: hostpath\.holdfast\.dev .*, 0 failed/)
    match(readFileSync(join(directory, 'check.xml'), 'utf8'), /<testsuite .*failures="0"/)
    match(readFileSync(join(directory, 'check.html'), 'utf8'), /Passed:/)
  },
)
