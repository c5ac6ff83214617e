import type { Api } from '../api/api.ts'
import { NODES } from '../api/kinds/node.ts'
import { keyOfRef } from '../api/object-key.ts'
import { abandonOnAbort, startDeadline } from '../base/abort.ts'
import type { Clock } from '../base/clock.ts'
import { usagesIn } from '../explain/index.ts'
import type { Usage } from '../explain/index.ts'
import { podClaimKeysOf } from '../storage/pod-claims.ts'
import type { Caches } from './caches.ts'
import { isReady } from './tables/node-table.ts'

/** How full the volumes of claims are, as their nodes said last. */
export interface ClaimUsages {
  usageOf(claimKey: string): Usage | undefined
  /** Asks every node that has mounted a claim. Returns the claims whose numbers changed. */
  refresh(signal: AbortSignal): Promise<readonly string[]>
}

const NODES_AT_ONCE = 8
const NODE_MS = 2000

export function createClaimUsages({ api, clock, caches }: { api: Api; clock: Clock; caches: Caches }): ClaimUsages {
  let known: ReadonlyMap<string, Usage> = new Map()
  const ask = async (name: string, signal: AbortSignal): Promise<ReturnType<typeof usagesIn>> => {
    using deadline = startDeadline(clock, NODE_MS, () => new Error('no stats in time'))
    const either = AbortSignal.any([deadline.signal, signal])
    try {
      const asked = api.get(NODES, { name }, { subresource: 'proxy/stats/summary', signal: either })
      return usagesIn(await abandonOnAbort(asked, either))
    } catch {
      // Not allowed, not served, or no answer in time: the columns stay empty.
      return []
    }
  }
  const refresh = async (signal: AbortSignal): Promise<string[]> => {
    const found = new Map<string, Usage>()
    const names = nodesToAsk(caches)
    for (let at = 0; at < names.length && !signal.aborted; at += NODES_AT_ONCE) {
      const answers = await Promise.all(names.slice(at, at + NODES_AT_ONCE).map((name) => ask(name, signal)))
      for (const { claim, usage } of answers.flat()) found.set(keyOfRef(claim), usage)
    }
    const before = known
    known = found
    return [...new Set([...before.keys(), ...found.keys()])].filter(
      (key) => !isSameUsage(before.get(key), found.get(key)),
    )
  }
  return { usageOf: (claimKey) => known.get(claimKey), refresh }
}

/** A node that is not ready would not answer, and one without a running pod that has a claim has nothing to say. */
const nodesToAsk = ({ nodes, podsOfNode }: Caches): string[] =>
  [...nodes.all()].flatMap((node) => {
    const name = node.metadata.name ?? ''
    const hasMounted = podsOfNode(name).some((pod) => pod.status?.phase === 'Running' && podClaimKeysOf(pod).length > 0)
    return isReady(node.status) && hasMounted ? [name] : []
  })

// The time of the measurement changes each time, and is not shown.
const isSameUsage = (one: Usage | undefined, other: Usage | undefined): boolean =>
  one?.usedBytes === other?.usedBytes &&
  one?.capacityBytes === other?.capacityBytes &&
  one?.inodesUsed === other?.inodesUsed
