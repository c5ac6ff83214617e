import type { Node } from '../../api/kinds/node.ts'
import type { Container, PodSpec } from '../../api/kinds/pod.ts'
import { quantityToBytes, quantityToMilli } from '../../api/quantity.ts'

export type Amounts = { readonly cpuMilli: number; readonly memoryBytes: number }
/** Absent: the node does not report it, and it is not checked. */
export type Allocatable = Partial<Amounts> & { readonly pods?: number }

/** The maximum concurrent requests of the pod: its containers together, or an init container with the sidecars started before it. */
export function requestsOf({ containers, initContainers = [] }: PodSpec): Amounts {
  let lasting: Amounts = { cpuMilli: 0, memoryBytes: 0 }
  let peak = lasting
  for (const container of initContainers) {
    const beside = add(lasting, amountsOf(container))
    peak = larger(peak, beside)
    if (container.restartPolicy === 'Always') lasting = beside
  }
  return larger(peak, containers.map(amountsOf).reduce(add, lasting))
}

export function allocatableOf({ status }: Node): Allocatable {
  const { cpu, memory, pods } = status?.allocatable ?? {}
  return {
    ...(cpu === undefined ? {} : { cpuMilli: quantityToMilli(cpu) }),
    ...(memory === undefined ? {} : { memoryBytes: Number(quantityToBytes(memory)) }),
    ...(pods === undefined ? {} : { pods: Number(quantityToBytes(pods)) }),
  }
}

// A limit without a request is a request of that size.
function amountsOf({ resources: { requests = {}, limits = {} } = {} }: Container): Amounts {
  return {
    cpuMilli: quantityToMilli(requests['cpu'] ?? limits['cpu'] ?? '0'),
    memoryBytes: Number(quantityToBytes(requests['memory'] ?? limits['memory'] ?? '0')),
  }
}

const combineWith =
  (combine: (one: number, other: number) => number) =>
  (one: Amounts, other: Amounts): Amounts => ({
    cpuMilli: combine(one.cpuMilli, other.cpuMilli),
    memoryBytes: combine(one.memoryBytes, other.memoryBytes),
  })
const add = combineWith((one, other) => one + other)
const larger = combineWith(Math.max)
