import { CsiError } from '../../csi/csi-error.ts'
import { VolumeCapability_AccessMode_Mode as AccessMode } from '../../csi/generated/csi/v1/csi.ts'
import type { VolumeCapability } from '../../csi/generated/csi/v1/csi.ts'
import type { Attachment, Use, VolumeMode, VolumeRecord } from './records.ts'

/** The capability of a request in the form that this driver stores. */
export function useOf(capability: VolumeCapability | undefined): Use {
  const access = capability?.accessType
  return {
    mode: access?.$case === 'block' ? 'block' : 'mount',
    accessMode: capability?.accessMode?.mode ?? AccessMode.UNKNOWN,
    fsType: access?.$case === 'mount' ? access.value.fsType : '',
  }
}

/** Fails for a volume of the other mode, with the code that the specification requires in this call. */
export function requireMode(
  volume: { id: string; mode: VolumeMode },
  use: Use,
  code: 'INVALID_ARGUMENT' | 'FAILED_PRECONDITION',
): void {
  if (volume.mode === use.mode) return
  const made = volume.mode === 'block' ? 'a block device' : 'a file system'
  throw new CsiError(code, `volume ${volume.id} was created as ${made} and cannot be used in another mode`)
}

/** How the volume is published to the node. Uses own members only: a node may be named `constructor`. */
export const findAttachment = ({ attachments }: VolumeRecord, nodeId: string): Attachment | undefined =>
  Object.hasOwn(attachments, nodeId) ? attachments[nodeId] : undefined

const READERS: readonly number[] = [AccessMode.SINGLE_NODE_READER_ONLY, AccessMode.MULTI_NODE_READER_ONLY]
const SEVERAL_NODES: readonly number[] = [
  AccessMode.MULTI_NODE_READER_ONLY,
  AccessMode.MULTI_NODE_SINGLE_WRITER,
  AccessMode.MULTI_NODE_MULTI_WRITER,
]

/** Whether the access mode itself forbids writing. */
export const isReader = (accessMode: number): boolean => READERS.includes(accessMode)

/** Why the volume cannot be attached to the node now; undefined if it can, or is already attached in the same way. */
export function findAttachProblem(volume: VolumeRecord, nodeId: string, wanted: Attachment): CsiError | undefined {
  const present = findAttachment(volume, nodeId)
  if (present) {
    if (
      present.accessMode === wanted.accessMode &&
      present.mode === wanted.mode &&
      present.readonly === wanted.readonly
    )
      return undefined
    return new CsiError(
      'ALREADY_EXISTS',
      `volume ${volume.id} is already published to node ${nodeId} with different parameters`,
    )
  }
  for (const [otherId, other] of Object.entries(volume.attachments)) {
    if (!SEVERAL_NODES.includes(wanted.accessMode) || !SEVERAL_NODES.includes(other.accessMode)) {
      return new CsiError('FAILED_PRECONDITION', `volume ${volume.id} is published to node ${otherId}`)
    }
    const writes = (attachment: Attachment): boolean => !attachment.readonly && !isReader(attachment.accessMode)
    const sharesWriting = [wanted, other].every(({ accessMode }) => accessMode === AccessMode.MULTI_NODE_MULTI_WRITER)
    if (writes(wanted) && writes(other) && !sharesWriting) {
      return new CsiError('FAILED_PRECONDITION', `volume ${volume.id} already has its single writer on node ${otherId}`)
    }
  }
  return undefined
}
