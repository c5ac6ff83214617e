import type { VolumeAttachment } from '../api/kinds/volume-attachment.ts'
import { ATTACHED_HANDLE } from '../storage/names.ts'
import type { SecretRef } from '../storage/secret-reason.ts'

/** Everything that is needed to undo a publish. */
export type Target = { readonly volumeHandle: string; readonly nodeId: string; readonly secretRef?: SecretRef }

// Upstream reads the first one too; the other is ours.
export const NODE_ID = 'csi.alpha.kubernetes.io/node-id'
const SECRET = 'attacher.holdfast.dev/secret'

export const createTarget = (volumeHandle: string, nodeId: string, secretRef: SecretRef | undefined): Target => ({
  volumeHandle,
  nodeId,
  ...(secretRef ? { secretRef } : {}),
})

/** The saved target of an attachment. It is written before the first call, so that it outlives volume and node. */
export function savedTarget({ metadata: { annotations = {} } }: VolumeAttachment): {
  readonly [Member in keyof Target]?: Target[Member] | undefined
} {
  const { [NODE_ID]: nodeId, [ATTACHED_HANDLE]: volumeHandle, [SECRET]: secret } = annotations
  const [namespace, name, ...rest] = secret?.split('/') ?? []
  return {
    nodeId: nodeId || undefined,
    volumeHandle: volumeHandle || undefined,
    secretRef: namespace && name && rest.length === 0 ? { namespace, name } : undefined,
  }
}

/** The annotations that save a target, as members of a merge patch. */
export const targetAnnotations = ({ nodeId, volumeHandle, secretRef }: Target): Record<string, string | null> => ({
  [NODE_ID]: nodeId,
  [ATTACHED_HANDLE]: volumeHandle,
  [SECRET]: secretRef ? `${secretRef.namespace}/${secretRef.name}` : null,
})

/** Held by a pass while it calls the driver: there is never more than one call for a volume and node. */
export const callTo = ({ volumeHandle, nodeId }: Target): string => `call ${JSON.stringify([volumeHandle, nodeId])}`
