import { isEqualJson } from '../../api/equal-json.ts'
import { ownerReferenceTo } from '../../api/owner-references.ts'
import type { CSINodeInfo, CSINodeInfoDriver } from '../../compat/csi-node-info.ts'
import { presentDrivers } from './publication-view.ts'
import type { PublicationView } from './publication-view.ts'

export type CsiNodeInfoStep =
  | { readonly kind: 'create'; readonly object: CSINodeInfo }
  | { readonly kind: 'update'; readonly object: CSINodeInfo }
  | { readonly kind: 'done' }

/** What to write to the node's CSINodeInfo, in one write: here entries may change. */
export function nextCsiNodeInfoStep({ seen: { node, csiNodeInfo }, held }: PublicationView): CsiNodeInfoStep {
  if (!held) return { kind: 'done' }
  const entries = presentDrivers(held.wanted).map(([name, { nodeId, topology }]) => ({ name, nodeID: nodeId, topologyKeys: Object.keys(topology).sort() }))
  const ownerReferences = [ownerReferenceTo(node)]
  if (!csiNodeInfo) {
    if (entries.length === 0) return { kind: 'done' }
    const metadata = { name: node.metadata.name ?? '', ownerReferences }
    return { kind: 'create', object: { apiVersion: 'csi.storage.k8s.io/v1alpha1', kind: 'CSINodeInfo', metadata, csiDrivers: entries } }
  }
  const isOthers = (entry: CSINodeInfoDriver): boolean => !held.wanted.has(entry.name ?? entry.driver ?? '')
  // Readers look into all three lists; ours is in the first.
  const others = (list: readonly CSINodeInfoDriver[] | null | undefined): readonly CSINodeInfoDriver[] => (list ?? []).filter(isOthers)
  const { spec, status } = csiNodeInfo
  const object: CSINodeInfo = {
    ...csiNodeInfo,
    metadata: { ...csiNodeInfo.metadata, ownerReferences },
    csiDrivers: [...others(csiNodeInfo.csiDrivers), ...entries],
    ...(spec?.drivers ? { spec: { ...spec, drivers: others(spec.drivers) } } : {}),
    ...(status?.drivers ? { status: { ...status, drivers: others(status.drivers) } } : {}),
  }
  return isEqualJson(sorted(object), sorted(csiNodeInfo)) ? { kind: 'done' } : { kind: 'update', object }
}

// The order of the list has no meaning: for it alone nothing is written.
function sorted({ csiDrivers, ...rest }: CSINodeInfo): object {
  const entries = (csiDrivers ?? []).map((entry) => ({ ...entry, topologyKeys: entry.topologyKeys ?? [] }))
  return { ...rest, csiDrivers: entries.toSorted((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1)) }
}
