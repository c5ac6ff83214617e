import { isAlreadyExists, isConflict, isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { refOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { Clock } from '../../base/clock.ts'
import { ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import type { AlphaCSIDriver } from '../../compat/alpha-csi-driver.ts'
import { within } from '../../kube/within.ts'

/** Every write of the registrar. Undefined: the world has changed meanwhile, and the watch tells how. */
export interface RegistrationWriter {
  create<T extends KubeObject>(type: ResourceType<T>, object: T, signal: AbortSignal): Promise<T | undefined>
  update<T extends KubeObject>(
    type: ResourceType<T>,
    object: T,
    patch: object,
    signal: AbortSignal,
  ): Promise<T | undefined>
  /** Only this very object, and only as it was seen. */
  remove<T extends KubeObject>(type: ResourceType<T>, object: T, signal: AbortSignal): Promise<void>
  setReady(object: AlphaCSIDriver, ready: boolean, signal: AbortSignal): Promise<AlphaCSIDriver | undefined>
}

export function createRegistrationWriter({ api, clock }: { api: Api; clock: Clock }): RegistrationWriter {
  const unless = async <T>(
    isFine: (error: unknown) => boolean,
    signal: AbortSignal,
    request: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> => {
    try {
      return await within(clock, signal, request)
    } catch (error) {
      if (isFine(error)) return undefined
      throw error
    }
  }
  return {
    create: (type, object, signal) =>
      unless(isAlreadyExists, signal, (until) => api.create(type, object, { signal: until })),
    update: (type, object, patch, signal) =>
      unless(isNotFound, signal, (until) =>
        api.patch(type, refOf(object), { type: 'merge', value: patch }, { signal: until }),
      ),
    remove: async (type, object, signal) => {
      const { uid, resourceVersion } = object.metadata
      const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) }
      await unless(
        (error) => isNotFound(error) || isConflict(error),
        signal,
        (until) => api.delete(type, refOf(object), { preconditions, signal: until }),
      )
    },
    setReady: (object, ready, signal) =>
      unless(isNotFound, signal, (until) =>
        api.patch(
          ALPHA_CSI_DRIVERS,
          refOf(object),
          { type: 'merge', value: { status: { ready } } },
          { subresource: 'status', signal: until },
        ),
      ),
  }
}
