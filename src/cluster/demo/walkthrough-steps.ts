import { isEqualJson } from '../../api/equal-json.ts'
import { BETA_STORAGE_PROVISIONER, findAnnotation } from '../../storage/names.ts'
import {
  createClaim,
  createClass,
  createPod,
  createSecret,
  deleteClaim,
  deletePod,
  DRIVER,
  NAMESPACE,
} from './demo-objects.ts'
import type { DemoStep } from './demo-step.ts'
import { findPod, isRunning, isSameFile, mapOf, textOf, volumesOnDisk, zonesIn } from './questions.ts'

const PASSWORD = 'shown-to-the-driver-alone'

/** From the claim to the mounted volume and back, as the design document of the CSI volume plugin walks through it. */
export const WALKTHROUGH_STEPS: readonly DemoStep[] = [
  {
    name: 'provision',
    shows: 'A claim that names a class becomes a volume',
    requirements: [
      'S3-38',
      'S3-39',
      'S3-40',
      'S3-41',
      'S3-42',
      'S3-43',
      'S3-48',
      'S3-59',
      'S3-61',
      'S3-158',
      'S3-159',
      'S3-169',
      'S3-172',
      'S3-173',
    ],
    act: async (api) => {
      await createSecret(api, 'storage-admin', { user: 'admin', password: PASSWORD })
      const secret = {
        'csi.storage.k8s.io/provisioner-secret-name': 'storage-admin',
        'csi.storage.k8s.io/provisioner-secret-namespace': NAMESPACE,
      }
      await createClass(api, 'demo', { volumeBindingMode: 'Immediate', parameters: { media: 'ssd', ...secret } })
      await createClaim(api, 'data', 'demo')
    },
    calls: ['CreateVolume'],
    objects: ['StorageClass', 'PersistentVolumeClaim', 'PersistentVolume'],
    until: ({ claims, volumes }) => claims[0]?.status?.phase === 'Bound' && volumes[0]?.status?.phase === 'Bound',
    checks: [
      {
        says: 'the claim was marked for its provisioner',
        holds: ({ view: { claims } }) =>
          claims[0] !== undefined && findAnnotation(claims[0], BETA_STORAGE_PROVISIONER) === DRIVER,
      },
      {
        says: "CreateVolume got the claim's UID as a name, its size, and the class's own parameters",
        holds: (evidence) =>
          textOf(evidence, 'CreateVolume', 'name') === `pvc-${evidence.view.claims[0]?.metadata.uid}` &&
          mapOf(evidence, 'CreateVolume', 'capacity_range')['required_bytes'] === String(64 * 1024 ** 2) &&
          isEqualJson(mapOf(evidence, 'CreateVolume', 'parameters'), { media: 'ssd' }),
      },
      {
        says: "it got every key of the class's secret, and the values appear nowhere else",
        holds: (evidence) =>
          isEqualJson(Object.keys(mapOf(evidence, 'CreateVolume', 'secrets')).toSorted(), ['password', 'user']) &&
          !JSON.stringify(evidence.calls).includes(PASSWORD),
      },
      {
        says: 'the volume could be created in any zone of the cluster',
        holds: (evidence) => isEqualJson(zonesIn(evidence, 'requisite').toSorted(), ['a', 'b', 'c']),
      },
      {
        says: 'the PersistentVolume has the handle of a volume that the driver has',
        holds: async (evidence) =>
          isEqualJson(await volumesOnDisk(evidence), [evidence.view.volumes[0]?.spec.csi?.volumeHandle ?? '']),
      },
      {
        says: 'volume and claim name each other',
        holds: ({ view: { claims, volumes } }) =>
          claims[0]?.spec.volumeName === volumes[0]?.metadata.name &&
          volumes[0]?.spec.claimRef?.uid === claims[0]?.metadata.uid,
      },
    ],
    subject: { kind: 'PersistentVolumeClaim', name: 'data' },
  },
  {
    name: 'attach',
    shows: 'A pod that uses the claim gets a node, and the volume is attached there',
    requirements: ['S3-66', 'S3-73', 'S3-77', 'S3-111', 'S3-112'],
    act: (api) => createPod(api, 'web', { persistentVolumeClaim: { claimName: 'data' } }),
    calls: ['ControllerPublishVolume'],
    objects: ['Pod waiting', 'Pod scheduled', 'VolumeAttachment'],
    until: ({ attachments }) => attachments[0]?.status?.attached === true,
    checks: [
      {
        says: "the attachment is for the pod's node",
        holds: ({ view }) => view.attachments[0]?.spec.nodeName === findPod(view, 'web')?.spec.nodeName,
      },
      {
        says: 'the attacher keeps it until it is detached',
        holds: ({ view }) =>
          view.attachments[0]?.metadata.finalizers?.some((name) => name.startsWith('external-attacher/')) ?? false,
      },
      {
        says: 'the call was for this volume and node',
        holds: (evidence) =>
          textOf(evidence, 'ControllerPublishVolume', 'volume_id') ===
            evidence.view.volumes[0]?.spec.csi?.volumeHandle &&
          textOf(evidence, 'ControllerPublishVolume', 'node_id') === evidence.view.attachments[0]?.spec.nodeName,
      },
    ],
    subject: { kind: 'Pod', name: 'web' },
  },
  {
    name: 'mount',
    shows: 'The node stages the volume once, and publishes it for the pod',
    requirements: ['S3-2', 'S3-108', 'S3-163', 'S3-164', 'S0-4'],
    calls: ['NodeStageVolume', 'NodePublishVolume'],
    objects: ['Pod Running'],
    until: (view) => isRunning(view, 'web'),
    checks: [
      {
        says: 'the target path is one of this pod and volume',
        holds: (evidence) => {
          const path = textOf(evidence, 'NodePublishVolume', 'target_path')
          return (
            path.includes(`/${findPod(evidence.view, 'web')?.metadata.uid}/`) &&
            path.includes(`/${evidence.view.volumes[0]?.metadata.name}/`)
          )
        },
      },
      {
        says: "a file written through the pod's path is in the volume",
        holds: (evidence) =>
          isSameFile(
            evidence,
            textOf(evidence, 'NodePublishVolume', 'target_path'),
            textOf(evidence, 'NodePublishVolume', 'volume_id'),
          ),
      },
      {
        says: 'a driver that does not request it gets no information about the pod',
        holds: (evidence) =>
          !/pod\.|serviceAccount/.test(JSON.stringify(mapOf(evidence, 'NodePublishVolume', 'volume_context'))),
      },
    ],
    subject: { kind: 'Pod', name: 'web' },
  },
  {
    name: 'unmount',
    shows: 'The pod is deleted: its volume is unpublished before the pod is gone, then unstaged',
    requirements: ['S3-2', 'S3-109', 'S3-165'],
    act: (api) => deletePod(api, 'web'),
    calls: ['NodeUnpublishVolume', 'NodeUnstageVolume'],
    objects: ['Pod'],
    until: (view) => findPod(view, 'web') === undefined,
    checks: [
      {
        says: 'the path does not exist any more',
        holds: async (evidence) =>
          (await evidence.host.files.findStat(textOf(evidence, 'NodeUnpublishVolume', 'target_path'))) === undefined,
      },
      {
        says: 'the volume still exists',
        holds: async (evidence) =>
          (await volumesOnDisk(evidence)).includes(textOf(evidence, 'NodeUnpublishVolume', 'volume_id')),
      },
    ],
  },
  {
    name: 'detach',
    shows: 'No pod uses the volume any more: it is detached from the node',
    requirements: ['S3-74', 'S3-84', 'S3-85', 'S3-111', 'S3-120'],
    calls: ['ControllerUnpublishVolume'],
    objects: ['VolumeAttachment'],
    until: ({ attachments }) => attachments.length === 0,
    checks: [
      {
        says: 'claim and volume stay bound',
        holds: ({ view }) =>
          [...view.claims, ...view.volumes].map(({ status }) => status?.phase).join(' ') === 'Bound Bound',
      },
    ],
  },
  {
    name: 'delete',
    shows: 'The claim is deleted: first the volume is deleted, then its PersistentVolume',
    requirements: ['S3-65', 'S3-160', 'S3-174'],
    act: (api) => deleteClaim(api, 'data'),
    calls: ['DeleteVolume'],
    objects: ['PersistentVolumeClaim', 'PersistentVolume'],
    until: ({ claims, volumes }) => claims.length === 0 && volumes.length === 0,
    checks: [
      { says: 'the driver has no volume', holds: async (evidence) => (await volumesOnDisk(evidence)).length === 0 },
      {
        says: 'DeleteVolume got the secret too',
        holds: (evidence) => 'password' in mapOf(evidence, 'DeleteVolume', 'secrets'),
      },
    ],
  },
]
