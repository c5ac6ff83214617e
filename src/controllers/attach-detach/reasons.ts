import type { Reason } from '../../api/reason.ts'

type Facts = Readonly<Record<string, string>>
const node = (name: string) => ({ kind: 'object', apiVersion: 'v1', kindName: 'Node', name }) as const
const volume = (name: string) => ({ kind: 'object', apiVersion: 'v1', kindName: 'PersistentVolume', name }) as const
const attachment = (name: string) =>
  ({ kind: 'object', apiVersion: 'storage.k8s.io/v1', kindName: 'VolumeAttachment', name }) as const
const attacher = (driver: string) => ({ kind: 'actor', name: `the attacher of ${driver}` }) as const

/** Why a volume is not attached, or not detached, at this moment. */
export const REASONS = {
  notWanted: { code: 'NotWanted' },
  attached: { code: 'Attached' },
  nodeMissing: (name: string): Reason => ({ code: 'NodeMissing', waitsFor: node(name) }),
  nodeNotManaged: (name: string): Reason => ({
    code: 'NodeNotManaged',
    waitsFor: node(name),
    cure: 'The node agent has to set the annotation volumes.kubernetes.io/controller-managed-attach-detach',
  }),
  attachmentUnseen: (name: string): Reason => ({ code: 'AttachmentUnseen', waitsFor: attachment(name) }),
  awaitingAttacher: (driver: string, name: string): Reason => ({
    code: 'AwaitingAttacher',
    waitsFor: attacher(driver),
    detail: { attachment: name },
    cure: 'See that the attacher of the driver runs',
  }),
  attachFailed: (driver: string, detail: Facts): Reason => ({
    code: 'AttachFailed',
    waitsFor: attacher(driver),
    detail,
  }),
  leaving: (name: string): Reason => ({ code: 'DetachUnderWay', waitsFor: attachment(name) }),
  volumeLeaving: (name: string): Reason => ({
    code: 'VolumeLeaving',
    waitsFor: volume(name),
    cure: `PersistentVolume ${name} is being deleted: use another one`,
  }),
  attachedElsewhere: (name: string, detail: Facts): Reason => ({
    code: 'AttachedElsewhere',
    waitsFor: attachment(name),
    detail,
    cure: 'The volume can be on one node only: wait until the pods there are gone, or delete them',
  }),
  otherNamespace: (detail: Facts): Reason => ({
    code: 'VolumeOfOtherNamespace',
    detail,
    cure: 'Use a volume that no pod of another namespace uses',
  }),

  inUse: (name: string, detail: Facts): Reason => ({ code: 'VolumeInUse', waitsFor: node(name), detail }),
  statusUnsure: (name: string): Reason => ({ code: 'NodeStatusBeingWritten', waitsFor: node(name) }),
  reported: (name: string): Reason => ({ code: 'StillReportedAttached', waitsFor: node(name) }),
  detaching: (driver: string, detail: Facts = {}): Reason => ({
    code: 'Detaching',
    waitsFor: attacher(driver),
    detail,
  }),

  statusCurrent: { code: 'NodeStatusCurrent' },
  gathering: { code: 'GatheringVolumes' },
} as const satisfies Record<string, Reason | ((...args: never[]) => Reason)>
