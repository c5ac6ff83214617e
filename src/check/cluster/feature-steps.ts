import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import { quantityToBytes } from '../../api/quantity.ts'
import type { ClusterContext } from './cluster-case.ts'
import { createClaim, NAMESPACE, until } from './cluster-steps.ts'

/** Grows a claim to the size that the user gave, and waits until its pod has the space. */
export async function growClaim(context: ClusterContext, name: string): Promise<void> {
  const { expandBytes } = context.check.settings
  const value = { spec: { resources: { requests: { storage: String(expandBytes) } } } }
  await context.cluster.api.patch(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name }, { type: 'merge', value })
  await until(context, PERSISTENT_VOLUME_CLAIMS, name, (claim) => {
    const size = claim?.status?.capacity?.['storage']
    return size !== undefined && quantityToBytes(size) >= expandBytes
  })
}

const CLASS = 'snapshots'

export async function takeSnapshot(context: ClusterContext, name: string, claim: string): Promise<void> {
  const { api } = context.cluster
  const { features, settings } = context.check
  await api.create(VOLUME_SNAPSHOT_CLASSES, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata: { name: CLASS },
    driver: features.name,
    deletionPolicy: 'Delete',
    parameters: settings.snapshotParameters,
  })
  await api.create(VOLUME_SNAPSHOTS, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: { namespace: NAMESPACE, name },
    spec: { volumeSnapshotClassName: CLASS, source: { persistentVolumeClaimName: claim } },
  })
  await until(context, VOLUME_SNAPSHOTS, name, (snapshot) => snapshot?.status?.readyToUse === true)
}

/** A new claim with the content of a snapshot. */
export const restoreClaim = (context: ClusterContext, name: string, snapshot: string): Promise<void> =>
  createClaim(context, name, {
    dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: snapshot },
  })
