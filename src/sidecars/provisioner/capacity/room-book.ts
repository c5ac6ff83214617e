import type { Clock } from '../../../base/clock.ts'
import type { Room } from './next-capacity-step.ts'

const SHORTEST_PAUSE_MS = 1000

type Entry = { readonly room?: Room; readonly askedMs?: number; readonly askAtMs?: number | undefined }

/** What the driver reported last for each pair, and when it is to be asked again. */
export function createRoomBook(clock: Clock) {
  const entries = new Map<string, Entry>()
  const change = (key: string, entry: Entry): void => void entries.set(key, { ...entries.get(key), ...entry })
  return {
    room: (key: string): Room | undefined => entries.get(key)?.room,
    /** Undefined when there is no cause to ask; not above 0 when it is time. */
    askInMs: (key: string): number | undefined => {
      const atMs = entries.get(key)?.askAtMs
      return atMs === undefined ? undefined : atMs - clock.monotonicMs()
    },
    /** Something happened that changes the answer. Returns how long to wait, so that many changes in one second are one question. */
    outdate: (key: string): number => {
      const nowMs = clock.monotonicMs()
      const { askedMs, askAtMs } = entries.get(key) ?? {}
      const atMs = askAtMs ?? (askedMs === undefined ? nowMs : Math.max(nowMs, askedMs + SHORTEST_PAUSE_MS))
      change(key, { askAtMs: atMs })
      return atMs - nowMs
    },
    /** The question is being asked: changes from now on outdate the answer again. */
    asking: (key: string): void => change(key, { askAtMs: undefined, askedMs: clock.monotonicMs() }),
    answered: (key: string, room: Room): void => change(key, { room }),
    /** There was no answer: it is still wanted. */
    failed: (key: string): void =>
      change(key, { askAtMs: (entries.get(key)?.askedMs ?? clock.monotonicMs()) + SHORTEST_PAUSE_MS }),
    forget: (key: string): void => void entries.delete(key),
  }
}
