import { join } from 'node:path'
import { getOrAdd } from '../../base/get-or-add.ts'
import { ifPresent, isHostError, makeDirectories } from '../../base/host/index.ts'
import type { DirectoryWatch, HostFiles } from '../../base/host/index.ts'
import type { Logger } from '../../base/logger.ts'
import { after, atStart, createChangeSource, defineController, on } from '../../kube/controller/index.ts'
import type { WaitStep } from '../../kube/controller/index.ts'
import { messageOf, REASONS } from './reasons.ts'
import type { RegistrationReason } from './reasons.ts'

/** A socket in one of the directories that are watched. */
export type Sighting = {
  readonly path: string
  /** Differs for another socket at the same path. */
  readonly identity: string
  /** Who answers there: a registrar, or the driver itself. */
  readonly via: 'registrar' | 'driver'
}

/** What to look for in a directory. */
export type RegistryPlace = {
  readonly directory: string
  readonly via: Sighting['via']
  /** Of the paths of sockets to take, relative to the directory. */
  readonly pattern: RegExp
}

const createScan = () => ({
  /** By path. */
  sockets: new Map<string, Sighting>(),
  /** Why a path is not a usable socket. Without hidden files. */
  ignored: new Map<string, RegistrationReason>(),
  /** Every directory that was listed. The key tells it from a new one at the same path. */
  directories: new Map<string, string>(),
})

// Limits how long a directory full of other files can keep the agent busy.
const MOST_ENTRIES = 2000
const DEEPEST = 8

/** Lists everything below the directory once. Links to sockets count as sockets; links to directories are not followed. */
async function scanPlace(
  files: HostFiles,
  { directory, via, pattern }: RegistryPlace,
  { sockets, ignored, directories }: ReturnType<typeof createScan>,
): Promise<void> {
  let entries = 0

  const look = async (path: string, depth: number): Promise<void> => {
    const stat = await files.findStat(path)
    if (stat?.kind !== 'directory') return
    directories.set(`${stat.deviceId}:${stat.inode} ${path}`, path)
    for (const { name, kind } of (await ifPresent(files.list(path))) ?? []) {
      if (name.startsWith('.')) continue
      const below = join(path, name)
      if (++entries > MOST_ENTRIES) return void ignored.set(below, REASONS.TooManyFiles(MOST_ENTRIES))
      if (kind === 'directory') {
        if (depth < DEEPEST) await look(below, depth + 1)
        else ignored.set(below, REASONS.TooManyDirectoriesDeep(DEEPEST))
      } else if (pattern.test(below.slice(directory.length + 1))) {
        await note(below)
      }
    }
  }
  const note = async (path: string): Promise<void> => {
    const own = await files.findStat(path)
    if (!own) return
    const target = own.kind === 'symlink' ? await ifPresent(files.resolve(path), 'ELOOP') : path
    const stat = target === undefined ? undefined : await files.findStat(target)
    if (!stat || stat.kind !== 'socket')
      return void ignored.set(path, REASONS.NotASocket(stat?.kind ?? 'link to nothing'))
    const { deviceId, inode, modifiedMs } = stat
    // A socket is never written, so its time is that of its creation; a new one can get the inode of an old one.
    sockets.set(path, { path, identity: `${deviceId}:${inode}:${modifiedMs}`, via })
  }
  await look(directory, 0)
}

type RegistryParts = Readonly<{ files: HostFiles; log: Logger; places: readonly RegistryPlace[]; relistMs: number }>

export type Registry = ReturnType<typeof createRegistry>

// Where the machine does not report changes.
const BLIND_RELIST_MS = 1000
const KEY = 'plugin directories'

/** The sockets of plugins. A missing directory is created; each change notification, and the clock, triggers another scan. */
export function createRegistry({ files, log, places, relistMs }: RegistryParts) {
  const watches = new Map<string, DirectoryWatch | undefined>()
  const lives = new Map<string, AbortController>()
  const changes = createChangeSource<string>()
  const hints = createChangeSource<string>()
  const looked = Promise.withResolvers<void>()
  let scan = createScan()
  let failed: string | undefined

  /** True: look again at once. */
  const look = async (signal: AbortSignal): Promise<boolean> => {
    const [before, found] = [scan, createScan()]
    for (const place of places) {
      await makeDirectories(files, place.directory, { durable: false })
      await scanPlace(files, place, found)
    }
    const isWatchNew = await follow(found.directories)
    if (signal.aborted) return false
    scan = found
    for (const [path, reason] of found.ignored)
      if (!before.ignored.has(path)) log.warn('ignoring a file that is not the socket of a plugin', { path, reason })
    for (const path of new Set([...before.sockets.keys(), ...found.sockets.keys()])) {
      if (before.sockets.get(path)?.identity === found.sockets.get(path)?.identity) continue
      lives.get(path)?.abort(new Error(`the socket ${path} was replaced`))
      lives.delete(path)
      changes.tell(path)
    }
    return isWatchNew
  }
  /** True: only another scan detects changes between the scan and a new watch. */
  const follow = async (directories: ReadonlyMap<string, string>): Promise<boolean> => {
    let isWatchNew = false
    for (const [key, watch] of watches) {
      if (directories.has(key)) continue
      watch?.close()
      watches.delete(key)
    }
    for (const [key, path] of directories) {
      if (watches.get(key)?.isOpen()) continue
      const isNew = !watches.has(key)
      const watch = await files
        .watch(path, () => hints.tell(KEY))
        .catch((error: unknown) => {
          if (!isHostError(error, 'ENOENT') && isNew)
            log.warn('failed to watch this directory: it is listed every second', { path, error })
          return undefined
        })
      watches.set(key, watch)
      isWatchNew ||= isNew || watch !== undefined
    }
    return isWatchNew
  }

  const controller = defineController<object, WaitStep | { readonly kind: 'look' }>({
    name: 'node-plugin-directories',
    watch: [atStart(KEY), on(hints, (key) => key)],
    view: () => ({}),
    decide: () => ({ kind: 'look' }),
    perform: {
      look: async (_step, { signal }) => {
        try {
          if (await look(signal)) return after(0)
          failed = undefined
        } catch (error) {
          const message = messageOf(error)
          if (message !== failed) log.error('failed to list the plugin directories', { error })
          failed = message
        }
        looked.resolve()
        const isBlind = failed !== undefined || watches.values().some((watch) => !watch?.isOpen())
        return after(isBlind ? Math.min(BLIND_RELIST_MS, relistMs) : relistMs)
      },
    },
  })
  return {
    controller,
    /** Resolves after the first look. */
    looked: looked.promise,
    /** The path of each socket that was created, removed or replaced. */
    changes,
    find: (path: string) => scan.sockets.get(path),
    all: () => [...scan.sockets.values()],
    /** Why a path is not a usable socket. */
    ignored: () => scan.ignored,
    /** Aborts when the socket at the path is removed or replaced. */
    signalOf: (path: string): AbortSignal => getOrAdd(lives, path, () => new AbortController()).signal,
    close: () => watches.values().forEach((watch) => watch?.close()),
  }
}
