import type { Clock } from '../../../base/clock.ts'
import type { Room } from './next-capacity-step.ts'

/** What the driver said last about each pair, and when it is to be asked again. */
export interface RoomBook {
  room(key: string): Room | undefined
  /** Undefined when nothing speaks for asking; not above 0 when it is time. */
  askInMs(key: string): number | undefined
  /** Something happened that changes the answer. Says how long to wait, so that many such things of one second are one question. */
  outdate(key: string): number
  /** The question is being asked: what happens from now on outdates the answer again. */
  asking(key: string): void
  answered(key: string, room: Room): void
  /** There was no answer: it is still wanted. */
  failed(key: string): void
  forget(key: string): void
}

const SHORTEST_PAUSE_MS = 1000

type Entry = { readonly room?: Room; readonly askedMs?: number; readonly askAtMs?: number }

export function createRoomBook(clock: Clock): RoomBook {
  const entries = new Map<string, Entry>()
  const change = (key: string, change: Entry): void => void entries.set(key, { ...entries.get(key), ...change })
  const withoutAsk = (key: string): Entry => {
    const { askAtMs: _, ...entry } = entries.get(key) ?? {}
    return entry
  }
  return {
    room: (key) => entries.get(key)?.room,
    askInMs: (key) => {
      const atMs = entries.get(key)?.askAtMs
      return atMs === undefined ? undefined : atMs - clock.monotonicMs()
    },
    outdate: (key) => {
      const nowMs = clock.monotonicMs()
      const { askedMs, askAtMs } = entries.get(key) ?? {}
      const atMs = askAtMs ?? (askedMs === undefined ? nowMs : Math.max(nowMs, askedMs + SHORTEST_PAUSE_MS))
      change(key, { askAtMs: atMs })
      return atMs - nowMs
    },
    asking: (key) => void entries.set(key, { ...withoutAsk(key), askedMs: clock.monotonicMs() }),
    answered: (key, room) => change(key, { room }),
    failed: (key) => change(key, { askAtMs: (entries.get(key)?.askedMs ?? clock.monotonicMs()) + SHORTEST_PAUSE_MS }),
    forget: (key) => void entries.delete(key),
  }
}
