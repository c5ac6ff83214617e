import { hasCondition } from '../../api/conditions.ts'
import type { Node } from '../../api/kinds/node.ts'

const MANAGED = 'volumes.kubernetes.io/controller-managed-attach-detach'
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service'

/** Whether attaching is our affair there; the value does not matter. */
export const isManaged = ({ metadata }: Node): boolean =>
  metadata.annotations !== undefined && Object.hasOwn(metadata.annotations, MANAGED)

export const isHealthy = (node: Node | undefined): boolean => hasCondition(node?.status?.conditions, 'Ready')

/** Somebody vouches that nothing runs there any more. */
export const isOutOfService = (node: Node | undefined): boolean =>
  node?.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) ?? false

export const isReported = (node: Node | undefined, volumeName: string): boolean =>
  node?.status?.volumesAttached?.some(({ name }) => name === volumeName) ?? false

export const isInUse = (node: Node | undefined, volumeName: string): boolean =>
  node?.status?.volumesInUse?.includes(volumeName) ?? false
