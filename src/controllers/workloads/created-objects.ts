import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { createChangeSource } from '../../kube/controller/index.ts'
import type { ChangeSource, FollowedKind } from '../../kube/controller/index.ts'

/** What we created or deleted and the cache does not show yet: without it, the next decision would do the same once more. */
export interface CreatedObjects<T> {
  /** Sends the request, and remembers the response unless the cache has shown the object in the meantime. */
  create(owner: KubeObject, send: () => Promise<T>): Promise<T>
  of(ownerUid: string): readonly T[]
  /** The object is gone, until the cache shows that. */
  markDeleted(uid: string): void
  isDeleted(uid: string): boolean
  /** The key of an owner, when the cache has not shown an object of it for a long time: the object was probably deleted unseen. */
  readonly lost: Pick<ChangeSource<string>, 'onChange'>
  stop(): void
}

type Created<T> = { readonly object: T; readonly ownerUid: string; readonly timer: Timer }

// An object that was created and deleted while the watch was interrupted never reaches the cache.
const LONGEST_MS = 60_000

export function createCreatedObjects<T extends KubeObject>(
  kind: Pick<FollowedKind<T>, 'get' | 'onChange'>,
  clock: Clock,
): CreatedObjects<T> {
  const created = new Map<string, Created<T>>()
  const lost = createChangeSource<string>()
  // The watch may show an object before the response arrives, and even its deletion.
  const shownMeanwhile = new Set<string>()
  const deleted = new Set<string>()
  let inFlight = 0
  const forget = (uid: string): void => {
    created.get(uid)?.timer.cancel()
    created.delete(uid)
  }
  const unwatch = kind.onChange(({ before, after }) => {
    if (before?.metadata.uid !== after?.metadata.uid) deleted.delete(before?.metadata.uid ?? '')
    for (const uid of [before?.metadata.uid, after?.metadata.uid]) {
      if (uid === undefined) continue
      forget(uid)
      if (inFlight > 0) shownMeanwhile.add(uid)
    }
  })
  const remember = (owner: KubeObject, object: T): void => {
    const { uid = '' } = object.metadata
    if (shownMeanwhile.has(uid) || kind.get(keyOf(object))?.metadata.uid === uid) return
    const timer = clock.setTimer(LONGEST_MS, () => {
      forget(uid)
      lost.tell(keyOf(owner))
    })
    created.set(uid, { object, ownerUid: owner.metadata.uid ?? '', timer })
  }
  const create = async (owner: KubeObject, send: () => Promise<T>): Promise<T> => {
    inFlight++
    try {
      const object = await send()
      remember(owner, object)
      return object
    } finally {
      if (--inFlight === 0) shownMeanwhile.clear()
    }
  }
  const of = (ownerUid: string): T[] =>
    Array.from(created.values()).flatMap((each) => (each.ownerUid === ownerUid ? [each.object] : []))
  const stop = (): void => {
    unwatch()
    for (const uid of created.keys()) forget(uid)
  }
  const markDeleted = (uid: string): void => void deleted.add(uid)
  return { create, of, markDeleted, isDeleted: (uid) => deleted.has(uid), lost, stop }
}
