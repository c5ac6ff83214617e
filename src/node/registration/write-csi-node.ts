import type { Api } from '../../api/api.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import type { CSINode } from '../../api/kinds/csi-node.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node } from '../../api/kinds/node.ts'
import { refOf } from '../../api/object-key.ts'
import { unreachable } from '../../base/abort.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { within } from '../../kube/within.ts'
import type { CsiNodeStep } from './next-csi-node-step.ts'

export type CsiNodeWrite = Exclude<CsiNodeStep, { kind: 'done' }>

/** Does what the step says. What is there afterwards; `changed`: nothing was done, since the Node is another one by now. */
export async function writeCsiNode(
  node: Node,
  step: CsiNodeWrite,
  { api, clock, log }: { api: Api; clock: Clock; log: Logger },
  signal: AbortSignal,
): Promise<CSINode | undefined | { changed: Node }> {
  const { object } = step
  switch (step.kind) {
    case 'create':
      return within(clock, signal, (until) => api.create(CSI_NODES, object, { signal: until }))
    case 'update':
      return within(clock, signal, (until) => api.update(CSI_NODES, object, { signal: until }))
    case 'delete': {
      // The cache may still have the node of before: a good object must not go because of that.
      const now = await within(clock, signal, (until) => api.get(NODES, refOf(node), { signal: until }))
      if (now.metadata.uid !== node.metadata.uid) return { changed: now }
      log.info('the CSINode belongs to another node: it is made anew', {
        owners: object.metadata.ownerReferences ?? [],
      })
      const { uid = '', resourceVersion = '' } = object.metadata
      await within(clock, signal, (until) =>
        api.delete(CSI_NODES, refOf(object), { preconditions: { uid, resourceVersion }, signal: until }),
      )
      return undefined
    }
    default:
      return unreachable(step)
  }
}
