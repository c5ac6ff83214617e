import { agentVersionOf } from '../../api/holdfast-node.ts'
import type { NodeSystemInfo } from '../../api/kinds/node.ts'
import type { ResourceList } from '../../api/kinds/resources.ts'

/** What a node says of itself that does not change while its agent runs. */
export type NodeDescription = {
  readonly labels: Readonly<Record<string, string>>
  readonly capacity: ResourceList
  readonly addresses: readonly { readonly type: string; readonly address: string }[]
  readonly nodeInfo: NodeSystemInfo
}

export type DescribeOptions = {
  readonly labels: Readonly<Record<string, string>>
  readonly version: string
  readonly hostname: string
  readonly architecture: string
  /** Nothing is run here: these only tell a scheduler how much may be placed. */
  readonly capacity: { readonly pods: number; readonly cpu: string; readonly memory: string }
}

/** Labels of every node come first, so that those given win. */
export function describeNode(
  name: string,
  { labels, version, hostname, architecture, capacity }: DescribeOptions,
): NodeDescription {
  const arch = architecture === 'x64' ? 'amd64' : architecture
  return {
    labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': arch, ...labels },
    capacity: { pods: String(capacity.pods), cpu: capacity.cpu, memory: capacity.memory },
    addresses: [{ type: 'Hostname', address: hostname }],
    nodeInfo: {
      machineID: '',
      systemUUID: '',
      bootID: '',
      kernelVersion: '',
      osImage: '',
      // No containers run here, and nobody is to think so.
      containerRuntimeVersion: 'none://',
      kubeletVersion: agentVersionOf(version),
      kubeProxyVersion: '',
      operatingSystem: 'linux',
      architecture: arch,
    },
  }
}
