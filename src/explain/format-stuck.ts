import { formatRef } from '../api/object-key.ts'
import type { Stuck, StuckGroup } from './find-stuck.ts'

// Of one cause; the JSON form has them all.
const MOST_OBJECTS = 10

/** For people: one paragraph for each cause, with the objects that are waiting for it. */
export function formatStuck({ groups, unseen }: Stuck): string {
  const count = groups.reduce((sum, { objects }) => sum + objects.length, 0)
  const parts = [
    groups.length === 0 ? 'Nothing is waiting.\n' : formatHead(count, groups.length),
    ...groups.map(formatGroup),
  ]
  if (unseen.length > 0)
    parts.push(`Not visible, so the answer may be incomplete:\n${unseen.map((each) => `  ${each}\n`).join('')}`)
  return parts.join('\n')
}

const formatHead = (objects: number, causes: number): string =>
  `${objects === 1 ? '1 object is' : `${objects} objects are`} waiting${objects > 1 ? `, for ${causes === 1 ? 'one reason' : `${causes} reasons`}` : ''}.\n`

function formatGroup({ sentence, objects }: StuckGroup): string {
  const lines = objects
    .slice(0, MOST_OBJECTS)
    .map(({ object, state }) => `  ${formatRef(object.kind, object)}  ${state}\n`)
  const more = objects.length - MOST_OBJECTS
  return `${sentence}\n${lines.join('')}${more > 0 ? `  and ${more} more\n` : ''}`
}
