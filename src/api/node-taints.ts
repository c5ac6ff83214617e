// The taints that Kubernetes itself sets on nodes.

export const NOT_READY = 'node.kubernetes.io/not-ready'
export const UNREACHABLE = 'node.kubernetes.io/unreachable'
export const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable'
/** Set by an administrator: nothing is running on the node any more. */
export const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service'

/** The command that adds that taint. Only a person can know that the machine is powered off. */
export const taintOutOfService = (nodeName: string): string =>
  `kubectl taint nodes ${nodeName} ${OUT_OF_SERVICE}=nodeshutdown:NoExecute`
