import { findTimestamp } from '../api/timestamps.ts'
import { quantityToBytes } from '../api/quantity.ts'
import type { Cell } from './protocol.ts'

/** Bytes of a quantity; null if there is none, or if it is not a number of bytes. */
export function bytesCell(quantity: string | undefined): Cell {
  if (quantity === undefined) return null
  try {
    return Number(quantityToBytes(quantity))
  } catch {
    return null
  }
}

/** A part of a whole in percent; null if one of them is unknown. */
export const shareCell = (part: number | undefined, whole: number | undefined): Cell =>
  part === undefined || whole === undefined || whole <= 0 ? null : Math.round((1000 * part) / whole) / 10

/** Milliseconds since 1970; null if there is no time. */
export const timeCell = (timestamp: string | undefined): Cell => findTimestamp(timestamp) ?? null

const ACCESS_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
}

/** As kubectl shows them. */
export const accessModesCell = (modes: readonly string[] | undefined): string =>
  (modes ?? []).map((mode) => ACCESS_MODES[mode] ?? mode).join(', ')
