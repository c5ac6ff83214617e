import type { Timestamp } from '../../csi/generated/google/protobuf/timestamp.ts'

/** A time as snapshots have it, in nanoseconds since 1970. A driver that does not tell means now. */
export const nanosecondsOf = (time: Timestamp | undefined, nowMs: number): bigint =>
  time ? time.seconds * 1_000_000_000n + BigInt(time.nanos) : BigInt(Math.trunc(nowMs)) * 1_000_000n
