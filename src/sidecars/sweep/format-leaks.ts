import { formatQuantity } from '../../base/quantity.ts'
import type { DriverSide } from './read-driver-side.ts'
import { LEAK_KINDS } from './leak.ts'
import type { Leak } from './leak.ts'
import type { Deletion } from './sweep.ts'

/** For people: one paragraph for each kind of leak, what became of own volumes, and what could not be compared. */
export function formatLeaks(
  driverName: string,
  leaks: readonly Leak[],
  side: DriverSide,
  deletions: readonly Deletion[] = [],
): string {
  const groups = Map.groupBy(leaks, ({ kind }) => kind)
  const parts =
    leaks.length === 0
      ? [`Driver ${driverName} and the cluster agree: nothing is left over.\n`]
      : Array.from(groups, ([kind, found]) => `${LEAK_KINDS[kind]}: ${found.length}\n${found.map(formatLeak).join('')}`)
  if (deletions.length > 0) parts.push(`Own volumes without an owner:\n${deletions.map(formatDeletion).join('')}`)
  if (leaks.some(({ kind }) => FOREIGN.has(kind)))
    parts.push(
      `A driver may serve several clusters: what this cluster does not know may belong to another one.${deletions.length === 0 ? ' Nothing was deleted.' : ''}\n`,
    )
  const missing = [
    ...(side.volumes ? [] : ['volumes and attachments (the driver has no LIST_VOLUMES)']),
    ...(side.volumes && !side.listsNodes ? ['attachments (the driver has no LIST_VOLUMES_PUBLISHED_NODES)'] : []),
    ...(side.snapshots ? [] : ['snapshots (the driver has no LIST_SNAPSHOTS)']),
  ]
  if (missing.length > 0) parts.push(`Not compared: ${missing.join('; ')}.\n`)
  return parts.join('\n')
}

const FOREIGN: ReadonlySet<string> = new Set([
  'volume-without-object',
  'snapshot-without-object',
  'attached-without-object',
])

function formatLeak({ handle, object, node, path, sizeBytes, usedBy = [] }: Leak): string {
  const size = sizeBytes ? formatQuantity(BigInt(sizeBytes)) : undefined
  return `  ${[object, handle, node && `on ${node}`, path, size, usedBy.length > 0 && `used by ${usedBy.join(', ')}`].filter(Boolean).join('  ')}\n`
}

const formatDeletion = ({ handle, result, because }: Deletion): string =>
  `  ${handle}  ${result}${because === undefined ? '' : `: ${because}`}\n`
