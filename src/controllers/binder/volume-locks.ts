/** Who writes about which volume at the moment. */
export interface VolumeLocks {
  /** False when somebody else has it. Taken twice by one holder it is taken once. */
  take(name: string, holder: string): boolean
  isTakenByOther(name: string, holder: string): boolean
  /** Calls back once when the volume is free again. */
  whenFree(name: string, callback: () => void): void
  releaseAll(holder: string): void
}

export function createVolumeLocks(onFree: (name: string) => void): VolumeLocks {
  const holders = new Map<string, string>()
  const taken = new Map<string, Set<string>>()
  const waiting = new Map<string, Set<() => void>>()
  const isTakenByOther = (name: string, holder: string): boolean => (holders.get(name) ?? holder) !== holder
  const take = (name: string, holder: string): boolean => {
    if (isTakenByOther(name, holder)) return false
    holders.set(name, holder)
    taken.set(holder, (taken.get(holder) ?? new Set()).add(name))
    return true
  }
  const releaseAll = (holder: string): void => {
    const names = taken.get(holder) ?? []
    taken.delete(holder)
    for (const name of names) {
      holders.delete(name)
      const callbacks = waiting.get(name) ?? []
      waiting.delete(name)
      for (const callback of callbacks) callback()
      onFree(name)
    }
  }
  return { take, isTakenByOther, whenFree: (name, callback) => void waiting.set(name, (waiting.get(name) ?? new Set()).add(callback)), releaseAll }
}
