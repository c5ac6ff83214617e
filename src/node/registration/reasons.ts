import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { NODES } from '../../api/kinds/node.ts'
import { formatReason, objectAwaited, reason } from '../../api/reason.ts'
import type { Reason, ReasonIn } from '../../api/reason.ts'
import { NODE_ID_ANNOTATION } from '../../storage/node-ids.ts'

// A plugin may return any text, of any length.
const LONGEST = 200
const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text).toWellFormed()

const waitsFor = { kind: 'actor', name: 'the registrar' } as const
const byDriver = (name: string) => ({ waitsFor: { kind: 'actor', name: `the driver ${name}` } }) as const
const byNode = (name: string) => ({ waitsFor: objectAwaited(NODES, { name }) })
const byCsiNode = (name: string) => ({ waitsFor: objectAwaited(CSI_NODES, { name }) })
const about = <const Code extends string>(
  code: Code,
  name: string,
  message: string,
  rest: Pick<Reason, 'waitsFor' | 'cure'> = {},
): Reason<Code> => reason(code, message, { detail: { driver: cut(name) }, ...rest })

const CHECK_PATH = 'Check that --kubelet-registration-path is the path of the driver socket on the node.'

/** Why a plugin, or its publication, is in its current state. */
export const REASONS = {
  registered: (name: string) => about('Registered', name, `driver ${name} is registered`),
  notYetAsked: reason('NotYetAsked', 'the registration socket was found', { waitsFor }),
  askingDriver: (name: string) =>
    about('AskingTheDriver', name, `waiting for NodeGetInfo of driver ${name}`, byDriver(name)),
  noSocket: reason('NoRegistrationSocket', 'the registration socket does not exist', {
    waitsFor,
    cure: 'Check that the driver and its registrar are running on the node.',
  }),
  notASocket: (kind: string) =>
    reason('NotASocket', `not a socket but a ${kind}`, { cure: 'Remove it from the directory.' }),
  tooManyFiles: (most: number) =>
    reason('TooManyFiles', `the directory has more than ${most} files`, {
      cure: 'Remove everything that is not the socket of a plugin.',
    }),
  tooDeep: (most: number) =>
    reason('TooManyDirectoriesDeep', `the directory is nested more than ${most} levels deep`, {
      cure: 'Move the socket to a directory further up.',
    }),

  noServer: reason('NobodyServesSocket', 'connection refused: no process serves the registration socket', {
    waitsFor,
    cure: 'Restart the registrar, or remove the socket.',
  }),
  noAnswer: (error: string) =>
    reason('RegistrarNotAnswering', `failed to get plugin info from the registration socket: ${cut(error)}`, {
      waitsFor,
      cure: 'Check the logs of the registrar.',
    }),
  otherType: (type: string) =>
    reason('PluginTypeUnknown', `no handler registered for plugin type: ${cut(type)}`, {
      cure: 'Register plugins of type CSIPlugin only.',
    }),
  badName: (name: string, problem: string) =>
    about('DriverNameInvalid', name, `invalid driver name "${cut(name)}": ${problem}`, {
      cure: 'Give the driver a valid name.',
    }),
  badVersion: (name: string, versions: readonly string[]) =>
    about(
      'VersionUnsupported',
      name,
      `RegisterPlugin for CSI driver "${name}" failed. None of the versions specified "${cut(versions.join(', '))}" are supported`,
      { cure: 'Use a registrar that offers a version 1.x.' },
    ),
  badEndpoint: (name: string, endpoint: string) =>
    about('EndpointInvalid', name, `invalid endpoint "${cut(endpoint)}" of driver ${name}`, {
      cure: 'Give the registrar an absolute path as --kubelet-registration-path.',
    }),
  endpointOutside: (name: string, path: string) =>
    about('EndpointOutsideRoot', name, `endpoint ${cut(path)} of driver ${name} is outside the allowed directories`, {
      cure: 'Put the driver socket below the root directory of the node agent, or allow its directory.',
    }),
  endpointMissing: (name: string, path: string) =>
    about('EndpointMissing', name, `endpoint ${cut(path)} of driver ${name} does not exist`, {
      ...byDriver(name),
      cure: CHECK_PATH,
    }),
  endpointNoSocket: (name: string, path: string, kind: string) =>
    about('EndpointNotASocket', name, `endpoint ${cut(path)} of driver ${name} is not a socket but a ${kind}`, {
      cure: CHECK_PATH,
    }),
  duplicate: (name: string, socket: string) =>
    about(
      'DriverRegisteredTwice',
      name,
      `RegisterPlugin for CSI driver "${name}" failed. Another driver with the same name is already registered with the same or a higher supported version: ${socket}`,
      { cure: 'Remove one of the two, or offer a higher version.' },
    ),
  otherName: (name: string, reported: string, socket: string) =>
    about(
      'DriverNameMismatch',
      name,
      `the driver at ${socket} is registered as ${name} but calls itself ${cut(reported)}`,
      {
        cure: 'Register the driver under the name that GetPluginInfo returns. Sidecars use that name, the node uses the registered one.',
      },
    ),
  otherDirectory: (name: string, directory: string) =>
    about('DriverNameNotThatOfDirectory', name, `driver ${name} was found in the directory ${cut(directory)}`, {
      cure: 'Name the directory after the driver.',
    }),
  nodeInfoFailed: (name: string, error: string) =>
    about('NodeGetInfoFailed', name, `RegisterPlugin failed at CSI.NodeGetInfo of driver ${name}: ${cut(error)}`, {
      ...byDriver(name),
      cure: 'Check the logs of the driver.',
    }),
  nodeInfoInvalid: (name: string, problem: string) =>
    about('NodeGetInfoInvalid', name, `CSI.NodeGetInfo of driver ${name} returned an invalid answer: ${cut(problem)}`, {
      cure: 'Fix the driver.',
    }),
  notifyFailed: (name: string, error: string) =>
    about('RegistrarNotTold', name, `failed to notify the registrar of driver ${name}: ${cut(error)}`, { waitsFor }),
  unexpected: (error: string) => reason('RegistrationFailed', `failed to register the plugin: ${cut(error)}`),

  publishing: (nodeName: string) =>
    reason('NotYetPublished', `waiting for CSINode "${nodeName}" to be updated`, byCsiNode(nodeName)),
  published: (nodeName: string) => reason('Published', `CSINode "${nodeName}" is current`),
  nodeMissing: (nodeName: string) => reason('NodeMissing', `node "${nodeName}" not found`, byNode(nodeName)),
  labelCollision: (name: string, { key, present, reported }: { key: string; present: string; reported: string }) =>
    about(
      'TopologyLabelCollision',
      name,
      `detected topology value collision: driver reported "${cut(key)}":"${cut(reported)}" but existing label is "${cut(key)}":"${cut(present)}"`,
      { cure: `Remove the label ${cut(key)} from the node if driver ${name} is right.` },
    ),
  annotationMalformed: (nodeName: string, name: string) =>
    about('NodeIDAnnotationMalformed', name, `failed to parse node's "${NODE_ID_ANNOTATION}" annotation value`, {
      ...byNode(nodeName),
      cure: 'Correct or remove the annotation: it has to be a JSON object of strings.',
    }),
  refusedByServer: (name: string, error: string) =>
    about('PublicationRefused', name, `error updating CSINode object with CSI driver node info: ${cut(error)}`, {
      cure: 'Check which labels and objects the node is allowed to write.',
    }),
  typeNotServed: (nodeName: string) =>
    reason('CSINodeNotServed', 'the API server does not serve CSINode', {
      ...byCsiNode(nodeName),
      cure: 'Use an API server that serves storage.k8s.io/v1.',
    }),
  csiDriverNotMade: (name: string, error: string) =>
    about('CSIDriverNotMade', name, `failed to create the CSIDriver object of driver ${name}: ${cut(error)}`, {
      cure: 'Create the object, or allow nodes to create it: examples/node/create-csidrivers.yaml.',
    }),
  limitCurrent: reason('LimitCurrent', 'the volume limit is current'),
}

export type RegistrationReason = ReasonIn<typeof REASONS>

/** Why a plugin is not registered. */
export type PluginFailure = {
  readonly reason: RegistrationReason
  /** The plugin may still be one that was registered before: it did not answer, or could not be notified. */
  readonly isUnanswered?: true
  /** Another plugin is registered under this driver name. */
  readonly duplicateOf?: string
}

export class PluginRefusal extends Error {
  readonly failure: PluginFailure
  constructor(reason: RegistrationReason, rest: Omit<PluginFailure, 'reason'> = {}) {
    super(formatReason(reason))
    this.failure = { reason, ...rest }
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
