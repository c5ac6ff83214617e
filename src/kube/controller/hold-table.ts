/** Locks among the controllers of a role. A resource is held by one pass at a time, until that pass ends. */
export interface HoldTable {
  /** False if another holder has the resource: `wake` is called once when it is free again. A holder may take a resource again. */
  take(resource: string, holder: string, wake: () => void): boolean
  isHeldByOther(resource: string, holder: string): boolean
  releaseAll(holder: string): void
  /** Called for every resource that becomes free. The result removes the listener. */
  onRelease(listener: (resource: string) => void): () => void
}

export function createHoldTable(): HoldTable {
  const holders = new Map<string, string>()
  const held = new Map<string, Set<string>>()
  const waiting = new Map<string, Set<() => void>>()
  const listeners = new Set<(resource: string) => void>()
  const isHeldByOther = (resource: string, holder: string): boolean => (holders.get(resource) ?? holder) !== holder
  const take = (resource: string, holder: string, wake: () => void): boolean => {
    if (isHeldByOther(resource, holder)) {
      waiting.set(resource, (waiting.get(resource) ?? new Set()).add(wake))
      return false
    }
    holders.set(resource, holder)
    held.set(holder, (held.get(holder) ?? new Set()).add(resource))
    return true
  }
  const releaseAll = (holder: string): void => {
    const resources = held.get(holder) ?? []
    held.delete(holder)
    for (const resource of resources) {
      holders.delete(resource)
      const woken = waiting.get(resource) ?? []
      waiting.delete(resource)
      for (const wake of woken) wake()
      for (const listener of listeners) listener(resource)
    }
  }
  const onRelease = (listener: (resource: string) => void): (() => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return { take, isHeldByOther, releaseAll, onRelease }
}
