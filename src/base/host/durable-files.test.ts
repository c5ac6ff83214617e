import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSeededRandom } from '../random.ts'
import {
  copyTree,
  directoriesAbove,
  isTemporaryName,
  makeDirectories,
  readFileIfPresent,
  removeFileIfPresent,
  removeTree,
  replaceFileDurably,
} from './durable-files.ts'
import { bytes, fails, text } from './testing/host-under-test.ts'
import { HostError } from './host.ts'
import { createSimulatedHost, type SimulatedHost } from './simulated-host.ts'

const open = (seed = 1): SimulatedHost => createSimulatedHost({ random: createSeededRandom(seed) })

class Crash extends Error {}

// Lets `steps` steps succeed, then simulates a dead process: later steps have no effect. Returns false if the work finished first.
async function crashAfter(host: SimulatedHost, steps: number, work: () => Promise<unknown>): Promise<boolean> {
  let done = 0
  host.beforeStep = () => {
    if (done++ >= steps) throw new Crash()
  }
  try {
    await work()
    return false
  } catch (error) {
    if (!(error instanceof Crash)) throw error
    return true
  } finally {
    host.beforeStep = undefined
  }
}

// Loses power after each possible number of steps, for several seeds. Then calls `check` with whether the work had returned.
async function atEachStep(parts: {
  prepare(host: SimulatedHost): Promise<void>
  work(host: SimulatedHost): Promise<unknown>
  check(host: SimulatedHost, finished: boolean): Promise<void>
}): Promise<void> {
  for (let seed = 0; seed < 20; seed++) {
    for (let steps = 0, crashed = true; crashed; steps++) {
      const host = open(seed)
      await parts.prepare(host)
      crashed = await crashAfter(host, steps, () => parts.work(host))
      host.losePower()
      await parts.check(host, !crashed)
    }
  }
}

const writeDurably = (host: SimulatedHost, path: string, content: string): Promise<void> =>
  replaceFileDurably(host.files, path, bytes(content), { random: createSeededRandom(7) })

describe('replaceFileDurably', () => {
  it('leaves wholly the old or wholly the new content whenever the power goes, and the new once it has returned', async () => {
    const seen = new Set<string | undefined>()
    await atEachStep({
      prepare: (host) => writeDurably(host, '/a', 'old'),
      work: (host) => writeDurably(host, '/a', 'newer'),
      check: async (host, finished) => {
        const content = text(await host.files.readFile('/a'))
        assert.ok(content === 'newer' || (content === 'old' && !finished), content)
        seen.add(content)
        const others = (await host.files.list('/'))
          .map(({ name }) => name)
          .filter((name) => name !== 'a' && name !== 'dev')
        assert.ok(others.every(isTemporaryName) && (!finished || others.length === 0), others.join())
      },
    })
    assert.deepEqual(seen, new Set(['old', 'newer']))
  })

  it('makes a new file with its mode', async () => {
    const { files } = open()
    await replaceFileDurably(files, '/a', bytes('x'), { random: createSeededRandom(1), mode: 0o644 })
    await replaceFileDurably(files, '/b', bytes('x'), { random: createSeededRandom(1) })
    assert.deepEqual([(await files.findStat('/a'))?.mode, (await files.findStat('/b'))?.mode], [0o644, 0o600])
  })

  it('leaves the old file and no temporary one when the disk is full or the name is a directory', async () => {
    const host = open()
    await writeDurably(host, '/a', 'old')
    await host.files.makeDirectory('/d')
    const before = host.snapshotTree()
    await fails(writeDurably(host, '/d', 'x'), 'EISDIR')
    host.setCapacity(4096n)
    await fails(writeDurably(host, '/a', 'new'), 'ENOSPC')
    assert.deepEqual(host.snapshotTree(), before)
  })

  it('takes a name as long as names can be', async () => {
    await writeDurably(open(), `/${'x'.repeat(255)}`, 'data')
  })

  it('names its temporary files so that nothing else is taken for one', async () => {
    const host = open()
    let temporary: string | undefined
    host.beforeStep = (operation, path) => {
      if (operation === 'writeFile') temporary = path.slice(1)
    }
    await writeDurably(host, '/a', '')
    assert.ok(temporary !== undefined && isTemporaryName(temporary))
    for (const name of ['a', '.holdfast', '.holdfast-tmp-', `${temporary}.txt`])
      assert.equal(isTemporaryName(name), false)
  })
})

describe('directoriesAbove', () => {
  it('is all whose names lead from the root to the path', () => {
    assert.deepEqual(directoriesAbove('/r/a', '/r'), ['/r'])
    assert.deepEqual(directoriesAbove('/r/a/b/c', '/r'), ['/r', '/r/a', '/r/a/b'])
    assert.throws(() => directoriesAbove('/other', '/r'), /is not below/)
  })

  it('makes a file durable in directories that were made without a sync, when those are synced alongside', async () => {
    await atEachStep({
      prepare: (host) => makeDirectories(host.files, '/r'),
      work: async (host) => {
        await makeDirectories(host.files, '/r/a/b', { durable: false })
        await replaceFileDurably(host.files, '/r/a/b/f', bytes('new'), {
          random: createSeededRandom(7),
          alongside: directoriesAbove('/r/a/b', '/r'),
        })
      },
      check: async (host, finished) => {
        const found = await readFileIfPresent(host.files, '/r/a/b/f')
        if (finished || found !== undefined) assert.equal(found && text(found), 'new')
      },
    })
  })
})

describe('makeDirectories', () => {
  it('makes what is missing, with the mode, and is content with what is there', async () => {
    const { files } = open()
    await makeDirectories(files, '/a/b/c', { mode: 0o711 })
    await makeDirectories(files, '/a/b/c')
    await makeDirectories(files, '/')
    for (const path of ['/a', '/a/b', '/a/b/c']) assert.equal((await files.findStat(path))?.mode, 0o711)
  })

  it('takes a link to a directory for one, but no file and no link to nothing', async () => {
    const { files } = open()
    await files.makeDirectory('/d')
    await files.writeFile('/a', bytes(''))
    await files.makeSymlink('d', '/link')
    await files.makeSymlink('nothing', '/dangling')
    await makeDirectories(files, '/link')
    await makeDirectories(files, '/link/e')
    assert.equal((await files.findStat('/d/e'))?.kind, 'directory')
    await fails(makeDirectories(files, '/a'), 'EEXIST')
    await fails(makeDirectories(files, '/a/b'), 'EEXIST')
    await fails(makeDirectories(files, '/dangling'), 'EEXIST')
  })

  it('is durable once it has returned, also after an earlier try that was interrupted anywhere', async () => {
    for (let interruptedAfter = 0; interruptedAfter < 12; interruptedAfter++) {
      await atEachStep({
        prepare: async (host) =>
          void (await crashAfter(host, interruptedAfter, () => makeDirectories(host.files, '/a/b/c'))),
        work: (host) => makeDirectories(host.files, '/a/b/c'),
        check: async (host, finished) => {
          if (finished) assert.equal((await host.files.findStat('/a/b/c'))?.kind, 'directory')
        },
      })
    }
  })

  it('does not mind another that makes the same', async () => {
    const { files } = open()
    await Promise.all([
      makeDirectories(files, '/a/b/c'),
      makeDirectories(files, '/a/b/c'),
      makeDirectories(files, '/a/b/d'),
    ])
    assert.deepEqual(
      (await files.list('/a/b')).map(({ name }) => name),
      ['c', 'd'],
    )
  })

  it('syncs nothing when asked not to', async () => {
    const host = open()
    host.beforeStep = (operation) => assert.notEqual(operation, 'sync')
    await makeDirectories(host.files, '/a/b', { durable: false })
  })
})

async function makeTree({ files }: SimulatedHost): Promise<void> {
  await files.writeFile('/outside', bytes('keep'))
  await files.makeDirectory('/d', 0o755)
  await files.makeDirectory('/d/e', 0o500)
  await files.writeFile('/d/e/a', bytes('data'), { mode: 0o640 })
  await files.setOwner('/d/e/a', 10, 20)
  await files.setOwner('/d/e', 30, 40)
  await files.makeSymlink('../outside', '/d/link')
  await files.makeSymlink('/', '/d/root')
  await files.truncate('/d/sparse', 1n << 40n)
  for (const path of ['/outside', '/d/e/a', '/d/sparse', '/d/e', '/d', '/']) await files.sync(path)
}

describe('removeTree', () => {
  it('removes all below, and links without following them', async () => {
    const host = open()
    await makeTree(host)
    await removeTree(host, '/d')
    assert.deepEqual(
      host.snapshotTree().map(({ path }) => path),
      ['/dev', '/outside'],
    )
  })

  it('removes a file or a link, and is content with nothing', async () => {
    const host = open()
    await makeTree(host)
    await removeTree(host, '/d/root')
    await removeTree(host, '/d/sparse')
    await removeTree(host, '/d/none')
    await removeTree(host, '/none/none')
    assert.equal(await host.files.findStat('/d/root'), undefined)
    assert.equal(await host.files.findStat('/d/sparse'), undefined)
    assert.equal(text(await host.files.readFile('/outside')), 'keep')
  })

  it('is durable once it has returned, also when an earlier try was interrupted', async () => {
    await atEachStep({
      prepare: async (host) => {
        await makeTree(host)
        await crashAfter(host, 14, () => removeTree(host, '/d'))
      },
      work: (host) => removeTree(host, '/d'),
      check: async (host, finished) => {
        if (finished) assert.equal(await host.files.findStat('/d'), undefined)
        assert.equal(text(await host.files.readFile('/outside')), 'keep')
      },
    })
  })

  it('refuses below a mount point that it reaches by a link, or that it is told of', async () => {
    const host = open()
    await makeTree(host)
    await host.files.makeDirectory('/d/point')
    await host.files.makeDirectory('/source')
    await host.files.makeSymlink('/d', '/to-d')
    await fails(removeTree({ files: host.files, mounts: new Set(['/d/e']) }, '/d'), 'EBUSY')
    await host.files.makeDirectory('/d/point/inner')
    await host.mounts.bind('/source', '/d/point/inner', { readOnly: false })
    const before = host.snapshotTree()
    await fails(removeTree(host, '/to-d/point'), 'EBUSY')
    await fails(removeTree(host, '/d'), 'EBUSY')
    await fails(removeTree(host, '/'), 'EBUSY')
    assert.deepEqual(host.snapshotTree(), before)
    await removeTree(host, '/d/e')
  })

  it('refuses when something is mounted while it looks around', async () => {
    const host = open()
    await makeTree(host)
    const devices = await host.files.list('/dev')
    let bound = false
    host.beforeStep = async (operation) => {
      if (operation !== 'list' || bound) return
      bound = true
      await host.mounts.bind('/dev', '/d/e', { readOnly: false })
    }
    await fails(removeTree(host, '/d'), 'EBUSY')
    assert.deepEqual(await host.files.list('/dev'), devices)
  })
})

describe('copyTree', () => {
  it('copies directories, files and links with modes and owners', async () => {
    const host = open()
    await makeTree(host)
    await copyTree(host.files, '/d', '/copy')
    const below = (top: string) => host.snapshotTree().filter(({ path }) => path.startsWith(`${top}/`) || path === top)
    assert.equal(below('/copy').length, 6)
    assert.deepEqual(
      below('/copy').map((entry) => ({ ...entry, path: entry.path.replace('/copy', '/d') })),
      below('/d'),
    )
    for (const path of ['', '/e', '/e/a', '/link']) {
      const [from, to] = [await host.files.findStat(`/d${path}`), await host.files.findStat(`/copy${path}`)]
      assert.deepEqual([to?.uid, to?.gid], [from?.uid, from?.gid])
    }
    assert.equal((await host.files.findStat('/copy/sparse'))?.allocatedBytes, 0n)
  })

  it('is durable once it has returned', async () => {
    await atEachStep({
      prepare: makeTree,
      work: (host) => copyTree(host.files, '/d', '/copy'),
      check: async (host, finished) => {
        if (!finished) return
        const copied = host.snapshotTree().filter(({ path }) => path.startsWith('/copy'))
        const wanted = host.snapshotTree().filter(({ path }) => path === '/d' || path.startsWith('/d/'))
        assert.deepEqual(
          copied.map((entry) => ({ ...entry, path: entry.path.replace('/copy', '/d') })),
          wanted,
        )
      },
    })
  })

  it('copies a single file, and leaves devices out', async () => {
    const host = open()
    await makeTree(host)
    await copyTree(host.files, '/d/e/a', '/copy')
    assert.equal(text(await host.files.readFile('/copy')), 'data')
    await copyTree(host.files, '/dev', '/devices')
    assert.deepEqual(await host.files.list('/devices'), [])
  })

  it('refuses a target that is taken or lies within, and a source that is not there', async () => {
    const host = open()
    await makeTree(host)
    const before = host.snapshotTree()
    await fails(copyTree(host.files, '/d', '/outside'), 'EEXIST')
    await fails(copyTree(host.files, '/d', '/d/e/copy'), 'EINVAL')
    await fails(copyTree(host.files, '/d', '/d/copy'), 'EINVAL')
    await fails(copyTree(host.files, '/', '/copy'), 'EINVAL')
    await fails(copyTree(host.files, '/none', '/copy'), 'ENOENT')
    assert.deepEqual(host.snapshotTree(), before)
  })

  it('goes on where owners cannot be given away', async () => {
    const host = open()
    await makeTree(host)
    const { files } = host
    const refusing = { ...files, setOwner: (path: string) => Promise.reject(new HostError('EPERM', 'setOwner', path)) }
    await copyTree(refusing, '/d', '/copy')
    assert.equal(text(await files.readFile('/copy/e/a')), 'data')
  })
})

describe('what may be absent', () => {
  it('reads and removes it, or says so', async () => {
    const { files } = open()
    await files.writeFile('/a', bytes('x'))
    assert.equal(await readFileIfPresent(files, '/none'), undefined)
    assert.equal(await readFileIfPresent(files, '/a/none'), undefined)
    assert.equal(text(await readFileIfPresent(files, '/a')), 'x')
    await fails(readFileIfPresent(files, '/'), 'EISDIR')
    assert.equal(await removeFileIfPresent(files, '/a'), true)
    assert.equal(await removeFileIfPresent(files, '/a'), false)
    await fails(removeFileIfPresent(files, '/dev'), 'EISDIR')
  })
})
