import { parseQuantity } from '../../base/options/quantity.ts'
import { CsiError } from '../../csi/csi-error.ts'
import type { NodePublishVolumeRequest } from '../../csi/generated/csi/v1/csi.ts'
import type { LockTable } from '../../csi/kit/index.ts'
import { chooseSize, makeContent } from './content.ts'
import { hold } from './hold.ts'
import type { Hostpath, HostpathNode } from './hostpath.ts'
import { isId } from './records.ts'
import type { VolumeMode, VolumeRecord } from './records.ts'

const DEFAULT_BYTES = 1024n ** 3n

/** Volumes that NodePublishVolume creates, with the ID that the caller chose. */
export interface EphemeralVolumes {
  /** Publishing creates the volume and unpublishing deletes it: one at a time, regardless of their targets. */
  hold(volumeId: string): Disposable
  /** The volume, created now or by an earlier attempt. */
  make(request: NodePublishVolumeRequest, mode: VolumeMode): Promise<VolumeRecord>
}

export function createEphemeralVolumes(
  { volumes, parts, capacityBytes, reserve }: Hostpath,
  node: HostpathNode,
  locks: LockTable,
): EphemeralVolumes {
  const make = async (
    { volumeId, volumeContext }: NodePublishVolumeRequest,
    mode: VolumeMode,
  ): Promise<VolumeRecord> => {
    if (!isId(volumeId))
      throw new CsiError(
        'INVALID_ARGUMENT',
        `volume_id ${JSON.stringify(volumeId)} can't be used for an ephemeral volume`,
      )
    const existing = volumes.find(volumeId)
    if (existing) {
      if (!existing.ephemeral) throw new CsiError('ALREADY_EXISTS', `volume ${volumeId} exists and is not ephemeral`)
      await volumes.confirm()
      return existing
    }
    const requiredBytes = parseSize(volumeContext['size'])
    const defaultBytes = DEFAULT_BYTES < capacityBytes ? DEFAULT_BYTES : capacityBytes
    const range = requiredBytes === undefined ? undefined : { requiredBytes, limitBytes: 0n }
    const sizeBytes = chooseSize(mode, range, { defaultBytes, minimumBytes: 1n, maximumBytes: capacityBytes })
    const record: VolumeRecord = {
      id: volumeId,
      name: '',
      sizeBytes,
      mode,
      parameters: {},
      mutableParameters: {},
      topology: node.topology,
      ephemeral: true,
      attachments: {},
    }
    using _reserved = reserve(sizeBytes)
    await volumes.add(record, (folder) => makeContent(parts.host.files, folder, mode, sizeBytes))
    return record
  }
  return { hold: (volumeId) => hold(locks, `ephemeral volume ${volumeId}`), make }
}

function parseSize(size: string | undefined): bigint | undefined {
  if (size === undefined || size === '') return undefined
  try {
    const bytes = parseQuantity(size)
    if (bytes > 0n) return bytes
  } catch (cause) {
    throw wrongSize(size, cause)
  }
  throw wrongSize(size)
}

const wrongSize = (size: string, cause?: unknown): CsiError =>
  new CsiError(
    'INVALID_ARGUMENT',
    `volume attribute size can't be ${JSON.stringify(size)}: write a quantity such as 1Gi`,
    { cause },
  )
