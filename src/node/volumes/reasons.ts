import type { Reason } from '../../api/reason.ts'

const claim = (namespace: string, name: string) =>
  ({ kind: 'object', apiVersion: 'v1', kindName: 'PersistentVolumeClaim', namespace, name }) as const
const node = (name: string) => ({ kind: 'object', apiVersion: 'v1', kindName: 'Node', name }) as const
const attachment = (name: string) =>
  ({ kind: 'object', apiVersion: 'storage.k8s.io/v1', kindName: 'VolumeAttachment', name }) as const
const driverActor = (name: string) => ({ kind: 'actor', name: `the driver ${name} on this node` }) as const

/** Why a pod, a volume of a pod or a volume on the node stands where it stands. */
export const REASONS = {
  running: { code: 'Running' },
  finished: { code: 'Finished' },
  mounted: { code: 'Mounted' },
  unmounted: { code: 'Unmounted' },
  staged: { code: 'Staged' },
  inUse: (pods: number): Reason => ({ code: 'VolumeInUse', detail: { pods: String(pods) } }),
  expanding: { code: 'VolumeExpanding', waitsFor: { kind: 'actor', name: 'the driver' } },
  busy: { code: 'VolumeBusy', waitsFor: { kind: 'actor', name: 'the driver' } },
  backingOff: (detail: string, seconds: number): Reason => ({
    code: 'BackingOff',
    detail: { seconds: String(seconds), lastError: detail },
  }),
  podsUnknown: {
    code: 'PodsNotKnown',
    waitsFor: { kind: 'actor', name: 'the API server' },
    cure: 'Nothing is unmounted before all pods of the node are known',
  },
  wishesUnknown: { code: 'VolumesOfPodNotKnown', waitsFor: { kind: 'actor', name: 'the API server' } },
  mountsPending: (volumes: string): Reason => ({ code: 'VolumesNotMounted', detail: { volumes } }),
  unmountsPending: (volumes: string): Reason => ({ code: 'VolumesNotUnmounted', detail: { volumes } }),
  finalizersLeft: (finalizers: string): Reason => ({
    code: 'FinalizersLeft',
    detail: { finalizers },
    cure: 'Whoever put them on the pod has to remove them',
  }),
  nodeMissing: (name: string): Reason => ({ code: 'NodeMissing', waitsFor: node(name) }),

  notServed: (detail: { volume: string; kind: string; persistentVolume?: string }): Reason => ({
    code: 'VolumeKindNotServed',
    detail,
    cure: 'This node serves volumes of CSI drivers only: use a claim whose volume belongs to one, or a node with a kubelet',
  }),
  sameName: (volume: string): Reason => ({
    code: 'VolumeNameTaken',
    detail: { volume },
    cure: 'Rename the volume of the pod: another one of the same name is mounted in its place',
  }),
  unsafeName: (name: string): Reason => ({
    code: 'UnsafeName',
    detail: { name: JSON.stringify(name.slice(0, 80)) },
    cure: 'The name can not be part of a path',
  }),
  claimLeaving: (namespace: string, name: string): Reason => ({
    code: 'ClaimLeaving',
    waitsFor: claim(namespace, name),
    cure: 'The claim is being deleted: use another one',
  }),
  wrongMode: (detail: { volume: string; mode: string }): Reason => ({
    code: 'VolumeModeMismatch',
    detail,
    cure: 'A volume of mode Filesystem goes into volumeMounts, one of mode Block into volumeDevices',
  }),
  modeNotAllowed: (driver: string, mode: string): Reason => ({
    code: 'LifecycleModeNotAllowed',
    detail: { driver, mode },
    cure: `The CSIDriver object of the driver has to list ${mode} in volumeLifecycleModes`,
  }),
  blockInLine: (volume: string): Reason => ({
    code: 'InLineBlockVolume',
    detail: { volume },
    cure: 'A volume that stands in the pod goes into volumeMounts',
  }),
  otherNamespace: (volume: string): Reason => ({
    code: 'VolumeOfOtherNamespace',
    detail: { volume },
    cure: 'A pod of another namespace has this volume here: use a claim',
  }),
  singlePod: (volume: string): Reason => ({
    code: 'VolumeInUseBySinglePod',
    detail: { volume },
    cure: 'The volume is ReadWriteOncePod and another pod has it',
  }),
  notReachable: (name: string, volume: string): Reason => ({
    code: 'NodeAffinityMismatch',
    detail: { node: name, volume },
    cure: 'The volume can not be reached from this node',
  }),

  driverNotRegistered: (driver: string): Reason => ({
    code: 'DriverNotRegistered',
    waitsFor: driverActor(driver),
    detail: { driver },
    cure: 'See that the driver runs on the node and has registered',
  }),
  policyUnknown: (driver: string): Reason => ({
    code: 'DriverPolicyNotKnown',
    waitsFor: { kind: 'actor', name: 'the API server' },
    detail: { driver },
  }),
  notReported: (name: string): Reason => ({ code: 'UseNotReported', waitsFor: node(name) }),
  notAttached: (name: string): Reason => ({ code: 'VolumeNotAttached', waitsFor: attachment(name) }),
  attachmentLeaving: (name: string): Reason => ({ code: 'VolumeDetaching', waitsFor: attachment(name) }),
  attachFailed: (name: string, error: string): Reason => ({
    code: 'AttachFailed',
    waitsFor: attachment(name),
    detail: { error },
  }),
  notStaged: (volume: string): Reason => ({ code: 'VolumeNotStaged', detail: { volume } }),
} as const satisfies Record<string, Reason | ((...args: never[]) => Reason)>
