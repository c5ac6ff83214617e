import type { ObjectMeta } from '../../api/object.ts'

/** The source of the events. */
export const componentOf = (driver: string): string => `csi-pv-monitor-controller-${driver}`

export const RECOVERED = 'The Volume returns to the healthy state'

const ON_FAILED_NODE = ' are now on a failed node: '

export const nodeFailedText = (
  pods: readonly string[],
  { name = '', namespace = '' }: Pick<ObjectMeta, 'name' | 'namespace'>,
  node: string,
): string => `Pods: [ ${pods.join(' ')} ] consuming PVC: ${name} in namespace: ${namespace}${ON_FAILED_NODE}${node}`

/** The node in such a message. */
export function findFailedNode(text: string): string | undefined {
  const at = text.lastIndexOf(ON_FAILED_NODE)
  return at < 0 ? undefined : text.slice(at + ON_FAILED_NODE.length)
}

export const nodeRecoveredText = (node: string): string => `Node: ${node} recovered`
