import { deepEqual, equal, match } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { findMountUsers, formatMountUser } from './find-mount-users.ts'
import { isHostError } from './host.ts'
import { createSystemHost } from './system-host.ts'

const { files, mounts } = createSystemHost()

async function openDirectory(context: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-users-'))
  context.after(() => rm(directory, { recursive: true }))
  return directory
}

/** A process that reads its input for ever, once it has started. */
async function startUser(context: TestContext, cwd: string, script = ''): Promise<number> {
  const child = spawn(process.execPath, ['-e', `${script};process.stdin.resume();console.log('ready')`], {
    cwd,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  context.after(() => child.kill('SIGKILL'))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return child.pid ?? 0
}

describe('what keeps a mount busy', () => {
  test('is the process whose working directory is there, and one with an open file', async (context) => {
    const directory = await openDirectory(context)
    await mkdir(join(directory, 'below'))
    await writeFile(join(directory, 'file'), '')
    deepEqual(await findMountUsers(files, directory), [])
    const [inside, reader] = [
      await startUser(context, join(directory, 'below')),
      await startUser(context, '/', `require('fs').openSync(${JSON.stringify(join(directory, 'file'))})`),
    ]
    const found = await findMountUsers(files, directory)
    deepEqual(
      new Map(found.map(({ pid, by }) => [pid, by])),
      new Map([
        [inside, 'working directory'],
        [reader, 'open file'],
      ]),
    )
    // A directory whose name only begins in the same way is another one.
    deepEqual(await findMountUsers(files, directory.slice(0, -1)), [])
  })

  test('is a sentence without names of files', () => {
    equal(formatMountUser({ pid: 7, command: 'nginx', by: 'open file' }), 'process 7 (nginx, open file)')
  })

  test('is named by the error of the unmount', async (context) => {
    if (!(await mounts.available())) return context.skip('this process may not mount')
    const directory = await openDirectory(context)
    const [source, target] = [join(directory, 'source'), join(directory, 'target')]
    await mkdir(source)
    await mkdir(target)
    await mounts.bind(source, target, { readOnly: false })
    const child = spawn(process.execPath, ['-e', "process.stdin.resume();console.log('ready')"], {
      cwd: target,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    try {
      await new Promise((resolve) => child.stdout.once('data', resolve))
      const error: unknown = await mounts.unmount(target).catch((reason: unknown) => reason)
      equal(isHostError(error, 'EBUSY'), true)
      match(String(error), new RegExp(`used by process ${child.pid} \\(.+, working directory\\)`))
    } finally {
      child.kill('SIGKILL')
      await ended
      await mounts.unmount(target)
    }
  })
})
