import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createSeededRandom } from '../random.ts'
import { bytes, text } from './testing/host-under-test.ts'
import type { HostFiles } from './host.ts'
import { createSimulatedHost, type SimulatedHost } from './simulated-host.ts'

// Prepares the same state for many seeds, loses power, and collects what was found afterwards.
async function outcomes(
  prepare: (files: HostFiles) => Promise<void>,
  look: (files: HostFiles) => Promise<string | undefined>,
): Promise<Set<string>> {
  const seen = new Set<string>()
  for (let seed = 0; seed < 200; seed++) {
    const host = createSimulatedHost({ random: createSeededRandom(seed) })
    await host.files.makeDirectory('/d')
    await host.files.makeDirectory('/e')
    await host.files.sync('/')
    await prepare(host.files)
    host.losePower()
    seen.add((await look(host.files)) ?? 'absent')
  }
  return seen
}

const names = async (files: HostFiles, path: string): Promise<string> =>
  (await files.list(path)).map(({ name }) => name).join('')
const read = async (files: HostFiles, path: string): Promise<string | undefined> =>
  (await files.findStat(path)) && text(await files.readFile(path))?.replaceAll('\0', '0')

describe('losing power', () => {
  it('keeps what was synced, data and name', async () => {
    const seen = await outcomes(
      async (files) => {
        await files.writeFile('/d/a', bytes('data'))
        await files.sync('/d/a')
        await files.sync('/d')
      },
      (files) => read(files, '/d/a'),
    )
    assert.deepEqual(seen, new Set(['data']))
  })

  it('may lose the name of a file whose data alone was synced', async () => {
    const seen = await outcomes(
      async (files) => {
        await files.writeFile('/d/a', bytes('data'))
        await files.sync('/d/a')
      },
      (files) => read(files, '/d/a'),
    )
    assert.deepEqual(seen, new Set(['absent', 'data']))
  })

  it('may leave a new file whose name alone was synced empty, torn or whole', async () => {
    const seen = await outcomes(
      async (files) => {
        await files.writeFile('/d/a', bytes('xy'))
        await files.sync('/d')
      },
      (files) => read(files, '/d/a'),
    )
    assert.deepEqual(seen, new Set(['', 'x', 'xy', 'x0', '00']))
  })

  it('may leave the old content of an overwritten file, the new, or a part of the new', async () => {
    const seen = await outcomes(
      async (files) => {
        await files.writeFile('/d/a', bytes('old'))
        await files.sync('/d/a')
        await files.sync('/d')
        await files.writeFile('/d/a', bytes('N'))
      },
      (files) => read(files, '/d/a'),
    )
    assert.deepEqual(seen, new Set(['old', 'N', '', '0']))
  })

  it('may show a renamed file without the data that was never synced', async () => {
    const seen = await outcomes(
      async (files) => {
        await files.writeFile('/d/a', bytes('old'))
        await files.sync('/d/a')
        await files.writeFile('/d/b', bytes('N'))
        await files.rename('/d/b', '/d/a')
        await files.sync('/d')
      },
      (files) => read(files, '/d/a'),
    )
    assert.deepEqual(seen, new Set(['N', '', '0']))
  })

  it('keeps a prefix of what happened in a directory', async () => {
    const seen = await outcomes(
      async (files) => {
        for (const name of ['a', 'b', 'c']) await files.writeFile(`/d/${name}`, bytes(''))
        await files.removeFile('/d/a')
      },
      (files) => names(files, '/d'),
    )
    assert.deepEqual(seen, new Set(['', 'a', 'ab', 'abc', 'bc']))
  })

  it('leaves a file renamed in one directory with exactly one of its names', async () => {
    const seen = await outcomes(
      async (files) => {
        await files.writeFile('/d/a', bytes(''))
        await files.sync('/d')
        await files.rename('/d/a', '/d/b')
      },
      (files) => names(files, '/d'),
    )
    assert.deepEqual(seen, new Set(['a', 'b']))
  })

  it('leaves a file renamed across directories in exactly one of them', async () => {
    const seen = await outcomes(
      async (files) => {
        await files.writeFile('/d/a', bytes(''))
        await files.sync('/d')
        await files.writeFile('/e/x', bytes(''))
        await files.rename('/d/a', '/e/b')
      },
      async (files) => `${await names(files, '/d')}:${await names(files, '/e')}`,
    )
    assert.deepEqual(seen, new Set(['a:', 'a:x', ':bx']))
  })

  it('loses with a rename across all that came after it in either directory', async () => {
    const seen = await outcomes(
      async (files) => {
        await files.writeFile('/d/a', bytes(''))
        await files.sync('/d')
        await files.rename('/d/a', '/e/b')
        await files.writeFile('/d/c', bytes(''))
      },
      async (files) => `${await names(files, '/d')}:${await names(files, '/e')}`,
    )
    assert.deepEqual(seen, new Set(['a:', ':b', 'c:b']))
  })

  it('makes durable with a rename across all that came before it in the other directory', async () => {
    const seen = await outcomes(
      async (files) => {
        await files.writeFile('/d/a', bytes('new'))
        await files.sync('/d/a')
        await files.writeFile('/e/b', bytes(''))
        await files.sync('/d')
        await files.sync('/e')
        await files.removeFile('/e/b')
        await files.rename('/d/a', '/e/b')
        await files.sync('/d')
      },
      (files) => read(files, '/e/b'),
    )
    assert.deepEqual(seen, new Set(['new']))
  })

  it('makes a rename across durable in both by the sync of either', async () => {
    for (const synced of ['/d', '/e']) {
      const seen = await outcomes(
        async (files) => {
          await files.writeFile('/d/a', bytes(''))
          await files.sync('/d')
          await files.rename('/d/a', '/e/b')
          await files.sync(synced)
        },
        async (files) => `${await names(files, '/d')}:${await names(files, '/e')}`,
      )
      assert.deepEqual(seen, new Set([':b']))
    }
  })

  it('never loses a synced file that was moved out of a directory before that was removed', async () => {
    const seen = await outcomes(
      async (files) => {
        await files.writeFile('/d/a', bytes('data'))
        await files.sync('/d/a')
        await files.sync('/d')
        await files.rename('/d/a', '/e/a')
        await files.removeDirectory('/d')
        await files.sync('/')
      },
      (files) => read(files, '/e/a'),
    )
    assert.deepEqual(seen, new Set(['data']))
  })

  it('takes what lies in a new directory with it, synced or not', async () => {
    const seen = await outcomes(
      async (files) => {
        await files.makeDirectory('/d/new')
        await files.writeFile('/d/new/a', bytes('data'))
        await files.sync('/d/new/a')
        await files.sync('/d/new')
      },
      (files) => read(files, '/d/new/a'),
    )
    assert.deepEqual(seen, new Set(['absent', 'data']))
  })

  it('may bring back a removed file', async () => {
    const seen = await outcomes(
      async (files) => {
        await files.writeFile('/d/a', bytes('data'))
        await files.sync('/d/a')
        await files.sync('/d')
        await files.removeFile('/d/a')
      },
      (files) => read(files, '/d/a'),
    )
    assert.deepEqual(seen, new Set(['absent', 'data']))
  })

  it('may undo a change of mode that was not synced', async () => {
    const look = async (files: HostFiles) => (await files.findStat('/d'))?.mode.toString(8)
    assert.deepEqual(await outcomes((files) => files.setMode('/d', 0o711), look), new Set(['750', '711']))
    const synced = await outcomes(async (files) => {
      await files.setMode('/d', 0o711)
      await files.sync('/d')
    }, look)
    assert.deepEqual(synced, new Set(['711']))
  })

  it('takes every mount and loop device, and leaves the disk usable', async () => {
    const host = createSimulatedHost({ random: createSeededRandom(1) })
    for (const path of ['/s', '/t']) await host.files.makeDirectory(path)
    await host.files.truncate('/image', 1n)
    await host.files.sync('/')
    await host.mounts.bind('/s', '/t', { readOnly: true })
    await host.loops.attach('/image', { readOnly: false })
    host.losePower()
    assert.equal((await host.mounts.list()).length, 1)
    assert.deepEqual(await host.loops.list(), [])
    await host.files.writeFile('/t/a', bytes('x'))
    assert.equal((await host.files.usage('/')).usedBytes, 4096n)
  })
})

type Step = { say: string; run(host: SimulatedHost): Promise<unknown> }
const path = fc
  .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 })
  .map((parts) => `/${parts.join('/')}`)
const step = (say: string, run: (files: HostFiles, one: string, two: string) => Promise<unknown>): fc.Arbitrary<Step> =>
  fc
    .tuple(path, path)
    .map(([one, two]) => ({ say: `${say} ${one} ${two}`, run: ({ files }) => run(files, one, two).catch(() => {}) }))
const steps = fc.array(
  fc.oneof(
    step('write', (files, one, two) => files.writeFile(one, bytes(two))),
    step('mkdir', (files, one) => files.makeDirectory(one)),
    step('mkdir', (files, one) => files.makeDirectory(one)),
    step('rename', (files, one, two) => files.rename(one, two)),
    step('remove', (files, one) => files.removeFile(one)),
    step('rmdir', (files, one) => files.removeDirectory(one)),
    step('sync', (files, one) => files.sync(one)),
  ),
  { minLength: 20, maxLength: 60, size: 'max' },
)

async function runSteps(host: SimulatedHost, all: readonly Step[]): Promise<void> {
  for (const { run } of all) await run(host)
}

async function syncAll(host: SimulatedHost): Promise<void> {
  await host.files.sync('/')
  for (const { path, kind } of host.snapshotTree()) if (kind !== 'symlink') await host.files.sync(path)
}

describe('losing power, after any operations', () => {
  it('changes nothing once everything is synced, however it came about', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(), async (all, seed) => {
        const host = createSimulatedHost({ random: createSeededRandom(seed) })
        await runSteps(host, all)
        await syncAll(host)
        const before = [host.snapshotTree(), await host.files.usage('/')]
        host.losePower()
        assert.deepEqual([host.snapshotTree(), await host.files.usage('/')], before)
      }),
      { seed: 1, numRuns: 100 },
    )
  })

  it('leaves the same for the same seed, and nothing more to lose', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(), async (all, seed) => {
        const trees = []
        for (let run = 0; run < 2; run++) {
          const host = createSimulatedHost({ random: createSeededRandom(seed) })
          await runSteps(host, all)
          host.losePower()
          trees.push(host.snapshotTree())
          host.losePower()
          trees.push(host.snapshotTree())
        }
        for (const tree of trees) assert.deepEqual(tree, trees[0])
      }),
      { seed: 1, numRuns: 100 },
    )
  })

  it('leaves no file in two places', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(), async (all, seed) => {
        const host = createSimulatedHost({ random: createSeededRandom(seed) })
        await runSteps(host, all)
        host.losePower()
        const paths = host.snapshotTree().map(({ path }) => path)
        const inodes = await Promise.all(paths.map(async (path) => (await host.files.findStat(path))?.inode))
        assert.equal(new Set(inodes).size, paths.length)
        await runSteps(host, all)
      }),
      { seed: 1, numRuns: 100 },
    )
  })
})
