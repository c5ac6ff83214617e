import type { KubeObject, ObjectRef } from '../../api/object.ts'
import { keyOfRef } from '../../api/object-key.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { abandonOnAbort } from '../../base/abort.ts'
import { startInformer } from './informer.ts'
import type { InformerParts } from './informer.ts'

/**
 * Waits until the condition holds for one object, and resolves with it. The condition is checked immediately and on every change, with undefined
 * while the object does not exist. Survives lost connections and restarts of the server; rejects with the signal's reason.
 */
export async function untilObject<T extends KubeObject>(
  type: ResourceType<T>,
  ref: ObjectRef,
  holds: (object: T | undefined) => boolean,
  parts: InformerParts,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const { namespace, name } = ref
  const informer = startInformer(
    type,
    { ...(namespace === undefined ? {} : { namespace }), fieldSelector: `metadata.name=${name}` },
    parts,
  )
  const key = keyOfRef(ref)
  try {
    await informer.synced(signal)
    const { promise, resolve } = Promise.withResolvers<void>()
    const check = (): void => {
      if (holds(informer.get(key))) resolve()
    }
    informer.onChange(check)
    check()
    await (signal ? abandonOnAbort(promise, signal) : promise)
    return informer.get(key)
  } finally {
    await informer.stop()
  }
}
