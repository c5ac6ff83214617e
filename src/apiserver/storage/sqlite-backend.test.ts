import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdtemp, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { createSystemHost } from '../../base/host/index.ts'
import { openStore } from '../core/store.ts'
import type { BackendChange } from './backend.ts'
import { createSqliteBackend, startSqliteThread, STATE_FILE } from './sqlite-backend.ts'
import type { SqliteBackendOptions } from './sqlite-backend.ts'

const { files } = createSystemHost()

const put = (revision: number, key: string, json = `{"at":${revision}}`): BackendChange => ({
  revision,
  storage: 'pods',
  key,
  json,
})

async function openDirectory() {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-sqlite-'))
  const backend = (options: Partial<SqliteBackendOptions> = {}) => createSqliteBackend({ directory, files, ...options })
  const keys = async (): Promise<string[]> => {
    const again = backend()
    const state = await again.load()
    await again.close()
    return Array.from(state.objects, ({ key, revision }) => `${key}@${revision}`)
  }
  /** The content of every file in the directory. */
  const fingerprints = async (): Promise<string[]> => {
    const names = (await readdir(directory)).sort()
    return Promise.all(
      names.map(
        async (name) =>
          `${name} ${createHash('sha256')
            .update(await readFile(join(directory, name)))
            .digest('hex')}`,
      ),
    )
  }
  return {
    directory,
    path: join(directory, STATE_FILE),
    backend,
    keys,
    fingerprints,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  }
}
type Directory = Awaited<ReturnType<typeof openDirectory>>

/** Many pages of our own. */
async function fill({ backend }: Directory): Promise<void> {
  const own = backend()
  await own.load()
  await own.commit(
    Array.from({ length: 200 }, (_, index) =>
      put(index + 1, `a/${String(index).padStart(3, '0')}`, JSON.stringify({ text: 'x'.repeat(2000) })),
    ),
  )
  await own.close()
}

function change(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

async function overwrite(path: string, at: number, bytes: Buffer): Promise<void> {
  const file = await open(path, 'r+')
  await file.write(bytes, 0, bytes.length, at)
  await file.close()
}

describe('SQLite backend on a full disk', () => {
  // Each page has 4 KiB.
  const FULL = { mostPages: 64 }
  const large = (revision: number, key: string): BackendChange =>
    put(revision, key, JSON.stringify({ text: 'x'.repeat(300_000) }))

  test('refuses a group as a whole and keeps what was there', async () => {
    await using place = await openDirectory()
    const backend = place.backend(FULL)
    await backend.load()
    await backend.commit([put(1, 'a/kept')])
    await rejects(backend.commit([put(2, 'a/small'), large(3, 'a/large'), put(4, 'a/kept')]), /full/)
    await backend.close()
    deepEqual(await place.keys(), ['a/kept@1'])
  })

  test('takes later groups that fit', async () => {
    await using place = await openDirectory()
    const backend = place.backend(FULL)
    await backend.load()
    await rejects(backend.commit([large(1, 'a/large')]), /full/)
    await rejects(backend.commit([large(2, 'a/large')]), /full/)
    await backend.commit([put(3, 'a/small')])
    await backend.close()
    deepEqual(await place.keys(), ['a/small@3'])
  })

  test('lets the store answer with the failure, read on, and write again', async () => {
    await using place = await openDirectory()
    const store = await openStore(place.backend(FULL))
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } }
    await store.write('pods', 'a/x', () => ({ kind: 'put', object }))
    await rejects(
      store.write('pods', 'a/y', () => ({
        kind: 'put',
        object: { ...object, text: 'x'.repeat(300_000) } as typeof object,
      })),
      /full/,
    )
    equal(store.visible.find('pods', 'a/x')?.revision, 1)
    equal(store.visible.find('pods', 'a/y'), undefined)
    equal((await store.write('pods', 'a/z', () => ({ kind: 'put', object })))?.revision, 3)
    await store.close()
    deepEqual(await place.keys(), ['a/x@1', 'a/z@3'])
  })
})

describe('SQLite backend refuses, and leaves untouched,', () => {
  const cases: [what: string, make: (place: Directory) => Promise<void>, message: RegExp][] = [
    [
      'a database of another program',
      ({ path }) => Promise.resolve(change(path, 'CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)')),
      /state\.db is a database of another program: choose another data directory/,
    ],
    [
      'an empty database that another program has marked as its own',
      ({ path }) => Promise.resolve(change(path, 'PRAGMA application_id = 77; CREATE TABLE t (x); DROP TABLE t')),
      /another program/,
    ],
    [
      'a database of another program that has crashed',
      async ({ path, directory }) => {
        change(path, 'PRAGMA journal_mode = WAL; CREATE TABLE theirs (x)')
        const theirs = new DatabaseSync(path)
        theirs.exec('INSERT INTO theirs VALUES (1)')
        // The current files on disk, with a log that was not checkpointed.
        const crashed = await mkdtemp(join(tmpdir(), 'holdfast-crashed-'))
        await cp(directory, crashed, { recursive: true })
        theirs.close()
        await cp(crashed, directory, { recursive: true })
        await rm(crashed, { recursive: true })
      },
      /another program/,
    ],
    [
      'a text file',
      ({ path }) => writeFile(path, 'dear diary '.repeat(1000)),
      /state\.db is not a database: choose another data directory, or restore it from a backup/,
    ],
    [
      'a file that was cut off',
      async (place) => {
        await fill(place)
        await truncate(place.path, Math.floor((await stat(place.path)).size / 2 / 4096) * 4096)
      },
      /state\.db is damaged\. Restore the data directory from a backup\. .*--accept-data-loss/,
    ],
    [
      'a file that was overwritten in the middle',
      async (place) => {
        await fill(place)
        await overwrite(place.path, 16 * 4096, Buffer.alloc(16_384, 0xff))
      },
      /state\.db(: the object \S+ of pods)? is damaged(: .*)?\. Restore the data directory/,
    ],
    [
      'a file in which one letter has changed',
      async (place) => {
        const own = place.backend()
        await own.load()
        await own.commit([put(1, 'a/x', '{"text":"a cat"}')])
        await own.close()
        await overwrite(place.path, (await readFile(place.path)).indexOf('cat"}'), Buffer.from('r'))
      },
      /state\.db: the object a\/x of pods is damaged\. Restore the data directory/,
    ],
    [
      'a file that has lost a row',
      async (place) => {
        await fill(place)
        change(place.path, "DELETE FROM objects WHERE key = 'a/100'")
      },
      /state\.db is damaged: it holds 199 objects instead of 200\. Restore/,
    ],
    [
      'a file in which the last revision of a kind has changed',
      async (place) => {
        await fill(place)
        change(place.path, "UPDATE last_revisions SET revision = 201 WHERE storage = 'pods'")
      },
      /state\.db is damaged: its objects are not the ones that were written last\. Restore/,
    ],
    [
      'a newer format',
      async (place) => {
        await fill(place)
        change(place.path, 'PRAGMA user_version = 3')
      },
      /state\.db was written in format 3, this version knows 2: use the newer version/,
    ],
  ]
  for (const [what, make, message] of cases) {
    test(what, async () => {
      await using place = await openDirectory()
      await make(place)
      const before = await place.fingerprints()
      await rejects(place.backend().load(), message)
      deepEqual(await place.fingerprints(), before)
    })
  }

  test('a file that another process has open', async () => {
    await using place = await openDirectory()
    await fill(place)
    const code = `import { openSqliteDatabase } from ${JSON.stringify(new URL('./sqlite-database.ts', import.meta.url).href)}
      openSqliteDatabase(${JSON.stringify(place.path)})
      process.stdout.write('held')
      process.stdin.resume()`
    const holder = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] })
    try {
      await once(holder.stdout, 'data')
      const before = await place.fingerprints()
      await rejects(
        place.backend().load(),
        /state\.db is in use by another process: stop it, or choose another data directory/,
      )
      deepEqual(await place.fingerprints(), before)
    } finally {
      const ended = once(holder, 'exit')
      holder.stdin.end()
      await ended
    }
    equal((await place.keys()).length, 200)
  })

  test('a file that another process changed while it was being opened', async () => {
    await using place = await openDirectory()
    await fill(place)
    const startThread: SqliteBackendOptions['startThread'] = (options) => {
      change(place.path, "UPDATE last_revisions SET revision = 999 WHERE storage = 'pods'")
      return startSqliteThread(options)
    }
    await rejects(place.backend({ startThread }).load(), /state\.db was changed by another process/)
  })
})

describe('SQLite backend', () => {
  test('makes files that only their owner may read, whatever the umask', async () => {
    await using place = await openDirectory()
    const before = process.umask(0)
    try {
      const directory = join(place.directory, 'made', 'data')
      const backend = place.backend({ directory })
      await backend.load()
      await backend.commit([put(1, 'a/x')])
      const names = (await readdir(directory)).sort()
      deepEqual(names, [STATE_FILE, `${STATE_FILE}-acknowledged`, `${STATE_FILE}-reserve`, `${STATE_FILE}-wal`])
      for (const name of names) equal((await stat(join(directory, name))).mode & 0o777, 0o600, name)
      equal((await stat(directory)).mode & 0o777, 0o700)
      await backend.close()
    } finally {
      process.umask(before)
    }
  })

  test('takes rights away from a file that others could read', async () => {
    await using place = await openDirectory()
    await fill(place)
    await files.setMode(place.path, 0o644)
    equal((await place.keys()).length, 200)
    equal((await stat(place.path)).mode & 0o777, 0o600)
  })

  test('fails when its thread dies, at once and from then on', async () => {
    await using place = await openDirectory()
    let thread: Worker | undefined
    // Long enough to interrupt a commit.
    const backend = place.backend({
      addedCommitMs: 60_000,
      startThread: (options) => (thread = startSqliteThread(options)),
    })
    await backend.load()
    const commit = backend.commit([put(1, 'a/x')])
    const failed = rejects(commit, /the storage thread has ended: exit code 1/)
    await thread?.terminate()
    await failed
    await rejects(backend.commit([put(2, 'a/y')]), /the storage thread has ended/)
    await backend.close()
    match((await place.keys()).join(), /^(a\/x@1)?$/, 'nobody knows whether the last commit took place')
  })

  test('does not open when its thread cannot', async () => {
    await using place = await openDirectory()
    const startThread: SqliteBackendOptions['startThread'] = (options) =>
      startSqliteThread({ ...options, path: join(place.directory, 'missing', STATE_FILE) })
    await rejects(
      place.backend({ startThread }).load(),
      /can't be opened: is the directory there, and may this user write it\?/,
    )
  })

  test('refuses commits after it was closed', async () => {
    await using place = await openDirectory()
    const backend = place.backend()
    await backend.load()
    await backend.close()
    await rejects(backend.commit([put(1, 'a/x')]), /the storage thread has ended/)
    await backend.close()
  })

  test('gives the room of deleted objects back in small steps, with commits in between', async () => {
    await using place = await openDirectory()
    const backend = place.backend()
    await backend.load()
    const large = (index: number): BackendChange =>
      put(index + 1, `a/${index}`, JSON.stringify({ text: 'x'.repeat(10_000) }))
    await backend.commit(Array.from({ length: 2000 }, (_, index) => large(index)))
    equal(await backend.compact?.(), false, 'nothing is unused yet')
    await backend.commit(
      Array.from({ length: 1990 }, (_, index): BackendChange => ({
        revision: 2001 + index,
        storage: 'pods',
        key: `a/${index}`,
        json: undefined,
      })),
    )
    const before = (await stat(place.path)).size
    let steps = 0
    let revision = 4000
    for (let again = true; again; steps++) {
      const step = backend.compact?.()
      await backend.commit([put(++revision, 'a/meanwhile')])
      again = (await step) ?? false
    }
    const after = (await stat(place.path)).size
    ok(steps > 10, `${steps} steps`)
    ok(before > 16_000_000 && after < 2_000_000, `${before} bytes became ${after}`)
    await backend.close()
    equal((await place.keys()).length, 11)
  })

  test('brings a file of the first format up to date', async () => {
    await using place = await openDirectory()
    await fill(place)
    change(place.path, 'DROP TABLE tally; PRAGMA user_version = 1; PRAGMA auto_vacuum = NONE; VACUUM')
    await rm(`${place.path}-acknowledged`)
    equal((await place.keys()).length, 200)
    const database = new DatabaseSync(place.path, { readOnly: true })
    deepEqual(
      [database.prepare('PRAGMA user_version').get(), database.prepare('PRAGMA auto_vacuum').get()].map(
        (row) => Object.values(row ?? {})[0],
      ),
      [2, 2],
    )
    database.close()
  })
})
