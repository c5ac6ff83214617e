import { createSeededRandom } from '../../base/random.ts'
import type { Rpc } from '../../csi/index.ts'
import type { Fault } from './fault.ts'
import { nextFaultStep } from './next-fault-step.ts'
import type { FaultCall, FaultCount } from './next-fault-step.ts'
import { subjectsOf } from './subjects-of.ts'

/** Chooses the fault of each call, and counts. */
export interface FaultChooser {
  choose(call: FaultCall): Fault | undefined
  /** Remembers the ID that the driver gave to a name, so that faults find later calls by the name too. */
  learn(rpc: Rpc, request: unknown, response: unknown): void
  /** How often each fault was applied, in the order of the file. */
  applied(): number[]
}

/** The same seed makes the same draws. */
export function createFaultChooser({ faults, seed }: { faults: readonly Fault[]; seed: number }): FaultChooser {
  let counts: readonly FaultCount[] = []
  // One source for each fault: the draws of one do not depend on the calls that others match.
  const sources = faults.map((_, index) => createSeededRandom((seed + Math.imul(index, 0x9e3779b9)) >>> 0))
  const names = new Map<string, string>()
  return {
    choose: ({ subjects, ...call }) => {
      const known = subjects.flatMap((subject) => [subject, names.get(subject) ?? subject])
      const draw = (index: number): number => sources[index]?.fraction() ?? 0
      const step = nextFaultStep({ call: { ...call, subjects: known }, faults, counts, draw })
      counts = step.counts
      return step.fault
    },
    learn: (rpc, request, response) => {
      const { name } = (request ?? {}) as { name?: string }
      const [id] = subjectsOf(rpc.responseName, response)
      if (name !== undefined && name !== '' && id !== undefined) names.set(id, name)
    },
    applied: () => faults.map((_, index) => counts[index]?.applied ?? 0),
  }
}
