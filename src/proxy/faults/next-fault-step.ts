import type { Fault } from './fault.ts'

/** A call as far as faults are selected by it. */
export type FaultCall = {
  /** The name of a CSI call, or the path of any other method. */
  readonly rpc: string
  /** False for a method that is not CSI's: its messages cannot be read. */
  readonly isKnown: boolean
  /** The IDs and names in the request, see `subjectsOf`. */
  readonly subjects: readonly string[]
}

/** How often a fault has matched, and how often it was applied. */
export type FaultCount = { readonly matched: number; readonly applied: number }

export type FaultView = {
  readonly call: FaultCall
  readonly faults: readonly Fault[]
  readonly counts: readonly FaultCount[]
  /** At least 0, below 1: the draw of this fault for this call. Asked only for a fault whose probability is below 1. */
  draw(fault: number): number
}

export type FaultStep = {
  /** Undefined: the call is passed on unchanged. */
  readonly fault: Fault | undefined
  readonly counts: readonly FaultCount[]
}

/** The first fault of the file that applies to the call. Faults after it do not see the call. */
export function nextFaultStep({ call, faults, counts, draw }: FaultView): FaultStep {
  const next = faults.map((_, index) => counts[index] ?? NEVER)
  for (const [index, fault] of faults.entries()) {
    if (!matches(fault, call)) continue
    const before = next[index] ?? NEVER
    const count = { ...before, matched: before.matched + 1 }
    next[index] = count
    if (count.matched <= fault.skip || count.applied >= fault.times) continue
    if (fault.probability < 1 && draw(index) >= fault.probability) continue
    next[index] = { ...count, applied: count.applied + 1 }
    return { fault, counts: next }
  }
  return { fault: undefined, counts: next }
}

const NEVER: FaultCount = { matched: 0, applied: 0 }

function matches({ rpcs, volume, action }: Fault, { rpc, isKnown, subjects }: FaultCall): boolean {
  if (rpcs && !rpcs.has(rpc)) return false
  if (volume && !subjects.some((subject) => volume.test(subject))) return false
  return isKnown || isPossibleUnread(action)
}

/** Whether the action is possible for a call whose messages pass through without being read. */
const isPossibleUnread = (action: Fault['action']): boolean =>
  action.kind === 'none' || action.kind === 'error' || (action.kind === 'cut' && action.when === 'before')
