import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { createSimulatedHost, createSystemHost, HostError, makeDirectories } from '../../base/host/index.ts'
import type { HostFiles } from '../../base/host/index.ts'
import { openPrivateDirectory } from '../../base/host/testing/open-private-directory.ts'
import { createLogger } from '../../base/logger.ts'
import { createSeededRandom } from '../../base/random.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { applyFsGroup } from './apply-fs-group.ts'
import type { FsGroupParts } from './apply-fs-group.ts'

const ALWAYS = { gid: 4321, onlyOnRootMismatch: false }
const ON_MISMATCH = { ...ALWAYS, onlyOnRootMismatch: true }

/** A tree below a directory: `sub/file`, `plain` and `link`. */
async function makeTree(files: HostFiles, root: string): Promise<void> {
  await makeDirectories(files, `${root}/sub`)
  await files.writeFile(`${root}/sub/file`, new Uint8Array(), { mode: 0o640 })
  await files.writeFile(`${root}/plain`, new Uint8Array(), { mode: 0o755 })
  await files.makeSymlink('/elsewhere', `${root}/link`)
}

function partsOf(files: HostFiles, more: Partial<FsGroupParts> = {}) {
  const clock = createSimulatedClock()
  const logged: string[] = []
  const reported: (number | undefined)[] = []
  const parts: FsGroupParts = {
    files,
    clock,
    log: createLogger({ clock, level: 'debug', format: 'json', write: (line) => void logged.push(line) }),
    signal: new AbortController().signal,
    isWanted: () => true,
    onProgress: (processed) => void reported.push(processed),
    ...more,
  }
  return { parts, clock, logged, reported }
}

async function openReal(context: TestContext) {
  const host = createSystemHost()
  const { directory, close } = await openPrivateDirectory(host)
  context.after(close)
  return { files: host.files, path: directory }
}

const described = async (files: HostFiles, root: string) =>
  Promise.all(
    ['', '/sub', '/sub/file', '/plain', '/link'].map(async (name) => {
      const stat = await files.findStat(`${root}${name}`)
      return [name, stat?.gid, stat?.kind === 'symlink' ? undefined : stat?.mode.toString(8)]
    }),
  )
const CHANGED = [
  ['', 4321, '2770'],
  ['/sub', 4321, '2770'],
  ['/sub/file', 4321, '660'],
  ['/plain', 4321, '775'],
  ['/link', 4321, undefined],
]

const simulate = async () => {
  const machine = createSimulatedHost({ random: createSeededRandom(1) })
  await makeTree(machine.files, '/v')
  const writes: string[] = []
  machine.afterStep = (operation, path) => {
    if (operation.startsWith('set')) writes.push(`${operation} ${path}`)
  }
  return { machine, files: machine.files, writes }
}

test('fsGroup: everything gets the group, files read and write for it, directories also set-group-ID; links keep their target', async () => {
  const { files, writes } = await simulate()
  await makeDirectories(files, '/elsewhere')
  const before = await files.findStat('/elsewhere')
  equal(await applyFsGroup('/v', ALWAYS, partsOf(files).parts), true)
  deepEqual(await described(files, '/v'), CHANGED)
  deepEqual(await files.findStat('/elsewhere'), before)
  // The root last: what was interrupted before is seen there.
  equal(writes.at(-1), 'setMode /v')
})

test('fsGroup: the same on the real machine', async (context: TestContext) => {
  if (process.getuid?.() !== 0) return context.skip('only root may give files to another group')
  const { files, path } = await openReal(context)
  const root = `${path}/v`
  await makeTree(files, root)
  equal(await applyFsGroup(root, ALWAYS, partsOf(files).parts), true)
  deepEqual(await described(files, root), CHANGED)
})

test('fsGroup: what fits is not written again', async () => {
  const { files, writes } = await simulate()
  await applyFsGroup('/v', ALWAYS, partsOf(files).parts)
  writes.length = 0
  await applyFsGroup('/v', ALWAYS, partsOf(files).parts)
  deepEqual(writes, [])
})

test('fsGroup: OnRootMismatch looks at the root alone: group, bits and set-group-ID', async () => {
  const { files, writes } = await simulate()
  await files.setOwner('/v', 0, 4321)
  for (const [mode, isSkipped] of [
    [0o2770, true],
    [0o2775, true],
    [0o770, false],
    [0o2750, false],
  ] as const) {
    await files.setMode('/v', mode)
    await files.setMode('/v/plain', 0o600)
    writes.length = 0
    await applyFsGroup('/v', ON_MISMATCH, partsOf(files).parts)
    equal(writes.length === 0, isSkipped, mode.toString(8))
  }
  await files.setOwner('/v', 0, 1)
  writes.length = 0
  await applyFsGroup('/v', ON_MISMATCH, partsOf(files).parts)
  ok(writes.length > 0)
})

test('fsGroup: a file that may not be changed stays as it is, and is logged once for all', async () => {
  const { machine, files } = await simulate()
  machine.beforeStep = (operation, path) => {
    if (operation === 'setOwner' && path !== '/v') throw new HostError('EPERM', operation, path)
  }
  const { parts, logged } = partsOf(files)
  equal(await applyFsGroup('/v', ALWAYS, parts), true)
  equal((await files.findStat('/v'))?.gid, 4321)
  equal(logged.length, 1)
  deepEqual(JSON.parse(logged[0] ?? '').failed, 4)
})

test('fsGroup: a file that goes meanwhile is not missed; a directory that cannot be read fails', async () => {
  const { machine, files } = await simulate()
  machine.afterStep = async (operation, path) => {
    if (operation === 'findStat' && path === '/v/plain') await files.removeFile(path)
  }
  const { parts, logged } = partsOf(files)
  equal(await applyFsGroup('/v', ALWAYS, parts), true)
  deepEqual(logged, [])
  machine.beforeStep = (operation, path) => {
    if (operation === 'openDirectory' && path === '/v/sub') throw new HostError('EIO', operation, path)
  }
  await rejects(applyFsGroup('/v', ALWAYS, partsOf(files).parts), { code: 'EIO' })
})

test('fsGroup: a long run is reported after 30 s and then every 60 s, with the number of files', async () => {
  const { machine, files } = await simulate()
  for (let index = 0; index < 20; index++) await files.writeFile(`/v/many-${index}`, new Uint8Array())
  const { parts, clock, reported } = partsOf(files)
  machine.beforeStep = (operation) => (operation === 'findStat' ? clock.advance(10_000) : undefined)
  await applyFsGroup('/v', ALWAYS, parts)
  deepEqual(reported, [undefined, 9, 15, 21])
})

test('fsGroup: the pod is being deleted: the walk ends, and the root keeps its group', async () => {
  const { files } = await simulate()
  let asked = 0
  const { parts } = partsOf(files, { isWanted: () => ++asked < 3 })
  equal(await applyFsGroup('/v', ALWAYS, parts), false)
  equal(asked, 3)
  equal((await files.findStat('/v'))?.gid, 0)
})

test('fsGroup: an agent that stops ends the walk', async () => {
  const { files } = await simulate()
  const stopping = new AbortController()
  const stop = () => (stopping.abort(new Error('stopped')), true)
  await rejects(
    applyFsGroup('/v', ALWAYS, partsOf(files, { signal: stopping.signal, isWanted: stop }).parts),
    /stopped/,
  )
})

test('fsGroup: a large tree on the real machine does not keep the process from other work', async (context: TestContext) => {
  if (process.getuid?.() !== 0) return context.skip('only root may give files to another group')
  const { files, path } = await openReal(context)
  for (let index = 0; index < 3000; index++) await files.writeFile(`${path}/f${index}`, new Uint8Array())
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  await applyFsGroup(path, ALWAYS, partsOf(files).parts)
  isDone = true
  // Other work gets its turn at least once for each file.
  ok(turns > 3000, `${turns} turns`)
})
