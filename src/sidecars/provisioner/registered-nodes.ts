import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import type { CSINode } from '../../api/kinds/csi-node.ts'
import type { Stops } from '../../base/stops.ts'
import { CSI_NODE_INFOS, withNodeInfo } from '../../compat/alpha-csi-node-info.ts'
import type { CSINodeInfo } from '../../compat/alpha-csi-node-info.ts'
import type { CacheChange } from '../../kube/object-cache.ts'
import { startOptionalCache } from '../../kube/optional-cache.ts'
import type { OptionalCacheParts } from '../../kube/optional-cache.ts'

/** Which drivers each node has. A node that only has a `CSINodeInfo` is listed as if that were a `CSINode`. */
export interface RegisteredNodes {
  get(name: string): CSINode | undefined
  all(): Iterable<CSINode>
  /** Calls back for each change from now on, and at once for what is there already. The result ends it. */
  onChange(listener: (change: CacheChange<CSINode>) => void): () => void
  synced(): Promise<void>
}

/** Follows `CSINode`, and `CSINodeInfo` where the server has that kind and lets us read it. */
export function followRegisteredNodes(
  parts: OptionalCacheParts,
  signal: AbortSignal,
  { onStop }: Stops,
): RegisteredNodes {
  const csiNodes = parts.informers.get(CSI_NODES)
  const infos = new Map<string, CSINodeInfo>()
  const listeners = new Set<(change: CacheChange<CSINode>) => void>()
  const tell = (change: CacheChange<CSINode>): void => {
    for (const listener of listeners) listener(change)
  }
  onStop(
    csiNodes.onChange(({ key, before, after }) => {
      const info = infos.get(key)
      tell({ key, before: withNodeInfo(before, info), after: withNodeInfo(after, info) })
    }),
  )
  const onNodeInfo = ({ key, before, after }: CacheChange<CSINodeInfo>): void => {
    if (after) infos.set(key, after)
    else infos.delete(key)
    const csiNode = csiNodes.get(key)
    tell({ key, before: withNodeInfo(csiNode, before), after: withNodeInfo(csiNode, after) })
  }
  const ending = new AbortController()
  const starting = startOptionalCache(CSI_NODE_INFOS, parts, onNodeInfo, AbortSignal.any([signal, ending.signal]))
  onStop(async () => {
    ending.abort(new Error('nodes are no longer followed'))
    // Whether it could be started is told by `synced`.
    await starting.then(
      (cache) => cache.stop(),
      () => {},
    )
  })
  function* all(): Generator<CSINode, void> {
    for (const csiNode of csiNodes.all()) yield withNodeInfo(csiNode, infos.get(csiNode.metadata.name ?? '')) ?? csiNode
    for (const [name, info] of infos) {
      const only = csiNodes.get(name) ? undefined : withNodeInfo(undefined, info)
      if (only) yield only
    }
  }
  return {
    get: (name) => withNodeInfo(csiNodes.get(name), infos.get(name)),
    all,
    onChange: (listener) => {
      for (const csiNode of all()) listener({ key: csiNode.metadata.name ?? '', before: undefined, after: csiNode })
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    synced: async () => {
      await Promise.all([csiNodes.synced(signal), starting])
    },
  }
}
