import { nextTurn } from '../../base/next-turn.ts'
import type { Change, StoredObject } from './stored-object.ts'
import { eventFor, isWithin } from './watch-hub.ts'
import type { HubEvent, WatchScope } from './watch-hub.ts'

// The work of one turn, in units of about a tenth of a microsecond.
const TURN_UNITS = 100_000
const UNITS_EACH = 10
// A loaded object is parsed on first access.
const LENGTH_EACH_UNIT = 10

/**
 * The objects within the scope, in order. Objects never change, so the result shows the state at the time of the call, however long it takes; other
 * requests are served in between.
 */
export const objectsInTurns = (objects: readonly StoredObject[], scope: WatchScope): Promise<StoredObject[]> =>
  selectInTurns(
    objects,
    (stored) => unitsFor(stored, scope),
    (stored) => (isWithin(scope, stored.object) ? stored : undefined),
  )

/** The visible events of changes within the scope; other requests are served in between. */
export const eventsInTurns = (changes: readonly Change[], scope: WatchScope): Promise<HubEvent[]> =>
  selectInTurns(
    changes,
    ({ after }) => 2 * unitsFor(after, scope),
    (change) => eventFor(scope, change),
  )

const unitsFor = ({ json }: StoredObject, { weight = 0 }: WatchScope): number =>
  UNITS_EACH + weight + json.length / LENGTH_EACH_UNIT

async function selectInTurns<T, R>(
  items: readonly T[],
  unitsOf: (item: T) => number,
  select: (item: T) => R | undefined,
): Promise<R[]> {
  const found: R[] = []
  let units = 0
  for (const item of items) {
    if (units > TURN_UNITS) {
      await nextTurn()
      units = 0
    }
    units += unitsOf(item)
    const selected = select(item)
    if (selected !== undefined) found.push(selected)
  }
  return found
}
