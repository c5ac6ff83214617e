import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api, WatchEvent } from '../api/api.ts'
import { ApiError, isExpired } from '../api/api-error.ts'
import { CONFIG_MAPS } from '../api/kinds/config-map.ts'
import type { ConfigMap } from '../api/kinds/config-map.ts'
import { createSystemClock } from '../base/clock.ts'
import { createSystemHost } from '../base/host/index.ts'
import { openPrivateDirectory } from '../base/host/testing/open-private-directory.ts'
import { createSeededRandom, createSystemRandom } from '../base/random.ts'
import { connectApi, loadKubeconfig } from '../kube/index.ts'
import { configMap } from './testing/objects-under-test.ts'

const MAIN = join(import.meta.dirname, '../cli/main.ts')
const ROUNDS = 5
const WRITERS = 8
const NAMES_EACH = 4
const SHARED = 'shared'

const host = createSystemHost()
const clock = createSystemClock()
let place: Awaited<ReturnType<typeof openPrivateDirectory>>
// Processes that are still running when a test has failed.
const running = new Set<ChildProcess>()
before(async () => void (place = await openPrivateDirectory(host)))
after(async () => {
  for (const child of running) {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  await place.close()
})

/** The server as a separate process, on its real files. */
function spawnServer(data: string, ...flags: string[]) {
  const child = spawn(process.execPath, [MAIN, 'apiserver', `--data=${data}`, '--port=0', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

interface ServerProcess {
  readonly api: Api
  readonly output: () => string
  /** Without a chance to clean up. */
  kill(): Promise<void>
  stop(): Promise<number | null>
}

async function startServer(data: string, ...flags: string[]): Promise<ServerProcess> {
  const kubeconfig = join(place.directory, 'kubeconfig')
  const child = spawnServer(data, `--kubeconfig=${kubeconfig}`, ...flags)
  const exited = once(child, 'exit')
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => void (output += chunk.toString()))
  await new Promise<void>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => line.startsWith('ready https://') && resolve())
    void exited.then(([code, signal]) => reject(new Error(`the server ended with ${code ?? signal}: ${output}`)))
  })
  const credentials = await loadKubeconfig({ path: kubeconfig, parts: { host, clock, env: {} } })
  const { api, close } = connectApi({ credentials, clock, random: createSystemRandom(), userAgent: 'durability' })
  const end = (signal: NodeJS.Signals) => async (): Promise<number | null> => {
    child.kill(signal)
    const [code] = (await exited) as [number | null]
    close()
    return code
  }
  return { api, output: () => output, kill: async () => void (await end('SIGKILL')()), stop: end('SIGTERM') }
}

/** The possible states of one object that a single writer changes step by step. */
type Track = { acknowledged: string | undefined; inFlight: { value: string | undefined } | undefined }

/** Everything that was sent and answered, over all rounds. */
function createLedger() {
  const tracks = new Map<string, Track>()
  const sent = new Map<string, Set<string>>()
  const seenRevisions = new Map<number, string>()
  let highest = 0

  const trackOf = (thing: string): Track => {
    let track = tracks.get(thing)
    if (!track) tracks.set(thing, (track = { acknowledged: undefined, inFlight: undefined }))
    return track
  }
  const begin = (thing: string, value: string | undefined): void => {
    trackOf(thing).inFlight = { value }
    if (value === undefined) return
    const values = sent.get(thing) ?? new Set()
    sent.set(thing, values.add(value))
  }
  const acknowledge = (thing: string): void => {
    const track = trackOf(thing)
    track.acknowledged = track.inFlight?.value
    track.inFlight = undefined
  }
  /** A revision belongs to one state of one object, forever. */
  const sawRevision = (revision: string | undefined, state: string): void => {
    const number = Number(revision)
    const known = seenRevisions.get(number)
    ok(known === undefined || known === state, `revision ${revision} was ${known} and is ${state}`)
    seenRevisions.set(number, state)
    highest = Math.max(highest, number)
  }
  const wasSent = (thing: string, value: string): boolean => sent.get(thing)?.has(value) ?? false
  return { tracks, trackOf, begin, acknowledge, sawRevision, wasSent, highest: () => highest }
}
type Ledger = ReturnType<typeof createLedger>

const valueOf = ({ data }: ConfigMap): string => data?.['value'] ?? ''
const stateOf = (object: ConfigMap): string => `${object.metadata.name} ${JSON.stringify(object.data ?? {})}`
const at = (name: string) => ({ namespace: 'default', name })

/** Creates, changes and deletes its own objects, and its own member of the shared one, until the server is gone. */
async function runWriter(
  api: Api,
  ledger: Ledger,
  id: number,
  seed: number,
  onAcknowledged: () => void,
): Promise<void> {
  const random = createSeededRandom(seed)
  for (let step = 0; ; step++) {
    const value = `${seed}-${step}`
    const name = `w${id}-${random.below(NAMES_EACH)}`
    const exists = ledger.trackOf(name).acknowledged !== undefined
    const kind = random.below(8)
    try {
      if (kind === 0) {
        ledger.begin(`${SHARED} ${id}`, value)
        const changed = await api.patch(CONFIG_MAPS, at(SHARED), { type: 'merge', value: { data: { [id]: value } } })
        ledger.sawRevision(changed.metadata.resourceVersion, stateOf(changed))
        ledger.acknowledge(`${SHARED} ${id}`)
      } else if (exists && kind === 1) {
        ledger.begin(name, undefined)
        await api.delete(CONFIG_MAPS, at(name))
        ledger.acknowledge(name)
      } else {
        ledger.begin(name, value)
        const data = { value }
        const changed = exists
          ? await api.patch(CONFIG_MAPS, at(name), { type: 'merge', value: { data } })
          : await api.create(CONFIG_MAPS, configMap(name, {}, data))
        ledger.sawRevision(changed.metadata.resourceVersion, stateOf(changed))
        ledger.acknowledge(name)
      }
    } catch (error) {
      // No response: the write may or may not have happened. Any other error is wrong.
      if (error instanceof ApiError && error.code === 0) return
      throw error
    }
    onAcknowledged()
  }
}

/** Follows the objects across restarts like a client: from the last revision it saw, and with a new list only if the server requires it. */
function createFollower(ledger: Ledger) {
  const state = new Map<string, string>()
  let revision = ''
  let relists = 0
  let resumes = 0

  const apply = (event: WatchEvent<ConfigMap>): void => {
    if (event.type === 'BOOKMARK') return
    const { object, type } = event
    const { name = '', resourceVersion = '' } = object.metadata
    ok(Number(resourceVersion) > Number(revision), `revision ${resourceVersion} came after ${revision}`)
    revision = resourceVersion
    if (type === 'DELETED') {
      ledger.sawRevision(resourceVersion, `deleted ${name}`)
      ok(state.delete(name), `${name} was deleted, and had not been there`)
      return
    }
    equal(state.has(name), type === 'MODIFIED', `${type} ${name}`)
    ledger.sawRevision(resourceVersion, stateOf(object))
    state.set(name, stateOf(object))
  }
  const relist = async (api: Api): Promise<void> => {
    const list = await api.list(CONFIG_MAPS, { namespace: 'default' })
    state.clear()
    for (const item of list.items) state.set(item.metadata.name ?? '', stateOf(item))
    revision = list.resourceVersion
    relists++
  }
  /** Until the server is gone, or a state is reached. */
  const follow = async (api: Api, until?: () => boolean): Promise<void> => {
    if (revision === '') await relist(api)
    if (until?.()) return
    try {
      for await (const event of api.watch(CONFIG_MAPS, { namespace: 'default', resourceVersion: revision })) {
        apply(event)
        if (until?.()) return
      }
    } catch (error) {
      if (error instanceof ApiError && error.code === 0) return
      if (!isExpired(error)) throw error
      await relist(api)
      return follow(api, until)
    }
  }
  return {
    state,
    follow,
    resumed: () => void resumes++,
    counts: () => ({ relists, resumes }),
    revision: () => revision,
  }
}

/** The current state is the last acknowledged one, or the one in flight when the server was killed. */
function checkState(ledger: Ledger, items: readonly ConfigMap[]): void {
  const found = new Map(items.map((item) => [item.metadata.name ?? '', item]))
  for (const [thing, track] of ledger.tracks) {
    const [name = '', member] = thing.split(' ')
    const object = found.get(name)
    const value = member === undefined ? object && valueOf(object) : object?.data?.[member]
    const allowed = [track.acknowledged, ...(track.inFlight ? [track.inFlight.value] : [])]
    ok(
      allowed.includes(value),
      `${thing} is ${value}, acknowledged was ${track.acknowledged}, on its way ${track.inFlight?.value}`,
    )
    track.acknowledged = value
    track.inFlight = undefined
  }
  for (const [name, object] of found) {
    if (name === 'kube-root-ca.crt' || name === SHARED) continue
    ok(ledger.wasSent(name, valueOf(object)), `nobody sent ${name} with ${valueOf(object)}`)
  }
}

describe('a server that is killed', () => {
  test('loses nothing that it has acknowledged, invents nothing, and never uses a revision twice', async (context: TestContext) => {
    const seed = createSystemRandom().below(2 ** 31)
    context.diagnostic(`seed ${seed}`)
    const random = createSeededRandom(seed)
    const data = join(place.directory, 'killed')
    const ledger = createLedger()
    const follower = createFollower(ledger)
    let acknowledged = 0
    let total = 0

    let server = await startServer(data)
    await server.api.create(CONFIG_MAPS, configMap(SHARED))
    for (let round = 0; round < ROUNDS; round++) {
      const { api } = server
      // The watcher must first have seen everything, otherwise there would be nothing to compare.
      const killAfter = 50 + random.below(400)
      acknowledged = 0
      const enough = Promise.withResolvers<void>()
      const onAcknowledged = (): void => {
        total++
        if (++acknowledged === killAfter) enough.resolve()
      }
      const following = follower.follow(api)
      const writers = Array.from({ length: WRITERS }, (_, id) =>
        runWriter(api, ledger, id, random.below(2 ** 31), onAcknowledged),
      )
      await Promise.race([enough.promise, Promise.all(writers)])
      await server.kill()
      await Promise.all([...writers, following])

      server = await startServer(data)
      const list = await server.api.list(CONFIG_MAPS, { namespace: 'default' })
      ok(
        Number(list.resourceVersion) >= ledger.highest(),
        `the server is at ${list.resourceVersion}, and was at ${ledger.highest()}`,
      )
      checkState(ledger, list.items)
      for (const item of list.items) ledger.sawRevision(item.metadata.resourceVersion, stateOf(item))

      // A mark that the follower must reach, from wherever it was.
      const before = follower.counts().relists
      const mark = await server.api.patch(CONFIG_MAPS, at(SHARED), {
        type: 'merge',
        value: { data: { mark: String(round) } },
      })
      ok(Number(mark.metadata.resourceVersion) > Number(list.resourceVersion))
      await follower.follow(server.api, () => Number(follower.revision()) >= Number(mark.metadata.resourceVersion))
      if (follower.counts().relists === before) follower.resumed()
      const now = await server.api.list(CONFIG_MAPS, { namespace: 'default' })
      deepEqual(new Map(now.items.map((item) => [item.metadata.name, stateOf(item)])), new Map(follower.state))
    }
    // A watcher that had seen the last change continues without a relist.
    await server.kill()
    server = await startServer(data)
    const { relists } = follower.counts()
    const mark = await server.api.patch(CONFIG_MAPS, at(SHARED), { type: 'merge', value: { data: { mark: 'last' } } })
    await follower.follow(server.api, () => Number(follower.revision()) >= Number(mark.metadata.resourceVersion))
    equal(follower.counts().relists, relists)
    equal(await server.stop(), 0)
    context.diagnostic(
      `${total} writes acknowledged in ${ROUNDS} rounds; the watch was resumed ${follower.counts().resumes} times, begun anew ${follower.counts().relists - 1} times`,
    )
  })

  test('can be killed while it starts', async () => {
    const data = join(place.directory, 'starting')
    const first = await startServer(data)
    await first.api.create(CONFIG_MAPS, configMap('kept', {}, { value: '1' }))
    await first.kill()
    for (const touches of [1, 2, 4]) {
      const watcher = watch(data)
      const child = spawnServer(data)
      child.stderr.resume()
      // After this many file operations; at the latest when the server is ready.
      let left = touches
      watcher.on('change', () => --left === 0 && child.kill('SIGKILL'))
      child.stdout.on('data', () => child.kill('SIGKILL'))
      await once(child, 'exit')
      watcher.close()
    }
    const last = await startServer(data)
    equal(valueOf(await last.api.get(CONFIG_MAPS, at('kept'))), '1')
    equal(await last.stop(), 0)
  })

  test('keeps others out of its data while it lives, and nobody afterwards', async () => {
    const data = join(place.directory, 'held')
    const first = await startServer(data)
    await rejects(startServer(data), /in use by another/)
    await first.kill()
    equal(await (await startServer(data)).stop(), 0)
  })
})

describe('a server whose log was damaged', () => {
  test('does not start, and with --accept-data-loss starts with what came before the damage', async () => {
    const data = join(place.directory, 'damaged')
    const first = await startServer(data)
    for (let index = 0; index < 20; index++) await first.api.create(CONFIG_MAPS, configMap(`c-${index}`))
    await first.kill()
    const log = join(data, 'state.db-wal')
    const bytes = await readFile(log)
    bytes[bytes.length - 20_000] = (bytes[bytes.length - 20_000] ?? 0) ^ 1
    await writeFile(log, bytes)
    await rejects(
      startServer(data),
      /state\.db does not hold every acknowledged write: revisions? \d+ .*Restore the data directory from a backup\. Without a backup, start once with --accept-data-loss/,
    )
    await rejects(startServer(data), /missing/)

    const second = await startServer(data, '--accept-data-loss')
    const { items } = await second.api.list(CONFIG_MAPS, {
      namespace: 'default',
      fieldSelector: 'metadata.name!=kube-root-ca.crt',
    })
    ok(items.length > 0 && items.length < 20, `${items.length} are left`)
    ok(/data loss was accepted.*lostRevisions/.test(second.output()), second.output())
    await second.api.create(CONFIG_MAPS, configMap('after'))
    equal(await second.stop(), 0)
    equal(await (await startServer(data)).stop(), 0)
  })
})

describe('a server whose disk is full', () => {
  const large = (name: string): ConfigMap => configMap(name, {}, { value: name, text: 'x'.repeat(100_000) })

  test('refuses writes with a Status, reads on, and writes again when there is room', async (context: TestContext) => {
    const run = (command: string, ...args: string[]) => host.processes.run(command, args)
    const data = join(place.directory, 'full')
    await host.files.makeDirectory(data, 0o700)
    const mounted =
      (await host.mounts.available()) &&
      (await run('mount', '-t', 'tmpfs', '-o', 'size=6m,mode=0700', 'holdfast-test', data)).exitCode === 0
    if (!mounted) return context.skip('this user may not mount a small file system')
    try {
      const server = await startServer(data)
      const { api } = server
      const stored: string[] = []
      let failure: unknown
      for (let index = 0; failure === undefined; index++) {
        ok(index < 1000, 'the disk never became full')
        await api.create(CONFIG_MAPS, large(`large-${index}`)).then(
          () => stored.push(`large-${index}`),
          (error: unknown) => void (failure = error),
        )
      }
      const checkFailure = (error: unknown): true => {
        ok(error instanceof ApiError)
        deepEqual([error.code, error.reason], [507, 'InsufficientStorage'])
        ok(
          error.message.startsWith(
            'no space left on device: the disk of the API server is full. Delete objects or free disk space.',
          ),
          error.message,
        )
        return true
      }
      checkFailure(failure)
      ok(stored.length > 10)

      const watch = api
        .watch(CONFIG_MAPS, { namespace: 'default', fieldSelector: 'metadata.name=after' })
        [Symbol.asyncIterator]()
      const firstEvent = watch.next()
      await Promise.all(
        Array.from({ length: 5 }, (_, index) =>
          rejects(api.create(CONFIG_MAPS, large(`refused-${index}`)), checkFailure),
        ),
      )
      const names = (
        await api.list(CONFIG_MAPS, { namespace: 'default', fieldSelector: 'metadata.name!=kube-root-ca.crt' })
      ).items.map(({ metadata }) => metadata.name)
      deepEqual(names, stored.toSorted())
      equal(valueOf(await api.get(CONFIG_MAPS, at('large-0'))), 'large-0')

      equal((await run('mount', '-o', 'remount,size=32m', data)).exitCode, 0)
      await api.create(CONFIG_MAPS, configMap('after'))
      const event = (await firstEvent).value
      ok(event?.type === 'ADDED' && event.object.metadata.name === 'after')
      await watch.return?.()
      await server.kill()

      const again = await startServer(data)
      const { items } = await again.api.list(CONFIG_MAPS, {
        namespace: 'default',
        fieldSelector: 'metadata.name!=kube-root-ca.crt',
      })
      deepEqual(
        items.map(({ metadata }) => metadata.name),
        ['after', ...stored].toSorted(),
      )
      equal(await again.stop(), 0)
    } finally {
      await run('umount', data)
    }
  })

  test('takes deletions, starts again, and takes new objects once enough were deleted', async (context: TestContext) => {
    const run = (command: string, ...args: string[]) => host.processes.run(command, args)
    const data = join(place.directory, 'filled')
    await host.files.makeDirectory(data, 0o700)
    const mounted =
      (await host.mounts.available()) &&
      (await run('mount', '-t', 'tmpfs', '-o', 'size=24m,mode=0700', 'holdfast-test', data)).exitCode === 0
    if (!mounted) return context.skip('this user may not mount a small file system')
    try {
      let server = await startServer(data)
      const names: string[] = []
      for (let failure: unknown; failure === undefined;) {
        const name = `large-${names.length}`
        await server.api.create(CONFIG_MAPS, large(name)).then(
          () => names.push(name),
          (error: unknown) => void (failure = error),
        )
      }
      // The rest of the disk is used by others: only the reserve is left.
      const fill = async (): Promise<void> =>
        void (await run('dd', 'if=/dev/zero', `of=${join(data, 'others')}`, 'bs=4096'))
      await fill()
      const isFull = (error: unknown): boolean => error instanceof ApiError && error.code === 507
      await server.api.patch(CONFIG_MAPS, at('large-0'), {
        type: 'merge',
        value: { metadata: { finalizers: ['example.com/held'] } },
      })
      await server.api.delete(CONFIG_MAPS, at('large-0'))
      await server.api.patch(CONFIG_MAPS, at('large-0'), { type: 'merge', value: { metadata: { finalizers: null } } })
      await server.api.delete(CONFIG_MAPS, at('large-1'))
      await rejects(server.api.create(CONFIG_MAPS, large('refused')), isFull)
      await rejects(
        server.api.patch(CONFIG_MAPS, at('large-2'), { type: 'merge', value: { data: { more: 'x'.repeat(10_000) } } }),
        isFull,
      )

      await server.kill()
      await fill()
      server = await startServer(data)
      const { items } = await server.api.list(CONFIG_MAPS, {
        namespace: 'default',
        fieldSelector: 'metadata.name!=kube-root-ca.crt',
      })
      deepEqual(
        items.map(({ metadata }) => metadata.name),
        names.slice(2).toSorted(),
      )
      await rejects(server.api.create(CONFIG_MAPS, large('refused')), isFull)
      for (const name of names.slice(2)) await server.api.delete(CONFIG_MAPS, at(name))
      await host.files.removeFile(join(data, 'others'))
      await server.api.create(CONFIG_MAPS, large('after'))
      equal(await server.stop(), 0)
    } finally {
      await run('umount', data)
    }
  })

  test('says that its file system is read-only', async (context: TestContext) => {
    const run = (command: string, ...args: string[]) => host.processes.run(command, args)
    const data = join(place.directory, 'read-only')
    await host.files.makeDirectory(data, 0o700)
    const mounted =
      (await host.mounts.available()) &&
      (await run('mount', '-t', 'tmpfs', '-o', 'size=64m,mode=0700', 'holdfast-test', data)).exitCode === 0
    if (!mounted) return context.skip('this user may not mount a small file system')
    try {
      equal(await (await startServer(data)).stop(), 0)
      equal((await run('mount', '-o', 'remount,ro', data)).exitCode, 0)
      await rejects(
        startServer(data),
        /read-only\/state\.db-acknowledged cannot be written: the file system is read-only\. Mount it read-write/,
      )
    } finally {
      await run('umount', data)
    }
  })
})
