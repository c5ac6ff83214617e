import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../api/kinds/node.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod, PodSpec } from '../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { driverPolicyOf } from '../../compat/driver-policy.ts'
import { NodeCapability } from '../../csi/index.ts'
import type { CsiVolume } from '../../volumes/resolve-pod-volume.ts'
import { claimOf, volumeOf } from '../../volumes/testing/claims-and-volumes.ts'
import { nextDeviceStep } from './next-device-step.ts'
import { nextMountStep } from './next-mount-step.ts'
import { findUnserved, nextPodStep } from './next-pod-step.ts'
import type { DeviceView, MountView, PodView } from './volume-view.ts'

const podOf = (more: { metadata?: Pod['metadata']; spec?: Partial<PodSpec>; status?: Pod['status'] } = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name: 'p', uid: 'u', ...more.metadata },
  spec: { containers: [{ name: 'c', volumeMounts: [{ name: 'data', mountPath: '/d' }] }], volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'c1' } }], ...more.spec },
  ...(more.status ? { status: more.status } : {}),
})
const leaving = podOf({ metadata: { deletionTimestamp: '2030-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 } })
const volume: PersistentVolume = volumeOf()
const csiVolume: CsiVolume = { driver: 'd', handle: 'v1', uniqueName: 'kubernetes.io/csi/d^v1', name: 'v1', spec: volume.spec, csi: { driver: 'd', volumeHandle: 'v1' }, volume, claim: claimOf({ status: { phase: 'Bound', capacity: { storage: '1Gi' } } }) }
const wish = { kind: 'csi', volume: csiVolume } as const
const attaching = driverPolicyOf({})
const STAGES = new Set([NodeCapability.STAGE_UNSTAGE_VOLUME])

const summary = (step: { kind: string; reason?: { code: string } }): string => (step.reason ? `${step.kind} ${step.reason.code}` : step.kind)

const podHeld = { nowMs: 0, isReady: true, hasDirectory: true, patience: new Map(), mounts: [] } as const
const podCases: [behaviour: string, view: PodView, step: string][] = [
  ['looks up what a volume is', { seen: { pod: podOf(), volumes: new Map() }, held: podHeld }, 'resolve'],
  ['waits with a look that failed', { seen: { pod: podOf(), volumes: new Map() }, held: { ...podHeld, patience: new Map([['data', { retryAtMs: 500, detail: 'down' }]]) } }, 'wait BackingOff'],
  ['waits for mounts', { seen: { pod: podOf(), volumes: new Map([['data', wish]]) }, held: { ...podHeld, mounts: [{ specName: 'v1', state: 'uncertain', isPresent: true }] } }, 'wait VolumesNotMounted'],
  ['says that it runs', { seen: { pod: podOf(), volumes: new Map([['data', wish]]) }, held: { ...podHeld, mounts: [{ specName: 'v1', state: 'mounted', isPresent: true }] } }, 'report-running'],
  ['says it once', { seen: { pod: podOf({ status: { phase: 'Running' } }), volumes: new Map([['data', wish]]) }, held: podHeld }, 'wait Running'],
  ['lets nothing go while something is mounted', { seen: { pod: leaving, volumes: new Map() }, held: { ...podHeld, mounts: [{ specName: 'v1', state: 'uncertain', isPresent: true }] } }, 'wait VolumesNotUnmounted'],
  ['removes directories first', { seen: { pod: leaving, volumes: new Map() }, held: podHeld }, 'remove-directory'],
  ['then lets the object go', { seen: { pod: leaving, volumes: new Map() }, held: { ...podHeld, hasDirectory: false } }, 'delete-pod'],
  ['asks for that once', { seen: { pod: podOf({ metadata: { deletionTimestamp: 'x', deletionGracePeriodSeconds: 0, finalizers: ['f'] } }), volumes: new Map() }, held: { ...podHeld, hasDirectory: false } }, 'wait FinalizersLeft'],
  ['keeps the object of a pod that finished', { seen: { pod: podOf({ status: { phase: 'Failed' } }), volumes: new Map() }, held: { ...podHeld, hasDirectory: false } }, 'wait Finished'],
  ['takes no pod for gone that it only has not seen', { seen: { volumes: new Map() }, held: { ...podHeld, isReady: false } }, 'wait PodsNotKnown'],
  ['forgets what is gone', { seen: { volumes: new Map() }, held: { ...podHeld, hasDirectory: false } }, 'forget'],
  ['asked from outside, tells what the claim waits for', { seen: { pod: podOf(), volumes: new Map([['data', { kind: 'waits', reason: { code: 'ClaimNotBound' } }]]) } }, 'wait ClaimNotBound'],
]
for (const [behaviour, view, step] of podCases) test(`pod: ${behaviour}`, () => equal(summary(nextPodStep(view)), step))

const kinds: [kind: string, isServed: boolean][] = [
  ...['emptyDir', 'configMap', 'secret', 'projected', 'downwardAPI', 'hostPath', 'image'].map((kind): [string, boolean] => [kind, true]),
  ...['nfs', 'iscsi', 'flexVolume', 'fc', 'rbd', 'cephfs', 'gitRepo', 'azureFile', 'vsphereVolume', 'ofTomorrow'].map((kind): [string, boolean] => [kind, false]),
]
for (const [kind, isServed] of kinds) {
  test(`pod: a volume of kind ${kind} ${isServed ? 'is missed by nobody' : 'is refused'}`, () => {
    const reason = findUnserved('data', { kind: 'other', source: kind })
    deepEqual([reason?.code, reason?.detail], isServed ? [undefined, undefined] : ['VolumeKindNotServed', { volume: 'data', kind }])
  })
}
test('pod: a claim promises storage, of whatever kind its volume is', () => {
  equal(findUnserved('data', { kind: 'other', source: 'hostPath', persistentVolume: 'v1' })?.detail?.['persistentVolume'], 'v1')
  equal(findUnserved('data', wish), undefined)
})

const mountSeen: MountView['seen'] = { specName: 'v1', driver: 'd', pod: podOf(), volume: wish, policy: attaching, otherNamespaces: [] }
const mountHeld: NonNullable<MountView['held']> = { nowMs: 0, isReady: true, isPodResolved: true, state: 'none', isPresent: false, isRegistered: true, capabilities: STAGES, device: 'staged', isExpanding: false, otherPods: 0, isUnmountFailing: false }
const gone = (({ pod: _pod, ...rest }) => rest)(mountSeen)
const once = volumeOf({ modes: ['ReadWriteOncePod'] })
const mountCases: [behaviour: string, view: MountView, step: string][] = [
  ['publishes what is staged', { seen: mountSeen, held: mountHeld }, 'publish'],
  ['waits for the staging', { seen: mountSeen, held: { ...mountHeld, device: 'uncertain' } }, 'wait VolumeNotStaged'],
  ['waits for the driver', { seen: mountSeen, held: { ...mountHeld, isRegistered: false } }, 'wait DriverNotRegistered'],
  ['H4: takes nothing for granted of a driver whose object was not read', { seen: (({ policy: _policy, ...rest }) => rest)(mountSeen), held: mountHeld }, 'wait DriverPolicyNotKnown'],
  ['asks what the driver can first', { seen: mountSeen, held: (({ capabilities: _known, ...rest }) => rest)(mountHeld) }, 'probe'],
  ['is content with what is mounted', { seen: mountSeen, held: { ...mountHeld, state: 'mounted', isPresent: true } }, 'wait Mounted'],
  ['repeats when it is time', { seen: mountSeen, held: { ...mountHeld, state: 'mounted', isPresent: true, republishAtMs: 0 } }, 'publish'],
  ['does not repeat before', { seen: mountSeen, held: { ...mountHeld, state: 'mounted', isPresent: true, republishAtMs: 1 } }, 'wait Mounted'],
  ['waits after a failure', { seen: mountSeen, held: { ...mountHeld, patience: { retryAtMs: 1, detail: 'x' } } }, 'wait BackingOff'],
  ['refuses a second pod where there may be one', { seen: { ...mountSeen, volume: { kind: 'csi', volume: { ...csiVolume, volume: once, spec: once.spec } } }, held: { ...mountHeld, otherPods: 1 } }, 'refuse VolumeInUseBySinglePod'],
  ['undoes nothing of a pod that lives and was not read', { seen: (({ volume: _wish, ...rest }) => rest)(mountSeen), held: { ...mountHeld, isPodResolved: false, isPresent: true } }, 'wait VolumesOfPodNotKnown'],
  ['unpublishes when the pod goes', { seen: { ...mountSeen, pod: leaving }, held: { ...mountHeld, isPresent: true, state: 'mounted' } }, 'unpublish'],
  ['unpublishes what is uncertain', { seen: gone, held: { ...mountHeld, isPresent: true, state: 'uncertain' } }, 'unpublish'],
  ['does not wait with that because publishing failed', { seen: gone, held: { ...mountHeld, isPresent: true, patience: { retryAtMs: 9, detail: 'x' } } }, 'unpublish'],
  ['waits when unpublishing failed', { seen: gone, held: { ...mountHeld, isPresent: true, isUnmountFailing: true, patience: { retryAtMs: 9, detail: 'x' } } }, 'wait BackingOff'],
  ['unpublishes nothing before all pods are known', { seen: gone, held: { ...mountHeld, isPresent: true, isReady: false } }, 'wait PodsNotKnown'],
  ['forgets what never was', { seen: gone, held: mountHeld }, 'forget'],
]
for (const [behaviour, view, step] of mountCases) test(`mount: ${behaviour}`, () => equal(summary(nextMountStep(view)), step))

const nodeOf = (volumesAttached: string[] = []): Node => ({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, status: { volumesAttached: volumesAttached.map((name) => ({ name, devicePath: '' })) } })
const attachmentOf = (status: VolumeAttachment['status'], metadata: VolumeAttachment['metadata'] = {}): VolumeAttachment => ({ apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment', metadata: { name: 'a', ...metadata }, spec: { attacher: 'd', nodeName: 'n', source: {} }, ...(status ? { status } : {}) })
const attachedNode = nodeOf([csiVolume.uniqueName])
const deviceSeen: DeviceView['seen'] = { driver: 'd', uniqueName: csiVolume.uniqueName, node: attachedNode, policy: attaching, volume: csiVolume, attachment: attachmentOf({ attached: true }) }
const unwanted = (({ volume: _wish, ...rest }) => rest)(deviceSeen)
const deviceHeld: NonNullable<DeviceView['held']> = { nowMs: 0, isReady: true, state: 'none', isOnDisk: false, isRegistered: true, capabilities: STAGES, isReported: true, users: 0, isUserBusy: false, isAttachmentRead: true, isExpandRefused: false }
const larger = { ...csiVolume, volume: volumeOf({ size: '2Gi' }) }
const GROWS = new Set([NodeCapability.EXPAND_VOLUME])
const deviceCases: [behaviour: string, view: DeviceView, step: string][] = [
  ['stages what is attached', { seen: deviceSeen, held: deviceHeld }, 'stage'],
  ['accepts what needs no staging', { seen: deviceSeen, held: { ...deviceHeld, capabilities: new Set() } }, 'accept'],
  ['reports its use before anything else', { seen: { ...deviceSeen, node: nodeOf() }, held: { ...deviceHeld, isReported: false } }, 'wait UseNotReported'],
  ['waits until the node lists it', { seen: { ...deviceSeen, node: nodeOf() }, held: deviceHeld }, 'wait VolumeNotAttached'],
  ['reads the attachment', { seen: deviceSeen, held: { ...deviceHeld, isAttachmentRead: false } }, 'read-attachment'],
  ['does not stage what is being detached', { seen: { ...deviceSeen, attachment: attachmentOf({ attached: true }, { deletionTimestamp: 'x' }) }, held: deviceHeld }, 'refuse VolumeDetaching'],
  ['passes on why it is not attached', { seen: { ...deviceSeen, attachment: attachmentOf({ attached: false, attachError: { message: 'no' } }) }, held: deviceHeld }, 'refuse AttachFailed'],
  ['S1-13: asks for no attachment where there is none', { seen: { ...deviceSeen, node: nodeOf(), policy: driverPolicyOf({ csiDriver: { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: {}, spec: { attachRequired: false } } }) }, held: { ...deviceHeld, isReported: false, isAttachmentRead: false } }, 'stage'],
  ['keeps what is in use', { seen: unwanted, held: { ...deviceHeld, state: 'staged', isOnDisk: true, users: 1 } }, 'wait VolumeInUse'],
  ['unstages after the last', { seen: unwanted, held: { ...deviceHeld, state: 'staged', isOnDisk: true } }, 'unstage'],
  ['unstages what is uncertain even without a file', { seen: unwanted, held: { ...deviceHeld, state: 'uncertain' } }, 'unstage'],
  ['asks what the driver can where no file tells', { seen: unwanted, held: (({ capabilities: _known, ...rest }) => ({ ...rest, state: 'uncertain' as const }))(deviceHeld) }, 'probe'],
  ['has nothing to undo with a driver that stages nothing', { seen: unwanted, held: { ...deviceHeld, state: 'staged', capabilities: new Set() } }, 'forget'],
  ['unstages nothing before all pods are known', { seen: unwanted, held: { ...deviceHeld, state: 'staged', isOnDisk: true, isReady: false } }, 'wait PodsNotKnown'],
  ['grows what the controller has grown', { seen: { ...deviceSeen, volume: larger }, held: { ...deviceHeld, state: 'staged', capabilities: GROWS, publishedAt: '/t' } }, 'expand'],
  ['grows it once', { seen: { ...deviceSeen, volume: larger }, held: { ...deviceHeld, state: 'staged', capabilities: GROWS, publishedAt: '/t', expandedToBytes: 2n ** 31n } }, 'wait Staged'],
  ['grows it while nobody is being given it', { seen: { ...deviceSeen, volume: larger }, held: { ...deviceHeld, state: 'staged', capabilities: GROWS, publishedAt: '/t', isUserBusy: true } }, 'wait VolumeBusy'],
  ['looks from time to time whether it has', { seen: deviceSeen, held: { ...deviceHeld, state: 'staged', capabilities: GROWS, lookAtMs: 0 } }, 'look'],
  ['asked from outside, tells what is missing', { seen: { ...deviceSeen, node: nodeOf() } }, 'wait VolumeNotAttached'],
]
for (const [behaviour, view, step] of deviceCases) test(`volume: ${behaviour}`, () => equal(summary(nextDeviceStep(view)), step))

test('a repeat is told from a first time', () => {
  deepEqual(nextMountStep({ seen: mountSeen, held: { ...mountHeld, state: 'mounted', isPresent: true, republishAtMs: 0 } }), { kind: 'publish', isRepeat: true })
  deepEqual(nextMountStep({ seen: mountSeen, held: mountHeld }), { kind: 'publish', isRepeat: false })
})
