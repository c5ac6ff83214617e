import { CsiError, isCsiError } from '../../../csi/csi-error.ts'
import type { Code } from '../../../csi/index.ts'
import type { Fault, Plant } from '../fault.ts'

type Publish = Parameters<Plant['real']['controllerPublishVolume']>[0]

const withCode =
  (from: Code, to: Code): NonNullable<Fault['handlers']> =>
  ({ real }) => ({
    controllerPublishVolume: async (request) => {
      try {
        return await real.controllerPublishVolume(request)
      } catch (error) {
        if (isCsiError(error, from)) throw new CsiError(to, error.detail)
        throw error
      }
    },
  })

// What a driver answers that does not look at the backend.
const attached = ({ readonly }: Publish) => Promise.resolve({ publishContext: { readonly: String(readonly) } })

export const ATTACH_FAULTS: readonly Fault[] = [
  {
    id: 'attach-fails-when-repeated',
    does: 'answers a repeated ControllerPublishVolume with INTERNAL',
    issue: 'https://github.com/kubernetes-sigs/azuredisk-csi-driver/issues/32',
    handlers: ({ real, hostpath }) => ({
      controllerPublishVolume: (request) => {
        const { attachments = {} } = hostpath.volumes.find(request.volumeId) ?? {}
        if (Object.hasOwn(attachments, request.nodeId)) throw new CsiError('INTERNAL', 'volume is already attached')
        return real.controllerPublishVolume(request)
      },
    }),
  },
  {
    id: 'attach-forgets-context',
    does: 'returns no publish_context when ControllerPublishVolume is repeated',
    handlers: ({ real, hostpath }) => ({
      controllerPublishVolume: async (request) => {
        const { attachments = {} } = hostpath.volumes.find(request.volumeId) ?? {}
        const isRepeated = Object.hasOwn(attachments, request.nodeId)
        const response = await real.controllerPublishVolume(request)
        return isRepeated ? { publishContext: {} } : response
      },
    }),
  },
  {
    id: 'attach-accepts-unknown-node',
    does: 'attaches a volume to a node that does not exist',
    handlers: ({ real, hostpath }) => ({
      controllerPublishVolume: (request) =>
        request.nodeId !== '' && hostpath.volumes.find(request.volumeId) && !hostpath.nodes.has(request.nodeId)
          ? attached(request)
          : real.controllerPublishVolume(request),
    }),
  },
  {
    id: 'attach-unknown-volume-has-wrong-code',
    does: 'answers ControllerPublishVolume of a missing volume with INTERNAL',
    issue: 'https://github.com/kubernetes/cloud-provider-openstack/pull/3115',
    handlers: withCode('NOT_FOUND', 'INTERNAL'),
  },
  {
    id: 'attach-accepts-no-node',
    does: 'attaches a volume without node_id',
    handlers: ({ real, nodeId }) => ({
      controllerPublishVolume: (request) =>
        real.controllerPublishVolume({ ...request, nodeId: request.nodeId || nodeId }),
    }),
  },
  {
    id: 'attach-to-two-nodes',
    does: 'attaches a single-node volume to a second node',
    issue: 'https://github.com/kubernetes/cloud-provider-openstack/pull/3115',
    handlers: ({ real, hostpath }) => ({
      controllerPublishVolume: async (request) => {
        const { attachments = {} } = hostpath.volumes.find(request.volumeId) ?? {}
        const isElsewhere = Object.keys(attachments).some((id) => id !== request.nodeId)
        return isElsewhere && hostpath.nodes.has(request.nodeId)
          ? attached(request)
          : real.controllerPublishVolume(request)
      },
    }),
  },
  {
    id: 'attach-elsewhere-has-wrong-code',
    does: 'answers ALREADY_EXISTS if the volume is attached to another node',
    issue: 'https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/515',
    handlers: withCode('FAILED_PRECONDITION', 'ALREADY_EXISTS'),
  },
  {
    id: 'attach-accepts-other-readonly',
    does: 'reports success if an attached volume is attached again with another readonly flag',
    handlers: ({ real }) => ({
      controllerPublishVolume: async (request) => {
        try {
          return await real.controllerPublishVolume(request)
        } catch (error) {
          if (isCsiError(error, 'ALREADY_EXISTS')) return attached(request)
          throw error
        }
      },
    }),
  },
  {
    id: 'attach-limit-not-enforced',
    does: 'attaches more volumes than max_volumes_per_node',
    issue: 'https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/1844',
    handlers: ({ real }) => ({
      controllerPublishVolume: async (request) => {
        try {
          return await real.controllerPublishVolume(request)
        } catch (error) {
          if (isCsiError(error, 'RESOURCE_EXHAUSTED')) return attached(request)
          throw error
        }
      },
    }),
  },
  {
    id: 'attach-limit-has-wrong-code',
    does: 'answers INTERNAL if the node has no room for another volume',
    issue: 'https://github.com/hetznercloud/csi-driver/issues/240',
    handlers: withCode('RESOURCE_EXHAUSTED', 'INTERNAL'),
  },
  {
    id: 'detach-of-detached-fails',
    does: 'answers ControllerUnpublishVolume with NOT_FOUND if the volume is not attached',
    issue: 'https://github.com/kubernetes/cloud-provider-openstack/issues/718',
    handlers: ({ real, hostpath }) => ({
      controllerUnpublishVolume: (request) => {
        const { attachments = {} } = hostpath.volumes.find(request.volumeId) ?? {}
        if (request.volumeId !== '' && !Object.hasOwn(attachments, request.nodeId))
          throw new CsiError('NOT_FOUND', 'no such attachment')
        return real.controllerUnpublishVolume(request)
      },
    }),
  },
  {
    id: 'detach-lies',
    does: 'reports success for ControllerUnpublishVolume and keeps the volume attached',
    issue: 'https://github.com/kubernetes-csi/external-attacher/issues/215',
    handlers: () => ({ controllerUnpublishVolume: () => Promise.resolve({}) }),
  },
  {
    id: 'published-nodes-missing',
    does: 'announces LIST_VOLUMES_PUBLISHED_NODES and lists no published_node_ids',
    handlers: ({ real }) => ({
      listVolumes: async (request) => {
        const { entries, nextToken } = await real.listVolumes(request)
        const without = entries.map(({ volume, status }) => ({
          volume,
          status: status && { ...status, publishedNodeIds: [] },
        }))
        return { entries: without, nextToken }
      },
    }),
  },
]
