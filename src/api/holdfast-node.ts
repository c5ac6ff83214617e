import type { Node } from './kinds/node.ts'

const PREFIX = 'holdfast-'

/** What a node agent of Holdfast gives as the version of its kubelet. */
export const agentVersionOf = (version: string): string => `${PREFIX}${version}`

/** Is the agent of the node Holdfast's own? A kubelet can do more. */
export const isHoldfastNode = ({ status }: Node): boolean =>
  status?.nodeInfo?.kubeletVersion.startsWith(PREFIX) ?? false
