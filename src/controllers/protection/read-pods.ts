import type { Api } from '../../api/api.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { ObjectKey } from '../../api/object-key.ts'
import type { Clock } from '../../base/clock.ts'
import { within } from '../../kube/within.ts'
import { podClaimKeysOf } from '../../volumes/pod-claims.ts'

/** Pods by the keys of the claims that they name, each claim of a pod. */
export type PodsByClaim = ReadonlyMap<ObjectKey, readonly Pod[]>

/** The pods of a namespace as the server has them now. */
export type ReadPods = (namespace: string, signal: AbortSignal) => Promise<PodsByClaim>

const PAGE = 500

/** Those who ask while an answer is under way share the next one: what is under way may have been read before they asked. */
export function createPodReader(api: Api, clock: Clock): ReadPods {
  const running = new Map<string, Promise<unknown>>()
  const waiting = new Map<string, Promise<PodsByClaim>>()

  // By claim, once for all who share the answer: a namespace may have thousands of pods, and as many claims that leave together.
  const list = async (namespace: string, signal: AbortSignal): Promise<PodsByClaim> => {
    const pods = new Map<ObjectKey, Pod[]>()
    let continueToken: string | undefined
    do {
      const token = continueToken ? { continueToken } : {}
      const page = await within(clock, signal, (until) => api.list(PODS, { namespace, limit: PAGE, signal: until, ...token }))
      for (const pod of page.items) {
        for (const key of podClaimKeysOf(pod)) {
          const users = pods.get(key)
          if (users) users.push(pod)
          else pods.set(key, [pod])
        }
      }
      continueToken = page.continueToken
    } while (continueToken)
    return pods
  }
  const begin = async (namespace: string, signal: AbortSignal): Promise<PodsByClaim> => {
    await running.get(namespace)
    waiting.delete(namespace)
    const reading = list(namespace, signal)
    const ended = reading.then(
      () => {},
      () => {},
    )
    running.set(namespace, ended)
    try {
      return await reading
    } finally {
      if (running.get(namespace) === ended) running.delete(namespace)
    }
  }
  return (namespace, signal) => {
    const present = waiting.get(namespace)
    if (present) return present
    const reading = begin(namespace, signal)
    waiting.set(namespace, reading)
    return reading
  }
}
