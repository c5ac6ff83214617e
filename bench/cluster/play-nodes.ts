import { isConflict, isNotFound } from '../../src/api/api-error.ts'
import type { Api } from '../../src/api/api.ts'
import { CSI_NODES } from '../../src/api/kinds/csi-node.ts'
import { NODES } from '../../src/api/kinds/node.ts'
import { PODS } from '../../src/api/kinds/pod.ts'
import type { Pod } from '../../src/api/kinds/pod.ts'
import { keyOf, refOf } from '../../src/api/object-key.ts'
import { getOrAdd } from '../../src/base/get-or-add.ts'
import type { Informer } from '../../src/kube/cache/informer.ts'
import { uniqueVolumeName } from '../../src/storage/unique-volume-name.ts'
import { inFlight } from '../sidecars/in-flight.ts'
import { csiNode, DRIVER, node, nodeName, nodeStatus } from './objects.ts'

const REQUESTS = 32

/** Makes nodes that are ready and have the driver. */
export async function registerNodes(api: Api, count: number, { isLimited }: { isLimited: boolean }): Promise<void> {
  const indexes = Array.from({ length: count }, (_, index) => index)
  await inFlight(indexes, REQUESTS, async (index) => {
    await api.create(NODES, node(index))
    await api.patch(
      NODES,
      { name: nodeName(index) },
      { type: 'merge', value: { status: nodeStatus() } },
      { subresource: 'status' },
    )
    await api.create(CSI_NODES, csiNode(index, isLimited))
  })
}

export interface PlayedNodes {
  /** Requests that nodes have made. */
  writes(): number
  stop(): Promise<void>
}

/** One node: what its pods use, and whether the server has to be told. */
type PlayedNode = {
  readonly name: string
  readonly pods: Map<string, string>
  isStale: boolean
  isTelling: boolean
  leaving: Pod[]
}

/**
 * What node agents do about volumes, as ours do it: each tells what is in use, one write at a time with all that has come up since the last;
 * a pod that is asked to go has its volume given back first, and then is gone.
 */
export function playNodes(
  api: Api,
  pods: Pick<Informer<Pod>, 'onChange' | 'all'>,
  handleOf: (pod: Pod) => string | undefined,
): PlayedNodes {
  const nodes = new Map<string, PlayedNode>()
  const running = new Set<Promise<void>>()
  let writes = 0
  let failure: unknown

  const tell = async (played: PlayedNode): Promise<void> => {
    while (played.isStale || played.leaving.length > 0) {
      if (played.isStale) {
        played.isStale = false
        writes++
        const volumesInUse = [...new Set(played.pods.values())].sort()
        await api.patch(
          NODES,
          { name: played.name },
          { type: 'merge', value: { status: { volumesInUse } } },
          { subresource: 'status' },
        )
      }
      const leaving = played.leaving.splice(0)
      await inFlight(leaving, REQUESTS, async (pod) => {
        writes++
        try {
          await api.delete(PODS, refOf(pod), { gracePeriodSeconds: 0 })
        } catch (error) {
          if (!isNotFound(error) && !isConflict(error)) throw error
        }
      })
    }
  }
  const wake = (played: PlayedNode): void => {
    if (played.isTelling) return
    played.isTelling = true
    const telling = tell(played)
      .catch((error: unknown) => void (failure ??= error))
      .finally(() => {
        played.isTelling = false
        running.delete(telling)
        if (failure === undefined && (played.isStale || played.leaving.length > 0)) wake(played)
      })
    running.add(telling)
  }
  const playedOf = (name: string): PlayedNode =>
    getOrAdd(nodes, name, () => ({ name, pods: new Map(), isStale: false, isTelling: false, leaving: [] }))
  // What was there before is in use already.
  for (const pod of pods.all()) {
    const handle = pod.spec.nodeName && handleOf(pod)
    if (pod.spec.nodeName && handle) playedOf(pod.spec.nodeName).pods.set(keyOf(pod), uniqueVolumeName(DRIVER, handle))
  }
  const end = pods.onChange(({ key, before, after }) => {
    const name = (after ?? before)?.spec.nodeName
    if (!name) return
    const played = playedOf(name)
    const isLeaving = after?.metadata.deletionTimestamp !== undefined
    if (after && !isLeaving) {
      const handle = handleOf(after)
      if (handle === undefined || played.pods.has(key)) return
      played.pods.set(key, uniqueVolumeName(DRIVER, handle))
      played.isStale = true
    } else {
      if (played.pods.delete(key)) played.isStale = true
      if (after && !before?.metadata.deletionTimestamp) played.leaving.push(after)
    }
    wake(played)
  })
  return {
    writes: () => writes,
    stop: async () => {
      end()
      await Promise.all(running)
      if (failure !== undefined) throw failure
    },
  }
}
