import type { CSINode } from '../../../api/kinds/csi-node.ts'
import type { Node } from '../../../api/kinds/node.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../../api/kinds/persistent-volume.ts'
import type { ProvisionCaches } from '../provision-view.ts'
import type { ReferenceGrant } from '../content-source.ts'
import { aggregateTerms, pickTopologyKeys } from '../topology.ts'
import { DRIVER } from './objects.ts'

export type TestWorld = {
  claims?: readonly PersistentVolumeClaim[]
  volumes?: readonly PersistentVolume[]
  grants?: readonly ReferenceGrant[]
  nodes?: readonly Node[]
  csiNodes?: readonly CSINode[]
}

/** Caches that hold just these objects. */
export function testCaches({
  claims = [],
  volumes = [],
  grants = [],
  nodes = [],
  csiNodes = [],
}: TestWorld = {}): ProvisionCaches {
  const findCsiNode = (name: string) => csiNodes.find(({ metadata }) => metadata.name === name)
  return {
    findClaim: ({ namespace, name }) =>
      claims.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    findVolume: (name) => volumes.find(({ metadata }) => metadata.name === name),
    findByHandle: (handle) => volumes.find(({ spec }) => spec.csi?.volumeHandle === handle),
    grants: () => grants,
    cluster: {
      findNode: (name) => nodes.find(({ metadata }) => metadata.name === name),
      findCsiNode,
      pickKeys: () => pickTopologyKeys(csiNodes, DRIVER, () => 0),
      aggregate: (keys) => aggregateTerms(keys, { driverName: DRIVER, nodes, findCsiNode, onlyRegistered: true }),
    },
  }
}
