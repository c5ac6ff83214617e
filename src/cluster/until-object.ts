import type { KubeObject, ObjectRef } from '../api/object.ts'
import { formatRef } from '../api/object-key.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { startDeadline } from '../base/abort.ts'
import type { InformerParts } from '../kube/cache/informer.ts'
import { untilObject } from '../kube/cache/until-object.ts'
import { timedOut, whyTarget } from './why.ts'

export const DEFAULT_LIMIT_MS = 60_000

export type UntilOptions = {
  /** Default 60,000. */
  readonly limitMs?: number
  /** Ends the wait early, with the signal's reason. */
  readonly signal?: AbortSignal
}

export type UntilObject = <T extends KubeObject>(
  type: ResourceType<T>,
  ref: ObjectRef,
  holds: (object: T | undefined) => boolean,
  options?: UntilOptions,
) => Promise<T | undefined>

/** `untilObject` of `holdfast/kube` with a limit, and an error that says why the object is not as it should be. */
export function createUntilObject(parts: InformerParts): UntilObject {
  return async (type, ref, holds, { limitMs = DEFAULT_LIMIT_MS, signal } = {}) => {
    const tooLate = new Error()
    using limit = startDeadline(parts.clock, limitMs, () => tooLate, signal)
    try {
      return await untilObject(type, ref, holds, parts, limit.signal)
    } catch (error) {
      if (error !== tooLate) throw error
      throw await timedOut(parts.api, {
        what: `the condition on ${formatRef(type.kind, ref)}`,
        limitMs,
        ...whyTarget(type, ref),
      })
    }
  }
}
