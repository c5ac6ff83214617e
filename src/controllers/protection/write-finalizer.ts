import { isInvalid, isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { addFinalizerPatch, dropFinalizerPatch } from '../../api/finalizers.ts'
import { refOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { Clock } from '../../base/clock.ts'
import { DONE } from '../../kube/controller.ts'
import type { OwnWrites } from '../../kube/own-writes.ts'
import { within } from '../../kube/within.ts'
import type { WorkResult } from '../../kube/work-queue.ts'

export type FinalizerWriterParts<T extends KubeObject> = { readonly api: Api; readonly clock: Clock; readonly type: ResourceType<T>; readonly finalizer: string; readonly objects: OwnWrites<T> }

export type WriteFinalizer<T> = (object: T, change: 'add' | 'remove', signal: AbortSignal) => Promise<WorkResult>

/** One write for one finalizer, whatever else has changed about the object. */
export function createFinalizerWriter<T extends KubeObject>({ api, clock, type, finalizer, objects }: FinalizerWriterParts<T>): WriteFinalizer<T> {
  return async (object, change, signal) => {
    const patch = change === 'add' ? addFinalizerPatch(object, finalizer, { form: 'json' }) : dropFinalizerPatch(object, finalizer)
    if (!patch) return DONE
    try {
      objects.remember(await within(clock, signal, (until) => api.patch(type, refOf(object), patch, { signal: until })))
      return DONE
    } catch (error) {
      if (isNotFound(error)) return DONE
      // The list of finalizers is another one by now: the change is on its way.
      if (isInvalid(error)) return { kind: 'failed' }
      throw error
    }
  }
}
