import type { SpanContext, SpanStart } from '../base/tracing/index.ts'
import type { CallOptions } from './call-options.ts'
import {
  ControllerDefinition,
  GroupControllerDefinition,
  IdentityDefinition,
  NodeDefinition,
  SnapshotMetadataDefinition,
} from './generated/csi/v1/csi.ts'
import type { DeepPartial } from './generated/csi/v1/csi.ts'
import { SERVICES } from './generated/message-table.ts'
import { RegistrationDefinition } from './generated/pluginregistration/api.ts'
import { CSIRegistrationDefinition } from './generated/csiregistration/api.ts'

/** A message type as generated. */
export type MessageType<T> = {
  encode(message: T): { finish(): Uint8Array }
  decode(input: Uint8Array): T
  fromPartial(object: DeepPartial<T>): T
}

// The generator's constants have one type each; what varies is only seen through the mapped types below.
// oxlint-disable-next-line typescript/no-explicit-any
type AnyMessageType = MessageType<any>

export type MethodDefinition = {
  readonly name: string
  readonly requestType: AnyMessageType
  readonly responseType: AnyMessageType
  readonly responseStream: boolean
}
export type Methods = Readonly<Record<string, MethodDefinition>>
export type ServiceDefinition<M extends Methods = Methods> = { readonly fullName: string; readonly methods: M }

type RequestOf<D extends MethodDefinition> = D['requestType'] extends MessageType<infer T> ? T : never
type ResponseOf<D extends MethodDefinition> = D['responseType'] extends MessageType<infer T> ? T : never

/** These methods as a caller sees them. Omitted members of a request have their zero value. */
export type ClientOf<M extends Methods> = {
  readonly [K in keyof M]: M[K]['responseStream'] extends true
    ? (request: DeepPartial<RequestOf<M[K]>>, options?: CallOptions) => AsyncIterable<ResponseOf<M[K]>>
    : (request: DeepPartial<RequestOf<M[K]>>, options?: CallOptions) => Promise<ResponseOf<M[K]>>
}

/** These methods as implemented by handlers; a missing handler answers UNIMPLEMENTED. */
export type HandlersOf<M extends Methods> = {
  readonly [K in keyof M]?: M[K]['responseStream'] extends true
    ? (request: RequestOf<M[K]>, call: CallContext) => AsyncIterable<DeepPartial<ResponseOf<M[K]>>>
    : (request: RequestOf<M[K]>, call: CallContext) => Promise<DeepPartial<ResponseOf<M[K]>>>
}

/** What a handler receives in addition to the request. */
export type CallContext = {
  /**
   * Aborts when the caller disconnects or its deadline passes. Use it to stop waiting, not to leave work half done: the caller will repeat the call.
   */
  readonly signal: AbortSignal
  /** The span of the caller, from the `traceparent` of the call: spans of the driver belong below it. */
  readonly trace?: SpanContext | undefined
}

export type CsiMethods = typeof IdentityDefinition.methods &
  typeof ControllerDefinition.methods &
  typeof GroupControllerDefinition.methods &
  typeof SnapshotMetadataDefinition.methods &
  typeof NodeDefinition.methods

/** The CSI calls by method name, for example `createVolume`. */
export type CsiMethod = keyof CsiMethods
/** The CSI calls by their name in the specification, for example `CreateVolume`. */
export type CsiRpc = CsiMethods[CsiMethod]['name']
/** A CSI driver as its callers see it: every call of the five services. */
export type Driver = ClientOf<CsiMethods>

export const CSI_SERVICES = [
  IdentityDefinition,
  ControllerDefinition,
  GroupControllerDefinition,
  SnapshotMetadataDefinition,
  NodeDefinition,
] as const satisfies readonly ServiceDefinition[]

/** The kubelet's plugin registration API; its versions are the same on the wire. */
export const REGISTRATION_SERVICE = RegistrationDefinition satisfies ServiceDefinition
/** The registrar's second service, which reports what a driver requires from the node agent. */
export const CSI_REGISTRATION_SERVICE = CSIRegistrationDefinition satisfies ServiceDefinition

export type RegistrationMethods = typeof RegistrationDefinition.methods & typeof CSIRegistrationDefinition.methods
/** A registrar as the node agent sees it. */
export type Registrar = ClientOf<RegistrationMethods>

/** One method with everything that a transport and a dispatcher need. */
export type Rpc = MethodDefinition & {
  /** For example `createVolume`. */
  readonly key: string
  /** For example `/csi.v1.Controller/CreateVolume`. */
  readonly path: string
  /** For example `csi.v1.CreateVolumeRequest`: the name in the message table. */
  readonly requestName: string
  readonly responseName: string
}

/** The span of a call, with the attributes that OpenTelemetry defines for calls. */
export const spanOf = ({ name, path }: Rpc): SpanStart => ({
  name,
  attributes: { 'rpc.system.name': 'grpc', 'rpc.method': path.slice(1) },
})

/** All methods of the services by their key. */
export function rpcsOf(services: readonly ServiceDefinition[]): ReadonlyMap<string, Rpc> {
  const rpcs = new Map<string, Rpc>()
  for (const service of services) {
    for (const [key, method] of Object.entries(service.methods)) {
      const shape = SERVICES[service.fullName]?.find(({ name }) => name === method.name)
      if (!shape)
        throw new Error(`${service.fullName}/${method.name} is missing in the message table: run npm run generate`)
      rpcs.set(key, {
        ...method,
        key,
        path: `/${service.fullName}/${method.name}`,
        requestName: shape.request,
        responseName: shape.response,
      })
    }
  }
  return rpcs
}

export const CSI_RPCS: ReadonlyMap<string, Rpc> = rpcsOf(CSI_SERVICES)
