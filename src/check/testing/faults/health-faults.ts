import { ControllerCapability } from '../../../csi/index.ts'
import { CsiError, isCsiError } from '../../../csi/csi-error.ts'
import { VolumeHealthErrorType } from '../../../csi/generated/csi/v1/csi.ts'
import type { Fault } from '../fault.ts'

const DEGRADED = { status: VolumeHealthErrorType.DEGRADED, reason: 'ReplicaMissing', message: 'one replica is missing' }

/** The health calls are new in CSI 1.13, so no public issue is about them yet. */
export const HEALTH_FAULTS: readonly Fault[] = [
  {
    id: 'health-of-missing-volume',
    does: 'reports a volume that does not exist as healthy',
    handlers: ({ real }) => ({
      controllerGetVolumeHealth: async (request) => {
        try {
          return await real.controllerGetVolumeHealth(request)
        } catch (error) {
          if (isCsiError(error, 'NOT_FOUND'))
            return { volumeHealth: { volumeId: request.volumeId, healthStatuses: [] } }
          throw error
        }
      },
    }),
  },
  {
    id: 'health-without-volume-id',
    does: 'leaves out volume_id in the reply of ControllerGetVolumeHealth',
    handlers: ({ real }) => ({
      controllerGetVolumeHealth: async (request) => {
        const { volumeHealth } = await real.controllerGetVolumeHealth(request)
        return { volumeHealth: volumeHealth && { ...volumeHealth, volumeId: '' } }
      },
    }),
  },
  {
    id: 'health-repeats-a-condition',
    does: 'reports the same condition of a volume once for each replica',
    handlers: ({ real }) => ({
      controllerGetVolumeHealth: async (request) => {
        await real.controllerGetVolumeHealth(request)
        return { volumeHealth: { volumeId: request.volumeId, healthStatuses: [DEGRADED, DEGRADED] } }
      },
    }),
  },
  {
    id: 'health-list-without-get',
    does: 'announces LIST_VOLUME_HEALTH without GET_VOLUME_HEALTH',
    handlers: ({ real }) => ({
      controllerGetCapabilities: async (request) => {
        const { capabilities } = await real.controllerGetCapabilities(request)
        const isGet = ControllerCapability.GET_VOLUME_HEALTH
        return { capabilities: capabilities.filter(({ type }) => type?.value.type !== isGet) }
      },
    }),
  },
  {
    id: 'health-list-accepts-any-token',
    does: 'starts ControllerListVolumeHealth again if starting_token is invalid',
    handlers: ({ real }) => ({
      controllerListVolumeHealth: async (request) => {
        try {
          return await real.controllerListVolumeHealth(request)
        } catch (error) {
          if (isCsiError(error, 'ABORTED')) return real.controllerListVolumeHealth({ ...request, startingToken: '' })
          throw error
        }
      },
    }),
  },
  {
    id: 'node-health-of-missing-volume',
    does: 'reports a volume that does not exist as healthy on the node',
    handlers: ({ real }) => ({
      nodeGetVolumeHealth: async (request) => {
        try {
          return await real.nodeGetVolumeHealth(request)
        } catch (error) {
          if (isCsiError(error, 'NOT_FOUND'))
            return { volumeHealth: { volumeId: request.volumeId, healthStatuses: [] } }
          throw error
        }
      },
    }),
  },
  {
    id: 'node-health-has-no-answer',
    does: 'answers NodeGetVolumeHealth without volume_health',
    handlers: ({ real }) => ({
      nodeGetVolumeHealth: async (request) => {
        await real.nodeGetVolumeHealth(request)
        return {}
      },
    }),
  },
  {
    id: 'storage-health-without-reason',
    does: 'reports a degraded storage system without a reason',
    handlers: () => ({
      nodeGetStorageHealth: () => Promise.resolve({ backendHealth: [{ status: 1, reason: '', message: 'slow' }] }),
    }),
  },
  {
    id: 'list-fails-when-volumes-are-deleted',
    does: 'answers INTERNAL if the volume at which a page begins has been deleted',
    issue: 'https://github.com/kubernetes-csi/csi-test/issues/204',
    handlers: ({ real }) => ({
      listVolumes: async (request) => {
        const { entries } = await real.listVolumes({})
        const ids = entries.map(({ volume }) => volume?.volumeId ?? '')
        const start = request.startingToken === '' ? 0 : ids.indexOf(request.startingToken)
        if (start === -1 && !/^[0-9a-f-]{36}$/.test(request.startingToken))
          throw new CsiError('ABORTED', 'invalid starting_token')
        if (start === -1) throw new CsiError('INTERNAL', 'index out of range')
        const end = request.maxEntries > 0 ? start + request.maxEntries : entries.length
        return { entries: entries.slice(start, end), nextToken: ids[end] ?? '' }
      },
    }),
  },
]
