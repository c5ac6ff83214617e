export { CODES, codeNumber, codeOf, goCodeName } from './codes.ts'
export type { Code } from './codes.ts'
export { CsiError, isCsiError } from './csi-error.ts'
export { outcomeOf } from './outcome-of.ts'
export type { Outcome } from './outcome-of.ts'
export { hideSecrets, printableMessage } from './printable-message.ts'
export { CSI_REGISTRATION_SERVICE, CSI_RPCS, CSI_SERVICES, REGISTRATION_SERVICE } from './rpc.ts'
export type {
  CallContext,
  ClientOf,
  CsiMethod,
  CsiMethods,
  CsiRpc,
  Driver,
  HandlersOf,
  Registrar,
  RegistrationMethods,
  Rpc,
} from './rpc.ts'
export type { CallOptions } from './call-options.ts'
export type { Transport } from './transport.ts'
export { createClient } from './create-client.ts'
export type { CallObserver, CallStartObserver, ClientParts } from './create-client.ts'
export { connect } from './connect.ts'
export type { Connection, ConnectionState, ConnectOptions } from './connect.ts'
export { connectDriver, connectRegistrar, joinDriver } from './connect-driver.ts'
export type { DriverConnectionOptions } from './connect-driver.ts'
export { createSystemSockets } from './sockets.ts'
export type { SocketCallOptions, Sockets } from './sockets.ts'
export { createSimulatedSockets } from './simulated-sockets.ts'
export type { SocketUser } from './simulated-sockets.ts'
export { createCallMetrics } from './call-metrics.ts'
export type { CallMetrics } from './call-metrics.ts'
export { parseEndpoint } from './parse-endpoint.ts'
export {
  BlockMetadataType,
  ControllerServiceCapability_RPC_Type as ControllerCapability,
  GroupControllerServiceCapability_RPC_Type as GroupControllerCapability,
  NodeServiceCapability_RPC_Type as NodeCapability,
  PluginCapability_Service_Type as PluginService,
  PluginCapability_VolumeExpansion_Type as VolumeExpansion,
  VolumeCapability_AccessMode_Mode as AccessMode,
  VolumeUsage_Unit as UsageUnit,
} from './generated/csi/v1/csi.ts'
export type {
  Snapshot,
  Topology,
  TopologyRequirement,
  Volume,
  VolumeCapability,
  VolumeContentSource,
} from './generated/csi/v1/csi.ts'
