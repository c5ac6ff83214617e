import { isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node } from '../../api/kinds/node.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { DONE, startController } from '../../kube/controller.ts'
import type { OwnWrites } from '../../kube/own-writes.ts'
import { within } from '../../kube/within.ts'
import { createWorkQueue } from '../../kube/work-queue.ts'

/** Keeps `volumesInUse` of the node: nobody detaches what stands there. */
export interface UseReport {
  /** What is used has changed, or the node has. */
  touch(): void
  /** The server has it. */
  isReported(uniqueName: string): boolean
  isIdle(): boolean
  stop(): Promise<void>
}

export type UseReportParts = {
  api: Api
  clock: Clock
  random: Random
  log: Logger
  nodeName: string
  nodes: OwnWrites<Node>
  /** What is used, or about to be. */
  inUse(): readonly string[]
  /** False while it is not known what an earlier life left: then names are only added. */
  mayShrink(): boolean
  onReported(): void
}

const KEY = 'volumes in use'
const BACKOFF = { initialMs: 50, maximumMs: 10_000 }

export function startUseReport({
  api,
  clock,
  random,
  log,
  nodeName,
  nodes,
  inUse,
  mayShrink,
  onReported,
}: UseReportParts): UseReport {
  const queue = createWorkQueue({ clock, random, lanes: { default: 1 }, backoff: BACKOFF })
  const reported = (): readonly string[] => nodes.get(nodeName)?.status?.volumesInUse ?? []
  const controller = startController({
    name: 'volumes-in-use',
    queue,
    log,
    reconcile: async (_key, { signal }) => {
      const node = nodes.get(nodeName)
      // Its coming brings us back.
      if (!node) return DONE
      const present = reported()
      const wanted = [...new Set([...inUse(), ...(mayShrink() ? [] : present)])].sort()
      if (isEqualJson(wanted, [...present])) return DONE
      const value = { metadata: { uid: node.metadata.uid }, status: { volumesInUse: wanted } }
      try {
        nodes.remember(
          await within(clock, signal, (until) =>
            api.patch(NODES, { name: nodeName }, { type: 'merge', value }, { subresource: 'status', signal: until }),
          ),
        )
      } catch (error) {
        if (isNotFound(error)) return DONE
        throw error
      }
      onReported()
      return DONE
    },
  })
  return {
    touch: () => queue.add(KEY),
    isReported: (uniqueName) => reported().includes(uniqueName),
    isIdle: () => queue.depth() === 0,
    stop: () => controller.stop(),
  }
}
