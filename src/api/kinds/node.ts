import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'
import type { Condition } from './condition.ts'
import type { ResourceList } from './resources.ts'

export type Node = {
  readonly apiVersion: 'v1'
  readonly kind: 'Node'
  readonly metadata: ObjectMeta
  readonly spec?: NodeSpec
  readonly status?: NodeStatus
}

export const NODES: ResourceType<Node> = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false }

export type NodeSpec = {
  readonly unschedulable?: boolean
  readonly taints?: readonly Taint[]
  readonly providerID?: string
  readonly podCIDR?: string
  readonly podCIDRs?: readonly string[]
}

export type Taint = {
  readonly key: string
  readonly value?: string
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'
  /** Only `NoExecute` has it. */
  readonly timeAdded?: string
}

export type NodeStatus = {
  readonly capacity?: ResourceList
  readonly allocatable?: ResourceList
  readonly conditions?: readonly NodeCondition[]
  readonly addresses?: readonly { readonly type: string; readonly address: string }[]
  readonly nodeInfo?: NodeSystemInfo
  readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port: number } }
  readonly images?: readonly { readonly names?: readonly string[]; readonly sizeBytes?: number }[]
  /** Unique names of what is mounted, or about to be: none of it may be detached. */
  readonly volumesInUse?: readonly string[]
  readonly volumesAttached?: readonly AttachedVolume[]
}

export type NodeCondition = Condition & { readonly lastHeartbeatTime?: string | null }

export type AttachedVolume = { readonly name: string; readonly devicePath: string }

export type NodeSystemInfo = {
  readonly machineID: string
  readonly systemUUID: string
  readonly bootID: string
  readonly kernelVersion: string
  readonly osImage: string
  readonly containerRuntimeVersion: string
  readonly kubeletVersion: string
  readonly kubeProxyVersion: string
  readonly operatingSystem: string
  readonly architecture: string
}
