import { isEqualJson } from '../../api/equal-json.ts'
import { REDACTED } from '../../base/logger.ts'
import { ephemeralHandle } from '../../storage/in-line-volume.ts'
import { ZONE_KEY } from '../start-drivers.ts'
import {
  changeDriver,
  createClaim,
  createClass,
  createDriver,
  createPod,
  createAlphaDriver,
  createServiceAccount,
  deletePod,
  DRIVER,
  NAMESPACE,
} from './demo-objects.ts'
import type { DemoStep, Evidence } from './demo-step.ts'
import { findPod, isRunning, mapOf, textOf, volumesOnDisk, zonesIn } from './questions.ts'

const IN_LINE = { csi: { driver: DRIVER, volumeAttributes: { size: '1Mi' } } }

/** The facts about the pod that NodePublishVolume has under a prefix, as the pod itself has them. */
function hasPodFacts(evidence: Evidence, prefix: string, name: string): boolean {
  const { metadata, spec } = findPod(evidence.view, name) ?? { metadata: {}, spec: {} }
  const context = mapOf(evidence, 'NodePublishVolume', 'volume_context')
  const keys = ['pod.name', 'pod.namespace', 'pod.uid', 'serviceAccount.name']
  return isEqualJson(
    keys.map((key) => context[`${prefix}/${key}`] ?? null),
    [name, NAMESPACE, metadata.uid ?? '', spec.serviceAccountName ?? ''],
  )
}

/** The steps that the other design documents add to the walkthrough. */
export const FEATURE_STEPS: readonly DemoStep[] = [
  {
    name: 'topology',
    shows: 'The class allows two zones and the pod selects one of them: the volume is created there',
    requirements: ['S3-44', 'S3-47', 'S3-53', 'S3-54', 'S3-60', 'S3-62', 'S3-63', 'S3-64'],
    act: async (api) => {
      const allowedTopologies = [{ matchLabelExpressions: [{ key: ZONE_KEY, values: ['b', 'c'] }] }]
      await createClass(api, 'zonal', { volumeBindingMode: 'WaitForFirstConsumer', allowedTopologies })
      await createClaim(api, 'zonal', 'zonal')
      await createPod(
        api,
        'zonal',
        { persistentVolumeClaim: { claimName: 'zonal' } },
        { nodeSelector: { [ZONE_KEY]: 'c' } },
      )
    },
    calls: ['CreateVolume', 'ControllerPublishVolume', 'NodeStageVolume', 'NodePublishVolume'],
    objects: ['StorageClass', 'PersistentVolumeClaim', 'PersistentVolume', 'VolumeAttachment', 'Pod'],
    until: (view) => isRunning(view, 'zonal'),
    checks: [
      {
        says: "the class's zones were requisite, and the pod's preferred first",
        holds: (evidence) =>
          isEqualJson(zonesIn(evidence, 'requisite').toSorted(), ['b', 'c']) &&
          isEqualJson(zonesIn(evidence, 'preferred'), ['c', 'b']),
      },
      {
        says: 'the node affinity of the volume says where it can be used',
        holds: ({ view: { volumes } }) =>
          isEqualJson(volumes[0]?.spec.nodeAffinity?.required?.nodeSelectorTerms?.[0]?.matchExpressions, [
            { key: ZONE_KEY, operator: 'In', values: ['c'] },
          ]),
      },
      {
        says: 'the pod is running on the node of that zone',
        holds: ({ view }) => findPod(view, 'zonal')?.spec.nodeName === 'node-3',
      },
    ],
    subject: { kind: 'Pod', name: 'zonal' },
  },
  {
    name: 'in-line volume',
    shows: 'A volume in the spec of the pod needs neither a claim nor a PersistentVolume',
    requirements: ['S2-1', 'S2-2', 'S2-3', 'S2-8', 'S2-15'],
    act: async (api) => {
      await createDriver(api, {
        attachRequired: true,
        podInfoOnMount: true,
        volumeLifecycleModes: ['Persistent', 'Ephemeral'],
      })
      await createPod(api, 'scratch', IN_LINE)
    },
    calls: ['NodePublishVolume'],
    objects: ['CSIDriver', 'Pod'],
    until: (view) => isRunning(view, 'scratch'),
    checks: [
      {
        says: 'the driver created it with the attributes in the pod',
        holds: (evidence) => mapOf(evidence, 'NodePublishVolume', 'volume_context')['size'] === '1Mi',
      },
      {
        says: 'its handle is made of the pod and the name of the volume',
        holds: (evidence) =>
          textOf(evidence, 'NodePublishVolume', 'volume_id') ===
          ephemeralHandle(findPod(evidence.view, 'scratch')?.metadata.uid ?? '', 'data'),
      },
      {
        says: 'there are no more claims, volumes and attachments than before',
        holds: ({ view: { claims, volumes, attachments } }) =>
          isEqualJson([claims.length, volumes.length, attachments.length], [1, 1, 1]),
      },
    ],
    subject: { kind: 'Pod', name: 'scratch' },
  },
  {
    name: 'in-line volume ends',
    shows: 'It is deleted with its pod',
    requirements: ['S2-24', 'S2-15'],
    act: (api) => deletePod(api, 'scratch'),
    calls: ['NodeUnpublishVolume'],
    objects: ['Pod'],
    until: (view) => findPod(view, 'scratch') === undefined,
    checks: [
      {
        says: 'the driver has only the volume of the earlier claim',
        holds: async (evidence) =>
          isEqualJson(await volumesOnDisk(evidence), [evidence.view.volumes[0]?.spec.csi?.volumeHandle ?? '']),
      },
    ],
  },
  {
    name: 'pod information',
    shows: 'A driver that requests it gets information about the pod, in NodePublishVolume only',
    requirements: ['S0-1', 'S0-3', 'S0-6', 'S0-36'],
    act: async (api) => {
      await createServiceAccount(api, 'reader')
      await createClaim(api, 'informed', 'standard')
      await createPod(
        api,
        'informed',
        { persistentVolumeClaim: { claimName: 'informed' } },
        { serviceAccountName: 'reader' },
      )
    },
    calls: ['NodeStageVolume', 'NodePublishVolume'],
    objects: ['Pod'],
    until: (view) => isRunning(view, 'informed'),
    checks: [
      {
        says: 'NodePublishVolume has name, namespace, UID and account of the pod',
        holds: (evidence) => hasPodFacts(evidence, 'csi.storage.k8s.io', 'informed'),
      },
      {
        says: 'NodeStageVolume has none of it',
        holds: (evidence) =>
          !/pod\.|serviceAccount/.test(JSON.stringify(mapOf(evidence, 'NodeStageVolume', 'volume_context'))),
      },
    ],
    subject: { kind: 'Pod', name: 'informed' },
  },
  {
    name: 'registry',
    shows: 'A driver that is described with the alpha API of the first documents works too',
    requirements: ['S1-2', 'S1-6', 'S1-8', 'S1-14', 'S1-15', 'S0-7', 'S0-8', 'S0-9', 'S0-10'],
    act: async (api) => {
      await createAlphaDriver(api)
      await createPod(api, 'early', IN_LINE)
    },
    calls: ['NodePublishVolume'],
    objects: ['CSIDriver', 'Pod'],
    until: (view) => isRunning(view, 'early'),
    checks: [
      {
        says: 'NodePublishVolume has the facts under csi.kubernetes.io',
        holds: (evidence) => hasPodFacts(evidence, 'csi.kubernetes.io', 'early'),
      },
    ],
    subject: { kind: 'Pod', name: 'early' },
  },
  {
    name: 'token',
    shows: "A driver that requests it gets a token of the pod's service account",
    requirements: ['S4-1', 'S4-18', 'S4-26'],
    act: async (api) => {
      await changeDriver(api, { tokenRequests: [{ audience: 'vault', expirationSeconds: 600 }] })
      await createPod(api, 'vault', IN_LINE, { serviceAccountName: 'reader' })
    },
    calls: ['NodePublishVolume'],
    objects: ['CSIDriver', 'Pod'],
    until: (view) => isRunning(view, 'vault'),
    checks: [
      {
        says: 'NodePublishVolume has a token, which appears nowhere else',
        holds: (evidence) =>
          mapOf(evidence, 'NodePublishVolume', 'volume_context')['csi.storage.k8s.io/serviceAccount.tokens'] ===
          REDACTED,
      },
    ],
    subject: { kind: 'Pod', name: 'vault' },
  },
]
