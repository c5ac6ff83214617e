import type { Clock, Timer } from '../../base/clock.ts'
import { isHostError, makeDirectories } from '../../base/host/index.ts'
import type { DirectoryWatch, HostFiles } from '../../base/host/index.ts'
import type { Logger } from '../../base/logger.ts'
import { scanRegistry } from './scan-registry.ts'
import type { IgnoredFile, RegistryPlace, Sighting } from './scan-registry.ts'

export type RegistryWatchParts = {
  files: HostFiles
  clock: Clock
  log: Logger
  places: readonly RegistryPlace[]
  relistMs: number
  /** Called with the path of each socket that was created, removed or replaced. */
  onChange(path: string): void
}

// Where the machine does not report changes.
const BLIND_RELIST_MS = 1000

/** Resolves after the first look. A missing directory is created; each hint, and the clock, leads to another look at everything. */
export async function startRegistryWatch({ files, clock, log, places, relistMs, onChange }: RegistryWatchParts) {
  const watches = new Map<string, { watch: DirectoryWatch | undefined; identity: string }>()
  let sockets = new Map<string, Sighting>()
  let ignored: readonly IgnoredFile[] = []
  let timer: Timer | undefined
  let running: Promise<void> | undefined
  let isWanted = false
  let isStopped = false
  let failed: string | undefined

  // One look at a time; any hint during one leads to one more.
  const look = (): void => {
    if (isStopped) return
    isWanted = true
    running ??= run().finally(() => void (running = undefined))
  }
  const run = async (): Promise<void> => {
    while (isWanted && !isStopped) {
      isWanted = false
      timer?.cancel()
      try {
        await lookOnce()
        failed = undefined
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        if (message !== failed) log.error('failed to list the plugin directories', { error })
        failed = message
      }
      if (isStopped) return
      const isBlind = failed !== undefined || watches.values().some(({ watch }) => !watch?.isOpen())
      timer = clock.setTimer(isBlind ? Math.min(BLIND_RELIST_MS, relistMs) : relistMs, look)
    }
  }
  const lookOnce = async (): Promise<void> => {
    const found = new Map<string, Sighting>()
    const others: IgnoredFile[] = []
    const directories = new Map<string, string>()
    for (const place of places) {
      await makeDirectories(files, place.directory, { durable: false })
      const scan = await scanRegistry(files, place)
      for (const socket of scan.sockets) found.set(socket.path, socket)
      others.push(...scan.ignored)
      for (const [path, identity] of scan.directories) directories.set(path, identity)
    }
    await follow(directories)
    if (isStopped) return
    take(found, others)
  }
  const take = (found: Map<string, Sighting>, others: readonly IgnoredFile[]): void => {
    const before = sockets
    const known = new Set(ignored.map(({ path }) => path))
    sockets = found
    ignored = others
    for (const { path, reason } of others)
      if (!known.has(path)) log.warn('ignoring a file that is not the socket of a plugin', { path, reason })
    for (const path of new Set([...before.keys(), ...found.keys()])) {
      if (before.get(path)?.identity !== found.get(path)?.identity) onChange(path)
    }
  }
  /** One more look sees what changed between the look and the new watch. */
  const follow = async (directories: ReadonlyMap<string, string>): Promise<void> => {
    for (const [path, { watch, identity }] of watches) {
      // The time of a directory changes with its entries, its inode does not.
      if (numberOf(directories.get(path)) === numberOf(identity)) continue
      watch?.close()
      watches.delete(path)
    }
    for (const [path, identity] of directories) {
      if (watches.get(path)?.watch?.isOpen()) continue
      const watch = await openWatch(path)
      if (isStopped) return watch?.close()
      const isNew = !watches.has(path)
      watches.set(path, { watch, identity })
      if (watch || isNew) isWanted = true
    }
  }
  const openWatch = async (path: string): Promise<DirectoryWatch | undefined> => {
    try {
      return await files.watch(path, look)
    } catch (error) {
      if (!isHostError(error, 'ENOENT') && !watches.has(path))
        log.warn('failed to watch this directory: it is listed every second', { path, error })
      return undefined
    }
  }

  look()
  await running
  const stop = async (): Promise<void> => {
    isStopped = true
    timer?.cancel()
    await running
    for (const { watch } of watches.values()) watch?.close()
  }
  return {
    find: (path: string) => sockets.get(path),
    all: () => [...sockets.values()],
    ignored: () => ignored,
    isIdle: () => running === undefined,
    stop,
  }
}

const numberOf = (identity: string | undefined): string | undefined => identity?.split(':').slice(0, 2).join(':')
