import { CsiError } from '../../../csi/csi-error.ts'
import type { Fault, Plant } from '../fault.ts'

const isAttached = ({ hostpath, nodeId }: Plant, volumeId: string): boolean =>
  Object.hasOwn(hostpath.volumes.find(volumeId)?.attachments ?? {}, nodeId)

/** What only shows when a cluster uses the driver. */
export const CLUSTER_FAULTS: readonly Fault[] = [
  {
    id: 'limit-too-high',
    does: 'announces one more in max_volumes_per_node than it attaches',
    issue: 'https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/1139',
    handlers: ({ real }) => ({
      nodeGetInfo: async (request) => {
        const info = await real.nodeGetInfo(request)
        return { ...info, maxVolumesPerNode: info.maxVolumesPerNode + 1n }
      },
    }),
  },
  {
    id: 'unstage-after-detach-fails',
    does: 'answers NodeUnstageVolume with INTERNAL once the volume is detached from a lost node',
    handlers: (plant) => ({
      nodeUnstageVolume: (request) => {
        if (!isAttached(plant, request.volumeId)) throw new CsiError('INTERNAL', 'the volume is not attached')
        return plant.real.nodeUnstageVolume(request)
      },
    }),
  },
]
