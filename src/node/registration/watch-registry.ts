import { join } from 'node:path'
import { getOrAdd } from '../../base/get-or-add.ts'
import { ifPresent, isHostError, makeDirectories } from '../../base/host/index.ts'
import type { DirectoryWatch, FileStat, HostFiles } from '../../base/host/index.ts'
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

/** What is not a socket to talk to. */
export type IgnoredFile = { readonly path: string; readonly reason: RegistrationReason }

/** What to look for in a directory. */
export type RegistryPlace = {
  readonly directory: string
  readonly via: Sighting['via']
  /** Of the paths of sockets to take, relative to the directory. */
  readonly pattern: RegExp
}

/** By path. */
type RegistryScan = {
  readonly sockets: Map<string, Sighting>
  /** Without hidden files. */
  readonly ignored: IgnoredFile[]
  /** Every directory that was listed, with the identity that tells it from a new one at the same path. */
  readonly directories: Map<string, string>
}

// Limits how long a directory full of other files can keep the agent busy.
const MOST_ENTRIES = 2000
const DEEPEST = 8

/** Lists everything below the directory once. Links to sockets count as sockets; links to directories are not followed. */
async function scanPlace(
  files: HostFiles,
  { directory, via, pattern }: RegistryPlace,
  { sockets, ignored, directories }: RegistryScan,
): Promise<void> {
  let entries = 0

  const look = async (path: string, depth: number): Promise<void> => {
    const stat = await files.findStat(path)
    if (stat?.kind !== 'directory') return
    directories.set(path, identityOf(stat))
    for (const { name, kind } of (await ifPresent(files.list(path))) ?? []) {
      if (name.startsWith('.')) continue
      const below = join(path, name)
      if (++entries > MOST_ENTRIES)
        return void ignored.push({ path: below, reason: REASONS.tooManyFiles(MOST_ENTRIES) })
      if (kind === 'directory') {
        if (depth < DEEPEST) await look(below, depth + 1)
        else ignored.push({ path: below, reason: REASONS.tooDeep(DEEPEST) })
      } else if (pattern.test(below.slice(directory.length + 1))) {
        await note(below)
      }
    }
  }
  const note = async (path: string): Promise<void> => {
    const stat = await statOfTarget(files, path)
    if (stat === 'gone') return
    if (stat?.kind === 'socket') sockets.set(path, { path, identity: identityOf(stat), via })
    else ignored.push({ path, reason: REASONS.notASocket(stat?.kind ?? 'link to nothing') })
  }
  await look(directory, 0)
}

// A socket is never written, so its time is that of its creation; a new one can get the inode of an old one.
const identityOf = ({ deviceId, inode, modifiedMs }: FileStat): string => `${deviceId}:${inode}:${modifiedMs}`

/** Undefined for a link that leads nowhere. */
async function statOfTarget(files: HostFiles, path: string): Promise<FileStat | 'gone' | undefined> {
  const stat = await files.findStat(path)
  if (stat?.kind !== 'symlink') return stat ?? 'gone'
  const target = await ifPresent(files.resolve(path), 'ELOOP')
  return target === undefined ? undefined : files.findStat(target)
}

export type RegistryParts = {
  readonly files: HostFiles
  readonly log: Logger
  readonly places: readonly RegistryPlace[]
  readonly relistMs: number
}

export type Registry = ReturnType<typeof createRegistry>

// Where the machine does not report changes.
const BLIND_RELIST_MS = 1000
const KEY = 'plugin directories'

/** The sockets of plugins. A missing directory is created; each hint, and the clock, leads to another look at everything. */
export function createRegistry({ files, log, places, relistMs }: RegistryParts) {
  const watches = new Map<string, { watch: DirectoryWatch | undefined; identity: string }>()
  const lives = new Map<string, AbortController>()
  const changes = createChangeSource<string>()
  const hints = createChangeSource<string>()
  const looked = Promise.withResolvers<void>()
  let scan: RegistryScan = { sockets: new Map(), ignored: [], directories: new Map() }
  let failed: string | undefined

  /** True: look again at once. */
  const look = async (signal: AbortSignal): Promise<boolean> => {
    const found: RegistryScan = { sockets: new Map(), ignored: [], directories: new Map() }
    for (const place of places) {
      await makeDirectories(files, place.directory, { durable: false })
      await scanPlace(files, place, found)
    }
    const isWatchNew = await follow(found.directories, signal)
    if (signal.aborted) return false
    const before = scan
    const known = new Set(before.ignored.map(({ path }) => path))
    scan = found
    for (const { path, reason } of found.ignored)
      if (!known.has(path)) log.warn('ignoring a file that is not the socket of a plugin', { path, reason })
    for (const path of new Set([...before.sockets.keys(), ...found.sockets.keys()])) {
      if (before.sockets.get(path)?.identity === found.sockets.get(path)?.identity) continue
      lives.get(path)?.abort(new Error(`the socket ${path} was replaced`))
      lives.delete(path)
      changes.tell(path)
    }
    return isWatchNew
  }
  /** True: only one more look sees what changed between the look and a new watch. */
  const follow = async (directories: ReadonlyMap<string, string>, signal: AbortSignal): Promise<boolean> => {
    let isWatchNew = false
    for (const [path, { watch, identity }] of watches) {
      // The time of a directory changes with its entries, its inode does not.
      if (numberOf(directories.get(path)) === numberOf(identity)) continue
      watch?.close()
      watches.delete(path)
    }
    for (const [path, identity] of directories) {
      if (watches.get(path)?.watch?.isOpen()) continue
      const watch = await openWatch(path)
      isWatchNew ||= watch !== undefined || !watches.has(path)
      watches.set(path, { watch, identity })
      if (signal.aborted) break
    }
    return isWatchNew
  }
  const openWatch = async (path: string): Promise<DirectoryWatch | undefined> => {
    try {
      return await files.watch(path, () => hints.tell(KEY))
    } catch (error) {
      if (!isHostError(error, 'ENOENT') && !watches.has(path))
        log.warn('failed to watch this directory: it is listed every second', { path, error })
      return undefined
    }
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
        const isBlind = failed !== undefined || watches.values().some(({ watch }) => !watch?.isOpen())
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
    ignored: (): readonly IgnoredFile[] => scan.ignored,
    /** Aborts when the socket at the path is removed or replaced. */
    signalOf: (path: string) => getOrAdd(lives, path, () => new AbortController()).signal,
    close: () => watches.values().forEach(({ watch }) => watch?.close()),
  }
}

const numberOf = (identity: string | undefined): string | undefined => identity?.split(':').slice(0, 2).join(':')
