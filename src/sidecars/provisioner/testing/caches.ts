import type { CSINode } from '../../../api/kinds/csi-node.ts'
import type { Node } from '../../../api/kinds/node.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../../api/kinds/persistent-volume.ts'
import type { KubeObject } from '../../../api/object.ts'
import { readClusterTopology } from '../provision-view.ts'
import type { ProvisionCaches } from '../provision-view.ts'
import type { ReferenceGrant, VolumePopulator } from '../content-source.ts'
import { DRIVER } from './objects.ts'

export type TestWorld = {
  claims?: readonly PersistentVolumeClaim[]
  volumes?: readonly PersistentVolume[]
  grants?: readonly ReferenceGrant[]
  populators?: readonly VolumePopulator[] | undefined
  nodes?: readonly Node[]
  csiNodes?: readonly CSINode[]
}

/** Caches with exactly these objects. */
export function testCaches({
  claims = [],
  volumes = [],
  grants = [],
  populators,
  nodes = [],
  csiNodes = [],
}: TestWorld = {}): ProvisionCaches {
  return {
    findClaim: ({ namespace, name }) =>
      claims.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    findVolume: (name) => volumes.find(({ metadata }) => metadata.name === name),
    findByHandle: (handle) => volumes.find(({ spec }) => spec.csi?.volumeHandle === handle),
    grants: () => grants,
    populators: () => populators,
    cluster: readClusterTopology({
      driverName: DRIVER,
      nodes: byName(nodes),
      csiNodes: byName(csiNodes),
      onlyRegistered: true,
      below: () => 0,
    }),
  }
}

export const byName = <T extends KubeObject>(objects: readonly T[]) => ({
  get: (name: string) => objects.find(({ metadata }) => metadata.name === name),
  all: () => objects,
})
