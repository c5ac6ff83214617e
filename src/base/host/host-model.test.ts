import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import fc from 'fast-check'
import { createSeededRandom } from '../random.ts'
import { makeDirectories } from './durable-files.ts'
import { HostError, type Host } from './host.ts'
import { bytes, text } from './testing/host-under-test.ts'
import { openPrivateDirectory } from './testing/open-private-directory.ts'
import { createSimulatedHost } from './simulated-host.ts'
import { createSystemHost } from './system-host.ts'

// `top` is the directory that plays the role of the root.
type Paths = { one: string; two: string; top: string }
type Operation = { say: string; run(host: Host, top: string): Promise<unknown> }

// Deep enough that `../../..` stays below its first directory, where `look` starts: a mount must not hide everything.
const BASE = '/0/1/2/3/4'

// Few names, so that operations affect each other.
const path = fc
  .array(fc.constantFrom('a', 'b', 'c', '..', '.'), { minLength: 1, maxLength: 3 })
  .map((names) => names.join('/'))

const step = (say: string, run: (host: Host, paths: Paths) => Promise<unknown>): fc.Arbitrary<Operation> =>
  fc.tuple(path, path).map(([one, two]) => ({
    say: `${say} ${one} ${two}`,
    run: (host, top) => run(host, { one: `${top}${BASE}/${one}`, two: `${top}${BASE}/${two}`, top }),
    [fc.toStringMethod]: () => `${say} ${one} ${two}`,
  }))

const FILE_STEPS = [
  step('write', ({ files }, { one }) => files.writeFile(one, bytes('written'))),
  step('write-new', ({ files }, { one }) => files.writeFile(one, bytes('new'), { exclusive: true })),
  step('truncate', ({ files }, { one }) => files.truncate(one, 3n)),
  step('copy', ({ files }, { one, two }) => files.copyFile(one, two)),
  step('rename', ({ files }, { one, two }) => files.rename(one, two)),
  step('mkdir', ({ files }, { one }) => files.makeDirectory(one)),
  step('rmdir', ({ files }, { one }) => files.removeDirectory(one)),
  step('remove', ({ files }, { one }) => files.removeFile(one)),
  step('link', ({ files }, { one, two }) => files.makeSymlink(two, one)),
  step('relative-link', ({ files }, { one }) => files.makeSymlink('../4/a', one)),
  step('read', async ({ files }, { one }) => text(await files.readFile(one))),
  step('list', ({ files }, { one }) => files.list(one)),
  step('chmod', ({ files }, { one }) => files.setMode(one, 0o700)),
  step('readlink', async ({ files }, { one, top }) => (await files.readSymlink(one)).replace(top, '')),
  step('resolve', async ({ files }, { one, top }) => (await files.resolve(one)).replace(top, '')),
]

const MOUNT_STEPS = [
  step('bind', ({ mounts }, { one, two }) => mounts.bind(one, two, { readOnly: false })),
  step('unmount', ({ mounts }, { one }) => mounts.unmount(one)),
]

async function outcome(work: Promise<unknown>): Promise<unknown> {
  try {
    return (await work) ?? 'done'
  } catch (error) {
    if (error instanceof HostError) return error.code
    throw error
  }
}

// Everything visible below the directory, as text.
async function look(host: Host, directory: string, depth = 0): Promise<string> {
  let seen = ''
  for (const { name } of await host.files.list(directory)) {
    const path = join(directory, name)
    const stat = await host.files.findStat(path)
    seen += `${' '.repeat(depth)}${name} ${stat?.kind} ${stat?.mode.toString(8)}\n`
    if (stat?.kind === 'file') seen += `${text(await host.files.readFile(path))}\n`
    // A directory bound inside itself has infinite depth.
    if (stat?.kind === 'directory' && depth < 7) seen += await look(host, path, depth + 1)
  }
  return seen
}

async function compare(operations: readonly Operation[]): Promise<void> {
  const system = createSystemHost()
  const { directory, close } = await openPrivateDirectory(system)
  const hosts = [
    { host: system, top: directory },
    { host: createSimulatedHost({ random: createSeededRandom(1) }), top: '' },
  ]
  try {
    for (const { host, top } of hosts) await makeDirectories(host.files, top + BASE)
    for (const [index, operation] of operations.entries()) {
      const results: unknown[] = []
      // One after the other: nothing may still be running on the real host when the other one fails.
      for (const { host, top } of hosts)
        results.push([await outcome(operation.run(host, top)), await look(host, `${top}/0`)])
      assert.deepEqual(
        results[1],
        results[0],
        `after ${operations
          .slice(0, index + 1)
          .map(({ say }) => say)
          .join(', ')}`,
      )
    }
  } finally {
    await close()
  }
}

it('does on the simulated host what the system does, operation by operation', async () => {
  const operations = fc.array(fc.oneof(...FILE_STEPS), { minLength: 10, maxLength: 40, size: 'max' })
  await fc.assert(fc.asyncProperty(operations, compare), { seed: 1, numRuns: 40 })
})

it('does so with mounts as well', async (context) => {
  if (!(await createSystemHost().mounts.available()))
    return context.skip('mounts need privileges or programs that are missing here')
  const operations = fc.array(fc.oneof(...FILE_STEPS, ...MOUNT_STEPS, ...MOUNT_STEPS), {
    minLength: 10,
    maxLength: 30,
    size: 'max',
  })
  await fc.assert(fc.asyncProperty(operations, compare), { seed: 1, numRuns: 20 })
})
