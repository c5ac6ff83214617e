import { CsiError, isCsiError } from '../../../csi/csi-error.ts'
import type { Fault } from '../fault.ts'

export const LIST_FAULTS: readonly Fault[] = [
  {
    id: 'list-repeats-the-first-page',
    does: 'returns the first page of ListVolumes for every starting_token',
    issue: 'https://github.com/kubernetes-sigs/vsphere-csi-driver/pull/2079',
    handlers: ({ real }) => {
      let pages = 0
      return {
        listVolumes: async (request) => {
          // Ends after a while, so that a caller that trusts the token is not kept for ever.
          pages = request.startingToken === '' ? 0 : pages + 1
          const page = await real.listVolumes({ ...request, startingToken: '' })
          return pages > 50 ? { ...page, nextToken: '' } : page
        },
      }
    },
  },
  {
    id: 'list-ignores-max-entries',
    does: 'returns all volumes although max_entries is set',
    issue: 'https://github.com/linode/linode-blockstorage-csi-driver/pull/590',
    handlers: ({ real }) => ({ listVolumes: (request) => real.listVolumes({ ...request, maxEntries: 0 }) }),
  },
  {
    id: 'list-accepts-any-token',
    does: 'starts again if starting_token is invalid',
    handlers: ({ real }) => ({
      listVolumes: async (request) => {
        try {
          return await real.listVolumes(request)
        } catch (error) {
          if (isCsiError(error, 'ABORTED')) return real.listVolumes({ ...request, startingToken: '' })
          throw error
        }
      },
    }),
  },
  {
    id: 'list-token-has-wrong-code',
    does: 'answers INTERNAL if starting_token is invalid',
    issue: 'https://github.com/embercsi/ember-csi/issues/125',
    handlers: ({ real }) => ({
      listVolumes: async (request) => {
        try {
          return await real.listVolumes(request)
        } catch (error) {
          if (isCsiError(error, 'ABORTED')) throw new CsiError('INTERNAL', error.detail)
          throw error
        }
      },
    }),
  },
  {
    id: 'list-skips-when-volumes-are-deleted',
    does: 'uses the number of listed volumes as its token, so that a deletion between two pages hides a volume',
    issue: 'https://github.com/kubernetes-csi/csi-test/issues/204',
    handlers: ({ real }) => ({
      listVolumes: async (request) => {
        const start = request.startingToken === '' ? 0 : Number(request.startingToken)
        if (!Number.isInteger(start)) throw new CsiError('ABORTED', 'invalid starting_token')
        const { entries } = await real.listVolumes({})
        const end = request.maxEntries > 0 ? start + request.maxEntries : entries.length
        return { entries: entries.slice(start, end), nextToken: end < entries.length ? String(end) : '' }
      },
    }),
  },
  {
    id: 'list-misses-volumes',
    does: 'leaves out the newest volume in ListVolumes',
    handlers: ({ real }) => {
      let newest = ''
      return {
        createVolume: async (request) => {
          const response = await real.createVolume(request)
          newest = response.volume?.volumeId ?? ''
          return response
        },
        listVolumes: async (request) => {
          const { entries, nextToken } = await real.listVolumes(request)
          return { entries: entries.filter(({ volume }) => volume?.volumeId !== newest), nextToken }
        },
      }
    },
  },
  {
    id: 'get-volume-invents-volumes',
    does: 'returns a volume from ControllerGetVolume that does not exist',
    handlers: ({ real }) => ({
      controllerGetVolume: async (request) => {
        try {
          return await real.controllerGetVolume(request)
        } catch (error) {
          if (isCsiError(error, 'NOT_FOUND'))
            return { volume: { volumeId: request.volumeId, capacityBytes: 1n }, status: {} }
          throw error
        }
      },
    }),
  },
  {
    id: 'capacity-negative',
    does: 'reports a negative available_capacity',
    handlers: ({ real }) => ({
      getCapacity: async (request) => ({ ...(await real.getCapacity(request)), availableCapacity: -1n }),
    }),
  },
  {
    id: 'capacity-ignores-topology',
    does: 'reports the capacity of the whole system for every topology',
    issue: 'https://github.com/intel/pmem-csi/pull/419',
    handlers: ({ real }) => ({
      getCapacity: (request) => real.getCapacity({ ...request, accessibleTopology: undefined }),
    }),
  },
  {
    id: 'validate-confirms-missing-volume',
    does: 'confirms the capabilities of a volume that does not exist',
    issue: 'https://github.com/osac-project/osac/pull/141',
    handlers: ({ real }) => ({
      validateVolumeCapabilities: async (request) => {
        try {
          return await real.validateVolumeCapabilities(request)
        } catch (error) {
          if (isCsiError(error, 'NOT_FOUND')) return { confirmed: { volumeCapabilities: request.volumeCapabilities } }
          throw error
        }
      },
    }),
  },
  {
    id: 'validate-confirms-nothing',
    does: 'confirms an empty list of capabilities',
    issue: 'https://github.com/container-storage-interface/spec/issues/458',
    handlers: ({ real }) => ({
      validateVolumeCapabilities: async (request) => {
        const { confirmed, message } = await real.validateVolumeCapabilities(request)
        return confirmed ? { confirmed: { ...confirmed, volumeCapabilities: [] } } : { message }
      },
    }),
  },
  {
    id: 'expand-fails-when-repeated',
    does: 'answers ControllerExpandVolume with INVALID_ARGUMENT if the volume already has the size',
    issue: 'https://github.com/hetznercloud/csi-driver/pull/623',
    handlers: ({ real, hostpath }) => ({
      controllerExpandVolume: (request) => {
        const present = hostpath.volumes.find(request.volumeId)?.sizeBytes ?? -1n
        if (request.capacityRange && present === request.capacityRange.requiredBytes)
          throw new CsiError('INVALID_ARGUMENT', 'volume size is too small')
        return real.controllerExpandVolume(request)
      },
    }),
  },
  {
    id: 'expand-reports-old-size',
    does: 'returns the old capacity from ControllerExpandVolume',
    handlers: ({ real, hostpath }) => ({
      controllerExpandVolume: async (request) => {
        const before = hostpath.volumes.find(request.volumeId)?.sizeBytes
        const response = await real.controllerExpandVolume(request)
        return { ...response, capacityBytes: before ?? 0n }
      },
    }),
  },
  {
    id: 'expand-does-nothing',
    does: 'reports success for ControllerExpandVolume and keeps the old size',
    handlers: ({ real, hostpath }) => ({
      controllerExpandVolume: (request) =>
        request.capacityRange && hostpath.volumes.find(request.volumeId)
          ? Promise.resolve({ capacityBytes: request.capacityRange.requiredBytes, nodeExpansionRequired: false })
          : real.controllerExpandVolume(request),
    }),
  },
  {
    id: 'expand-shrinks',
    does: 'shrinks a volume if ControllerExpandVolume asks for less',
    handlers: ({ real, hostpath }) => ({
      controllerExpandVolume: async (request) => {
        const volume = hostpath.volumes.find(request.volumeId)
        const wanted = request.capacityRange?.requiredBytes ?? 0n
        if (!volume || wanted <= 0n || wanted >= volume.sizeBytes) return real.controllerExpandVolume(request)
        await hostpath.volumes.update({ ...volume, sizeBytes: wanted })
        return { capacityBytes: wanted, nodeExpansionRequired: false }
      },
    }),
  },
  {
    id: 'expand-missing-volume-has-wrong-code',
    does: 'answers ControllerExpandVolume of a missing volume with INTERNAL',
    handlers: ({ real }) => ({
      controllerExpandVolume: async (request) => {
        try {
          return await real.controllerExpandVolume(request)
        } catch (error) {
          if (isCsiError(error, 'NOT_FOUND')) throw new CsiError('INTERNAL', error.detail)
          throw error
        }
      },
    }),
  },
  {
    id: 'node-expand-does-nothing',
    does: 'reports success for NodeExpandVolume, but the device keeps its size',
    issue: 'https://github.com/kubernetes-csi/external-provisioner/issues/485',
    handlers: ({ real, hostpath, nodeId }) => ({
      nodeExpandVolume: (request) =>
        hostpath.nodes.get(nodeId)?.records.find(request.volumeId)
          ? Promise.resolve({ capacityBytes: request.capacityRange?.requiredBytes ?? 0n })
          : real.nodeExpandVolume(request),
    }),
  },
  {
    id: 'node-expand-accepts-missing-volume',
    does: 'reports success for NodeExpandVolume of a missing volume',
    handlers: ({ real }) => ({
      nodeExpandVolume: async (request) => {
        try {
          return await real.nodeExpandVolume(request)
        } catch (error) {
          if (isCsiError(error, 'NOT_FOUND')) return { capacityBytes: 0n }
          throw error
        }
      },
    }),
  },
  {
    id: 'modify-accepts-anything',
    does: 'reports success for ControllerModifyVolume with a parameter that does not exist',
    handlers: ({ real }) => ({
      controllerModifyVolume: async (request) => {
        try {
          return await real.controllerModifyVolume(request)
        } catch (error) {
          if (isCsiError(error, 'INVALID_ARGUMENT') && request.volumeId !== '') return {}
          throw error
        }
      },
    }),
  },
  {
    id: 'modify-accepts-missing-volume',
    does: 'reports success for ControllerModifyVolume of a missing volume',
    handlers: ({ real }) => ({
      controllerModifyVolume: async (request) => {
        try {
          return await real.controllerModifyVolume(request)
        } catch (error) {
          if (isCsiError(error, 'NOT_FOUND')) return {}
          throw error
        }
      },
    }),
  },
  {
    id: 'modify-fails-when-repeated',
    does: 'answers a repeated ControllerModifyVolume with INTERNAL',
    handlers: ({ real }) => {
      const seen = new Set<string>()
      return {
        controllerModifyVolume: async (request) => {
          if (seen.has(request.volumeId)) throw new CsiError('INTERNAL', 'nothing to change')
          const response = await real.controllerModifyVolume(request)
          seen.add(request.volumeId)
          return response
        },
      }
    },
  },
]
