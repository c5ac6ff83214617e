import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { createSystemHost } from '../../base/host/index.ts'
import { createLogger, createSilentLogger } from '../../base/logger.ts'
import { createSeededRandom, createSystemRandom } from '../../base/random.ts'
import type { Random } from '../../base/random.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { createChangeWindow } from '../core/change-window.ts'
import { ACKNOWLEDGED_FILE } from './acknowledged-file.ts'
import type { BackendChange, LoadedState } from './backend.ts'
import { RESERVE_FILE } from './disk-reserve.ts'
import { loadSqliteState, STATE_FILE } from './load-sqlite-state.ts'
import { createSqliteBackend } from './sqlite-backend.ts'
import { DamagedStateError } from './sqlite-failures.ts'

const { files } = createSystemHost()
const LOG_FILE = `${STATE_FILE}-wal`
const SAMPLES = 100
// Of the newest moment that is recorded.
const LAST_REVISION = 300
const LAST_OF_FIRST_LIFE = 29

/** The files of a data directory at one moment: what a process that is killed then leaves. */
type Snapshot = ReadonlyMap<string, Buffer>
/** What was acknowledged by then. */
type Moment = { readonly snapshot: Snapshot; readonly state: Summary }
type Summary = { readonly revision: number; readonly objects: Readonly<Record<string, string>> }

const summaryOf = ({ revision, objects }: LoadedState): Summary => ({
  revision,
  objects: Object.fromEntries(Array.from(objects, ({ storage, key, json }) => [`${storage} ${key}`, json])),
})

let place: string
let moments: Moment[]
before(async () => {
  place = await mkdtemp(join(tmpdir(), 'holdfast-damage-'))
  moments = await recordMoments(join(place, 'recorded'))
})
after(() => rm(place, { recursive: true }))
const newest = (): Moment => at(moments, moments.length - 1)
const at = <T>(list: readonly T[], index: number): T => {
  const found = list[index]
  ok(found !== undefined)
  return found
}

/** Objects of one life in the database, those of the next in its log, with changes and deletions in both. */
async function recordMoments(directory: string): Promise<Moment[]> {
  const objects: Record<string, string> = {}
  const found: Moment[] = []
  let revision = 0
  const change = (key: string, size: number): BackendChange => {
    const json = size === 0 ? undefined : JSON.stringify({ at: ++revision, text: 'x'.repeat(size) })
    if (json === undefined) delete objects[`pods ${key}`]
    else objects[`pods ${key}`] = json
    return { revision: json === undefined ? ++revision : revision, storage: 'pods', key, json }
  }
  for (const life of [0, 1]) {
    const backend = createSqliteBackend({ directory, files })
    await backend.load()
    if (life === 0) await backend.commit(Array.from({ length: 120 }, (_, index) => change(`c/${index}`, 2000)))
    for (let step = 0; step < 30; step++) {
      const kind = step % 5 === 4 ? 0 : 200 + step * 40
      await backend.commit([
        change(`a/${life}-${step}`, 700),
        change(`a/0-${step % 7}`, kind),
        change(`b/${step % 3}`, 50),
      ])
      found.push({ snapshot: await snapshotOf(directory), state: { revision, objects: { ...objects } } })
    }
    await backend.close()
  }
  return found
}

async function snapshotOf(directory: string): Promise<Snapshot> {
  const names = (await readdir(directory)).filter((name) => name !== RESERVE_FILE)
  return new Map(
    await Promise.all(
      names.map(async (name): Promise<[string, Buffer]> => [name, await readFile(join(directory, name))]),
    ),
  )
}

let directories = 0
/** A directory with these files; `undefined` leaves one out. */
async function restore(
  snapshot: Snapshot,
  changed: Readonly<Record<string, Buffer | undefined>> = {},
): Promise<string> {
  const directory = join(place, `restored-${++directories}`)
  await mkdir(directory, { mode: 0o700 })
  for (const [name, bytes] of [...snapshot, ...Object.entries(changed)]) {
    if (bytes) await writeFile(join(directory, name), bytes, { mode: 0o600 })
    else await rm(join(directory, name))
  }
  return directory
}

const load = (directory: string, acceptDataLoss = false): Promise<LoadedState> =>
  loadSqliteState({ directory, files, log: createSilentLogger(), acceptDataLoss })

/** Whether the start is refused, with every file as it was. Otherwise everything that was acknowledged is there. */
async function isRefused(
  changed: Record<string, Buffer | undefined>,
  { snapshot, state }: Moment,
  what: string,
): Promise<boolean> {
  const directory = await restore(snapshot, changed)
  const untouched = await snapshotOf(directory)
  try {
    const found = summaryOf(await load(directory))
    deepEqual(found, state, `${what}: started without everything that was acknowledged`)
    return false
  } catch (error) {
    if ((error as Error).name === 'AssertionError') throw error
    deepEqual(await snapshotOf(directory), untouched, `${what}: a refused start has changed a file`)
    return true
  } finally {
    await rm(directory, { recursive: true })
  }
}

const bytesOf = (name: string, { snapshot }: Moment = newest()): Buffer => {
  const bytes = snapshot.get(name)
  ok(bytes)
  return bytes
}

function flipped(bytes: Buffer, offset: number, random: Random): Buffer {
  const changed = Buffer.from(bytes)
  changed[offset] = (changed[offset] ?? 0) ^ (1 + random.below(255))
  return changed
}

function seeded(context: TestContext): Random {
  const seed = createSystemRandom().below(2 ** 31)
  context.diagnostic(`seed ${seed}`)
  return createSeededRandom(seed)
}

describe('damage to the files of the state never loses an acknowledged write in silence:', () => {
  for (const name of [STATE_FILE, LOG_FILE]) {
    test(`a changed byte anywhere in ${name}`, async (context) => {
      const random = seeded(context)
      const bytes = bytesOf(name)
      let refused = 0
      for (let sample = 0; sample < SAMPLES; sample++) {
        // Every other one in the first bytes of a page, where the structure is.
        const offset = random.below(bytes.length)
        const chosen = sample % 2 === 0 ? offset : Math.floor(offset / 4096) * 4096 + random.below(128)
        if (
          await isRefused(
            { [name]: flipped(bytes, Math.min(chosen, bytes.length - 1), random) },
            newest(),
            `byte ${chosen}`,
          )
        )
          refused++
      }
      context.diagnostic(`${refused} of ${SAMPLES} refused`)
      ok(refused > SAMPLES / 4)
    })

    test(`${name} cut off anywhere`, async (context) => {
      const random = seeded(context)
      const bytes = bytesOf(name)
      let refused = 0
      for (let sample = 0; sample < 40; sample++) {
        const length = random.below(bytes.length)
        if (await isRefused({ [name]: bytes.subarray(0, length) }, newest(), `cut to ${length}`)) refused++
      }
      // The last pages of a database may all be in its log as well.
      ok(refused >= (name === LOG_FILE ? 40 : 30), `${refused} refused`)
    })
  }

  const cases: [what: string, changed: () => Record<string, Buffer | undefined>, message: RegExp][] = [
    [
      'the log is missing',
      () => ({ [LOG_FILE]: undefined }),
      /state\.db does not hold every acknowledged write: revisions \d+ to 300 are missing.*state\.db-wal was damaged or removed/,
    ],
    ['the log is empty', () => ({ [LOG_FILE]: Buffer.alloc(0) }), /revisions \d+ to 300 are missing/],
    [
      'the database is empty',
      () => ({ [STATE_FILE]: Buffer.alloc(0) }),
      /state\.db is empty, but writes up to revision 300 were acknowledged/,
    ],
    [
      'the database is missing',
      () => ({ [STATE_FILE]: undefined }),
      /state\.db is missing, but writes up to revision 300 were acknowledged/,
    ],
    [
      'the database and its log are missing',
      () => ({ [STATE_FILE]: undefined, [LOG_FILE]: undefined }),
      /state\.db is missing/,
    ],
    [
      'both are an hour older',
      () => ({ [STATE_FILE]: bytesOf(STATE_FILE, at(moments, 40)), [LOG_FILE]: bytesOf(LOG_FILE, at(moments, 40)) }),
      /revisions \d+ to 300 are missing/,
    ],
    [
      'the header is lost',
      () => ({ [STATE_FILE]: Buffer.concat([Buffer.alloc(100), bytesOf(STATE_FILE).subarray(100)]) }),
      /state\.db is damaged: its header cannot be read/,
    ],
  ]
  for (const [what, changed, message] of cases) {
    test(what, async () => {
      equal(newest().state.revision, LAST_REVISION)
      ok(await isRefused(changed(), newest(), what))
      const directory = await restore(newest().snapshot, changed())
      await rejects(load(directory), (error) => {
        ok(error instanceof DamagedStateError)
        match(error.message, message)
        match(
          error.message,
          /Restore the data directory from a backup\. Without a backup, start once with --accept-data-loss/,
        )
        return true
      })
    })
  }
})

describe('a start is never refused after', () => {
  test('the process was killed, whenever that was', async () => {
    for (const moment of moments) equal(await isRefused({}, moment, 'killed'), false)
  })

  test('a power loss that kept an older record of what was acknowledged, half of one, or none', async (context) => {
    const random = seeded(context)
    for (let sample = 0; sample < SAMPLES; sample++) {
      const index = 1 + random.below(moments.length - 1)
      const [moment, earlier] = [at(moments, index), at(moments, random.below(index))]
      const [now, then] = [bytesOf(ACKNOWLEDGED_FILE, moment), bytesOf(ACKNOWLEDGED_FILE, earlier)]
      const records = [
        then,
        mixed(random, then, now),
        mixed(random, Buffer.alloc(now.length), now),
        Buffer.alloc(now.length),
        Buffer.alloc(0),
        undefined,
      ]
      equal(
        await isRefused(
          { [ACKNOWLEDGED_FILE]: records[sample % records.length] },
          moment,
          `record ${sample % records.length}`,
        ),
        false,
      )
    }
  })

  test('a power loss while a group was being written', async (context) => {
    const random = seeded(context)
    for (let sample = 0; sample < SAMPLES; sample++) {
      const index = random.below(moments.length - 1)
      const [moment, next] = [at(moments, index), at(moments, index + 1)]
      // The log of a new life is another file.
      if (index === LAST_OF_FIRST_LIFE) continue
      const torn = mixed(random, bytesOf(LOG_FILE, moment), bytesOf(LOG_FILE, next))
      const directory = await restore(moment.snapshot, { [LOG_FILE]: torn })
      const found = summaryOf(await load(directory))
      deepEqual(found, found.revision === next.state.revision ? next.state : moment.state)
      await rm(directory, { recursive: true })
    }
  })

  test('a power loss while the log was being moved into the database', async (context) => {
    const random = seeded(context)
    const [moment, next] = [at(moments, LAST_OF_FIRST_LIFE), at(moments, LAST_OF_FIRST_LIFE + 1)]
    for (let sample = 0; sample < 20; sample++) {
      equal(
        await isRefused(
          { [STATE_FILE]: mixed(random, bytesOf(STATE_FILE, moment), bytesOf(STATE_FILE, next)) },
          moment,
          'torn database',
        ),
        false,
      )
    }
  })
})

/** Sector by sector the one or the other, as a disk may leave it. */
function mixed(random: Random, one: Buffer, other: Buffer): Buffer {
  const SECTOR = 512
  const length = Math.max(one.length, other.length)
  const padded = [
    Buffer.concat([one, Buffer.alloc(length - one.length)]),
    Buffer.concat([other, Buffer.alloc(length - other.length)]),
  ]
  const sectors = Array.from({ length: Math.ceil(length / SECTOR) }, (_, index) =>
    at(padded, random.below(2)).subarray(index * SECTOR, (index + 1) * SECTOR),
  )
  return Buffer.concat(sectors)
}

describe('data loss that was accepted', () => {
  const accept = async (changed: Record<string, Buffer | undefined>) => {
    const directory = await restore(newest().snapshot, changed)
    const damaged = await snapshotOf(directory)
    const lines: string[] = []
    const log = createLogger({ clock: createSimulatedClock(), format: 'json', write: (line) => void lines.push(line) })
    const state = await loadSqliteState({ directory, files, log, acceptDataLoss: true })
    return { directory, damaged, state, logged: JSON.parse(lines.join('')) as Record<string, unknown> }
  }

  test('leaves what came before the damage, a copy of the files, and a log line that names the lost revisions', async () => {
    const middle = at(moments, 45)
    const bytes = bytesOf(LOG_FILE)
    const { directory, damaged, state, logged } = await accept({
      [LOG_FILE]: flipped(bytes, bytesOf(LOG_FILE, middle).length + 100, createSeededRandom(1)),
    })
    deepEqual(summaryOf(state).objects, middle.state.objects)
    deepEqual(await snapshotOf(join(directory, 'damaged-1')), damaged)
    deepEqual(
      [logged['acknowledgedRevision'], logged['foundRevision'], logged['lostRevisions']],
      [300, middle.state.revision, `${middle.state.revision + 1}-300`],
    )
    equal(logged['copy'], join(directory, 'damaged-1'))
  })

  test('uses no revision twice, and resumes no watch from before it', async () => {
    const { state } = await accept({ [STATE_FILE]: undefined })
    equal(state.revision, LAST_REVISION + 1)
    const window = createChangeWindow(1000, state.lastRevisions)
    for (const storage of ['pods', 'secrets']) equal(window.since(storage, LAST_REVISION), undefined)
  })

  test('loses only the objects of a damaged page', async () => {
    const bytes = Buffer.from(bytesOf(STATE_FILE))
    // The text of an object whose page is not in the log. SQLite may have left older copies of it in the file.
    const texts = Array.from({ length: 120 }, (_, index) => `{"at":${index + 1},`)
    const text = texts.find((one) => !bytesOf(LOG_FILE).includes(one) && bytes.includes(one)) ?? ''
    for (let offset = bytes.indexOf(text); offset >= 0; offset = bytes.indexOf(text, offset + 1))
      bytes[offset + 40] = 'y'.charCodeAt(0)
    const { state, logged } = await accept({ [STATE_FILE]: bytes })
    const expected = Object.keys(newest().state.objects)
    const found = Object.keys(summaryOf(state).objects)
    deepEqual(
      expected.filter((key) => !found.includes(key)),
      logged['damagedObjects'],
    )
    equal(found.length, expected.length - 1)
  })

  test('is asked for once: the next start needs nothing, and damage is noticed again', async () => {
    const { directory, state } = await accept({ [LOG_FILE]: undefined })
    const backend = createSqliteBackend({ directory, files })
    deepEqual(summaryOf(await backend.load()), summaryOf(state))
    await backend.commit([{ revision: state.revision + 1, storage: 'pods', key: 'a/new', json: '{}' }])
    await backend.close()
    equal((await load(directory)).revision, state.revision + 1)
    await writeFile(join(directory, STATE_FILE), '')
    await rejects(load(directory), /is empty, but writes up to revision 302 were acknowledged/)
    equal((await load(directory, true)).revision, LAST_REVISION + 3)
    deepEqual(
      (await readdir(directory)).filter((name) => name.startsWith('damaged-')),
      ['damaged-1', 'damaged-2'],
    )
  })

  test('is finished by the next start when a crash came in between', async () => {
    const { directory, state } = await accept({ [LOG_FILE]: undefined })
    const repaired = await readFile(join(directory, STATE_FILE))
    // As it was when the repaired file was complete, and the damaged one with its log still in place.
    const crashed = await restore(newest().snapshot, { [`${STATE_FILE}-repaired`]: repaired })
    deepEqual(summaryOf(await load(crashed)), summaryOf(state))
    deepEqual(summaryOf(await load(crashed)), summaryOf(state))
    // As it was when the repaired file was still being written: the flag is needed again.
    const early = await restore(newest().snapshot, {
      [LOG_FILE]: undefined,
      [`${STATE_FILE}-repairing`]: repaired.subarray(0, 5000),
    })
    await rejects(load(early), DamagedStateError)
    deepEqual(summaryOf(await load(early, true)), summaryOf(state))
  })

  test('changes nothing of files that are whole', async () => {
    const directory = await restore(newest().snapshot)
    const untouched = await snapshotOf(directory)
    deepEqual(summaryOf(await load(directory, true)), newest().state)
    deepEqual(await snapshotOf(directory), untouched)
  })
})
