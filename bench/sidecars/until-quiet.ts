import { setTimeout as delay } from 'node:timers/promises'
import { cpuMicros } from '../apiserver/process-usage.ts'

const LOOK_EVERY_MS = 200
const QUIET_MICROS = 20_000
const QUIET_LOOKS = 3
const MOST_LOOKS = 100

/** Waits until they have nothing to do any more, for 20 s at most. */
export async function untilQuiet(pids: readonly number[]): Promise<void> {
  let last = cpuMicros(pids)
  for (let looks = 0, quiet = 0; looks < MOST_LOOKS && quiet < QUIET_LOOKS; looks++) {
    await delay(LOOK_EVERY_MS)
    const now = cpuMicros(pids)
    quiet = now - last <= QUIET_MICROS ? quiet + 1 : 0
    last = now
  }
}
