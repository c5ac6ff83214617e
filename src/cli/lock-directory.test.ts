import { rejects } from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { createSystemHost } from '../base/host/index.ts'
import { lockDirectory } from './lock-directory.ts'

describe('a data directory', () => {
  const host = createSystemHost()
  const open = async (context: TestContext): Promise<string> => {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-lock-'))
    context.after(() => rm(directory, { recursive: true }))
    return directory
  }

  test('is held by one process at a time', async (context) => {
    const directory = await open(context)
    {
      await using _held = await lockDirectory(host, directory)
      await rejects(lockDirectory(host, directory), /is in use by another holdfast process/)
    }
    await using _again = await lockDirectory(host, directory)
  })

  test('is made when it is missing', async (context) => {
    await using _held = await lockDirectory(host, join(await open(context), 'a', 'b'))
  })

  test('that others may write to is refused', async (context) => {
    const directory = await open(context)
    await chmod(directory, 0o777)
    await rejects(lockDirectory(host, directory), /other users can write to it; run chmod go-w/)
  })

  test('that is a file is refused', async (context) => {
    const path = join(await open(context), 'file')
    await writeFile(path, '')
    await rejects(lockDirectory(host, path), /file/)
  })
})
