// Generated from the Go types of Kubernetes by `npm run generate`. Do not edit.
import type { ObjectMeta } from '../../object.ts'
import type { ObjectReference } from './core-v1.ts'

export type Endpoint = {
  readonly addresses: readonly string[]
  readonly conditions?: EndpointConditions
  readonly hostname?: string
  readonly targetRef?: ObjectReference
  readonly deprecatedTopology?: Readonly<Record<string, string>>
  readonly nodeName?: string
  readonly zone?: string
  readonly hints?: EndpointHints
}

export type EndpointConditions = {
  readonly ready?: boolean
  readonly serving?: boolean
  readonly terminating?: boolean
}

export type EndpointHints = {
  readonly forZones?: readonly ForZone[]
  readonly forNodes?: readonly ForNode[]
}

export type EndpointPort = {
  readonly name?: string
  readonly protocol?: string
  readonly port?: number
  readonly appProtocol?: string
}

export type EndpointSlice = {
  readonly apiVersion: 'discovery.k8s.io/v1'
  readonly kind: 'EndpointSlice'
  readonly metadata: ObjectMeta
  readonly addressType: string
  readonly endpoints?: readonly Endpoint[]
  readonly ports?: readonly EndpointPort[]
}

export type ForNode = {
  readonly name: string
}

export type ForZone = {
  readonly name: string
}
