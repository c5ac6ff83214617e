import type { KubeObject } from '../api/object.ts'
import type { Link } from './explanation.ts'
import { actor, idOf, waitingLink } from './links.ts'

/** An object that is to go, and that nothing we know of needs any more: whoever has a finalizer on it has to act. */
export function explainFinalizers(object: KubeObject, known: Readonly<Record<string, string>>): Link {
  const { finalizers = [] } = object.metadata
  const [id, state, isLeaving] = [idOf(object), 'Terminating', true]
  const foreign = finalizers.filter((finalizer) => !Object.hasOwn(known, finalizer))
  if (foreign.length > 0)
    return waitingLink(
      id,
      state,
      { code: 'ForeignFinalizer', detail: { finalizers: foreign.join(', ') } },
      { isLeaving },
    )
  const [own] = finalizers
  if (own === undefined) return waitingLink(id, state, { code: 'GoneInAMoment' }, { isLeaving })
  return waitingLink(
    id,
    state,
    { code: 'FinalizerToBeRemoved', waitsFor: actor(known[own] ?? ''), detail: { finalizer: own } },
    { isLeaving },
  )
}
