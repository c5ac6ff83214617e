import { sleep } from '../base/clock.ts'
import type { Clock } from '../base/clock.ts'
import type { Host } from '../base/host/index.ts'
import { isCsiError } from '../csi/index.ts'
import type { Driver } from '../csi/index.ts'
import { CSI_RPCS } from '../csi/rpc.ts'
import type { Journal, JournalEntry, Use } from './journal.ts'

export type UndoParts = {
  journal: Journal
  /** The controller, journaled. */
  driver: Driver
  /** The driver behind a socket of a node, journaled; undefined if it is not connected. */
  nodeAt(endpoint: string): Driver | undefined
  clock: Clock
  host: Host
}

const ATTEMPTS = 5
const FIRST_DELAY_MS = 50

/** Undoes and deletes what an entry says. Returns why something is left; undefined if nothing is. */
export async function undoEntry(entry: JournalEntry, parts: UndoParts): Promise<string | undefined> {
  try {
    const known = entry.id === undefined ? await identify(entry, parts) : entry
    if (known?.id === undefined) return undefined
    for (const use of known.uses.toSorted((a, b) => ORDER[a.kind] - ORDER[b.kind]))
      await patiently(parts.clock, () => undoUse(known, use, parts)).catch((error: unknown) => {
        // A case may have deleted the volume while it was in use, and a driver that does not know it may say so.
        if (!isCsiError(error, 'NOT_FOUND')) throw error
      })
    await patiently(parts.clock, () => destroy(known, parts.driver))
    return undefined
  } catch (error) {
    return `${entry.kind} ${entry.id ?? entry.name}: ${error instanceof Error ? error.message : String(error)}`
  }
}

const ORDER: Readonly<Record<Use['kind'], number>> = { publish: 0, stage: 1, attach: 2 }

/** Repeats a request whose reply was lost: the name is the same, so the driver returns the object instead of creating another. */
async function identify(entry: JournalEntry, { journal, driver, clock }: UndoParts): Promise<JournalEntry | undefined> {
  if (!entry.name.includes(journal.record.run)) {
    await journal.remove(entry.number)
    return undefined
  }
  const method = METHODS[entry.kind]
  const request = CSI_RPCS.get(method)?.requestType.decode(Buffer.from(entry.request, 'base64')) as object
  await patiently(clock, async () => {
    try {
      // The journaled driver writes an entry for what this call returns.
      await (driver[method] as (request: object) => Promise<unknown>)(request)
    } catch (error) {
      // Refused: nothing has that name.
      if (isCsiError(error, 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'CANCELLED', 'ABORTED')) throw error
    }
  })
  await journal.remove(entry.number)
  return journal.all().find(({ kind, name, id }) => kind === entry.kind && name === entry.name && id !== undefined)
}

const METHODS = {
  volume: 'createVolume',
  snapshot: 'createSnapshot',
  group: 'createVolumeGroupSnapshot',
} as const

async function undoUse({ id: volumeId = '' }: JournalEntry, use: Use, { driver, nodeAt }: UndoParts): Promise<void> {
  if (use.kind === 'attach') {
    await driver.controllerUnpublishVolume({ volumeId, nodeId: use.nodeId })
    return
  }
  const node = nodeAt(use.endpoint)
  if (!node) throw new Error(`${use.path} is left: ${use.endpoint} is not connected`)
  if (use.kind === 'publish') await node.nodeUnpublishVolume({ volumeId, targetPath: use.path })
  else await node.nodeUnstageVolume({ volumeId, stagingTargetPath: use.path })
}

async function destroy({ kind, id = '', members = [] }: JournalEntry, driver: Driver): Promise<void> {
  if (kind === 'volume') await driver.deleteVolume({ volumeId: id })
  else if (kind === 'snapshot') await driver.deleteSnapshot({ snapshotId: id })
  else await driver.deleteVolumeGroupSnapshot({ groupSnapshotId: id, snapshotIds: [...members] })
}

/** Repeats a step that meets another call for the same volume, or a driver that is just starting. */
async function patiently(clock: Clock, step: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await step()
    } catch (error) {
      if (attempt === ATTEMPTS || !isCsiError(error, 'ABORTED', 'UNAVAILABLE', 'FAILED_PRECONDITION')) throw error
    }
    await sleep(clock, FIRST_DELAY_MS * 2 ** attempt)
  }
}
