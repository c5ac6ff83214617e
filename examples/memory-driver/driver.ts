// A CSI driver in one file. Volumes are directories below --data; the list of them is kept in memory and lost on exit.
import { mkdir, mkdtemp, readlink, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createLogger, createSystemClock, createSystemHost, createSystemRandom, createUuid } from 'holdfast/base'
import type { Logger } from 'holdfast/base'
import { CsiError } from 'holdfast/csi'
import { chooseCapacity, defineDriver, fitsCapacity, pageOf, serve } from 'holdfast/driver-kit'
import type { CsiHandlers, Dispatcher } from 'holdfast/driver-kit'

type Volume = { id: string; name: string; sizeBytes: bigint; targets: Set<string> }

const SIZES = { defaultBytes: 1024n ** 3n, minimumBytes: 1n, maximumBytes: 1024n ** 4n }

const findLink = (path: string): Promise<string | undefined> => readlink(path).catch(() => undefined)

export function createMemoryDriver({ data, nodeId, log }: { data: string; nodeId: string; log: Logger }): Dispatcher {
  const random = createSystemRandom()
  const volumes = new Map<string, Volume>()
  const folderOf = (id: string): string => join(data, id)
  const requireVolume = (id: string): Volume => {
    const volume = volumes.get(id)
    if (!volume) throw new CsiError('NOT_FOUND', `volume ${id} does not exist`)
    return volume
  }
  const toVolume = ({ id, sizeBytes }: Volume) => ({ volumeId: id, capacityBytes: sizeBytes })

  const handlers: CsiHandlers = {
    createVolume: async ({ name, capacityRange, volumeCapabilities, volumeContentSource }) => {
      if (volumeContentSource) throw new CsiError('INVALID_ARGUMENT', 'volumes are always made empty')
      if (volumeCapabilities.some(({ accessType }) => accessType?.$case === 'block'))
        throw new CsiError('INVALID_ARGUMENT', 'no block volumes')
      // The name is the caller's key: the same name again means "did you do this?", not "do another".
      const existing = [...volumes.values()].find((volume) => volume.name === name)
      if (existing && fitsCapacity(existing.sizeBytes, capacityRange)) return { volume: toVolume(existing) }
      if (existing) throw new CsiError('ALREADY_EXISTS', `volume ${name} exists with ${existing.sizeBytes} bytes`)
      const volume = {
        id: createUuid(random),
        name,
        sizeBytes: chooseCapacity(capacityRange, SIZES),
        targets: new Set<string>(),
      }
      await mkdir(folderOf(volume.id))
      volumes.set(volume.id, volume)
      return { volume: toVolume(volume) }
    },
    deleteVolume: async ({ volumeId }) => {
      const volume = volumes.get(volumeId)
      if (!volume) return {} // Gone already is what was asked for. An id that is not ours must never reach a path.
      if (volume.targets.size > 0) throw new CsiError('FAILED_PRECONDITION', `volume ${volumeId} is in use`)
      await rm(folderOf(volumeId), { recursive: true, force: true })
      volumes.delete(volumeId)
      return {}
    },
    listVolumes: async (request) => {
      const { entries, nextToken } = pageOf(volumes.values(), ({ id }) => id, request)
      return { entries: entries.map((volume) => ({ volume: toVolume(volume) })), nextToken }
    },
    validateVolumeCapabilities: async ({ volumeId, volumeCapabilities, volumeContext, parameters }) => {
      requireVolume(volumeId)
      if (volumeCapabilities.some(({ accessType }) => accessType?.$case === 'block'))
        return { message: 'no block volumes' }
      return { confirmed: { volumeCapabilities, volumeContext, parameters } }
    },
    nodeGetInfo: async () => ({ nodeId }),
    // A real driver mounts here, and honours readonly. A link needs no privileges.
    nodePublishVolume: async ({ volumeId, targetPath }) => {
      const volume = requireVolume(volumeId)
      volume.targets.add(targetPath)
      if ((await findLink(targetPath)) !== folderOf(volumeId)) await symlink(folderOf(volumeId), targetPath)
      return {}
    },
    nodeUnpublishVolume: async ({ volumeId, targetPath }) => {
      // Only what was made here is removed; nothing there, or a volume that is gone, is what was asked for.
      if ((await findLink(targetPath)) === folderOf(volumeId)) await rm(targetPath)
      volumes.get(volumeId)?.targets.delete(targetPath)
      return {}
    },
  }
  return defineDriver({ name: 'memory.example.com', version: '1.0.0' }, { handlers, log })
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { endpoint: { type: 'string' }, data: { type: 'string' }, 'node-id': { type: 'string' } },
  })
  const { endpoint = 'unix:///tmp/memory-driver.sock', 'node-id': nodeId = 'node-1' } = values
  const data = values.data ?? (await mkdtemp(join(tmpdir(), 'memory-driver-')))
  await mkdir(data, { recursive: true })
  const clock = createSystemClock()
  const log = createLogger({ clock, format: 'text', write: (line) => process.stderr.write(line) })
  const server = createMemoryDriver({ data, nodeId, log })
  const running = await serve({
    endpoint,
    servers: [server],
    files: createSystemHost().files,
    random: createSystemRandom(),
    clock,
    log,
  })
  // Under npx one Ctrl-C arrives twice: the second must not kill what the first has begun to stop.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void running.stop())
  process.stdout.write(`ready unix://${running.path}\n`)
}
