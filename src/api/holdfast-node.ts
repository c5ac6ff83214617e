import type { Node } from './kinds/node.ts'

const PREFIX = 'holdfast-'

/** The directory on the node's machine below which the agent mounts volumes, with the kubelet's names. */
export const ROOT_DIRECTORY_ANNOTATION = 'node.holdfast.dev/root-directory'

/** The kubelet version that a Holdfast node agent reports. */
export const agentVersionOf = (version: string): string => `${PREFIX}${version}`

/** Whether the node runs Holdfast's node agent, which can do less than a kubelet. */
export const isHoldfastNode = ({ status }: Node): boolean =>
  status?.nodeInfo?.kubeletVersion.startsWith(PREFIX) ?? false
