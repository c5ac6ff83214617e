import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../api/kinds/volume-attributes-class.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import { NAMESPACE } from './demo-objects.ts'
import type { DemoStep } from './demo-step.ts'
import { mountsBelow, podDirectories, snapshotsOnDisk, volumesOnDisk } from './questions.ts'

export const LAST_STEP: DemoStep = {
  name: 'nothing is left',
  shows: 'Everything is deleted, and nothing is left behind',
  requirements: ['S3-65', 'S3-109', 'S3-120'],
  act: deleteEverything,
  calls: ['NodeUnpublishVolume', 'NodeUnstageVolume', 'ControllerUnpublishVolume', 'DeleteSnapshot', 'DeleteVolume'],
  objects: ['PersistentVolume', 'VolumeAttachment', 'VolumeSnapshotContent'],
  until: ({ claims, volumes, pods, attachments, snapshots, contents }) =>
    [claims, volumes, pods, attachments, snapshots, contents].every(({ length }) => length === 0),
  checks: [
    { says: 'the driver has no volume', holds: async (evidence) => (await volumesOnDisk(evidence)).length === 0 },
    { says: 'the driver has no snapshot', holds: async (evidence) => (await snapshotsOnDisk(evidence)).length === 0 },
    { says: 'nothing is mounted', holds: async (evidence) => (await mountsBelow(evidence)).length === 0 },
    {
      says: 'no node has a directory of a pod',
      holds: async (evidence) => (await podDirectories(evidence)).length === 0,
    },
  ],
}

async function deleteEverything(api: Api): Promise<void> {
  await api.deleteCollection(PODS, { namespace: NAMESPACE })
  await api.deleteCollection(VOLUME_SNAPSHOTS, { namespace: NAMESPACE })
  await api.deleteCollection(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE })
  for (const name of ['demo', 'zonal']) await api.delete(STORAGE_CLASSES, { name })
  await api.delete(VOLUME_SNAPSHOT_CLASSES, { name: 'demo' })
  await api.delete(VOLUME_ATTRIBUTES_CLASSES, { name: 'gold' })
}
