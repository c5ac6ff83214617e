import { createHash } from 'node:crypto'
import { parseUniqueVolumeName } from './unique-volume-name.ts'

const FORM = /^csi-[0-9a-f]{64}$/

/** The name of the VolumeAttachment. Kubelets compute the same name, so it must never change. */
export function attachmentName({
  driver,
  volumeHandle,
  nodeName,
}: {
  driver: string
  volumeHandle: string
  nodeName: string
}): string {
  return `csi-${createHash('sha256').update(`${volumeHandle}${driver}${nodeName}`).digest('hex')}`
}

/** The same, from the unique name in a node's status. Undefined for a volume without a CSI driver. */
export function attachmentNameOf(uniqueName: string, nodeName: string): string | undefined {
  const parsed = parseUniqueVolumeName(uniqueName)
  return parsed && attachmentName({ ...parsed, nodeName })
}

/** False for an object with another name: only its spec says what it attaches. */
export const isAttachmentName = (name: string): boolean => FORM.test(name)
