import type { VolumeError } from '../../api/kinds/volume-attachment.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import { codeNumber } from '../../csi/codes.ts'
import { CsiError } from '../../csi/csi-error.ts'

// The server refuses longer ones, and then the user would see nothing.
const LONGEST_MESSAGE_BYTES = 1024
const ELLIPSIS = '…'

/** An error as an attachment's status has it. Only the driver's own answers have a code. */
export function createVolumeError(message: string, nowMs: number, cause?: unknown): VolumeError {
  const code = cause instanceof CsiError ? cause.code : undefined
  return {
    time: formatTimestamp(nowMs),
    message: cutMessage(message),
    ...(code === undefined ? {} : { errorCode: codeNumber(code) }),
  }
}

/** At most 1024 bytes, and no half characters. */
export function cutMessage(message: string): string {
  const bytes = Buffer.from(message)
  if (bytes.length <= LONGEST_MESSAGE_BYTES) return message
  let end = LONGEST_MESSAGE_BYTES - Buffer.byteLength(ELLIPSIS)
  // Back to where a character begins: all its other bytes have these two bits.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return `${bytes.toString('utf8', 0, end)}${ELLIPSIS}`
}
