import type { Api } from '../../api/api.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { ObjectKey } from '../../api/object-key.ts'
import { sleep } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import { getOrAdd } from '../../base/get-or-add.ts'
import { createRecentMap } from '../../kube/cache/recent-map.ts'
import { podClaimKeysOf } from '../../storage/pod-claims.ts'

/** Pods by the keys of their claims. */
export type PodsByClaim = ReadonlyMap<ObjectKey, readonly Pod[]>

/** The current pods of a namespace on the server. */
export type ReadPods = (namespace: string, signal: AbortSignal) => Promise<PodsByClaim>

const PAGE = 500
// The pause after a list is this many times longer than the list took: claims that are deleted meanwhile share the next list.
const REST_TIMES = 5
const LONGEST_REST_MS = 1000
const MOST_NAMESPACES = 1000

/** Callers that ask while a list is in progress share the next one: the current one may have been read before they asked. */
export function createPodReader(api: Api, clock: Clock): ReadPods {
  const running = new Map<string, Promise<unknown>>()
  const restUntilMs = createRecentMap<number>(MOST_NAMESPACES)
  const waiting = new Map<string, Promise<PodsByClaim>>()

  // Grouped by claim once for all callers: a namespace may have thousands of pods, and as many claims that are deleted together.
  const list = async (namespace: string): Promise<PodsByClaim> => {
    const pods = new Map<ObjectKey, Pod[]>()
    let continueToken: string | undefined
    do {
      const token = continueToken ? { continueToken } : {}
      const page = await api.list(PODS, { namespace, limit: PAGE, ...token })
      for (const pod of page.items)
        for (const key of podClaimKeysOf(pod)) getOrAdd(pods, key, (): Pod[] => []).push(pod)
      continueToken = page.continueToken
    } while (continueToken)
    return pods
  }
  const begin = async (namespace: string, signal: AbortSignal): Promise<PodsByClaim> => {
    try {
      await running.get(namespace)?.catch(() => {})
      const restMs = (restUntilMs.get(namespace) ?? 0) - clock.monotonicMs()
      if (restMs > 0) await sleep(clock, restMs, signal)
    } finally {
      waiting.delete(namespace)
    }
    const startedMs = clock.monotonicMs()
    const reading = list(namespace)
    running.set(namespace, reading)
    try {
      return await reading
    } finally {
      if (running.get(namespace) === reading) running.delete(namespace)
      const nowMs = clock.monotonicMs()
      restUntilMs.set(namespace, nowMs + Math.min(LONGEST_REST_MS, (nowMs - startedMs) * REST_TIMES))
    }
  }
  return (namespace, signal) => getOrAdd(waiting, namespace, () => begin(namespace, signal))
}
