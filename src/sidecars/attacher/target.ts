import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { ObjectRef } from '../../api/object.ts'
import { ATTACHED_HANDLE } from '../../storage/names.ts'

export type SecretRef = Required<ObjectRef>

/** All that is needed to undo a publish. */
export type Target = { readonly volumeHandle: string; readonly nodeId: string; readonly secretRef?: SecretRef }

/** What an attachment says about where its volume went. It is written before the first call, so that it outlives volume and node. */
export type SavedTarget = Partial<Target>

// Upstream reads the first one too; the other is ours.
const NODE_ID = 'csi.alpha.kubernetes.io/node-id'
const SECRET = 'attacher.holdfast.dev/secret'

export function savedTarget({ metadata: { annotations = {} } }: VolumeAttachment): SavedTarget {
  const { [NODE_ID]: nodeId, [ATTACHED_HANDLE]: volumeHandle, [SECRET]: secret } = annotations
  const secretRef = secret === undefined ? undefined : parseSecret(secret)
  return {
    ...(nodeId ? { nodeId } : {}),
    ...(volumeHandle ? { volumeHandle } : {}),
    ...(secretRef ? { secretRef } : {}),
  }
}

/** The annotations that save a target, as members of a merge patch. */
export function targetAnnotations({ nodeId, volumeHandle, secretRef }: Target): Record<string, string | null> {
  return {
    [NODE_ID]: nodeId,
    [ATTACHED_HANDLE]: volumeHandle,
    [SECRET]: secretRef ? `${secretRef.namespace}/${secretRef.name}` : null,
  }
}

/** What calls are told apart by: two for the same one must not run at once. */
export const targetKey = ({ volumeHandle, nodeId }: Pick<Target, 'volumeHandle' | 'nodeId'>): string =>
  JSON.stringify([volumeHandle, nodeId])

function parseSecret(text: string): SecretRef | undefined {
  const [namespace, name, ...rest] = text.split('/')
  return namespace && name && rest.length === 0 ? { namespace, name } : undefined
}

/** The report that a call for this target has ended. */
export const callEnded = (targetKey: string): string => `call ended ${targetKey}`
