import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../api/kinds/node.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { driverPolicyOf } from '../../storage/driver-policy.ts'
import { NodeCapability } from '../../csi/index.ts'
import type { CsiVolume } from '../../storage/resolve-pod-volume.ts'
import { attachmentName } from '../../storage/attachment-name.ts'
import { claimOf, nodeOf as plainNodeOf, podOf as plainPodOf, volumeOf, volumeOfClaim } from '../../testing/objects.ts'
import type { PodParts } from '../../testing/objects.ts'
import type { DeviceStep, DeviceView } from './device-view.ts'
import type { MountStep, MountView } from './mount-view.ts'
import { nextDeviceStep } from './next-device-step.ts'
import { delayOf, nextMountStep } from './next-mount-step.ts'
import { findUnserved, nextPodStep } from './next-pod-step.ts'
import type { PodStep, PodView } from './pod-view.ts'
import { callEnded, PODS_KNOWN, REASONS } from './reasons.ts'

const CREATING = { name: 'main', image: '', imageID: '', ready: false, restartCount: 0 }
/** It is reported as waiting already. */
const podOf = (parts: PodParts = {}): Pod =>
  plainPodOf('p', {
    uid: 'u',
    volumes: [volumeOfClaim('c1', 'data')],
    status: { phase: 'Pending', containerStatuses: [CREATING] },
    ...parts,
  })
const newPod = podOf({ status: { phase: 'Pending' } })
const leaving = podOf({ metadata: { deletionTimestamp: '2030-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 } })
const volume: PersistentVolume = volumeOf()
const csiVolume: CsiVolume = {
  driver: 'd',
  volumeHandle: 'v1',
  uniqueName: 'kubernetes.io/csi/d^v1',
  volumeName: 'v1',
  spec: volume.spec,
  csi: { driver: 'd', volumeHandle: 'v1' },
  persistentVolume: volume,
  claim: claimOf({ status: { phase: 'Bound', capacity: { storage: '1Gi' } } }),
}
const wish = { kind: 'csi', volume: csiVolume } as const
const attaching = driverPolicyOf({})
const STAGES = new Set([NodeCapability.STAGE_UNSTAGE_VOLUME])

const summary = (step: { kind: string; reason?: { code: string } }): string =>
  step.reason ? `${step.kind} ${step.reason.code}` : step.kind

const podHeld = { nowMs: 0, seenAtMs: 0, isReady: true, hasDirectory: true, patience: new Map(), mounts: [] } as const
const podCases: [behaviour: string, view: PodView, step: string][] = [
  ['looks up what a volume is', { seen: { pod: podOf(), volumes: new Map() }, held: podHeld }, 'resolve'],
  [
    'waits with a look that failed',
    {
      seen: { pod: podOf(), volumes: new Map() },
      held: { ...podHeld, patience: new Map([['data', { retryAtMs: 500, detail: 'down' }]]) },
    },
    'wait BackingOff',
  ],
  [
    'waits for mounts',
    {
      seen: { pod: podOf(), volumes: new Map([['data', wish]]) },
      held: { ...podHeld, mounts: [{ volumeName: 'v1', state: 'uncertain', isPresent: true }] },
    },
    'wait VolumesNotMounted',
  ],
  [
    'says that it runs',
    {
      seen: { pod: podOf(), volumes: new Map([['data', wish]]) },
      held: { ...podHeld, mounts: [{ volumeName: 'v1', state: 'mounted', isPresent: true }] },
    },
    'report-running',
  ],
  [
    'says it once',
    { seen: { pod: podOf({ status: { phase: 'Running' } }), volumes: new Map([['data', wish]]) }, held: podHeld },
    'wait Running',
  ],
  [
    'lets nothing go while something is mounted',
    {
      seen: { pod: leaving, volumes: new Map() },
      held: { ...podHeld, mounts: [{ volumeName: 'v1', state: 'uncertain', isPresent: true }] },
    },
    'wait VolumesNotUnmounted',
  ],
  ['removes directories first', { seen: { pod: leaving, volumes: new Map() }, held: podHeld }, 'remove-directory'],
  [
    'then lets the object go',
    { seen: { pod: leaving, volumes: new Map() }, held: { ...podHeld, hasDirectory: false } },
    'delete-pod',
  ],
  [
    'asks for that once',
    {
      seen: {
        pod: podOf({ metadata: { deletionTimestamp: 'x', deletionGracePeriodSeconds: 0, finalizers: ['f'] } }),
        volumes: new Map(),
      },
      held: { ...podHeld, hasDirectory: false },
    },
    'wait FinalizersLeft',
  ],
  [
    'keeps the object of a pod that finished',
    {
      seen: { pod: podOf({ status: { phase: 'Failed' } }), volumes: new Map() },
      held: { ...podHeld, hasDirectory: false },
    },
    'wait Finished',
  ],
  [
    'takes no pod for gone that it only has not seen',
    { seen: { volumes: new Map() }, held: { ...podHeld, isReady: false } },
    'wait PodsNotKnown',
  ],
  ['forgets what is gone', { seen: { volumes: new Map() }, held: { ...podHeld, hasDirectory: false } }, 'forget'],
  [
    'asked from outside, tells what the claim waits for',
    { seen: { pod: podOf(), volumes: new Map([['data', { kind: 'waits', reason: { code: 'ClaimNotBound' } }]]) } },
    'wait ClaimNotBound',
  ],
]
for (const [behaviour, view, step] of podCases) test(`pod: ${behaviour}`, () => equal(summary(nextPodStep(view)), step))

const kinds: [kind: string, isServed: boolean][] = [
  ...['emptyDir', 'configMap', 'secret', 'projected', 'downwardAPI', 'hostPath', 'image'].map(
    (kind): [string, boolean] => [kind, true],
  ),
  ...['nfs', 'iscsi', 'flexVolume', 'fc', 'rbd', 'cephfs', 'gitRepo', 'azureFile', 'vsphereVolume', 'ofTomorrow'].map(
    (kind): [string, boolean] => [kind, false],
  ),
]
for (const [kind, isServed] of kinds) {
  test(`pod: a volume of kind ${kind} ${isServed ? 'is missed by nobody' : 'is refused'}`, () => {
    const reason = findUnserved('data', { kind: 'other', source: kind })
    const { driver: _names, ...detail } = reason?.detail ?? {}
    deepEqual([reason?.code, detail], isServed ? [undefined, {}] : ['VolumeKindNotServed', { volume: 'data', kind }])
  })
}
test('pod: a claim promises storage, of whatever kind its volume is', () => {
  equal(
    findUnserved('data', { kind: 'other', source: 'hostPath', persistentVolume: 'v1' })?.detail?.['persistentVolume'],
    'v1',
  )
  equal(findUnserved('data', wish), undefined)
})

const mountSeen: MountView['seen'] = {
  volumeName: 'v1',
  driver: 'd',
  pod: podOf(),
  wish,
  policy: attaching,
  otherNamespaces: [],
}
const mountHeld: NonNullable<MountView['held']> = {
  nowMs: 0,
  isReady: true,
  isPodResolved: true,
  state: 'none',
  isPresent: false,
  isRegistered: true,
  capabilities: STAGES,
  device: 'staged',
  isExpanding: false,
  otherPods: 0,
  isUnmountFailing: false,
}
const gone = (({ pod: _pod, ...rest }) => rest)(mountSeen)
const once = volumeOf({ modes: ['ReadWriteOncePod'] })
const mountCases: [behaviour: string, view: MountView, step: string][] = [
  ['publishes what is staged', { seen: mountSeen, held: mountHeld }, 'publish'],
  ['waits for the staging', { seen: mountSeen, held: { ...mountHeld, device: 'uncertain' } }, 'wait VolumeNotStaged'],
  [
    'waits for the driver',
    { seen: mountSeen, held: { ...mountHeld, isRegistered: false } },
    'wait DriverNotRegistered',
  ],
  [
    'H4: takes nothing for granted of a driver whose object was not read',
    { seen: (({ policy: _policy, ...rest }) => rest)(mountSeen), held: mountHeld },
    'wait DriverPolicyNotKnown',
  ],
  [
    'asks what the driver can first',
    { seen: mountSeen, held: (({ capabilities: _known, ...rest }) => rest)(mountHeld) },
    'probe',
  ],
  [
    'is content with what is mounted',
    { seen: mountSeen, held: { ...mountHeld, state: 'mounted', isPresent: true } },
    'wait Mounted',
  ],
  [
    'repeats when it is time',
    { seen: mountSeen, held: { ...mountHeld, state: 'mounted', isPresent: true, republishAtMs: 0 } },
    'publish',
  ],
  [
    'does not repeat before',
    { seen: mountSeen, held: { ...mountHeld, state: 'mounted', isPresent: true, republishAtMs: 1 } },
    'wait Mounted',
  ],
  [
    'waits after a failure',
    { seen: mountSeen, held: { ...mountHeld, patience: { retryAtMs: 1, detail: 'x' } } },
    'wait BackingOff',
  ],
  [
    'refuses a second pod where there may be one',
    {
      seen: { ...mountSeen, wish: { kind: 'csi', volume: { ...csiVolume, persistentVolume: once, spec: once.spec } } },
      held: { ...mountHeld, otherPods: 1 },
    },
    'refuse VolumeInUseBySinglePod',
  ],
  [
    'undoes nothing of a pod that lives and was not read',
    {
      seen: (({ wish: _wish, ...rest }) => rest)(mountSeen),
      held: { ...mountHeld, isPodResolved: false, isPresent: true },
    },
    'wait VolumesOfPodNotKnown',
  ],
  [
    'unpublishes when the pod goes',
    { seen: { ...mountSeen, pod: leaving }, held: { ...mountHeld, isPresent: true, state: 'mounted' } },
    'unpublish',
  ],
  [
    'unpublishes what is uncertain',
    { seen: gone, held: { ...mountHeld, isPresent: true, state: 'uncertain' } },
    'unpublish',
  ],
  [
    'does not wait with that because publishing failed',
    { seen: gone, held: { ...mountHeld, isPresent: true, patience: { retryAtMs: 9, detail: 'x' } } },
    'unpublish',
  ],
  [
    'waits when unpublishing failed',
    {
      seen: gone,
      held: { ...mountHeld, isPresent: true, isUnmountFailing: true, patience: { retryAtMs: 9, detail: 'x' } },
    },
    'wait BackingOff',
  ],
  [
    'unpublishes nothing before all pods are known',
    { seen: gone, held: { ...mountHeld, isPresent: true, isReady: false } },
    'wait PodsNotKnown',
  ],
  ['forgets what never was', { seen: gone, held: mountHeld }, 'forget'],
]
for (const [behaviour, view, step] of mountCases)
  test(`mount: ${behaviour}`, () => equal(summary(nextMountStep(view)), step))

const nodeOf = (volumesAttached: string[] = []): Node =>
  plainNodeOf('n', { status: { volumesAttached: volumesAttached.map((name) => ({ name, devicePath: '' })) } })
const attachmentOf = (
  status: VolumeAttachment['status'],
  metadata: VolumeAttachment['metadata'] = {},
): VolumeAttachment => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name: 'a', ...metadata },
  spec: { attacher: 'd', nodeName: 'n', source: {} },
  ...(status ? { status } : {}),
})
const attachedNode = nodeOf([csiVolume.uniqueName])
const deviceSeen: DeviceView['seen'] = {
  driver: 'd',
  uniqueName: csiVolume.uniqueName,
  node: attachedNode,
  policy: attaching,
  volume: csiVolume,
  attachment: attachmentOf({ attached: true }),
}
const unwanted = (({ volume: _wish, ...rest }) => rest)(deviceSeen)
const deviceHeld: NonNullable<DeviceView['held']> = {
  nowMs: 0,
  isReady: true,
  state: 'none',
  isOnDisk: false,
  isRegistered: true,
  capabilities: STAGES,
  isReported: true,
  users: 0,
  isUserBusy: false,
  isAttachmentRead: true,
  isLabelledOtherwise: false,
  isExpandRefused: false,
}
const larger = { ...csiVolume, persistentVolume: volumeOf({ size: '2Gi' }) }
const GROWS = new Set([NodeCapability.EXPAND_VOLUME])
const deviceCases: [behaviour: string, view: DeviceView, step: string][] = [
  ['stages what is attached', { seen: deviceSeen, held: deviceHeld }, 'stage'],
  ['accepts what needs no staging', { seen: deviceSeen, held: { ...deviceHeld, capabilities: new Set() } }, 'accept'],
  [
    'reports its use before anything else',
    { seen: { ...deviceSeen, node: nodeOf() }, held: { ...deviceHeld, isReported: false } },
    'wait UseNotReported',
  ],
  [
    'waits until the node lists it',
    { seen: { ...deviceSeen, node: nodeOf() }, held: deviceHeld },
    'wait VolumeNotAttached',
  ],
  ['reads the attachment', { seen: deviceSeen, held: { ...deviceHeld, isAttachmentRead: false } }, 'read-attachment'],
  [
    'does not stage what is being detached',
    {
      seen: { ...deviceSeen, attachment: attachmentOf({ attached: true }, { deletionTimestamp: 'x' }) },
      held: deviceHeld,
    },
    'refuse VolumeDetaching',
  ],
  [
    'passes on why it is not attached',
    {
      seen: { ...deviceSeen, attachment: attachmentOf({ attached: false, attachError: { message: 'no' } }) },
      held: deviceHeld,
    },
    'refuse AttachFailed',
  ],
  [
    'S1-13: asks for no attachment where there is none',
    {
      seen: {
        ...deviceSeen,
        node: nodeOf(),
        policy: driverPolicyOf({
          csiDriver: {
            apiVersion: 'storage.k8s.io/v1',
            kind: 'CSIDriver',
            metadata: {},
            spec: { attachRequired: false },
          },
        }),
      },
      held: { ...deviceHeld, isReported: false, isAttachmentRead: false },
    },
    'stage',
  ],
  [
    'keeps what is in use',
    { seen: unwanted, held: { ...deviceHeld, state: 'staged', isOnDisk: true, users: 1 } },
    'wait VolumeInUse',
  ],
  ['unstages after the last', { seen: unwanted, held: { ...deviceHeld, state: 'staged', isOnDisk: true } }, 'unstage'],
  [
    'unstages what is uncertain even without a file',
    { seen: unwanted, held: { ...deviceHeld, state: 'uncertain' } },
    'unstage',
  ],
  [
    'asks what the driver can where no file tells',
    {
      seen: unwanted,
      held: (({ capabilities: _known, ...rest }) => ({ ...rest, state: 'uncertain' as const }))(deviceHeld),
    },
    'probe',
  ],
  [
    'has nothing to undo with a driver that stages nothing',
    { seen: unwanted, held: { ...deviceHeld, state: 'staged', capabilities: new Set() } },
    'forget',
  ],
  [
    'unstages nothing before all pods are known',
    { seen: unwanted, held: { ...deviceHeld, state: 'staged', isOnDisk: true, isReady: false } },
    'wait PodsNotKnown',
  ],
  [
    'grows what the controller has grown',
    {
      seen: { ...deviceSeen, volume: larger },
      held: { ...deviceHeld, state: 'staged', capabilities: GROWS, publishedAt: '/t' },
    },
    'expand',
  ],
  [
    'grows it once',
    {
      seen: { ...deviceSeen, volume: larger },
      held: { ...deviceHeld, state: 'staged', capabilities: GROWS, publishedAt: '/t', expandedToBytes: 2n ** 31n },
    },
    'wait Staged',
  ],
  [
    'grows it while nobody is being given it',
    {
      seen: { ...deviceSeen, volume: larger },
      held: { ...deviceHeld, state: 'staged', capabilities: GROWS, publishedAt: '/t', isUserBusy: true },
    },
    'wait VolumeBusy',
  ],
  [
    'looks from time to time whether it has',
    { seen: deviceSeen, held: { ...deviceHeld, state: 'staged', capabilities: GROWS, lookAtMs: 0 } },
    'look',
  ],
  [
    'asks first what a driver that has registered again is able to',
    { seen: deviceSeen, held: { ...deviceHeld, state: 'staged', capabilities: undefined, lookAtMs: 0 } },
    'probe',
  ],
  [
    'unstages what has the SELinux label of another pod, although it is wanted',
    { seen: deviceSeen, held: { ...deviceHeld, state: 'staged', isOnDisk: true, isLabelledOtherwise: true } },
    'unstage',
  ],
  [
    'waits until the other pod has lost it before',
    { seen: deviceSeen, held: { ...deviceHeld, state: 'staged', isOnDisk: true, isLabelledOtherwise: true, users: 1 } },
    'wait VolumeInUse',
  ],
  ['asked from outside, tells what is missing', { seen: { ...deviceSeen, node: nodeOf() } }, 'wait VolumeNotAttached'],
]
for (const [behaviour, view, step] of deviceCases)
  test(`volume: ${behaviour}`, () => equal(summary(nextDeviceStep(view)), step))

test('a repeat is told from a first time', () => {
  deepEqual(
    nextMountStep({ seen: mountSeen, held: { ...mountHeld, state: 'mounted', isPresent: true, republishAtMs: 0 } }),
    { kind: 'publish', isRepeat: true },
  )
  deepEqual(nextMountStep({ seen: mountSeen, held: mountHeld }), { kind: 'publish', isRepeat: false })
})

const without = <T extends object, K extends keyof T>(object: T, ...keys: K[]): Omit<T, K> =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key as K))) as Omit<T, K>
const waiting = <T extends { code: string }>(reason: T) => ({ kind: 'wait', reason }) as const

const twoVolumes = podOf({
  spec: {
    containers: [
      {
        name: 'c',
        volumeMounts: [
          { name: 'data', mountPath: '/d' },
          { name: 'log', mountPath: '/l' },
        ],
      },
    ],
    volumes: [
      { name: 'data', persistentVolumeClaim: { claimName: 'c1' } },
      { name: 'log', persistentVolumeClaim: { claimName: 'c2' } },
    ],
  },
})
const both = new Map([
  ['data', wish],
  ['log', wish],
])
const patienceOf = (dataMs: number, logMs: number) =>
  new Map([
    ['data', { retryAtMs: dataMs, detail: 'data down' }],
    ['log', { retryAtMs: logMs, detail: 'log down' }],
  ])
const waits = { kind: 'waits', reason: { code: 'ClaimNotBound' } } as const
const refused = { kind: 'refused', reason: { code: 'ClaimLeaving' } } as const
const mountOf = (volumeName: string, state: 'mounted' | 'uncertain', isPresent = true) => ({
  volumeName,
  state,
  isPresent,
})
const notMounted = { ...podHeld, mounts: [{ volumeName: 'v1', state: 'none', isPresent: false }] } as const
const unreadyPod = podOf({ status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] } })
const podWholes: [behaviour: string, view: PodView, step: PodStep][] = [
  [
    'a volume that waits is looked up again',
    { seen: { pod: podOf(), volumes: new Map([['data', waits]]) }, held: podHeld },
    { kind: 'resolve', pod: podOf(), podVolumeName: 'data' },
  ],
  [
    'a volume that was refused is looked up again',
    { seen: { pod: podOf(), volumes: new Map([['data', refused]]) }, held: podHeld },
    { kind: 'resolve', pod: podOf(), podVolumeName: 'data' },
  ],
  [
    'a volume that waits tells why until then',
    {
      seen: { pod: podOf(), volumes: new Map([['data', waits]]) },
      held: { ...podHeld, nowMs: 1000, patience: patienceOf(1001, 0) },
    },
    { ...waiting({ code: 'ClaimNotBound' }), retryInMs: 1 },
  ],
  [
    'the volume that is due first counts',
    {
      seen: { pod: twoVolumes, volumes: new Map() },
      held: { ...podHeld, nowMs: 500, patience: patienceOf(4000, 2001) },
    },
    { kind: 'wait', reason: REASONS.BackingOff('log down', 2), retryInMs: 1501 },
  ],
  [
    'of two that are due together the first counts',
    { seen: { pod: twoVolumes, volumes: new Map() }, held: { ...podHeld, patience: patienceOf(3000, 3000) } },
    { kind: 'wait', reason: REASONS.BackingOff('data down', 3), retryInMs: 3000 },
  ],
  [
    'a later one does not count',
    { seen: { pod: twoVolumes, volumes: new Map() }, held: { ...podHeld, patience: patienceOf(3000, 4000) } },
    { kind: 'wait', reason: REASONS.BackingOff('data down', 3), retryInMs: 3000 },
  ],
  [
    'seconds are rounded up',
    { seen: { pod: podOf(), volumes: new Map() }, held: { ...podHeld, patience: patienceOf(1001, 0) } },
    { kind: 'wait', reason: REASONS.BackingOff('data down', 2), retryInMs: 1001 },
  ],
  [
    'a pod that has waited for a second is reported as waiting',
    { seen: { pod: newPod, volumes: new Map([['data', wish]]) }, held: { ...notMounted, nowMs: 1500, seenAtMs: 500 } },
    { kind: 'report-waiting', pod: newPod },
  ],
  [
    'until then it has a chance to be reported once, as running',
    { seen: { pod: newPod, volumes: new Map([['data', wish]]) }, held: { ...notMounted, nowMs: 1499, seenAtMs: 500 } },
    { kind: 'wait', reason: REASONS.VolumesNotMounted('v1'), retryInMs: 1 },
  ],
  [
    'a failed lookup is repeated before the report, if it is due earlier',
    { seen: { pod: newPod, volumes: new Map() }, held: { ...podHeld, patience: patienceOf(400, 0) } },
    { kind: 'wait', reason: REASONS.BackingOff('data down', 1), retryInMs: 400 },
  ],
  [
    'the report does not wait for a failed lookup',
    { seen: { pod: newPod, volumes: new Map() }, held: { ...podHeld, patience: patienceOf(9000, 0) } },
    { kind: 'wait', reason: REASONS.BackingOff('data down', 9), retryInMs: 1000 },
  ],
  [
    'a pod is reported as waiting once',
    { seen: { pod: podOf(), volumes: new Map([['data', wish]]) }, held: { ...notMounted, nowMs: 1500 } },
    waiting(REASONS.VolumesNotMounted('v1')),
  ],
  [
    'asked from outside, nothing is reported',
    { seen: { pod: newPod, volumes: new Map([['data', wish]]) } },
    waiting(REASONS.VolumesNotMounted('data')),
  ],
  [
    'a pod that is not there is looked at again when all pods are known',
    { seen: { volumes: new Map() }, held: { ...podHeld, isReady: false } },
    { ...waiting(REASONS.PodsNotKnown), wakeOn: [PODS_KNOWN] },
  ],
  [
    'asked from outside, an unknown volume has to be looked up',
    { seen: { pod: podOf(), volumes: new Map() } },
    { kind: 'resolve', pod: podOf(), podVolumeName: 'data' },
  ],
  [
    'asked from outside, all volumes that it uses may be missing',
    { seen: { pod: twoVolumes, volumes: both } },
    waiting(REASONS.VolumesNotMounted('data, log')),
  ],
  [
    'asked from outside, a pod that runs does so',
    { seen: { pod: podOf({ status: { phase: 'Running' } }), volumes: new Map([['data', wish]]) } },
    waiting(REASONS.Running),
  ],
  [
    'only what is not mounted is named',
    {
      seen: { pod: twoVolumes, volumes: both },
      held: { ...podHeld, mounts: [mountOf('v1', 'mounted'), mountOf('v2', 'uncertain'), mountOf('v3', 'uncertain')] },
    },
    waiting(REASONS.VolumesNotMounted('v2, v3')),
  ],
  [
    'one that ran before goes on while it is mounted again',
    {
      seen: { pod: podOf({ status: { phase: 'Running' } }), volumes: new Map([['data', wish]]) },
      held: { ...podHeld, mounts: [mountOf('v1', 'uncertain')] },
    },
    waiting(REASONS.Running),
  ],
  [
    'one that was marked as not ready while the node was silent is reported as ready',
    {
      seen: { pod: unreadyPod, volumes: new Map([['data', wish]]) },
      held: { ...podHeld, mounts: [mountOf('v1', 'mounted')] },
    },
    { kind: 'report-ready', pod: unreadyPod },
  ],
  [
    'not before it is mounted again',
    {
      seen: { pod: unreadyPod, volumes: new Map([['data', wish]]) },
      held: { ...podHeld, mounts: [mountOf('v1', 'uncertain')] },
    },
    waiting(REASONS.Running),
  ],
  [
    'asked from outside, one that was marked runs',
    { seen: { pod: unreadyPod, volumes: new Map([['data', wish]]) } },
    waiting(REASONS.Running),
  ],
  [
    'asked from outside, one that is leaving is finished',
    { seen: { pod: leaving, volumes: new Map() } },
    waiting(REASONS.Finished),
  ],
  [
    'one that is seen leaving is unmounted before all pods are known',
    { seen: { pod: leaving, volumes: new Map() }, held: { ...podHeld, isReady: false } },
    { kind: 'remove-directory' },
  ],
  [
    'only what is still there is named',
    {
      seen: { pod: leaving, volumes: new Map() },
      held: {
        ...podHeld,
        mounts: [mountOf('v1', 'uncertain', false), mountOf('v2', 'mounted'), mountOf('v3', 'mounted')],
      },
    },
    waiting(REASONS.VolumesNotUnmounted('v2, v3')),
  ],
  [
    'the directory of one that is gone is removed',
    { seen: { volumes: new Map() }, held: podHeld },
    { kind: 'remove-directory' },
  ],
  [
    'all finalizers are named',
    {
      seen: {
        pod: podOf({ metadata: { deletionTimestamp: 'x', deletionGracePeriodSeconds: 0, finalizers: ['f', 'g'] } }),
        volumes: new Map(),
      },
      held: { ...podHeld, hasDirectory: false },
    },
    waiting(REASONS.FinalizersLeft('f, g')),
  ],
  [
    'none may be left',
    {
      seen: { pod: podOf({ metadata: { deletionTimestamp: 'x', deletionGracePeriodSeconds: 0 } }), volumes: new Map() },
      held: { ...podHeld, hasDirectory: false },
    },
    waiting(REASONS.FinalizersLeft('')),
  ],
  [
    'without a deletion a grace period has no meaning',
    {
      seen: {
        pod: podOf({ metadata: { deletionGracePeriodSeconds: 0 }, status: { phase: 'Failed' } }),
        volumes: new Map(),
      },
      held: { ...podHeld, hasDirectory: false },
    },
    waiting(REASONS.Finished),
  ],
]
for (const [behaviour, view, step] of podWholes) test(`pod: ${behaviour}`, () => deepEqual(nextPodStep(view), step))

const policyWith = (...volumeLifecycleModes: ('Persistent' | 'Ephemeral')[]) =>
  driverPolicyOf({
    csiDriver: { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: {}, spec: { volumeLifecycleModes } },
  })
const ephemeralWish = { kind: 'ephemeral' } as NonNullable<MountView['seen']['wish']>
const handleWish = { kind: 'csi', volume: without(csiVolume, 'persistentVolume') as CsiVolume } as const
const onceWish = { kind: 'csi', volume: { ...csiVolume, persistentVolume: once, spec: once.spec } } as const
const severalModes = volumeOf({ modes: ['ReadWriteOncePod', 'ReadOnlyMany'] })
const otherWish = {
  kind: 'csi',
  volume: { ...csiVolume, persistentVolume: severalModes, spec: severalModes.spec },
} as const
const ownedBy = (namespace: string): VolumeAttachment => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name: 'a', annotations: { 'attach-detach.holdfast.dev/namespace': namespace } },
  spec: { attacher: 'd', nodeName: 'n', source: {} },
})
const mounted = { ...mountHeld, state: 'mounted', isPresent: true, nowMs: 1000 } as const
const backedOff = { kind: 'wait', reason: REASONS.BackingOff('x', 2), retryInMs: 1500 } as const
const patience = { retryAtMs: 1500, detail: 'x' }
const notRegistered = waiting(REASONS.DriverNotRegistered('d'))
const mountWholes: [behaviour: string, view: MountView, step: MountStep][] = [
  [
    'what is mounted needs no driver',
    { seen: mountSeen, held: { ...mounted, isRegistered: false } },
    waiting(REASONS.Mounted),
  ],
  [
    'a repeat that is not due is waited for',
    { seen: mountSeen, held: { ...mounted, republishAtMs: 1001 } },
    { ...waiting(REASONS.Mounted), retryInMs: 1 },
  ],
  [
    'a repeat that failed waits for its patience',
    { seen: mountSeen, held: { ...mounted, republishAtMs: 500, patience: { retryAtMs: 3000, detail: 'x' } } },
    { ...waiting(REASONS.Mounted), retryInMs: 2000 },
  ],
  [
    'a repeat without a driver waits for nothing else',
    { seen: mountSeen, held: { ...mounted, republishAtMs: 500, isRegistered: false } },
    waiting(REASONS.Mounted),
  ],
  [
    'a repeat without a driver at the very time',
    { seen: mountSeen, held: { ...mounted, republishAtMs: 1000, isRegistered: false } },
    waiting(REASONS.Mounted),
  ],
  [
    'a repeat waits while the volume grows',
    { seen: mountSeen, held: { ...mounted, republishAtMs: 500, isExpanding: true } },
    waiting(REASONS.Mounted),
  ],
  [
    'a missing driver counts before its unknown object',
    { seen: without(mountSeen, 'policy'), held: { ...mountHeld, isRegistered: false } },
    notRegistered,
  ],
  ['asked from outside, the mount is missing', { seen: mountSeen }, waiting(REASONS.VolumesNotMounted('v1'))],
  [
    'asked from outside, what is not allowed is told',
    { seen: { ...mountSeen, policy: policyWith('Ephemeral') } },
    { kind: 'refuse', reason: REASONS.LifecycleModeNotAllowed('d', 'Persistent') },
  ],
  [
    'without its driver a volume is published again no earlier than it is due',
    {
      seen: mountSeen,
      held: { ...mountHeld, state: 'mounted', isPresent: true, republishAtMs: 7, isRegistered: false },
    },
    { ...waiting(REASONS.Mounted), retryInMs: 7 },
  ],
  [
    'what is growing is not published',
    { seen: mountSeen, held: { ...mountHeld, isExpanding: true } },
    waiting(REASONS.VolumeNotStaged('v1')),
  ],
  [
    'an ephemeral volume has no device',
    {
      seen: { ...mountSeen, wish: ephemeralWish, policy: policyWith('Ephemeral') },
      held: without(mountHeld, 'device'),
    },
    { kind: 'publish', isRepeat: false },
  ],
  [
    'an ephemeral volume has to be allowed',
    { seen: { ...mountSeen, wish: ephemeralWish, policy: policyWith('Persistent') }, held: mountHeld },
    { kind: 'refuse', reason: REASONS.LifecycleModeNotAllowed('d', 'Ephemeral') },
  ],
  [
    'a persistent volume has to be allowed',
    { seen: { ...mountSeen, policy: policyWith('Ephemeral') }, held: mountHeld },
    { kind: 'refuse', reason: REASONS.LifecycleModeNotAllowed('d', 'Persistent') },
  ],
  [
    'a handle alone asks for no mode',
    { seen: { ...mountSeen, wish: handleWish, policy: policyWith('Ephemeral') }, held: mountHeld },
    { kind: 'publish', isRepeat: false },
  ],
  [
    'a handle that the same namespace has',
    {
      seen: { ...mountSeen, wish: handleWish, attachment: ownedBy('default'), otherNamespaces: ['default'] },
      held: mountHeld,
    },
    { kind: 'publish', isRepeat: false },
  ],
  [
    'a handle that was attached for another namespace',
    { seen: { ...mountSeen, wish: handleWish, attachment: ownedBy('team') }, held: mountHeld },
    { kind: 'refuse', reason: REASONS.VolumeOfOtherNamespace('v1') },
  ],
  [
    'a handle that a pod of another namespace has',
    { seen: { ...mountSeen, wish: handleWish, otherNamespaces: ['default', 'team'] }, held: mountHeld },
    { kind: 'refuse', reason: REASONS.VolumeOfOtherNamespace('v1') },
  ],
  [
    'a claim may be shared with another namespace',
    { seen: { ...mountSeen, otherNamespaces: ['team'] }, held: mountHeld },
    { kind: 'publish', isRepeat: false },
  ],
  [
    'the only pod may have a volume for one',
    { seen: { ...mountSeen, wish: onceWish }, held: mountHeld },
    { kind: 'publish', isRepeat: false },
  ],
  [
    'asked from outside, nothing is known of other pods',
    { seen: { ...mountSeen, wish: onceWish } },
    waiting(REASONS.VolumesNotMounted('v1')),
  ],
  [
    'two pods may have any other volume',
    { seen: mountSeen, held: { ...mountHeld, otherPods: 1 } },
    { kind: 'publish', isRepeat: false },
  ],
  [
    'two pods may have a volume with more modes',
    { seen: { ...mountSeen, wish: otherWish }, held: { ...mountHeld, otherPods: 1 } },
    { kind: 'publish', isRepeat: false },
  ],
  [
    'a failure is waited out before anything is asked',
    { seen: mountSeen, held: { ...without(mountHeld, 'capabilities'), patience } },
    backedOff,
  ],
  [
    'a volume that the pod no longer wants is unpublished',
    { seen: without(mountSeen, 'wish'), held: { ...mountHeld, isPresent: true } },
    { kind: 'unpublish' },
  ],
  [
    'a pod that is leaving is unpublished though its wishes are not known',
    {
      seen: without({ ...mountSeen, pod: leaving }, 'wish'),
      held: { ...mountHeld, isPodResolved: false, isPresent: true },
    },
    { kind: 'unpublish' },
  ],
  ['asked from outside, a pod that is gone has nothing', { seen: gone }, waiting(REASONS.Unmounted)],
  [
    'what never was is forgotten before all pods are known',
    { seen: gone, held: { ...mountHeld, isReady: false } },
    { kind: 'forget' },
  ],
  [
    'unknown pods count before the driver',
    { seen: gone, held: { ...mountHeld, isPresent: true, isReady: false, isRegistered: false } },
    { ...waiting(REASONS.PodsNotKnown), wakeOn: [PODS_KNOWN] },
  ],
  [
    'a pod that is seen leaving needs no other',
    { seen: { ...mountSeen, pod: leaving }, held: { ...mountHeld, isPresent: true, isReady: false } },
    { kind: 'unpublish' },
  ],
  [
    'without its driver nothing is unpublished',
    { seen: gone, held: { ...mountHeld, isPresent: true, isRegistered: false, isExpanding: true } },
    notRegistered,
  ],
  [
    'what is growing is not unpublished',
    { seen: gone, held: { ...mountHeld, isPresent: true, isExpanding: true } },
    waiting(REASONS.VolumeExpanding),
  ],
]
for (const [behaviour, view, step] of mountWholes)
  test(`mount: ${behaviour}`, () => deepEqual(nextMountStep(view), step))

test('patience ends at its time', () => {
  deepEqual(
    [delayOf(undefined, 0), delayOf(patience, 1500), delayOf(patience, 1501)],
    [undefined, undefined, undefined],
  )
  deepEqual(delayOf({ retryAtMs: 3001, detail: 'x' }, 1000), {
    kind: 'wait',
    reason: REASONS.BackingOff('x', 3),
    retryInMs: 2001,
  })
})

const NAME = attachmentName({ driver: 'd', volumeHandle: 'v1', nodeName: 'n' })
const reachable = (value: string): CsiVolume => ({
  ...csiVolume,
  spec: {
    ...csiVolume.spec,
    nodeAffinity: {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [value] }] }] },
    },
  },
})
const zoned: Node = { ...attachedNode, metadata: { name: 'n', labels: { zone: 'a' } } }
const failing = attachmentOf({ attached: false, attachError: { message: 'no' } })
const staged = { ...deviceHeld, state: 'staged', capabilities: GROWS, publishedAt: '/t', nowMs: 1000 } as const
const grown = { ...deviceSeen, volume: larger }
const unclaimed = { ...deviceSeen, volume: without(larger, 'claim') as CsiVolume }
const sized = (claim: string | undefined, size: string | undefined): DeviceView['seen'] => {
  const { capacity: _size, ...spec } = larger.persistentVolume.spec
  const status = { phase: 'Bound', ...(claim === undefined ? {} : { capacity: { storage: claim } }) } as const
  return {
    ...deviceSeen,
    volume: {
      ...larger,
      claim: claimOf({ status }),
      persistentVolume: {
        ...larger.persistentVolume,
        spec: { ...spec, ...(size === undefined ? {} : { capacity: { storage: size } }) },
      },
    },
  }
}
const late = { retryAtMs: 2500, detail: 'x' }
const deviceWholes: [behaviour: string, view: DeviceView, step: DeviceStep][] = [
  [
    'a missing driver counts before a missing node',
    { seen: without(deviceSeen, 'node', 'policy'), held: { ...deviceHeld, isRegistered: false } },
    notRegistered,
  ],
  [
    'a missing driver counts before an attachment',
    { seen: deviceSeen, held: { ...deviceHeld, isRegistered: false } },
    notRegistered,
  ],
  [
    'a missing node counts before the object of the driver',
    { seen: without(deviceSeen, 'node', 'policy'), held: deviceHeld },
    waiting(REASONS.NodeMissing),
  ],
  [
    'nothing is taken for granted of a driver whose object was not read',
    { seen: without(deviceSeen, 'policy'), held: deviceHeld },
    waiting(REASONS.DriverPolicyNotKnown('d')),
  ],
  [
    'a volume of another zone is refused',
    { seen: { ...deviceSeen, node: zoned, volume: reachable('b') }, held: deviceHeld },
    { kind: 'refuse', reason: REASONS.NodeAffinityMismatch('n', 'v1') },
  ],
  [
    'a volume of this zone is not',
    { seen: { ...deviceSeen, node: zoned, volume: reachable('a') }, held: deviceHeld },
    { kind: 'stage' },
  ],
  [
    'its use has to be reported',
    { seen: deviceSeen, held: { ...deviceHeld, isReported: false } },
    waiting(REASONS.UseNotReported('n')),
  ],
  [
    'a node without a list has nothing attached',
    { seen: { ...deviceSeen, node: { ...attachedNode, status: {} } }, held: deviceHeld },
    waiting(REASONS.NotAttached(NAME)),
  ],
  [
    'another volume in the list is another volume',
    { seen: { ...deviceSeen, node: nodeOf(['kubernetes.io/csi/d^other']) }, held: deviceHeld },
    waiting(REASONS.NotAttached(NAME)),
  ],
  [
    'an error of the attach is told while it is awaited',
    { seen: { ...deviceSeen, node: nodeOf(), attachment: failing }, held: deviceHeld },
    waiting(REASONS.NotAttached(NAME, 'no')),
  ],
  [
    'a failure is waited out before the attachment is read',
    { seen: deviceSeen, held: { ...deviceHeld, nowMs: 0, isAttachmentRead: false, patience } },
    backedOff,
  ],
  [
    'the attachment is read by its name',
    { seen: deviceSeen, held: { ...deviceHeld, isAttachmentRead: false } },
    { kind: 'read-attachment', name: NAME },
  ],
  [
    'an attachment that is not there is refused',
    { seen: without(deviceSeen, 'attachment'), held: deviceHeld },
    { kind: 'refuse', reason: REASONS.NotAttached(NAME) },
  ],
  [
    'an attachment without a status is not attached',
    { seen: { ...deviceSeen, attachment: attachmentOf(undefined) }, held: deviceHeld },
    { kind: 'refuse', reason: REASONS.NotAttached(NAME) },
  ],
  [
    'an attachment that is not attached, without an error',
    { seen: { ...deviceSeen, attachment: attachmentOf({ attached: false }) }, held: deviceHeld },
    { kind: 'refuse', reason: REASONS.NotAttached(NAME) },
  ],
  [
    'asked from outside, an attached volume is not staged',
    { seen: deviceSeen },
    waiting(REASONS.VolumeNotStaged('v1')),
  ],
  [
    'asked from outside, an attachment that is leaving is told',
    { seen: { ...deviceSeen, attachment: attachmentOf({ attached: true }, { deletionTimestamp: 'x' }) } },
    { kind: 'refuse', reason: REASONS.VolumeDetaching(NAME) },
  ],
  [
    'a failure is waited out before staging',
    {
      seen: { ...deviceSeen, policy: { ...attaching, attach: false } },
      held: { ...without(deviceHeld, 'capabilities'), patience },
    },
    backedOff,
  ],
  ['a driver is asked what it can', { seen: deviceSeen, held: without(deviceHeld, 'capabilities') }, { kind: 'probe' }],
  [
    'a volume grows to its size where it is published',
    { seen: grown, held: staged },
    { kind: 'expand', volumePath: '/t', requiredBytes: 2n ** 31n },
  ],
  [
    'a volume grows further than before',
    { seen: grown, held: { ...staged, expandedToBytes: 2n ** 31n - 1n } },
    { kind: 'expand', volumePath: '/t', requiredBytes: 2n ** 31n },
  ],
  [
    'a driver is asked whether it can before a volume grows',
    { seen: grown, held: without(staged, 'capabilities') },
    { kind: 'probe' },
  ],
  [
    'a volume of a driver that can not grow it stays',
    { seen: grown, held: { ...staged, capabilities: STAGES } },
    waiting(REASONS.Staged),
  ],
  [
    'a volume that was refused to grow stays',
    { seen: grown, held: { ...staged, isExpandRefused: true } },
    waiting(REASONS.Staged),
  ],
  [
    'a volume whose driver is missing stays',
    { seen: grown, held: { ...staged, isRegistered: false } },
    waiting(REASONS.Staged),
  ],
  [
    'a volume that is published nowhere stays',
    { seen: grown, held: without(staged, 'publishedAt') },
    waiting(REASONS.Staged),
  ],
  ['a volume without a claim stays', { seen: unclaimed, held: { ...staged, lookAtMs: 0 } }, waiting(REASONS.Staged)],
  [
    'a claim without a volume stays',
    { seen: { ...deviceSeen, volume: without(larger, 'persistentVolume') as CsiVolume }, held: staged },
    waiting(REASONS.Staged),
  ],
  ['a volume of its size stays', { seen: sized('2Gi', '2Gi'), held: staged }, waiting(REASONS.Staged)],
  [
    'a claim that says more than its volume stays',
    { seen: sized('3Gi', '2Gi'), held: staged },
    waiting(REASONS.Staged),
  ],
  ['a claim without a size stays', { seen: sized(undefined, '2Gi'), held: staged }, waiting(REASONS.Staged)],
  ['a volume without a size stays', { seen: sized('1Gi', undefined), held: staged }, waiting(REASONS.Staged)],
  [
    'a busy volume is looked at again when the call has ended',
    { seen: grown, held: { ...staged, isUserBusy: true } },
    { ...waiting(REASONS.VolumeBusy), wakeOn: [callEnded(csiVolume.uniqueName)] },
  ],
  [
    'a failure is waited out before a volume grows, also while it is busy',
    { seen: grown, held: { ...staged, patience: late, isUserBusy: true } },
    backedOff,
  ],
  [
    'a failure is waited out before a look',
    { seen: deviceSeen, held: { ...staged, lookAtMs: 0, patience: late } },
    backedOff,
  ],
  [
    'without a look nothing is waited out',
    { seen: deviceSeen, held: { ...staged, patience: late } },
    waiting(REASONS.Staged),
  ],
  [
    'the time of the next look is told',
    { seen: deviceSeen, held: { ...staged, lookAtMs: 1500 } },
    { ...waiting(REASONS.Staged), retryInMs: 500 },
  ],
  ['asked from outside, nobody wants it', { seen: unwanted }, waiting(REASONS.Unmounted)],
  [
    'what is in use is kept, though nothing is staged',
    { seen: unwanted, held: { ...deviceHeld, users: 1 } },
    waiting(REASONS.VolumeInUse(1)),
  ],
  [
    'what never was is forgotten before all pods are known',
    { seen: unwanted, held: { ...deviceHeld, isReady: false } },
    { kind: 'forget' },
  ],
  [
    'what is on the disk is undone though nothing is staged',
    { seen: unwanted, held: { ...deviceHeld, isOnDisk: true } },
    { kind: 'unstage' },
  ],
  [
    'unknown pods count before what the driver can',
    { seen: unwanted, held: { ...deviceHeld, state: 'staged', isReady: false, capabilities: new Set() } },
    { ...waiting(REASONS.PodsNotKnown), wakeOn: [PODS_KNOWN] },
  ],
  [
    'what needs no undoing needs no driver',
    { seen: unwanted, held: { ...deviceHeld, state: 'staged', isRegistered: false, capabilities: new Set() } },
    { kind: 'forget' },
  ],
  [
    'what is on the disk is undone whatever the driver says',
    { seen: unwanted, held: { ...deviceHeld, state: 'staged', isOnDisk: true, capabilities: new Set() } },
    { kind: 'unstage' },
  ],
  [
    'without its driver nothing is unstaged',
    { seen: unwanted, held: { ...deviceHeld, state: 'staged', isOnDisk: true, isRegistered: false } },
    notRegistered,
  ],
  [
    'a failure is waited out before unstaging',
    { seen: unwanted, held: { ...deviceHeld, state: 'staged', isOnDisk: true, patience } },
    backedOff,
  ],
  [
    'what is on the disk is undone without asking',
    { seen: unwanted, held: { ...without(deviceHeld, 'capabilities'), state: 'staged', isOnDisk: true } },
    { kind: 'unstage' },
  ],
]
for (const [behaviour, view, step] of deviceWholes)
  test(`volume: ${behaviour}`, () => deepEqual(nextDeviceStep(view), step))
