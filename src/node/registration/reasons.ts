import type { Reason } from '../../api/reason.ts'

type Facts = Readonly<Record<string, string>>
const registrar = { kind: 'actor', name: 'the registrar' } as const
const driver = (name: string) => ({ kind: 'actor', name: `the driver ${name}` }) as const
const node = (name: string) => ({ kind: 'object', apiVersion: 'v1', kindName: 'Node', name }) as const
const csiNode = (name: string) =>
  ({ kind: 'object', apiVersion: 'storage.k8s.io/v1', kindName: 'CSINode', name }) as const

// What others say may be anything, and of any length.
const LONGEST = 200
const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text).toWellFormed()
const reasonOf = (code: string, detail: Facts, rest: Omit<Reason, 'code' | 'detail'> = {}): Reason => ({
  code,
  detail: Object.fromEntries(Object.entries(detail).map(([key, value]) => [key, cut(value)])),
  ...rest,
})

/** Why a plugin, or what is published of it, stands where it stands. */
export const REASONS = {
  registered: (name: string): Reason => ({ code: 'Registered', detail: { driver: name } }),
  noSocket: {
    code: 'NoRegistrationSocket',
    waitsFor: registrar,
    cure: 'See that the driver and its registrar run on the node',
  },
  notASocket: (kind: string): Reason => ({
    code: 'NotASocket',
    detail: { kind },
    cure: 'Remove it from the directory',
  }),
  tooManyFiles: (most: number): Reason => ({
    code: 'TooManyFiles',
    detail: { most: String(most) },
    cure: 'Remove what is no socket of a plugin',
  }),
  tooDeep: (most: number): Reason => ({
    code: 'TooManyDirectoriesDeep',
    detail: { most: String(most) },
    cure: 'Put the socket higher up',
  }),

  noServer: {
    code: 'NobodyServesSocket',
    waitsFor: registrar,
    cure: 'Start the registrar again, or remove the socket that it left',
  },
  noAnswer: (error: string): Reason =>
    reasonOf('RegistrarNotAnswering', { error }, { waitsFor: registrar, cure: 'Look at the log of the registrar' }),
  otherType: (type: string): Reason =>
    reasonOf('PluginTypeUnknown', { type }, { cure: 'Only plugins of type CSIPlugin are registered here' }),
  badName: (name: string, problem: string): Reason =>
    reasonOf('DriverNameInvalid', { driver: name, problem }, { cure: 'Give the driver a valid name' }),
  badVersion: (name: string, versions: readonly string[]): Reason =>
    reasonOf(
      'VersionUnsupported',
      { driver: name, versions: versions.join(', ') || 'none' },
      { cure: 'The registrar has to offer a version 1.x' },
    ),
  badEndpoint: (name: string, endpoint: string): Reason =>
    reasonOf(
      'EndpointInvalid',
      { driver: name, endpoint },
      { cure: 'Give the registrar an absolute path as --kubelet-registration-path' },
    ),
  endpointOutside: (name: string, endpoint: string): Reason =>
    reasonOf(
      'EndpointOutsideRoot',
      { driver: name, endpoint },
      { cure: 'Put the socket of the driver below the root directory of the node agent, or allow its directory' },
    ),
  endpointMissing: (name: string, endpoint: string): Reason =>
    reasonOf(
      'EndpointMissing',
      { driver: name, endpoint },
      { waitsFor: driver(name), cure: 'See that --kubelet-registration-path is the path as the node sees it' },
    ),
  endpointNoSocket: (name: string, endpoint: string, kind: string): Reason =>
    reasonOf(
      'EndpointNotASocket',
      { driver: name, endpoint, kind },
      { cure: 'Give the registrar the socket of the driver as --kubelet-registration-path' },
    ),
  duplicate: (name: string, socket: string): Reason =>
    reasonOf(
      'DriverRegisteredTwice',
      { driver: name, socket },
      { cure: 'Remove one of the two: a second one has to offer a higher version' },
    ),
  otherName: (name: string, reported: string, socket: string): Reason =>
    reasonOf(
      'DriverNameMismatch',
      { registered: name, reported, socket },
      {
        cure: 'Register the driver under the name that GetPluginInfo returns. Sidecars use that name, the node uses the registered one',
      },
    ),
  otherDirectory: (name: string, directory: string): Reason =>
    reasonOf(
      'DriverNameNotThatOfDirectory',
      { driver: name, directory },
      { cure: 'Name the directory after the driver' },
    ),
  nodeInfoFailed: (name: string, error: string): Reason =>
    reasonOf(
      'NodeGetInfoFailed',
      { driver: name, error },
      { waitsFor: driver(name), cure: 'Look at the log of the driver' },
    ),
  nodeInfoInvalid: (name: string, problem: string): Reason =>
    reasonOf('NodeGetInfoInvalid', { driver: name, problem }, { cure: 'The driver has to be corrected' }),
  notifyFailed: (name: string, error: string): Reason =>
    reasonOf('RegistrarNotTold', { driver: name, error }, { waitsFor: registrar }),
  unexpected: (error: string): Reason => reasonOf('RegistrationFailed', { error }),

  publishing: (nodeName: string): Reason => ({ code: 'NotYetPublished', waitsFor: csiNode(nodeName) }),
  nodeMissing: (nodeName: string): Reason => ({ code: 'NodeMissing', waitsFor: node(nodeName) }),
  labelCollision: (name: string, facts: { key: string; present: string; reported: string }): Reason =>
    reasonOf(
      'TopologyLabelCollision',
      { driver: name, ...facts },
      { cure: `Remove the label ${cut(facts.key)} from the node if the driver is right` },
    ),
  annotationMalformed: (nodeName: string, name: string): Reason => ({
    code: 'NodeIDAnnotationMalformed',
    waitsFor: node(nodeName),
    detail: { driver: name },
    cure: 'Correct or remove the annotation csi.volume.kubernetes.io/nodeid of the node: it has to be a JSON object of texts',
  }),
  refusedByServer: (name: string, error: string): Reason =>
    reasonOf(
      'PublicationRefused',
      { driver: name, error },
      { cure: 'See which labels and objects the node may write' },
    ),
  typeNotServed: (nodeName: string): Reason => ({
    code: 'CSINodeNotServed',
    waitsFor: csiNode(nodeName),
    cure: 'The API server has to serve storage.k8s.io/v1',
  }),
  csiDriverNotMade: (name: string, error: string): Reason =>
    reasonOf(
      'CSIDriverNotMade',
      { driver: name, error },
      { cure: 'Create the CSIDriver object, or allow nodes to create it: examples/node/create-csidrivers.yaml' },
    ),
} as const satisfies Record<string, Reason | ((...args: never[]) => Reason)>
