import type { KubeObject } from '../api/object.ts'
import type { Link } from './explanation.ts'
import { idOf, waitingLink } from './links.ts'
import { REASONS } from './reasons.ts'

/** An object that is being deleted and that nothing we know of needs: the owner of a finalizer has to act. `known` are owners by finalizer. */
export function explainFinalizers(object: KubeObject, known: Readonly<Record<string, string>>): Link {
  const { finalizers = [] } = object.metadata
  const [id, state, isLeaving] = [idOf(object), 'Terminating', true]
  const foreign = finalizers.filter((finalizer) => !Object.hasOwn(known, finalizer))
  if (foreign.length > 0) return waitingLink(id, state, REASONS.foreignFinalizer(foreign.join(', ')), { isLeaving })
  const [own] = finalizers
  if (own === undefined) return waitingLink(id, state, REASONS.goneInAMoment, { isLeaving })
  return waitingLink(id, state, REASONS.finalizerToBeRemoved(own, known[own] ?? ''), { isLeaving })
}
