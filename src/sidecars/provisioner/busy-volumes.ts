/** Volumes that are being worked on, by the uid of their claim: making and deleting one never happen at the same time. */
export interface BusyVolumes {
  /** Ends the work. Undefined: somebody else works on it, and `wake` is called once that has ended. */
  tryHold(uid: string, wake: () => void): (() => void) | undefined
}

export function createBusyVolumes(): BusyVolumes {
  const held = new Map<string, Set<() => void>>()
  const tryHold = (uid: string, wake: () => void): (() => void) | undefined => {
    const waiting = held.get(uid)
    if (waiting) {
      waiting.add(wake)
      return undefined
    }
    const wakes = new Set<() => void>()
    held.set(uid, wakes)
    return () => {
      held.delete(uid)
      for (const waitingWake of wakes) waitingWake()
    }
  }
  return { tryHold }
}
