import type { Api } from '../../api/api.ts'
import { sleep } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import { outcomeOf } from '../../csi/outcome-of.ts'
import { CsiError } from '../../csi/csi-error.ts'
import type { Driver } from '../../csi/index.ts'
import type { DriverFacts } from '../discover-driver.ts'
import { findLeaks } from './find-leaks.ts'
import type { DriverSide } from './read-driver-side.ts'
import { EMPTY_JOURNAL, fingerprint, openJournal, updateJournal } from './journal.ts'
import type { OpenJournal, Orphan, SweepJournal } from './journal.ts'
import { stillThere } from './leak.ts'
import type { Leak } from './leak.ts'
import { nextSweepStep } from './next-sweep-step.ts'
import { findNodeLeaks } from './node-leaks.ts'
import type { NodePlace } from './node-leaks.ts'
import { readClusterSide } from './read-cluster-side.ts'
import type { ClusterSide } from './read-cluster-side.ts'
import { readDriverSide } from './read-driver-side.ts'

export type SweepParts = {
  readonly api: Api
  readonly driver: Driver
  readonly facts: DriverFacts
  readonly clock: Clock
  /** Between the two comparisons. A difference has to be in both. */
  readonly settleMs: number
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** The node whose directories are compared as well. */
  readonly node?: NodePlace | undefined
  /** Where the journal is kept. Absent: there is none, and nothing is proved or written. */
  readonly journalNamespace?: string | undefined
  /** Delete own volumes that nobody has owned for this long. Absent: nothing is deleted. */
  readonly deleteAfterMs?: number | undefined
  /** Called before a volume is deleted; false leaves it. Default: it is deleted. */
  confirm?(leak: Leak): Promise<boolean>
  /** Called after each deletion that was tried. */
  onDeleted?(deletion: Deletion, journal: OpenJournal): void
}

/** What became of an own volume without an owner. */
export type Deletion = {
  readonly handle: string
  readonly result: 'deleted' | 'kept' | 'failed'
  /** Why it was kept, or the error. */
  readonly because?: string
}

export type Swept = {
  readonly leaks: readonly Leak[]
  readonly side: DriverSide
  readonly deletions: readonly Deletion[]
}

type Compared = { readonly leaks: readonly Leak[]; readonly side: DriverSide; readonly cluster: ClusterSide }

/** Compares what the driver lists with what the cluster knows. Deletes what `deleteAfterMs` and the journal allow. */
export async function sweep(parts: SweepParts): Promise<Swept> {
  const { api, facts, clock, settleMs, signal, journalNamespace } = parts
  const journal = journalNamespace === undefined ? undefined : await openJournal(api, facts.name, journalNamespace)
  const first = await compare(parts, journal?.read())
  let result: Compared = first
  if (first.leaks.length > 0) {
    // A volume that is just being created or deleted is known to one side only for a moment.
    await sleep(clock, settleMs, signal)
    const second = await compare(parts, journal?.read())
    result = { ...second, leaks: stillThere(first.leaks, second.leaks) }
  }
  const { leaks, side, cluster } = result
  await journal?.write(updateJournal(journal.read(), { driver: side, cluster, leaks, nowMs: clock.nowMs() }))
  const deletions = journal && parts.deleteAfterMs !== undefined ? await deleteOwn(parts, journal, leaks) : []
  return { leaks, side, deletions }
}

async function compare(
  { api, driver, facts, timeoutMs, signal, node }: SweepParts,
  journal: SweepJournal = EMPTY_JOURNAL,
): Promise<Compared> {
  // The driver first: what it has, the cluster has known for longer.
  const side = await readDriverSide(driver, facts, { timeoutMs, signal })
  const cluster = await readClusterSide(api, facts.name, signal)
  const onNode = node ? await findNodeLeaks(node, cluster) : []
  const isOwn = (handle: string): boolean => journal.own.has(fingerprint(handle))
  return { leaks: [...findLeaks(side, cluster, isOwn), ...onNode], side, cluster }
}

/** One by one. Both sides are read again before each: hours may pass while a person thinks. */
async function deleteOwn(parts: SweepParts, journal: OpenJournal, leaks: readonly Leak[]): Promise<Deletion[]> {
  const { deleteAfterMs = 0, confirm, onDeleted } = parts
  const deletions: Deletion[] = []
  for (const leak of leaks) {
    const { kind, handle } = leak
    if (kind !== 'own-volume-without-object' || handle === undefined) continue
    const decided = await decide(parts, journal, handle, deleteAfterMs)
    const isWanted = decided.kind === 'delete' && (confirm ? await confirm(leak) : true)
    // A person may have thought for long.
    const step = isWanted ? await decide(parts, journal, handle, deleteAfterMs) : decided
    const deletion: Deletion =
      step.kind === 'keep'
        ? { handle, result: 'kept', because: step.because }
        : isWanted
          ? await deleteVolume(parts, journal, handle)
          : { handle, result: 'kept', because: 'you did not confirm it' }
    deletions.push(deletion)
    if (deletion.result !== 'kept') onDeleted?.(deletion, journal)
  }
  return deletions
}

async function decide(parts: SweepParts, journal: OpenJournal, handle: string, graceMs: number) {
  const { side, cluster } = await compare(parts, journal.read())
  const nowMs = parts.clock.nowMs()
  return nextSweepStep({ handle, driver: side, cluster, journal: journal.read(), nowMs, graceMs })
}

/** The intent is written before the call: another process then knows that the volume may be gone. */
async function deleteVolume(
  { driver, clock, timeoutMs, signal }: SweepParts,
  journal: OpenJournal,
  handle: string,
): Promise<Deletion> {
  const { own, orphans } = journal.read()
  const orphan: Orphan = { sinceMs: clock.nowMs(), ...orphans.get(handle), deletingMs: clock.nowMs() }
  await journal.write({ own, orphans: new Map(orphans).set(handle, orphan) })
  try {
    await driver.deleteVolume({ volumeId: handle }, { timeoutMs, signal })
  } catch (error) {
    if (!(error instanceof CsiError)) throw error
    if (outcomeOf('DeleteVolume', error) !== 'done') return { handle, result: 'failed', because: error.message }
  }
  const left = journal.read()
  await journal.write({
    own: new Map([...left.own].filter(([key]) => key !== fingerprint(handle))),
    orphans: new Map([...left.orphans].filter(([key]) => key !== handle)),
  })
  return { handle, result: 'deleted' }
}
