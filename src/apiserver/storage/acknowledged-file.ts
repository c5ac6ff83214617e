import { closeSync, fdatasyncSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'

/** The name of the file within the data directory. */
export const ACKNOWLEDGED_FILE = 'state.db-acknowledged'

// Two slots, on pages of their own, written in turn: whatever becomes of one of them in a power loss, the other one is whole.
const SLOT_BYTES = 4096
const SLOTS = 2
// Of a slot, what is written: little enough to be in one sector.
const RECORD_BYTES = 128

/**
 * Records up to which revision writes were acknowledged, so that a start can tell when the database no longer holds all of them. It is
 * written after each commit and before the answer, and never synced on that way: it costs no time, survives the death of the process,
 * and after a power loss is at worst older than the database. A record is never ahead of what was durable when it was written.
 */
export interface AcknowledgedFile {
  record(revision: number): void
  close(): void
}

/** Opens or makes the file. Once it returns, the revision is on the disk. */
export function openAcknowledgedFile(path: string, revision: number): AcknowledgedFile {
  const file = openSync(path, 'a+', 0o600)
  closeSync(file)
  const descriptor = openSync(path, 'r+')
  let next = 0
  const write = (at: number): void => {
    writeSync(descriptor, formatRecord(at), 0, RECORD_BYTES, next * SLOT_BYTES)
    next = (next + 1) % SLOTS
  }
  try {
    // Both slots: from here on the file never grows, so that a full disk can't stop a record.
    for (let slot = 0; slot < SLOTS; slot++) write(revision)
    fsyncSync(descriptor)
    syncDirectory(dirname(path))
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
  const record = (at: number): void => {
    try {
      write(at)
    } catch {
      // The commit is durable, and its answer must say so. An older record detects less, and never refuses what is whole.
    }
  }
  const close = (): void => {
    try {
      fdatasyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  }
  return { record, close }
}

/** The highest revision of the slots that are whole; undefined when none is. */
export function parseAcknowledged(bytes: Uint8Array): number | undefined {
  const revisions = Array.from({ length: SLOTS }, (_, slot) =>
    parseSlot(bytes.subarray(slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES)),
  )
  const known = revisions.filter((revision) => revision !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}

function formatRecord(revision: number): Buffer {
  const text = `holdfast acknowledged revision ${revision}`
  return Buffer.from(`${text} checksum ${crc32(text)}\n`.padEnd(RECORD_BYTES, '\n'))
}

function parseSlot(bytes: Uint8Array): number | undefined {
  const [, text = '', revision = '', checksum = ''] =
    /^(holdfast acknowledged revision (\d+)) checksum (\d+)\n/.exec(
      Buffer.from(bytes.subarray(0, RECORD_BYTES)).toString('latin1'),
    ) ?? []
  return text !== '' && crc32(text) === Number(checksum) ? Number(revision) : undefined
}

function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
