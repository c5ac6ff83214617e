import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { CSIDriver } from '../api/kinds/csi-driver.ts'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import type { ContainerState, Pod, PodStatus, Volume } from '../api/kinds/pod.ts'
import { claimOf, podOf, volumeOf } from '../testing/objects.ts'
import { attachmentName, attachmentNameOf, isAttachmentName } from './attachment-name.ts'
import { POD_HANDLES_ANNOTATION } from '../compat/mirror-csi-driver.ts'
import { isPodOver } from './is-pod-over.ts'
import { BIND_COMPLETED } from './names.ts'
import { needsAttach } from './needs-attach.ts'
import { resolvePodVolume } from './resolve-pod-volume.ts'
import { parseUniqueVolumeName, uniqueVolumeName } from './unique-volume-name.ts'

test('H35: the name of an attachment is made of handle, driver and node', () => {
  const name = 'csi-a5a2e67339ab5660a390dc86be397e784322823ff01f40cf2c01a72c3cab1374'
  equal(attachmentName({ volumeHandle: 'vol-1', driver: 'hostpath.csi.k8s.io', nodeName: 'node-1' }), name)
  equal(attachmentNameOf('kubernetes.io/csi/hostpath.csi.k8s.io^vol-1', 'node-1'), name)
  equal(attachmentNameOf('kubernetes.io/nfs/vol-1', 'node-1'), undefined)
  deepEqual([isAttachmentName(name), isAttachmentName('pv-1'), isAttachmentName('csi-1')], [true, false, false])
})

test('a handle may have the sign that parts it from the driver', () => {
  deepEqual(parseUniqueVolumeName(uniqueVolumeName('d.example.com', 'a^b')), {
    driver: 'd.example.com',
    volumeHandle: 'a^b',
  })
  equal(parseUniqueVolumeName('kubernetes.io/nfs/a^b'), undefined)
  equal(parseUniqueVolumeName('kubernetes.io/csi/a'), undefined)
})

test('S1-11, H10, H11: attaching is left out only where a driver says so and the gate allows it', () => {
  const driver = (attachRequired?: boolean): CSIDriver => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: {},
    spec: attachRequired === undefined ? {} : { attachRequired },
  })
  const needs = (skipAttach: boolean) =>
    [undefined, driver(), driver(true), driver(false)].map((each) => needsAttach(each, { skipAttach }))
  deepEqual(needs(true), [true, true, true, false])
  deepEqual(needs(false), [true, true, true, true])
})

test('a pod is over when it has ended, or leaves and no container may run', () => {
  const pod = (status: PodStatus, leaving = false): Pod =>
    podOf('web', { metadata: leaving ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}, status })
  const container = (state: ContainerState) => [
    { name: 'main', state, ready: false, restartCount: 0, image: '', imageID: '' },
  ]
  equal(isPodOver(pod({ phase: 'Running' })), false)
  equal(isPodOver(pod({ phase: 'Failed' })), true)
  equal(isPodOver(pod({ phase: 'Succeeded' })), true)
  equal(isPodOver(pod({}, true)), true)
  equal(isPodOver(pod({ containerStatuses: container({ running: {} }) }, true)), false)
  equal(isPodOver(pod({ initContainerStatuses: container({}) }, true)), false)
  equal(
    isPodOver(
      pod(
        {
          containerStatuses: container({ terminated: { exitCode: 0 } }),
          ephemeralContainerStatuses: container({ waiting: {} }),
        },
        true,
      ),
    ),
    true,
  )
})

const DRIVER = 'd.example.com'
const pod = podOf('web', { uid: 'pod-uid' })
const claim = (change: Partial<PersistentVolumeClaim> = {}): PersistentVolumeClaim => ({
  ...claimOf({ name: 'data', uid: 'claim-uid', spec: { volumeName: 'v1' }, status: { phase: 'Bound' } }),
  ...change,
})
const volume = (spec: Partial<PersistentVolume['spec']> = {}): PersistentVolume =>
  volumeOf({ spec: { claimRef: { uid: 'claim-uid' }, csi: { driver: DRIVER, volumeHandle: 'h1' }, ...spec } })
type Found = { claim?: PersistentVolumeClaim; volume?: PersistentVolume; driver?: CSIDriver }
const DATA: Volume = { name: 'data', persistentVolumeClaim: { claimName: 'data' } }
function resolve(found: Found, given: Volume = DATA): string {
  const resolved = resolvePodVolume(pod, given, {
    claim: () => found.claim,
    volume: () => found.volume,
    driver: () => found.driver,
  })
  if (resolved.kind === 'csi') return `csi ${resolved.volume.uniqueName} ${resolved.volume.volumeName}`
  return 'reason' in resolved
    ? `${resolved.kind} ${resolved.reason.code}`
    : resolved.kind === 'ephemeral'
      ? `ephemeral ${resolved.volumeHandle}`
      : resolved.kind
}
const ephemeral: Volume = { name: 'data', ephemeral: {} }
const ofPod = claim({
  metadata: {
    ...claim().metadata,
    ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'pod-uid', controller: true }],
  },
})
const driver: CSIDriver = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: DRIVER, annotations: { [POD_HANDLES_ANNOTATION]: 'true' } },
  spec: { volumeLifecycleModes: ['Ephemeral'] },
}

const cases: [behaviour: string, resolved: string, found: Found, given?: Volume][] = [
  [
    "a pod's volume is found through a bound claim",
    `csi kubernetes.io/csi/${DRIVER}^h1 v1`,
    { claim: claim(), volume: volume() },
  ],
  ["a pod's volume is found not before there is a claim", 'waits ClaimMissing', {}],
  [
    "a pod's volume is found not before it is bound",
    'waits ClaimNotBound',
    { claim: claim({ status: { phase: 'Pending' } }), volume: volume() },
  ],
  [
    "a pod's volume is found once the binding is complete, before the phase says so",
    `csi kubernetes.io/csi/${DRIVER}^h1 v1`,
    {
      claim: claim({
        metadata: { ...claim().metadata, annotations: { [BIND_COMPLETED]: 'yes' } },
        status: { phase: 'Pending' },
      }),
      volume: volume(),
    },
  ],
  [
    "a pod's volume is not found when the claim has lost it",
    'waits ClaimNotBound',
    {
      claim: claim({
        metadata: { ...claim().metadata, annotations: { [BIND_COMPLETED]: 'yes' } },
        status: { phase: 'Lost' },
      }),
      volume: volume(),
    },
  ],
  [
    "a pod's volume is found not before it names a volume",
    'waits ClaimNotBound',
    { claim: claim({ spec: {} }), volume: volume() },
  ],
  ["a pod's volume is found not before there is a volume", 'waits VolumeMissing', { claim: claim() }],
  [
    "a pod's volume is found not when the volume is bound to another claim",
    'waits VolumeBoundToOther',
    { claim: claim(), volume: volume({ claimRef: { uid: 'other' } }) },
  ],
  [
    "a pod's volume is found not when the volume names no claim of its own",
    'waits VolumeBoundToOther',
    { claim: claim({ metadata: {} }), volume: volume({ claimRef: {} }) },
  ],
  [
    "a pod's volume is found not when it is of no CSI driver",
    'other',
    { claim: claim(), volume: volume({ csi: undefined as never }) },
  ],
  ["a pod's volume is found not when it is no claim", 'other', {}, { name: 'data', emptyDir: {} }],
  [
    "a pod's volume is found through the claim of a pod",
    `csi kubernetes.io/csi/${DRIVER}^h1 v1`,
    { claim: ofPod, volume: volume() },
    ephemeral,
  ],
  [
    "a pod's volume is found not through the claim of another",
    'refused ClaimNotOfPod',
    { claim: claim(), volume: volume() },
    ephemeral,
  ],
  [
    "S2-4, H39: a pod's volume is found with a handle of its own",
    'ephemeral csi-411f7ab90ae200eb1aea7cfc7dccbcfe268765dadf0a25ae0ff00ca1bc7513c8',
    { driver },
    { name: 'data', csi: { driver: DRIVER } },
  ],
  [
    "S2-1, S2-4: a pod's volume is found with the handle that the pod gives",
    `csi kubernetes.io/csi/${DRIVER}^h7 data`,
    { driver },
    { name: 'data', csi: { driver: DRIVER, volumeHandle: 'h7' } },
  ],
  [
    "H40: a pod's volume is found not where pods may not",
    'refused PodHandlesNotAllowed',
    {},
    { name: 'data', csi: { driver: DRIVER, volumeHandle: 'h7' } },
  ],
]
for (const [behaviour, resolved, found, given] of cases) test(behaviour, () => equal(resolve(found, given), resolved))
