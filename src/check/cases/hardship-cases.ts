import { join } from 'node:path'
import { sleep } from '../../base/clock.ts'
import { isCsiError } from '../../csi/index.ts'
import type { Case } from '../case.ts'
import type { CaseContext } from '../case-context.ts'
import { countMounts, readText, writeText } from '../look-at-path.ts'
import { createVolume, publish, releaseVolume, unpublish, useVolume, volumeRequest } from '../volume-steps.ts'

const CREATE = ['controller:CREATE_DELETE_VOLUME'] as const
const NODE = [...CREATE, 'node'] as const
const IDEMPOTENT =
  'This operation MUST be idempotent. If a volume corresponding to the specified volume `name` already exists'
const RETRY =
  'Idempotency requirements ensure that a retried call with the same fields continues where it left off when retried. … Any of the RPCs defined in this spec MAY timeout and MAY be retried. … This operation MUST be idempotent.'
const PENDING = `${'In addition to those, if the conditions defined below are encountered, the plugin MUST return the associated gRPC error code.'} … Operation pending for volume | 10 ABORTED`
const ATTEMPTS = 60
const PAUSE_MS = 250
const AT_ONCE = 10

/** Repeats a call that meets another one for the same volume, as Kubernetes does. */
async function persist<T>(check: CaseContext, call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      if (attempt === ATTEMPTS || !isCsiError(error, 'ABORTED', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'CANCELLED'))
        throw error
    }
    await sleep(check.clock, PAUSE_MS)
  }
}

/** Whether the volume still exists; true if the driver cannot say. */
async function exists(check: CaseContext, volumeId: string): Promise<boolean> {
  try {
    const { capability } = { capability: volumeRequest(check, 'x').volumeCapabilities }
    await check.driver.validateVolumeCapabilities({ volumeId, volumeCapabilities: capability })
    return true
  } catch (error) {
    return !isCsiError(error, 'NOT_FOUND')
  }
}

export const HARDSHIP_CASES: readonly Case[] = [
  {
    id: 'concurrency/one-name',
    title: 'several calls with one name at a time create one volume',
    clause: IDEMPOTENT,
    section: 'CreateVolume',
    needs: CREATE,
    volumes: 1,
    run: async (check) => {
      const create = () => createVolume(check, 'a')
      const replies = await Promise.all(Array.from({ length: 5 }, () => persist(check, create)))
      const ids = new Set(replies.map(({ volumeId }) => volumeId))
      check.expect(ids.size === 1, 'one volume', [...ids].join())
    },
  },
  {
    id: 'concurrency/answers',
    title: 'a call for a volume that has another call running is answered',
    clause: PENDING,
    section: 'Error Scheme',
    needs: CREATE,
    volumes: 1,
    run: async (check) => {
      const options = { timeoutMs: Math.min(check.settings.callTimeoutMs, 20_000) }
      const request = volumeRequest(check, 'a')
      const calls = Array.from({ length: 4 }, () => check.driver.createVolume(request, options))
      for (const result of await Promise.allSettled(calls)) {
        const isSilent = result.status === 'rejected' && isCsiError(result.reason, 'DEADLINE_EXCEEDED')
        check.expect(!isSilent, `an answer within ${options.timeoutMs / 1000} s`, 'none')
      }
    },
  },
  {
    id: 'concurrency/many',
    title: `${AT_ONCE} volumes can be created and deleted at the same time`,
    clause: 'This operation MUST be idempotent.',
    section: 'CreateVolume',
    needs: CREATE,
    volumes: AT_ONCE,
    alone: true,
    run: async (check) => {
      const labels = Array.from({ length: AT_ONCE }, (_, index) => String(index))
      const volumes = await Promise.all(labels.map((label) => persist(check, () => createVolume(check, label))))
      const ids = new Set(volumes.map(({ volumeId }) => volumeId))
      check.expect(ids.size === AT_ONCE, `${AT_ONCE} volumes`, `${ids.size}`)
      await Promise.all(volumes.map(({ volumeId }) => persist(check, () => check.driver.deleteVolume({ volumeId }))))
    },
  },
  {
    id: 'concurrency/publish',
    title: 'NodePublishVolume called twice at the same time mounts once',
    clause:
      'This operation MUST be idempotent. If the volume corresponding to the `volume_id` has already been published at the specified `target_path`',
    section: 'NodePublishVolume',
    needs: NODE,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const { path, context } = await useVolume(check, volume)
      const mounts = await countMounts(check.host, path)
      await unpublish(check, volume, path)
      const again = (): Promise<string> => publish(check, volume, { context })
      await Promise.all([persist(check, again), persist(check, again), persist(check, again)])
      const found = await countMounts(check.host, path)
      check.expect(found === mounts, `${mounts} mounts at ${path}, as after one call`, `${found} mounts`)
    },
  },
  {
    id: 'deadline/create',
    title: 'a CreateVolume that was cancelled can be repeated, and its volume stays',
    clause: RETRY,
    section: 'Timeouts',
    needs: CREATE,
    volumes: 1,
    run: async (check) => {
      const request = volumeRequest(check, 'a')
      for (const timeoutMs of [1, 5, 20, 60])
        await check.driver.createVolume(request, { timeoutMs }).catch((error: unknown) => {
          if (!isCsiError(error, 'DEADLINE_EXCEEDED', 'CANCELLED', 'ABORTED')) throw error
        })
      const { volumeId } = await persist(check, () => createVolume(check, 'a'))
      await sleep(check.clock, 2 * PAUSE_MS)
      const again = await persist(check, () => createVolume(check, 'a'))
      check.expect(again.volumeId === volumeId, `volume ${volumeId}`, again.volumeId)
      check.expect(await exists(check, volumeId), `volume ${volumeId} exists`, 'it does not exist')
    },
  },
  {
    id: 'deadline/publish',
    title: 'a NodePublishVolume that was cancelled can be repeated and undone',
    clause: RETRY,
    section: 'Timeouts',
    needs: NODE,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const { path, context } = await useVolume(check, volume)
      await unpublish(check, volume, path)
      const request = { volumeId: volume.volumeId, targetPath: path }
      for (const timeoutMs of [1, 10]) {
        await check.node.driver.nodeUnpublishVolume(request, { timeoutMs }).catch(() => {})
        await persist(check, () => publish(check, volume, { context }))
      }
      await persist(check, () => releaseVolume(check, volume, path))
      const mounts = await countMounts(check.host, path)
      check.expect(mounts === 0, `nothing is mounted at ${path}`, `${mounts} mounts`)
    },
  },
  {
    id: 'restart/volumes',
    title: 'a driver knows its volumes after a restart',
    clause: IDEMPOTENT,
    section: 'CreateVolume',
    needs: [...CREATE, 'restart'],
    volumes: 1,
    alone: true,
    run: async (check) => {
      const { volumeId } = await createVolume(check, 'a')
      await check.restart()
      const isKnown = await persist(check, () => exists(check, volumeId))
      check.expect(isKnown, `volume ${volumeId} exists after the restart`, 'NOT_FOUND')
      const again = await persist(check, () => createVolume(check, 'a'))
      check.expect(again.volumeId === volumeId, `volume ${volumeId} for the same name`, again.volumeId)
    },
  },
  {
    id: 'restart/mid-call',
    title: 'a CreateVolume that a restart interrupts can be repeated',
    clause: RETRY,
    section: 'Timeouts',
    needs: [...CREATE, 'restart'],
    volumes: 1,
    alone: true,
    run: async (check) => {
      const first = check.driver.createVolume(volumeRequest(check, 'a')).catch(() => undefined)
      await check.restart()
      const reply = await first
      const { volumeId } = await persist(check, () => createVolume(check, 'a'))
      const before = reply?.volume?.volumeId ?? volumeId
      check.expect(volumeId === before, `volume ${before}`, volumeId)
    },
  },
  {
    id: 'restart/mounts',
    title: 'a published volume stays usable while the driver restarts, and can be unpublished afterwards',
    clause: 'This RPC MUST undo the work by the corresponding `NodePublishVolume`.',
    section: 'NodeUnpublishVolume',
    needs: [...NODE, 'restart'],
    volumes: 1,
    alone: true,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const { path } = await useVolume(check, volume)
      await writeText(check.host, join(path, 'data'), 'kept')
      await check.restart()
      await persist(check, () => check.node.driver.probe({}))
      const found = await readText(check.host, join(path, 'data'))
      check.expect(
        found === 'kept',
        `the data at ${path} after the restart`,
        found === undefined ? 'no file' : 'other data',
      )
      await persist(check, () => releaseVolume(check, volume, path))
      const mounts = await countMounts(check.host, path)
      check.expect(mounts === 0, `nothing is mounted at ${path}`, `${mounts} mounts`)
    },
  },
]
