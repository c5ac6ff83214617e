import { CsiError } from '../../csi/csi-error.ts'
import {
  StorageHealthErrorType as StorageHealth,
  VolumeHealthErrorType as VolumeHealth,
} from '../../csi/generated/csi/v1/csi.ts'
import type { VolumeCondition, VolumeHealth_VolumeHealthEntry as HealthEntry } from '../../csi/generated/csi/v1/csi.ts'
import { pageOf } from '../../csi/kit/index.ts'
import type { CsiHandlers } from '../../csi/kit/index.ts'
import { contentPath } from './content.ts'
import type { Hostpath, ServedNode } from './hostpath.ts'
import type { Publisher } from './publisher.ts'
import type { VolumeRecord } from './records.ts'

const MISSING: HealthEntry = {
  status: VolumeHealth.DATA_LOSS,
  reason: 'ContentMissing',
  message: 'the content of the volume is missing',
}

/** Problems with the content of a volume; empty if there are none. */
export async function findContentProblems(
  { volumes, parts }: Hostpath,
  { id, mode }: Pick<VolumeRecord, 'id' | 'mode'>,
): Promise<HealthEntry[]> {
  return (await parts.host.files.findStat(contentPath(volumes.folder(id), mode))) ? [] : [MISSING]
}

/** The same for callers that only support CSI 1.12. */
export function conditionOf([problem]: readonly HealthEntry[]): VolumeCondition {
  return problem ? { abnormal: true, message: problem.message } : { abnormal: false, message: 'the volume is well' }
}

/** The health calls of CSI 1.13, of controller and node. */
export function createHealthHandlers(hostpath: Hostpath, node: ServedNode, publisher: Publisher): CsiHandlers {
  const { volumes, parts, requireVolume } = hostpath

  // Each call checks only one page. A page may be shorter than requested, because healthy volumes are omitted.
  const controllerListVolumeHealth: CsiHandlers['controllerListVolumeHealth'] = async (request) => {
    const lasting = [...volumes.all()].filter(({ ephemeral }) => !ephemeral)
    const page = pageOf(lasting, ({ id }) => id, request)
    const entries = await Promise.all(
      page.entries.map(async (volume) => ({
        volumeId: volume.id,
        healthStatuses: await findContentProblems(hostpath, volume),
      })),
    )
    return { entries: entries.filter(({ healthStatuses }) => healthStatuses.length > 0), nextToken: page.nextToken }
  }

  const controllerGetVolumeHealth: CsiHandlers['controllerGetVolumeHealth'] = async ({ volumeId }) => ({
    volumeHealth: { volumeId, healthStatuses: await findContentProblems(hostpath, requireVolume(volumeId)) },
  })

  const nodeGetVolumeHealth: CsiHandlers['nodeGetVolumeHealth'] = async ({ volumeId }) => {
    const volume = volumes.find(volumeId)
    if (!volume) throw new CsiError('NOT_FOUND', `volume ${volumeId} does not exist`)
    const problems = await findContentProblems(hostpath, volume)
    return { volumeHealth: { volumeId, healthStatuses: [...problems, ...(await findStagingProblems(volume))] } }
  }
  const findStagingProblems = async ({ id, mode }: VolumeRecord): Promise<HealthEntry[]> => {
    const staged = node.records.find(id)?.staged
    if (!staged || (await publisher.isStaged({ path: contentPath(volumes.folder(id), mode), mode }, staged.path)))
      return []
    const message = `the volume is no longer staged at ${staged.path}`
    return [{ status: VolumeHealth.INACCESSIBLE, reason: 'NotStaged', message }]
  }

  const nodeGetStorageHealth: CsiHandlers['nodeGetStorageHealth'] = async () => {
    if (await parts.host.files.findStat(parts.root)) return { backendHealth: [] }
    const message = `the data directory ${parts.root} is missing`
    return { backendHealth: [{ status: StorageHealth.STORAGE_UNREACHABLE, reason: 'DataDirectoryMissing', message }] }
  }

  return { controllerListVolumeHealth, controllerGetVolumeHealth, nodeGetVolumeHealth, nodeGetStorageHealth }
}
