import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'
import type { ObservedCondition } from './condition.ts'
import type { IntOrString } from './resources.ts'

/** Only stored and shown: nothing here routes traffic. */
export type Service = {
  readonly apiVersion: 'v1'
  readonly kind: 'Service'
  readonly metadata: ObjectMeta
  readonly spec?: ServiceSpec
  readonly status?: { readonly conditions?: readonly ObservedCondition[] }
}

export const SERVICES: ResourceType<Service> = {
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
}

export type ServiceSpec = {
  readonly type?: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName'
  readonly selector?: Readonly<Record<string, string>>
  readonly ports?: readonly ServicePort[]
  /** `None` makes the service headless, as StatefulSets need it. */
  readonly clusterIP?: string
  readonly clusterIPs?: readonly string[]
  readonly publishNotReadyAddresses?: boolean
  readonly sessionAffinity?: string
}

export type ServicePort = {
  readonly name?: string
  readonly protocol?: string
  readonly port: number
  readonly targetPort?: IntOrString
  readonly nodePort?: number
}
