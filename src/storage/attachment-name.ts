import { createHash } from 'node:crypto'
import { parseUniqueVolumeName } from './unique-volume-name.ts'

const FORM = /^csi-[0-9a-f]{64}$/

/** The name of the VolumeAttachment. Whoever mounts the volume computes the same one, so it is part of the contract. */
export function attachmentName({
  driver,
  handle,
  nodeName,
}: {
  driver: string
  handle: string
  nodeName: string
}): string {
  return `csi-${createHash('sha256').update(`${handle}${driver}${nodeName}`).digest('hex')}`
}

/** The same, from what a node's status calls the volume. Undefined for a volume that is not of a CSI driver. */
export function attachmentNameOf(uniqueName: string, nodeName: string): string | undefined {
  const parsed = parseUniqueVolumeName(uniqueName)
  return parsed && attachmentName({ ...parsed, nodeName })
}

/** False for an object that somebody named in another way: only its spec says what it attaches. */
export const isAttachmentName = (name: string): boolean => FORM.test(name)
