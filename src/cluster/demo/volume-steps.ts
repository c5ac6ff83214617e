import { join } from 'node:path'
import type { Api } from '../../api/api.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import {
  createAttributesClass,
  createClaim,
  createPod,
  createSnapshot,
  createSnapshotClass,
  NAMESPACE,
} from './demo-objects.ts'
import type { DemoStep, Evidence } from './demo-step.ts'
import type { DemoView } from './happening.ts'
import { findPod, isRunning, isSameFile, mapOf, noteOf, snapshotsOnDisk, textOf } from './questions.ts'

// The claim of the step with pod information, whose pod is running.
const CLAIM = 'informed'
const findClaim = ({ claims }: DemoView, name: string): PersistentVolumeClaim | undefined =>
  claims.find(({ metadata }) => metadata.name === name)
const findVolume = (view: DemoView, claim: string): PersistentVolume | undefined =>
  view.volumes.find(({ metadata }) => metadata.name === findClaim(view, claim)?.spec.volumeName)
const handleOf = (view: DemoView, claim: string): string => findVolume(view, claim)?.spec.csi?.volumeHandle ?? ''

/** Where the node has mounted the claim for its pod. */
function pathInPod({ view, directory }: Evidence): string {
  const { metadata, spec } = findPod(view, CLAIM) ?? { metadata: {}, spec: {} }
  const volume = findVolume(view, CLAIM)?.metadata.name ?? ''
  const pod = join(directory, spec.nodeName ?? '', 'pods', metadata.uid ?? '')
  return join(pod, 'volumes', 'kubernetes.io~csi', volume, 'mount')
}

const changeClaim = (api: Api, spec: Partial<PersistentVolumeClaimSpec>): Promise<unknown> =>
  api.patch(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: CLAIM }, { type: 'merge', value: { spec } })

/** What happens to a volume that has data in it. */
export const VOLUME_STEPS: readonly DemoStep[] = [
  {
    name: 'grow',
    shows: 'The claim requests more: its volume is expanded while the pod is running',
    requirements: [],
    act: (api) => changeClaim(api, { resources: { requests: { storage: '128Mi' } } }),
    calls: ['ControllerExpandVolume'],
    objects: ['PersistentVolumeClaim', 'PersistentVolume'],
    until: (view) => findClaim(view, CLAIM)?.status?.capacity?.['storage'] === '128Mi',
    checks: [
      {
        says: 'the call was for this volume and size',
        holds: (evidence) =>
          textOf(evidence, 'ControllerExpandVolume', 'volume_id') === handleOf(evidence.view, CLAIM) &&
          mapOf(evidence, 'ControllerExpandVolume', 'capacity_range')['required_bytes'] === String(128 * 1024 ** 2),
      },
      { says: 'the driver was asked once', holds: ({ calls }) => calls.length === 1 },
      {
        says: 'the PersistentVolume has the new size',
        holds: ({ view }) => findVolume(view, CLAIM)?.spec.capacity?.['storage'] === '128Mi',
      },
      {
        says: 'the pod is still running, and a file written through its path is in the volume',
        holds: async (evidence) =>
          isRunning(evidence.view, CLAIM) &&
          (await isSameFile(evidence, pathInPod(evidence), handleOf(evidence.view, CLAIM))),
      },
    ],
    subject: { kind: 'PersistentVolumeClaim', name: CLAIM },
  },
  {
    name: 'modify',
    shows: 'The claim names a VolumeAttributesClass: the driver changes the volume while the pod is running',
    requirements: [],
    act: async (api) => {
      await createAttributesClass(api, 'gold', { iops: '3000' })
      await changeClaim(api, { volumeAttributesClassName: 'gold' })
    },
    calls: ['ControllerModifyVolume'],
    objects: ['PersistentVolumeClaim'],
    until: (view) => findClaim(view, CLAIM)?.status?.currentVolumeAttributesClassName === 'gold',
    checks: [
      {
        says: 'the driver got the parameters of the class',
        holds: (evidence) =>
          isEqualJson(mapOf(evidence, 'ControllerModifyVolume', 'mutable_parameters'), { iops: '3000' }),
      },
      {
        says: 'the PersistentVolume names the class',
        holds: ({ view }) => findVolume(view, CLAIM)?.spec.volumeAttributesClassName === 'gold',
      },
      {
        says: 'the claim says that nothing is left to do',
        holds: ({ view }) => findClaim(view, CLAIM)?.status?.modifyVolumeStatus === undefined,
      },
    ],
    subject: { kind: 'PersistentVolumeClaim', name: CLAIM },
  },
  {
    name: 'snapshot',
    shows: 'A VolumeSnapshot of the claim becomes a snapshot of the driver',
    requirements: [],
    act: async (api) => {
      await createSnapshotClass(api, 'demo')
      await createSnapshot(api, 'monday', { claim: CLAIM, className: 'demo' })
    },
    calls: ['CreateSnapshot'],
    objects: ['VolumeSnapshot', 'VolumeSnapshotContent'],
    until: ({ snapshots }) => snapshots[0]?.status?.readyToUse === true,
    checks: [
      {
        says: 'the call was for this volume, with the UID of the VolumeSnapshot as a name',
        holds: (evidence) =>
          textOf(evidence, 'CreateSnapshot', 'source_volume_id') === handleOf(evidence.view, CLAIM) &&
          textOf(evidence, 'CreateSnapshot', 'name') === `snapshot-${evidence.view.snapshots[0]?.metadata.uid}`,
      },
      {
        says: 'the VolumeSnapshotContent has the handle of a snapshot that the driver has',
        holds: async (evidence) =>
          isEqualJson(await snapshotsOnDisk(evidence), [evidence.view.contents[0]?.status?.snapshotHandle ?? '']),
      },
      {
        says: 'snapshot and content name each other, and a restored volume needs 128Mi',
        holds: ({ view: { snapshots, contents } }) =>
          snapshots[0]?.status?.boundVolumeSnapshotContentName === contents[0]?.metadata.name &&
          contents[0]?.spec.volumeSnapshotRef.uid === snapshots[0]?.metadata.uid &&
          snapshots[0]?.status?.restoreSize === '128Mi',
      },
    ],
    subject: { kind: 'VolumeSnapshot', name: 'monday' },
  },
  {
    name: 'restore',
    shows: 'A claim with the snapshot as its data source becomes a volume with the same content',
    requirements: [],
    act: async (api) => {
      const dataSource = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'monday' }
      await createClaim(api, 'restored', 'standard', { size: '128Mi', dataSource })
      await createPod(api, 'restored', { persistentVolumeClaim: { claimName: 'restored' } })
    },
    calls: ['CreateVolume', 'NodePublishVolume'],
    objects: ['PersistentVolumeClaim', 'PersistentVolume', 'Pod'],
    until: (view) => isRunning(view, 'restored'),
    checks: [
      {
        says: 'CreateVolume got the handle of the snapshot',
        holds: (evidence) =>
          JSON.stringify(mapOf(evidence, 'CreateVolume', 'volume_content_source')).includes(
            evidence.view.contents[0]?.status?.snapshotHandle ?? 'no handle',
          ),
      },
      {
        says: 'the file that was written before the snapshot is at the path of the new pod',
        holds: async (evidence) =>
          (await noteOf(evidence, textOf(evidence, 'NodePublishVolume', 'target_path'))) ===
          `written to ${handleOf(evidence.view, CLAIM)}`,
      },
      {
        says: 'it is another volume',
        holds: ({ view }) => handleOf(view, 'restored') !== handleOf(view, CLAIM),
      },
    ],
    subject: { kind: 'Pod', name: 'restored' },
  },
]
