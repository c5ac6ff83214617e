import type { Attempt, ProvisionHeld } from './next-provision-step.ts'

/** What this life remembers of a claim. All of it but the attempt may be lost, and that one is in the journal. */
export type ClaimMemory = {
  attempt?: Attempt | undefined
  infeasible?: ProvisionHeld['infeasible']
  isProvisioned?: boolean
  /** Of the first try. */
  startedMs?: number
  /** Calls that failed or are in doubt, since the last success. */
  failures: number
  /** Final answers in a row for a claim that is gone. */
  denials?: number
  /** What the user was told last. */
  told?: string
}

/** By the claim's uid. */
export interface ClaimMemories {
  find(uid: string): ClaimMemory | undefined
  of(uid: string): ClaimMemory
  forget(uid: string): void
  /** Forgets a claim of which nothing is worth remembering. */
  trim(uid: string): void
  /** Those that an attempt is held for. */
  attempted(): IteratorObject<[uid: string, attempt: Attempt]>
}

export function createClaimMemories(): ClaimMemories {
  const memories = new Map<string, ClaimMemory>()
  const of = (uid: string): ClaimMemory => {
    const memory = memories.get(uid) ?? { failures: 0 }
    memories.set(uid, memory)
    return memory
  }
  const trim = (uid: string): void => {
    const { attempt, infeasible, isProvisioned, failures, told } = of(uid)
    if (!attempt && !infeasible && !isProvisioned && failures === 0 && told === undefined) memories.delete(uid)
  }
  function* attempted(): Generator<[string, Attempt]> {
    for (const [uid, { attempt }] of memories) if (attempt) yield [uid, attempt]
  }
  return { find: (uid) => memories.get(uid), of, forget: (uid) => void memories.delete(uid), trim, attempted }
}
