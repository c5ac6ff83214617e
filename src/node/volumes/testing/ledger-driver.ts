import { dirname } from 'node:path'
import type { Clock } from '../../../base/clock.ts'
import { makeDirectories } from '../../../base/host/index.ts'
import type { Host } from '../../../base/host/index.ts'
import { createSilentLogger } from '../../../base/logger.ts'
import type { Connection } from '../../../csi/connect.ts'
import { VolumeHealthErrorType, VolumeUsage_Unit as Unit } from '../../../csi/generated/csi/v1/csi.ts'
import type {
  NodePublishVolumeRequest,
  NodeStageVolumeRequest,
  VolumeUsage,
} from '../../../csi/generated/csi/v1/csi.ts'
import { CsiError, joinDriver } from '../../../csi/index.ts'
import type { Driver } from '../../../csi/index.ts'
import { defineDriver } from '../../../csi/kit/index.ts'
import type { CsiHandlers } from '../../../csi/kit/index.ts'
import type { DriverStore, RegisteredDriver } from '../../registration/index.ts'

// A driver for tests: it mounts on the simulated machine, keeps a ledger, and rejects calls in a wrong order.

export const DRIVER = 'ledger.example.com'

export type LedgerFeatures = {
  stage?: boolean
  expand?: boolean
  mountGroup?: boolean
  singleNodeMultiWriter?: boolean
  /** Reports the usage. */
  stats?: boolean
  /** Reports the condition with it, as drivers did up to CSI 1.12. */
  condition?: boolean
  /** Reports the health, as drivers do since CSI 1.13. */
  health?: boolean
}

export type Ledger = {
  readonly calls: string[]
  /** What its caller did wrong. */
  readonly violations: string[]
  readonly stageRequests: NodeStageVolumeRequest[]
  readonly publishRequests: NodePublishVolumeRequest[]
  /** Path by volume. */
  readonly staged: Map<string, string>
  /** Volume by path. */
  readonly published: Map<string, string>
  /** Runs before the driver itself: throws, waits, or lets it continue. `RPC volume`. */
  before: (call: string, request: object) => Promise<void> | void
  /** Runs when the work is done and before the response is sent. */
  after: (call: string) => Promise<void> | void
  /** Whether NodePublishVolume only creates the target. */
  publishesNothing: boolean
  /** What it answers to NodeGetVolumeStats. */
  usage: VolumeUsage[]
  /** What is wrong with a volume, by its handle. */
  readonly problems: Map<string, string>
  /** The attached volumes; undefined if this is not checked. */
  attached: Set<string> | undefined
  driver(clock: Clock): Driver
}

export function createLedger(host: Host, features: LedgerFeatures = {}): Ledger {
  const { stage = true, expand = false, mountGroup = false, singleNodeMultiWriter = false } = features
  const { stats = false, condition = false, health = false } = features
  const { files, mounts } = host
  const ledger: Ledger = {
    calls: [],
    violations: [],
    stageRequests: [],
    publishRequests: [],
    staged: new Map(),
    published: new Map(),
    before: () => {},
    after: () => {},
    publishesNothing: false,
    usage: [
      { unit: Unit.BYTES, total: 1000n, available: 600n, used: 400n },
      { unit: Unit.INODES, total: 100n, available: 90n, used: 10n },
    ],
    problems: new Map(),
    attached: undefined,
    driver: (clock) => watchOverlap(joinDriver(server, { clock }), ledger.violations),
  }
  const isMounted = async (path: string): Promise<boolean> =>
    (await mounts.list()).some(({ target }) => target === path)
  const content = async (volumeId: string): Promise<string> => {
    const path = `/content/${volumeId}`
    await makeDirectories(files, path)
    return path
  }
  const call = async (rpc: string, volumeId: string, request: object, act: () => Promise<void>): Promise<object> => {
    ledger.calls.push(`${rpc} ${volumeId}`)
    await ledger.before(`${rpc} ${volumeId}`, request)
    await act()
    await ledger.after(`${rpc} ${volumeId}`)
    return {}
  }
  const demand = (holds: boolean, otherwise: string): void => {
    if (holds) return
    ledger.violations.push(otherwise)
    throw new CsiError('INTERNAL', otherwise)
  }
  const requireAttached = (volumeId: string): void => {
    if (ledger.attached && !ledger.attached.has(volumeId))
      throw new CsiError('FAILED_PRECONDITION', `volume ${volumeId} is not attached`)
  }
  const handlers: CsiHandlers = {
    nodeGetInfo: () => Promise.resolve({ nodeId: 'id-1' }),
    ...(stage
      ? {
          nodeStageVolume: (request) =>
            call('stage', request.volumeId, request, async () => {
              ledger.stageRequests.push(request)
              requireAttached(request.volumeId)
              const path = request.stagingTargetPath
              demand((await files.findStat(path))?.kind === 'directory', `${path} has to be there`)
              ledger.staged.set(request.volumeId, path)
              if (request.volumeCapability?.accessType?.$case === 'mount' && !(await isMounted(path)))
                await mounts.bind(await content(request.volumeId), path, { readOnly: false })
            }),
          nodeUnstageVolume: ({ volumeId, stagingTargetPath: path }) =>
            call('unstage', volumeId, {}, async () => {
              const users = [...ledger.published].filter(([, volume]) => volume === volumeId).map(([target]) => target)
              demand(users.length === 0, `${volumeId} is unstaged while it is published at ${users.join(', ')}`)
              if (await isMounted(path)) await mounts.unmount(path)
              ledger.staged.delete(volumeId)
            }),
        }
      : {}),
    nodePublishVolume: (request) =>
      call('publish', request.volumeId, request, async () => {
        const { volumeId, targetPath: target, stagingTargetPath, volumeContext, readonly } = request
        ledger.publishRequests.push(request)
        const isEphemeral = volumeContext['csi.storage.k8s.io/ephemeral'] === 'true'
        if (!isEphemeral) requireAttached(volumeId)
        if (stage && !isEphemeral)
          demand(ledger.staged.get(volumeId) === stagingTargetPath, `${volumeId} is published before it is staged`)
        demand((await files.findStat(dirname(target)))?.kind === 'directory', `${dirname(target)} has to be there`)
        ledger.published.set(target, volumeId)
        if (await isMounted(target)) return
        if (request.volumeCapability?.accessType?.$case === 'block') {
          if (!(await files.findStat(target))) await files.makeSymlink('/dev/ledger', target)
          return
        }
        if (!(await files.findStat(target))) await files.makeDirectory(target)
        if (ledger.publishesNothing) return
        await mounts.bind(await content(volumeId), target, { readOnly: readonly })
      }),
    nodeUnpublishVolume: ({ volumeId, targetPath: target }) =>
      call('unpublish', volumeId, {}, async () => {
        if (await isMounted(target)) await mounts.unmount(target)
        const kind = (await files.findStat(target))?.kind
        if (kind === 'directory') await files.removeDirectory(target)
        else if (kind) await files.removeFile(target)
        ledger.published.delete(target)
      }),
    ...(stats
      ? {
          nodeGetVolumeStats: async (request) => {
            const { volumeId, volumePath } = request
            await call('stats', volumeId, request, () => Promise.resolve())
            // It may have been unpublished since the call was made.
            if (ledger.published.get(volumePath) !== volumeId)
              throw new CsiError('NOT_FOUND', `${volumeId} is not published at ${volumePath}`)
            const message = ledger.problems.get(volumeId) ?? ''
            const volumeCondition = condition ? { abnormal: message !== '', message } : undefined
            return { usage: ledger.usage, volumeCondition }
          },
        }
      : {}),
    ...(health
      ? {
          nodeGetVolumeHealth: async (request) => {
            const { volumeId } = request
            await call('health', volumeId, request, () => Promise.resolve())
            const message = ledger.problems.get(volumeId)
            const status = { status: VolumeHealthErrorType.DEGRADED, reason: 'DiskWorn', message: message ?? '' }
            return { volumeHealth: { volumeId, healthStatuses: message === undefined ? [] : [status] } }
          },
        }
      : {}),
    ...(expand
      ? { nodeExpandVolume: (request) => call('expand', request.volumeId, request, () => Promise.resolve()) }
      : {}),
  }
  const server = defineDriver(
    {
      name: DRIVER,
      version: '1',
      features: {
        ...(mountGroup ? { volumeMountGroup: true } : {}),
        ...(singleNodeMultiWriter ? { singleNodeMultiWriter: true } : {}),
        ...(condition ? { volumeCondition: true } : {}),
      },
    },
    { handlers, log: createSilentLogger() },
  )
  return ledger
}

/** At most one call at a time for a volume and a place. */
function watchOverlap(driver: Driver, violations: string[]): Driver {
  const busy = new Set<string>()
  const once =
    <R extends { volumeId?: string; targetPath?: string; stagingTargetPath?: string }, A>(
      call: (request: R, options?: object) => Promise<A>,
      isTarget: boolean,
    ) =>
    async (request: R, options?: object): Promise<A> => {
      const id = `${request.volumeId} ${isTarget ? request.targetPath : request.stagingTargetPath}`
      if (busy.has(id)) violations.push(`two calls at once for ${id}`)
      busy.add(id)
      try {
        return await call(request, options)
      } finally {
        busy.delete(id)
      }
    }
  return {
    ...driver,
    nodeStageVolume: once(driver.nodeStageVolume, false),
    nodeUnstageVolume: once(driver.nodeUnstageVolume, false),
    nodePublishVolume: once(driver.nodePublishVolume, true),
    nodeUnpublishVolume: once(driver.nodeUnpublishVolume, true),
  }
}

export type TestDriverStore = Pick<DriverStore, 'find' | 'onChange'> & {
  register(name: string, driver: Driver, more?: Partial<RegisteredDriver>): void
  unregister(name: string): void
}

export function createTestDriverStore(): TestDriverStore {
  const drivers = new Map<string, RegisteredDriver>()
  const listeners = new Set<Parameters<DriverStore['onChange']>[0]>()
  const tell = (name: string): void => listeners.forEach((listener) => listener(name, drivers.get(name)))
  const connection = { state: () => ({ kind: 'ready', times: 1 }) } as unknown as Connection
  return {
    find: (name) => drivers.get(name),
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    register: (name, driver, more = {}) => {
      drivers.set(name, {
        name,
        endpoint: '/csi.sock',
        driver,
        connection,
        version: [1, 0, 0],
        requiresPublishPod: false,
        facts: undefined,
        ...more,
      })
      tell(name)
    },
    unregister: (name) => {
      drivers.delete(name)
      tell(name)
    },
  }
}
