import assert from 'node:assert/strict'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { removeTree } from './durable-files.ts'
import { fails, skipUnless } from './testing/host-under-test.ts'
import { openPrivateDirectory } from './testing/open-private-directory.ts'
import { createSystemHost } from './system-host.ts'

const host = createSystemHost()
const { run } = host.processes
const node = (script: string, options?: Parameters<typeof run>[2]) => run(process.execPath, ['-e', script], options)

describe('system processes', () => {
  it('returns the exit code and both outputs', async () => {
    const result = await node('console.log("out"); console.error("err"); process.exitCode = 3')
    assert.deepEqual(result, { exitCode: 3, stdout: 'out\n', stderr: 'err\n' })
  })

  it('passes arguments as they are, through no shell', async () => {
    const { stdout } = await run(process.execPath, ['-e', 'console.log(process.argv[1])', '$HOME; *'])
    assert.equal(stdout, '$HOME; *\n')
  })

  it('gives the input, and otherwise an end of input at once', async () => {
    const echo = 'process.stdin.pipe(process.stdout)'
    assert.equal((await node(echo, { input: 'hällo' })).stdout, 'hällo')
    assert.equal((await node(echo)).stdout, '')
  })

  it('does not mind a program that leaves its input unread', async () => {
    assert.equal((await node('process.exit(0)', { input: 'x'.repeat(1024 * 1024) })).exitCode, 0)
  })

  it('passes nothing of our environment but PATH', async () => {
    const { stdout } = await node('console.log(JSON.stringify(process.env))', { env: { ADDED: 'yes' } })
    assert.deepEqual(JSON.parse(stdout), { PATH: process.env['PATH'], LC_ALL: 'C', ADDED: 'yes' })
  })

  it('cuts endless output and still lets the program end', async () => {
    const { exitCode, stdout, stderr } = await node(
      'process.stdout.write("x".repeat(3e6)); process.stderr.write("y".repeat(10))',
    )
    assert.deepEqual([exitCode, stdout.length, stderr.length], [0, 1024 * 1024, 10])
  })

  it('reports a program ended by a signal as a shell does', async () => {
    assert.equal((await node('process.kill(process.pid, "SIGTERM")')).exitCode, 128 + 15)
  })

  it('fails when the program cannot be started', async () => {
    await fails(run('/no-such-program', []), 'ENOENT')
    await fails(run('/', []), 'EACCES')
    await fails(run('a\0b', []), 'EINVAL')
  })

  it('kills the program on abort and rejects with the reason', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-run-'))
    const pidFile = join(directory, 'pid')
    const controller = new AbortController()
    const reason = new Error('enough')
    const script = `fs.writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1e9)`
    const running = node(script, { signal: controller.signal })
    try {
      const pid = await waitFor(async () =>
        Number(new TextDecoder().decode(await host.files.readFile(pidFile).catch(() => undefined))),
      )
      controller.abort(reason)
      await assert.rejects(running, (error) => error === reason)
      await waitFor(async () => !isRunning(pid))
      await assert.rejects(node('', { signal: controller.signal }), (error) => error === reason)
    } finally {
      controller.abort()
      await running.catch(() => {})
      await removeTree(host, directory)
    }
  })
})

describe('system mounts', () => {
  it('keeps the other flags of the source on a read-only bind', async (context) => {
    if (await skipUnless(host.mounts, 'mounts', context)) return
    const { directory, close } = await openPrivateDirectory(host)
    const [source, target] = [join(directory, 'source'), join(directory, 'target')]
    await host.files.makeDirectory(source)
    await host.files.makeDirectory(target)
    try {
      const { exitCode } = await run('mount', ['-t', 'tmpfs', '-o', 'nosuid,nodev', 'test', source])
      if (exitCode !== 0) return context.skip('no tmpfs here')
      await host.mounts.bind(source, target, { readOnly: true })
      const { stdout } = await run('grep', ['-F', ` ${target} `, '/proc/self/mountinfo'])
      assert.match(stdout.split(' ')[5] ?? '', /^ro,nosuid,nodev/)
      await writeFile(join(source, 'a'), '')
      await assert.rejects(removeTree({ files: host.files, mounts: new Set() }, directory), /on another filesystem/)
      assert.ok(await host.files.findStat(join(source, 'a')))
    } finally {
      await close()
    }
  })
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

// Polls, because nothing announces what another process does.
async function waitFor<T>(look: () => Promise<T>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found) return found
    await new Promise((resolve) => setImmediate(resolve))
  }
}
