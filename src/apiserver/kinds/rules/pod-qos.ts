import { compareQuantities, addQuantities } from '../../../api/quantity.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import type { ResourceRequirements } from '../../../api/kinds/resources.ts'
import type { Loose } from '../loose.ts'

type Amounts = Record<string, string>

const COMPUTE = ['cpu', 'memory']

/** The QoS class of a pod, which follows from the requests and limits of its containers. */
export function qosClassOf({ spec = {} }: Loose<Pod>): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const requests: Amounts = {}
  const limits: Amounts = {}
  let isGuaranteed = true
  const ofPod = (spec as { resources?: Loose<ResourceRequirements> }).resources
  const all = ofPod
    ? [ofPod]
    : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => resources ?? {})
  for (const { requests: asked, limits: allowed } of all) {
    add(requests, asked)
    const limited = add(limits, allowed)
    if ((!ofPod || Object.keys(allowed ?? {}).length > 0) && limited < COMPUTE.length) isGuaranteed = false
  }
  const count = Object.keys(requests).length
  if (count === 0 && Object.keys(limits).length === 0) return 'BestEffort'
  const isEqual = Object.entries(requests).every(
    ([name, amount]) => limits[name] !== undefined && compareQuantities(amount, limits[name]) === 0,
  )
  return isGuaranteed && isEqual && count === Object.keys(limits).length ? 'Guaranteed' : 'Burstable'
}

// Returns the number of compute resources with an amount above zero.
function add(sum: Amounts, amounts: Readonly<Record<string, string | undefined>> = {}): number {
  const entries = COMPUTE.flatMap((name) => {
    const amount = amounts[name]
    return amount !== undefined && compareQuantities(amount, '0') > 0 ? [[name, amount] as const] : []
  })
  for (const [name, amount] of entries) sum[name] = sum[name] === undefined ? amount : addQuantities(sum[name], amount)
  return entries.length
}
