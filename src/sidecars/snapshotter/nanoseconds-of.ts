import type { Timestamp } from '../../csi/generated/google/protobuf/timestamp.ts'

/** The time of a snapshot, in nanoseconds since 1970. If the driver returns none, the current time. */
export const nanosecondsOf = (time: Timestamp | undefined, nowMs: number): bigint =>
  time ? time.seconds * 1_000_000_000n + BigInt(time.nanos) : BigInt(Math.trunc(nowMs)) * 1_000_000n
