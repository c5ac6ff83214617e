import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { NODES } from '../../api/kinds/node.ts'
import { awaiting, awaitingActor, because, defineReasons, formatReason } from '../../api/reason.ts'
import type { Reason, ReasonIn } from '../../api/reason.ts'
import { NODE_ID_ANNOTATION } from '../../storage/node-ids.ts'

// A plugin may return any text, of any length.
const LONGEST = 200
const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text).toWellFormed()

const REGISTRAR = awaitingActor('the registrar')
const byDriver = (name: string) => awaitingActor(`the driver ${name}`)
const byNode = (name: string) => awaiting(NODES, { name })
const byCsiNode = (name: string) => awaiting(CSI_NODES, { name })
const about = (name: string, message: string, rest: Pick<Reason, 'waitsFor' | 'cure'> = {}) =>
  because(message, { detail: { driver: cut(name) }, ...rest })

const CHECK_PATH = 'Check that --kubelet-registration-path is the path of the driver socket on the node.'

export const REASONS = defineReasons({
  Registered: (name: string) => about(name, `driver ${name} is registered`),
  NotYetAsked: because('the registration socket was found', REGISTRAR),
  AskingTheDriver: (name: string) => about(name, `waiting for NodeGetInfo of driver ${name}`, byDriver(name)),
  NoRegistrationSocket: because('the registration socket does not exist', {
    ...REGISTRAR,
    cure: 'Check that the driver and its registrar are running on the node.',
  }),
  NotASocket: (kind: string) => because(`not a socket but a ${kind}`, { cure: 'Remove it from the directory.' }),
  TooManyFiles: (most: number) =>
    because(`the directory has more than ${most} files`, {
      cure: 'Remove everything that is not the socket of a plugin.',
    }),
  TooManyDirectoriesDeep: (most: number) =>
    because(`the directory is nested more than ${most} levels deep`, {
      cure: 'Move the socket to a directory further up.',
    }),

  NobodyServesSocket: because('connection refused: no process serves the registration socket', {
    ...REGISTRAR,
    cure: 'Restart the registrar, or remove the socket.',
  }),
  RegistrarNotAnswering: (error: string) =>
    because(`failed to get plugin info from the registration socket: ${cut(error)}`, {
      ...REGISTRAR,
      cure: 'Check the logs of the registrar.',
    }),
  PluginTypeUnknown: (type: string) =>
    because(`no handler registered for plugin type: ${cut(type)}`, {
      cure: 'Register plugins of type CSIPlugin only.',
    }),
  DriverNameInvalid: (name: string, problem: string) =>
    about(name, `invalid driver name "${cut(name)}": ${problem}`, { cure: 'Give the driver a valid name.' }),
  VersionUnsupported: (name: string, versions: readonly string[]) =>
    about(
      name,
      `RegisterPlugin for CSI driver "${name}" failed. None of the versions specified "${cut(versions.join(', '))}" are supported`,
      { cure: 'Use a registrar that offers a version 1.x.' },
    ),
  EndpointInvalid: (name: string, endpoint: string) =>
    about(name, `invalid endpoint "${cut(endpoint)}" of driver ${name}`, {
      cure: 'Give the registrar an absolute path as --kubelet-registration-path.',
    }),
  EndpointOutsideRoot: (name: string, path: string) =>
    about(name, `endpoint ${cut(path)} of driver ${name} is outside the allowed directories`, {
      cure: 'Put the driver socket below the root directory of the node agent, or allow its directory.',
    }),
  EndpointMissing: (name: string, path: string) =>
    about(name, `endpoint ${cut(path)} of driver ${name} does not exist`, { ...byDriver(name), cure: CHECK_PATH }),
  EndpointNotASocket: (name: string, path: string, kind: string) =>
    about(name, `endpoint ${cut(path)} of driver ${name} is not a socket but a ${kind}`, { cure: CHECK_PATH }),
  DriverRegisteredTwice: (name: string, socket: string) =>
    about(
      name,
      `RegisterPlugin for CSI driver "${name}" failed. Another driver with the same name is already registered with the same or a higher supported version: ${socket}`,
      { cure: 'Remove one of the two, or offer a higher version.' },
    ),
  DriverNameMismatch: (name: string, reported: string, socket: string) =>
    about(name, `the driver at ${socket} is registered as ${name} but calls itself ${cut(reported)}`, {
      cure: 'Register the driver under the name that GetPluginInfo returns. Sidecars use that name, the node uses the registered one.',
    }),
  DriverNameNotThatOfDirectory: (name: string, directory: string) =>
    about(name, `driver ${name} was found in the directory ${cut(directory)}`, {
      cure: 'Name the directory after the driver.',
    }),
  NodeGetInfoFailed: (name: string, error: string) =>
    about(name, `RegisterPlugin failed at CSI.NodeGetInfo of driver ${name}: ${cut(error)}`, {
      ...byDriver(name),
      cure: 'Check the logs of the driver.',
    }),
  NodeGetInfoInvalid: (name: string, problem: string) =>
    about(name, `CSI.NodeGetInfo of driver ${name} returned an invalid answer: ${cut(problem)}`, {
      cure: 'Fix the driver.',
    }),
  RegistrarNotTold: (name: string, error: string) =>
    about(name, `failed to notify the registrar of driver ${name}: ${cut(error)}`, REGISTRAR),
  RegistrationFailed: (error: string) => `failed to register the plugin: ${cut(error)}`,

  NotYetPublished: (nodeName: string) =>
    because(`waiting for CSINode "${nodeName}" to be updated`, byCsiNode(nodeName)),
  Published: (nodeName: string) => `CSINode "${nodeName}" is current`,
  NodeMissing: (nodeName: string) => because(`node "${nodeName}" not found`, byNode(nodeName)),
  TopologyLabelCollision: (
    name: string,
    { key, present, reported }: { key: string; present: string; reported: string },
  ) =>
    about(
      name,
      `detected topology value collision: driver reported "${cut(key)}":"${cut(reported)}" but existing label is "${cut(key)}":"${cut(present)}"`,
      { cure: `Remove the label ${cut(key)} from the node if driver ${name} is right.` },
    ),
  NodeIDAnnotationMalformed: (nodeName: string, name: string) =>
    about(name, `failed to parse node's "${NODE_ID_ANNOTATION}" annotation value`, {
      ...byNode(nodeName),
      cure: 'Correct or remove the annotation: it has to be a JSON object of strings.',
    }),
  PublicationRefused: (name: string, error: string) =>
    about(name, `error updating CSINode object with CSI driver node info: ${cut(error)}`, {
      cure: 'Check which labels and objects the node is allowed to write.',
    }),
  CSINodeNotServed: (nodeName: string) =>
    because('the API server does not serve CSINode', {
      ...byCsiNode(nodeName),
      cure: 'Use an API server that serves storage.k8s.io/v1.',
    }),
  CSIDriverNotMade: (name: string, error: string) =>
    about(name, `failed to create the CSIDriver object of driver ${name}: ${cut(error)}`, {
      cure: 'Create the object, or allow nodes to create it: examples/node/create-csidrivers.yaml.',
    }),
  LimitCurrent: 'the volume limit is current',
})

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
