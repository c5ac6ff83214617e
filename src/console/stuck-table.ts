import { keyOfRef } from '../api/object-key.ts'
import type { Stuck, StuckGroup } from '../explain/index.ts'
import { targetOf } from './targets.ts'
import type { Row, TableInfo } from './protocol.ts'

/** The first page: what is waiting, one row for each cause. */
export const STUCK_TABLE: TableInfo = {
  name: 'stuck',
  title: 'Waiting',
  columns: [
    { title: 'Cause', kind: 'state' },
    { title: 'Objects', kind: 'number' },
    { title: 'Which', kind: 'list' },
  ],
  empty: 'Nothing is waiting.',
}

export const stuckRows = ({ groups }: Stuck): Row[] => groups.map(stuckRow)

function stuckRow({ sentence, objects }: StuckGroup): Row {
  const [first] = objects
  const target = first && targetOf(first.object.kind, keyOfRef(first.object))
  const names = objects.map(({ object }) => `${object.kind} ${keyOfRef(object)}`)
  return {
    // A group keeps its row while its first object stays the same.
    key: names[0] ?? sentence,
    tone: 'waiting',
    cells: [sentence, objects.length, formatSome(names)],
    ...(target === undefined ? {} : { target }),
  }
}

const MOST_NAMES = 4

const formatSome = (names: readonly string[]): string =>
  (names.length > MOST_NAMES + 1
    ? [...names.slice(0, MOST_NAMES), `and ${names.length - MOST_NAMES} more`]
    : names
  ).join('\n')
