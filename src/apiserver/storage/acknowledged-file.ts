import { closeSync, fdatasyncSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'

/** The name of the file within the data directory. */
export const ACKNOWLEDGED_FILE = 'state.db-acknowledged'

// Two slots on separate pages, written in turn: if a power loss damages one of them, the other one is intact.
const SLOT_BYTES = 4096
const SLOTS = 2
// The bytes of a slot that are written: few enough for one sector.
const RECORD_BYTES = 128

/**
 * Records the last acknowledged revision, so that a start can detect if the database lacks acknowledged writes. It is written after each commit and
 * before the response, without a sync: it costs no time, survives the death of the process, and after a power loss is at worst older than the
 * database. A record is never ahead of what was durable when it was written.
 */
export interface AcknowledgedFile {
  record(revision: number): void
  close(): void
}

/** Opens or creates the file. When it returns, the revision is on disk. */
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
    // Writes both slots: from now on the file never grows, so that a full disk cannot prevent a record.
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
      // The commit is durable, and its response must say so. An older record detects less, but never rejects an intact state.
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

/** The highest revision of the intact slots; undefined if none is intact. */
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
