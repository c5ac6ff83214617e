import { join } from 'node:path'
import { makeDirectories } from '../../../base/host/index.ts'
import { CsiError, isCsiError } from '../../../csi/csi-error.ts'
import type { Fault, Plant } from '../fault.ts'
import { bindFresh, contentFolder, unmountEverything } from './node-tricks.ts'

const isStaged = ({ hostpath, nodeId }: Plant, volumeId: string): boolean =>
  hostpath.nodes.get(nodeId)?.records.find(volumeId)?.staged !== undefined
const isPublished = ({ hostpath, nodeId }: Plant, volumeId: string, targetPath: string): boolean =>
  hostpath.nodes.get(nodeId)?.records.find(volumeId)?.published[targetPath] !== undefined

export const NODE_FAULTS: readonly Fault[] = [
  {
    id: 'publish-mounts-nothing',
    does: 'reports success for NodePublishVolume, but mounts nothing',
    issue: 'https://github.com/kubernetes-sigs/secrets-store-csi-driver/issues/106',
    handlers: ({ real, host }) => ({
      nodePublishVolume: async (request) => {
        await real.nodePublishVolume(request)
        await unmountEverything(host, request.targetPath)
        return {}
      },
    }),
  },
  {
    id: 'publish-mounts-twice',
    does: 'mounts once more each time NodePublishVolume is repeated',
    issue: 'https://github.com/spiffe/spiffe-csi/issues/331',
    handlers: (plant) => ({
      nodePublishVolume: async (request) => {
        const isRepeated = isPublished(plant, request.volumeId, request.targetPath)
        await plant.real.nodePublishVolume(request)
        if (isRepeated) await plant.host.mounts.bind(request.targetPath, request.targetPath, { readOnly: false })
        return {}
      },
    }),
  },
  {
    id: 'publish-fails-when-repeated',
    does: 'answers a repeated NodePublishVolume with INTERNAL',
    issue: 'https://github.com/enix/san-iscsi-csi/issues/91',
    handlers: (plant) => ({
      nodePublishVolume: (request) => {
        if (isPublished(plant, request.volumeId, request.targetPath))
          throw new CsiError('INTERNAL', `${request.targetPath} is already mounted`)
        return plant.real.nodePublishVolume(request)
      },
    }),
  },
  {
    id: 'publish-ignores-readonly',
    does: 'publishes a read-only volume writable',
    issue: 'https://github.com/kubernetes-sigs/blob-csi-driver/issues/30',
    handlers: ({ real }) => ({
      nodePublishVolume: (request) => real.nodePublishVolume({ ...request, readonly: false }),
    }),
  },
  {
    id: 'publish-accepts-other-readonly',
    does: 'reports success if a published volume is published at the same path with another readonly flag',
    handlers: ({ real }) => ({
      nodePublishVolume: async (request) => {
        try {
          return await real.nodePublishVolume(request)
        } catch (error) {
          if (isCsiError(error, 'ALREADY_EXISTS')) return {}
          throw error
        }
      },
    }),
  },
  {
    id: 'failed-republish-unmounts',
    does: 'unmounts a published volume if publishing it again fails',
    issue: 'https://github.com/kubernetes/kubernetes/issues/121271',
    handlers: (plant) => ({
      nodePublishVolume: async (request) => {
        try {
          return await plant.real.nodePublishVolume(request)
        } catch (error) {
          if (isPublished(plant, request.volumeId, request.targetPath))
            await unmountEverything(plant.host, request.targetPath)
          throw error
        }
      },
    }),
  },
  {
    id: 'publish-accepts-no-staging-path',
    does: 'publishes a volume without staging_target_path although it stages volumes',
    handlers: ({ real, hostpath, nodeId }) => ({
      nodePublishVolume: (request) => {
        const staged = hostpath.nodes.get(nodeId)?.records.find(request.volumeId)?.staged?.path ?? ''
        return real.nodePublishVolume({ ...request, stagingTargetPath: request.stagingTargetPath || staged })
      },
    }),
  },
  {
    id: 'publish-unknown-volume-has-wrong-code',
    does: 'answers NodePublishVolume of a missing volume with INTERNAL',
    handlers: ({ real }) => ({
      nodePublishVolume: async (request) => {
        try {
          return await real.nodePublishVolume(request)
        } catch (error) {
          if (isCsiError(error, 'NOT_FOUND')) throw new CsiError('INTERNAL', error.detail)
          throw error
        }
      },
    }),
  },
  {
    id: 'publish-accepts-no-capability',
    does: 'publishes a volume without volume_capability',
    issue: 'https://github.com/dell/csi-powerscale/pull/408',
    handlers: ({ real }) => ({
      nodePublishVolume: (request) =>
        request.volumeCapability === undefined && request.volumeId !== ''
          ? Promise.resolve({})
          : real.nodePublishVolume(request),
    }),
  },
  {
    id: 'unpublish-leaves-mount',
    does: 'reports success for NodeUnpublishVolume and leaves the mount',
    issue: 'https://github.com/kubernetes/kubernetes/issues/60987',
    handlers: (plant) => ({
      nodeUnpublishVolume: async (request) => {
        const wasPublished = isPublished(plant, request.volumeId, request.targetPath)
        const response = await plant.real.nodeUnpublishVolume(request)
        const content = contentFolder(plant, request.volumeId)
        if (wasPublished && content) await bindFresh(plant.host, content, request.targetPath)
        return response
      },
    }),
  },
  {
    id: 'unpublish-leaves-directory',
    does: 'unmounts in NodeUnpublishVolume, but leaves the directory',
    issue: 'https://github.com/yunify/qingcloud-csi/issues/148',
    handlers: (plant) => ({
      nodeUnpublishVolume: async (request) => {
        const wasPublished = isPublished(plant, request.volumeId, request.targetPath)
        const response = await plant.real.nodeUnpublishVolume(request)
        if (wasPublished) await makeDirectories(plant.host.files, request.targetPath)
        return response
      },
    }),
  },
  {
    id: 'unpublish-fails-when-repeated',
    does: 'answers a repeated NodeUnpublishVolume with INTERNAL',
    issue: 'https://github.com/libopenstorage/openstorage/issues/1221',
    handlers: (plant) => ({
      nodeUnpublishVolume: (request) => {
        if (request.targetPath !== '' && !isPublished(plant, request.volumeId, request.targetPath))
          throw new CsiError('INTERNAL', `${request.targetPath}: not mounted`)
        return plant.real.nodeUnpublishVolume(request)
      },
    }),
  },
  {
    id: 'unpublish-unmounts-other-pods',
    does: 'unmounts the volume of all pods when it is unpublished for one',
    issue: 'https://github.com/kubernetes-sigs/blob-csi-driver/pull/2509',
    handlers: (plant) => ({
      nodeUnpublishVolume: async (request) => {
        const record = plant.hostpath.nodes.get(plant.nodeId)?.records.find(request.volumeId)
        const others = Object.keys(record?.published ?? {}).filter((path) => path !== request.targetPath)
        const response = await plant.real.nodeUnpublishVolume(request)
        for (const path of others) await unmountEverything(plant.host, path)
        return response
      },
    }),
  },
  {
    id: 'stage-fails-when-repeated',
    does: 'answers a repeated NodeStageVolume with INTERNAL',
    issue: 'https://github.com/outscale/osc-bsu-csi-driver/issues/162',
    handlers: (plant) => ({
      nodeStageVolume: (request) => {
        if (isStaged(plant, request.volumeId)) throw new CsiError('INTERNAL', 'already mounted')
        return plant.real.nodeStageVolume(request)
      },
    }),
  },
  {
    id: 'stage-formats-again',
    does: 'formats a volume that has data each time it is staged',
    issue: 'https://github.com/longhorn/longhorn/issues/14042',
    handlers: (plant) => ({
      nodeStageVolume: async (request) => {
        const content = contentFolder(plant, request.volumeId)
        if (!isStaged(plant, request.volumeId) && content) {
          for (const { name, kind } of await plant.host.files.list(content))
            if (kind === 'file') await plant.host.files.removeFile(join(content, name))
        }
        return plant.real.nodeStageVolume(request)
      },
    }),
  },
  {
    id: 'stage-accepts-no-path',
    does: 'reports success for NodeStageVolume without staging_target_path',
    issue: 'https://github.com/dell/csi-powerscale/pull/408',
    handlers: ({ real }) => ({
      nodeStageVolume: (request) =>
        request.stagingTargetPath === '' ? Promise.resolve({}) : real.nodeStageVolume(request),
    }),
  },
  {
    id: 'stage-accepts-unknown-volume',
    does: 'reports success for NodeStageVolume of a missing volume',
    handlers: ({ real, hostpath }) => ({
      nodeStageVolume: (request) =>
        request.volumeId !== '' && request.volumeCapability && !hostpath.volumes.find(request.volumeId)
          ? Promise.resolve({})
          : real.nodeStageVolume(request),
    }),
  },
  {
    id: 'unstage-does-nothing',
    does: 'reports success for NodeUnstageVolume and leaves the volume mounted at the staging path',
    issue: 'https://github.com/truenas/truenas-csi/issues/55',
    handlers: (plant) => ({
      nodeUnstageVolume: async (request) => {
        const wasStaged = isStaged(plant, request.volumeId)
        const response = await plant.real.nodeUnstageVolume(request)
        const content = contentFolder(plant, request.volumeId)
        if (wasStaged && content) await bindFresh(plant.host, content, request.stagingTargetPath)
        return response
      },
    }),
  },
  {
    id: 'unstage-fails-when-repeated',
    does: 'answers a repeated NodeUnstageVolume with NOT_FOUND',
    handlers: (plant) => ({
      nodeUnstageVolume: (request) => {
        if (request.stagingTargetPath !== '' && request.volumeId !== '' && !isStaged(plant, request.volumeId))
          throw new CsiError('NOT_FOUND', 'the volume is not staged')
        return plant.real.nodeUnstageVolume(request)
      },
    }),
  },
  {
    id: 'publish-gives-each-pod-its-own-copy',
    does: 'publishes an empty directory of its own to every path, so that data is lost when the pod moves',
    issue: 'https://github.com/kubernetes-csi/csi-driver-host-path/issues/251',
    handlers: (plant) => ({
      nodePublishVolume: async (request) => {
        const wasPublished = isPublished(plant, request.volumeId, request.targetPath)
        const response = await plant.real.nodePublishVolume(request)
        if (!wasPublished && contentFolder(plant, request.volumeId)) {
          const scratch = join(
            plant.hostpath.parts.root,
            `scratch-${Buffer.from(request.targetPath).toString('hex').slice(-60)}`,
          )
          await makeDirectories(plant.host.files, scratch)
          await unmountEverything(plant.host, request.targetPath)
          await bindFresh(plant.host, scratch, request.targetPath)
        }
        return response
      },
    }),
  },
  {
    id: 'block-volume-is-a-plain-file',
    does: 'publishes a regular file where a block device is requested',
    handlers: (plant) => ({
      nodePublishVolume: async (request) => {
        const response = await plant.real.nodePublishVolume(request)
        if (request.volumeCapability?.accessType?.$case === 'block')
          await unmountEverything(plant.host, request.targetPath)
        return response
      },
    }),
  },
  {
    id: 'stats-of-missing-path-succeed',
    does: 'returns stats for a path at which the volume is not',
    issue: 'https://github.com/embercsi/ember-csi/issues/148',
    handlers: ({ real }) => ({
      nodeGetVolumeStats: async (request) => {
        try {
          return await real.nodeGetVolumeStats(request)
        } catch (error) {
          if (isCsiError(error, 'NOT_FOUND')) return { usage: [{ unit: 1, total: 1n, used: 1n, available: 0n }] }
          throw error
        }
      },
    }),
  },
  {
    id: 'stats-missing-path-has-wrong-code',
    does: 'answers NodeGetVolumeStats of a missing path with INVALID_ARGUMENT',
    issue: 'https://github.com/hpe-storage/csi-driver/pull/219',
    handlers: ({ real }) => ({
      nodeGetVolumeStats: async (request) => {
        try {
          return await real.nodeGetVolumeStats(request)
        } catch (error) {
          if (isCsiError(error, 'NOT_FOUND')) throw new CsiError('INVALID_ARGUMENT', error.detail)
          throw error
        }
      },
    }),
  },
  {
    id: 'stats-negative',
    does: 'reports negative available bytes for a full volume',
    handlers: ({ real }) => ({
      nodeGetVolumeStats: async (request) => {
        const { usage, volumeCondition } = await real.nodeGetVolumeStats(request)
        return { usage: usage.map((entry) => ({ ...entry, available: -4096n })), volumeCondition }
      },
    }),
  },
]
