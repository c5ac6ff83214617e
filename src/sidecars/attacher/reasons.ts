import type { Reason } from '../../api/reason.ts'

type Facts = Readonly<Record<string, string>>
const volume = (name: string) => ({ kind: 'object', apiVersion: 'v1', kindName: 'PersistentVolume', name }) as const
const attachment = (name: string) =>
  ({ kind: 'object', apiVersion: 'storage.k8s.io/v1', kindName: 'VolumeAttachment', name }) as const
const csiNode = (name: string) =>
  ({ kind: 'object', apiVersion: 'storage.k8s.io/v1', kindName: 'CSINode', name }) as const
const secret = ({ namespace, name }: { namespace: string; name: string }) =>
  ({ kind: 'object', apiVersion: 'v1', kindName: 'Secret', namespace, name }) as const

/** Why an attachment or a volume's finalizer stands where it stands. */
export const REASONS = {
  attached: { code: 'Attached' },
  released: { code: 'Released', cure: 'Whoever else has a finalizer on the attachment has to remove it' },
  backingOff: (detail: Facts): Reason => ({ code: 'BackingOff', detail }),
  callInFlight: (detail: Facts): Reason => ({
    code: 'CallInFlight',
    waitsFor: { kind: 'actor', name: 'the driver' },
    detail,
  }),
  volumeReleasing: (name: string): Reason => ({ code: 'VolumeFinalizerLeaving', waitsFor: volume(name) }),

  sourceUnclear: { code: 'SourceUnclear', cure: 'Name either a volume or an in-line source, and only one of them' },
  volumeMissing: (name: string): Reason => ({ code: 'VolumeMissing', waitsFor: volume(name) }),
  volumeLeaving: (name: string): Reason => ({
    code: 'VolumeLeaving',
    detail: { volume: name },
    cure: `PersistentVolume ${name} is being deleted: use another one`,
  }),
  noCsiSource: { code: 'NoCSISource', cure: 'Only volumes with a CSI source can be attached' },
  otherDriver: (detail: Facts): Reason => ({
    code: 'OtherDriver',
    detail,
    cure: 'The attacher has to be the driver of the volume',
  }),
  handleMissing: { code: 'VolumeHandleMissing', cure: 'Give the volume a handle' },
  accessModesUnclear: (detail: Facts): Reason => ({
    code: 'AccessModesUnclear',
    detail,
    cure: 'Choose access modes that go together',
  }),
  secretUnclear: { code: 'SecretUnclear', cure: 'Name the secret with both its namespace and its name' },

  driverNotRegistered: (node: string, driver: string): Reason => ({
    code: 'DriverNotRegistered',
    waitsFor: csiNode(node),
    detail: { driver, node },
    cure: 'See that the driver runs on the node and has registered',
  }),
  nodeIdChanged: (detail: Facts): Reason => ({
    code: 'NodeIDChanged',
    detail,
    cure: 'Delete the attachment, so that the volume is detached from the former node',
  }),
  secretMissing: (ref: { namespace: string; name: string }): Reason => ({
    code: 'SecretMissing',
    waitsFor: secret(ref),
  }),
  secretForbidden: (ref: { namespace: string; name: string }): Reason => ({
    code: 'SecretForbidden',
    waitsFor: secret(ref),
    cure: 'Allow the attacher to get this secret',
  }),
  secretNotText: (ref: { namespace: string; name: string }, key: string): Reason => ({
    code: 'SecretNotText',
    waitsFor: secret(ref),
    detail: { key },
    cure: 'Store binary data in a text form that the driver documents, such as base64',
  }),
  publishContextTooLarge: (bytes: number): Reason => ({
    code: 'PublishContextTooLarge',
    detail: { bytes: String(bytes) },
    cure: 'The driver has to answer with less than 256 KiB',
  }),
  handleUnknown: (name: string): Reason => ({
    code: 'VolumeHandleUnknown',
    waitsFor: volume(name),
    cure: 'Make the volume object again; or, once the volume is surely detached, remove the finalizer of the attachment',
  }),
  nodeIdUnknown: (node: string, driver: string): Reason => ({
    code: 'NodeIDUnknown',
    waitsFor: csiNode(node),
    detail: { driver, node },
    cure: 'Register the driver on the node; or, once the volume is surely detached, remove the finalizer of the attachment',
  }),

  notHeld: { code: 'NotHeld' },
  inUse: (name: string): Reason => ({ code: 'VolumeInUse', waitsFor: attachment(name) }),
  keptForNextAttach: { code: 'KeptForNextAttach' },
  acknowledged: { code: 'Acknowledged' },
} as const satisfies Record<string, Reason | ((...args: never[]) => Reason)>
