import { ignoreNotFound, isNotFound } from '../../../api/api-error.ts'
import type { Api } from '../../../api/api.ts'
import { CSI_STORAGE_CAPACITIES } from '../../../api/kinds/csi-storage-capacity.ts'
import type { CSIStorageCapacity } from '../../../api/kinds/csi-storage-capacity.ts'
import { formatObject, refOf } from '../../../api/object-key.ts'
import { unreachable } from '../../../base/abort.ts'
import type { Clock } from '../../../base/clock.ts'
import { after, DONE } from '../../../kube/controller.ts'
import type { Reconciler } from '../../../kube/controller.ts'
import { within } from '../../../kube/within.ts'
import { nextCapacityStep } from './next-capacity-step.ts'
import type { CapacityPair, Publisher, Room } from './next-capacity-step.ts'
import type { PublishedObjects } from './published-objects.ts'
import type { RoomBook } from './room-book.ts'

export type CapacityReconcilerParts = {
  /** For the objects. */
  readonly api: Api
  readonly clock: Clock
  readonly publisher: Publisher
  readonly objects: PublishedObjects
  readonly rooms: RoomBook
  findPair(key: string): CapacityPair | undefined
  askDriver(pair: CapacityPair, signal: AbortSignal): Promise<Room>
}

/** Brings one pair to where exactly one object tells what the driver said last. */
export function createCapacityReconciler({
  api,
  clock,
  publisher,
  objects,
  rooms,
  findPair,
  askDriver,
}: CapacityReconcilerParts): Reconciler {
  const ask = async (key: string, pair: CapacityPair, signal: AbortSignal): Promise<void> => {
    rooms.asking(key)
    try {
      rooms.answered(key, await askDriver(pair, signal))
    } catch (error) {
      rooms.failed(key)
      throw error
    }
  }
  const update = async (object: CSIStorageCapacity, signal: AbortSignal): Promise<void> => {
    try {
      objects.updated(
        await within(clock, signal, (until) => api.update(CSI_STORAGE_CAPACITIES, object, { signal: until })),
      )
    } catch (error) {
      if (!isNotFound(error)) throw error
      objects.deleted(object)
    }
  }
  const remove = async (object: CSIStorageCapacity, signal: AbortSignal): Promise<void> => {
    const { uid } = object.metadata
    await within(clock, signal, (until) =>
      api.delete(CSI_STORAGE_CAPACITIES, refOf(object), { signal: until, ...(uid ? { preconditions: { uid } } : {}) }),
    ).catch(ignoreNotFound)
    objects.deleted(object)
  }

  return async (key, { log, signal }) => {
    for (;;) {
      signal.throwIfAborted()
      const pair = findPair(key)
      if (!pair) rooms.forget(key)
      const step = nextCapacityStep({
        seen: { pair, objects: objects.of(key) },
        held: { publisher, room: rooms.room(key), askInMs: rooms.askInMs(key) },
      })
      log.debug('capacity step', { step })
      switch (step.kind) {
        case 'wait':
          return step.retryInMs === undefined ? DONE : after(step.retryInMs)
        case 'ask':
          await ask(key, step.pair, signal)
          break
        case 'create': {
          const made = await within(clock, signal, (until) =>
            api.create(CSI_STORAGE_CAPACITIES, step.object, { signal: until }),
          )
          objects.created(made)
          log.info('room is published', {
            object: formatObject(made),
            class: made.storageClassName,
            capacity: made.capacity,
          })
          break
        }
        case 'update':
          await update(step.object, signal)
          break
        case 'delete':
          await remove(step.object, signal)
          log.info('published room was withdrawn', { object: formatObject(step.object), reason: step.reason })
          break
        default:
          unreachable(step)
      }
    }
  }
}
