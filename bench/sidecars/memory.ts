import { setTimeout as delay } from 'node:timers/promises'
import type { Api } from '../../src/api/api.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../src/api/kinds/volume-snapshot.ts'
import { peakBytes, residentBytes } from '../apiserver/process-usage.ts'
import { formatTable } from '../apiserver/table.ts'
import { storeBound } from './changes-load.ts'
import { inFlight } from './in-flight.ts'
import { contentOf, NAMESPACE, otherSnapshot, otherVolume } from './objects.ts'
import { titleOf } from './subjects.ts'
import type { RunningSubject, SubjectName, SubjectSet } from './subjects.ts'
import { write } from './print.ts'

export type MemoryBench = {
  readonly api: Api
  /** Volumes, and as many snapshots. */
  readonly count: number
  readonly requests: number
  /** The sets to measure: `volumes` and `roles`, with volumes alone, and `all`, with snapshots too. */
  readonly sets: readonly ('volumes' | 'roles' | 'all')[]
  namesOf(set: SubjectSet): readonly SubjectName[]
  referenceOf(set: SubjectSet): string
  /** With sidecars that were just started and have done everything once, so that their caches are full. */
  withWarmSubject<T>(name: SubjectName, set: SubjectSet, label: string, use: (subject: RunningSubject) => T): Promise<T>
}

type Usage = { resident: number; peak: number; controller: number }

const MEBIBYTE = 1024 * 1024
const SETTLE_MS = 3000

/** Memory of the sidecars with many objects, and without. */
export async function benchMemory(bench: MemoryBench): Promise<void> {
  const { api, count, requests, sets } = bench
  const empty = new Map<SubjectSet, ReadonlyMap<SubjectName, Usage>>()
  for (const set of sets) empty.set(set, await measureAll(bench, set, 'empty'))
  const indexes = Array.from({ length: count }, (_, index) => index)
  await inFlight(indexes, requests, (index) => storeBound(api, otherVolume(index)))
  for (const set of sets) {
    if (set === 'all') await inFlight(indexes, requests, (index) => storeSnapshot(api, index))
    const full = await measureAll(bench, set, 'full')
    const rows = Array.from(full, ([name, { resident, peak, controller }]) => ({
      name: titleOf(name, set),
      cells: [
        resident,
        peak,
        empty.get(set)?.get(name)?.resident ?? Number.NaN,
        ...(set === 'all' ? [resident - controller, controller] : []),
      ].map((bytes) => bytes / MEBIBYTE),
    }))
    write('')
    process.stdout.write(
      formatTable(
        {
          title: `${count} volumes${set === 'all' ? ' and snapshots' : ''}`,
          columns: ['MiB', 'peak MiB', 'without MiB', ...(set === 'all' ? ['sidecars', 'controller'] : [])],
          rows,
        },
        { to: bench.referenceOf(set), better: 'less' },
      ),
    )
  }
}

async function measureAll(bench: MemoryBench, set: SubjectSet, label: string): Promise<Map<SubjectName, Usage>> {
  const usage = new Map<SubjectName, Usage>()
  for (const name of bench.namesOf(set))
    usage.set(
      name,
      await bench.withWarmSubject(name, set, `${label}-${set}-${name}`, async ({ pids, controllerPids }) => {
        await delay(SETTLE_MS)
        return { resident: residentBytes(pids), peak: peakBytes(pids), controller: residentBytes(controllerPids) }
      }),
    )
  return usage
}

/** Stores a snapshot and its content as they are once the snapshot is ready. */
async function storeSnapshot(api: Api, index: number): Promise<void> {
  const stored = await api.create(VOLUME_SNAPSHOTS, otherSnapshot(index))
  const { content, contentStatus, snapshotStatus } = contentOf(stored, index)
  const asStatus = { subresource: 'status' } as const
  await api.create(VOLUME_SNAPSHOT_CONTENTS, content)
  await api.patch(
    VOLUME_SNAPSHOT_CONTENTS,
    { name: content.metadata.name ?? '' },
    { type: 'merge', value: { status: contentStatus } },
    asStatus,
  )
  await api.patch(
    VOLUME_SNAPSHOTS,
    { namespace: NAMESPACE, name: stored.metadata.name ?? '' },
    { type: 'merge', value: { status: snapshotStatus } },
    asStatus,
  )
}
