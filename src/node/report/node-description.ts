import { agentVersionOf, ROOT_DIRECTORY_ANNOTATION } from '../../api/holdfast-node.ts'
import type { NodeSystemInfo } from '../../api/kinds/node.ts'
import type { ResourceList } from '../../api/kinds/resources.ts'

/** What a node reports about itself that does not change while its agent is running. */
export type NodeDescription = {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly capacity: ResourceList
  readonly addresses: readonly { readonly type: string; readonly address: string }[]
  readonly nodeInfo: NodeSystemInfo
}

export type DescribeOptions = {
  readonly labels: Readonly<Record<string, string>>
  /** The agent's directory on this machine, an absolute path. */
  readonly rootDir: string
  readonly version: string
  readonly hostname: string
  readonly architecture: string
  /** No containers run here: this only tells the scheduler how much it may place. */
  readonly capacity: { readonly pods: number; readonly cpu: string; readonly memory: string }
}

/** Labels of every node come first, so that those given win. */
export function describeNode(name: string, options: DescribeOptions): NodeDescription {
  const { labels, rootDir, version, hostname, architecture, capacity } = options
  const arch = architecture === 'x64' ? 'amd64' : architecture
  return {
    labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': arch, ...labels },
    annotations: { [ROOT_DIRECTORY_ANNOTATION]: rootDir },
    capacity: { pods: String(capacity.pods), cpu: capacity.cpu, memory: capacity.memory },
    addresses: [{ type: 'Hostname', address: hostname }],
    nodeInfo: {
      machineID: '',
      systemUUID: '',
      bootID: '',
      kernelVersion: '',
      osImage: '',
      // No containers run here.
      containerRuntimeVersion: 'none://',
      kubeletVersion: agentVersionOf(version),
      kubeProxyVersion: '',
      operatingSystem: 'linux',
      architecture: arch,
    },
  }
}
