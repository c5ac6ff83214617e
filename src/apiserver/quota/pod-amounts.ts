import type { Container, Pod } from '../../api/kinds/pod.ts'
import type { ResourceRequirements } from '../../api/kinds/resources.ts'
import type { Loose } from '../kinds/loose.ts'
import { addAmounts, largerAmounts } from './amounts.ts'
import type { Amounts } from './amounts.ts'

/** What a pod requests, or is limited to: its containers together, or one of its init containers if that is more, and its overhead. */
export function podAmounts({ spec = {} }: Loose<Pod>, member: 'requests' | 'limits'): Amounts {
  const of = ({ resources }: Pick<Loose<Container>, 'resources'>): Amounts => (resources?.[member] ?? {}) as Amounts
  let running = (spec.containers ?? []).map(of).reduce(addAmounts, {})
  let most: Amounts = {}
  let sidecars: Amounts = {}
  for (const container of spec.initContainers ?? []) {
    // A sidecar keeps running beside the containers, and beside the init containers after it.
    if (container.restartPolicy === 'Always') {
      running = addAmounts(running, of(container))
      sidecars = addAmounts(sidecars, of(container))
      most = largerAmounts(most, sidecars)
    } else most = largerAmounts(most, addAmounts(of(container), sidecars))
  }
  const ofPod = (spec as { resources?: Loose<ResourceRequirements> }).resources?.[member] as Amounts | undefined
  const overhead = ((spec as { overhead?: object }).overhead ?? {}) as Amounts
  const together = { ...largerAmounts(running, most), ...ofPod }
  // A pod without a limit has none, whatever its overhead is.
  const counted =
    member === 'requests' ? overhead : Object.fromEntries(Object.entries(overhead).filter(([name]) => name in together))
  return addAmounts(together, counted)
}
