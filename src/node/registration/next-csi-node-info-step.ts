import { isEqualJson } from '../../api/equal-json.ts'
import { ownerReferenceTo } from '../../api/owner-references.ts'
import { createNodeInfo, withoutDriver } from '../../compat/alpha-csi-node-info.ts'
import type { CSINodeInfo } from '../../compat/alpha-csi-node-info.ts'
import { presentDrivers } from './publication-view.ts'
import type { PublicationView } from './publication-view.ts'

export type CsiNodeInfoStep =
  | { readonly kind: 'create'; readonly object: CSINodeInfo }
  | { readonly kind: 'update'; readonly object: CSINodeInfo }
  | { readonly kind: 'done' }

/** What to write to the node's CSINodeInfo, in one write: here entries may change. */
export function nextCsiNodeInfoStep({ seen: { node, csiNodeInfo }, held }: PublicationView): CsiNodeInfoStep {
  if (!held) return { kind: 'done' }
  const entries = presentDrivers(held.wanted).map(([name, { nodeId, topology }]) => ({
    name,
    nodeID: nodeId,
    topologyKeys: Object.keys(topology).sort(),
  }))
  const ownerReferences = [ownerReferenceTo(node)]
  if (!csiNodeInfo) {
    if (entries.length === 0) return { kind: 'done' }
    return {
      kind: 'create',
      object: { ...createNodeInfo({ name: node.metadata.name ?? '', ownerReferences }), csiDrivers: entries },
    }
  }
  // Readers look into all three lists; ours is in the first.
  const others = [...held.wanted.keys()].reduce(withoutDriver, csiNodeInfo)
  const object: CSINodeInfo = {
    ...others,
    metadata: { ...others.metadata, ownerReferences },
    csiDrivers: [...(others.csiDrivers ?? []), ...entries],
  }
  return isEqualJson(sorted(object), sorted(csiNodeInfo)) ? { kind: 'done' } : { kind: 'update', object }
}

// The order of the list has no meaning: for it alone nothing is written.
function sorted({ csiDrivers, ...rest }: CSINodeInfo): object {
  const entries = (csiDrivers ?? []).map((entry) => ({ ...entry, topologyKeys: entry.topologyKeys ?? [] }))
  return { ...rest, csiDrivers: entries.toSorted((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1)) }
}
