import { sleep } from '../../../base/clock.ts'
import { CsiError, isCsiError } from '../../../csi/csi-error.ts'
import { AccessMode } from '../../../csi/index.ts'
import type { Fault } from '../fault.ts'

const MOUNT = {
  accessType: { $case: 'mount' as const, value: {} },
  accessMode: { mode: AccessMode.SINGLE_NODE_WRITER },
}

export const CREATE_FAULTS: readonly Fault[] = [
  {
    id: 'create-makes-another-volume',
    does: 'creates a new volume each time it gets the same name',
    issue: 'https://github.com/kubernetes/cloud-provider-openstack/issues/91',
    handlers: ({ real }) => {
      let count = 0
      return { createVolume: (request) => real.createVolume({ ...request, name: `${request.name}-${(count += 1)}` }) }
    },
  },
  {
    id: 'create-fails-when-repeated',
    does: 'answers a repeated CreateVolume with ALREADY_EXISTS',
    issue: 'https://github.com/hpe-storage/csi-driver/pull/116',
    handlers: ({ real }) => {
      const seen = new Set<string>()
      return {
        createVolume: async (request) => {
          if (seen.has(request.name)) throw new CsiError('ALREADY_EXISTS', `volume ${request.name} exists`)
          const response = await real.createVolume(request)
          seen.add(request.name)
          return response
        },
      }
    },
  },
  {
    id: 'create-reports-other-size-when-repeated',
    does: 'reports twice the capacity when CreateVolume is repeated',
    issue: 'https://github.com/dell/csm/issues/1899',
    handlers: ({ real }) => {
      const seen = new Set<string>()
      return {
        createVolume: async (request) => {
          const { volume } = await real.createVolume(request)
          const isRepeated = seen.has(request.name)
          seen.add(request.name)
          return {
            volume: volume && {
              ...volume,
              capacityBytes: isRepeated ? volume.capacityBytes * 2n : volume.capacityBytes,
            },
          }
        },
      }
    },
  },
  {
    id: 'create-accepts-conflicting-size',
    does: 'returns the small volume when the same name is requested with a larger size',
    handlers: ({ real }) => {
      const first = new Map<string, Parameters<typeof real.createVolume>[0]>()
      return {
        createVolume: (request) => {
          if (!first.has(request.name)) first.set(request.name, request)
          return real.createVolume(first.get(request.name) ?? request)
        },
      }
    },
  },
  {
    id: 'create-conflict-has-wrong-code',
    does: 'answers a conflicting CreateVolume with INTERNAL instead of ALREADY_EXISTS',
    issue: 'https://github.com/erikmagkekse/btrfs-nfs-csi/pull/133',
    handlers: ({ real }) => ({
      createVolume: async (request) => {
        try {
          return await real.createVolume(request)
        } catch (error) {
          if (isCsiError(error, 'ALREADY_EXISTS')) throw new CsiError('INTERNAL', error.detail)
          throw error
        }
      },
    }),
  },
  {
    id: 'create-rounds-down',
    does: 'creates a volume that is smaller than required_bytes',
    handlers: ({ real }) => ({
      createVolume: (request) =>
        real.createVolume({
          ...request,
          ...(request.capacityRange
            ? {
                capacityRange: {
                  ...request.capacityRange,
                  requiredBytes: request.capacityRange.requiredBytes - request.capacityRange.requiredBytes / 10n,
                  limitBytes: 0n,
                },
              }
            : {}),
        }),
    }),
  },
  {
    id: 'create-ignores-limit',
    does: 'rounds the size up to a multiple of 1 GiB, also above limit_bytes',
    issue: 'https://github.com/intel/pmem-csi/issues/399',
    handlers: ({ real }) => ({
      createVolume: (request) => {
        const gib = 1024n ** 3n
        const required = request.capacityRange?.requiredBytes || request.capacityRange?.limitBytes || gib
        const rounded = ((required + gib - 1n) / gib) * gib
        const isSource = request.volumeContentSource !== undefined
        return real.createVolume(
          isSource ? request : { ...request, capacityRange: { requiredBytes: rounded, limitBytes: 0n } },
        )
      },
    }),
  },
  {
    id: 'create-accepts-required-above-limit',
    does: 'accepts a capacity_range whose required_bytes is above its limit_bytes',
    issue: 'https://github.com/kubernetes-csi/csi-driver-host-path/pull/577',
    handlers: ({ real }) => ({
      createVolume: (request) => {
        const { requiredBytes = 0n, limitBytes = 0n } = request.capacityRange ?? {}
        const isInverted = limitBytes > 0n && requiredBytes > limitBytes
        return real.createVolume(
          isInverted ? { ...request, capacityRange: { requiredBytes, limitBytes: 0n } } : request,
        )
      },
    }),
  },
  {
    id: 'create-accepts-no-name',
    does: 'creates a volume without a name',
    handlers: ({ real }) => ({
      createVolume: (request) => real.createVolume({ ...request, name: request.name || 'unnamed' }),
    }),
  },
  {
    id: 'create-accepts-no-capabilities',
    does: 'creates a volume without volume_capabilities',
    issue: 'https://github.com/kubernetes-sigs/vsphere-csi-driver/pull/459',
    handlers: ({ real }) => ({
      createVolume: (request) =>
        real.createVolume({
          ...request,
          volumeCapabilities: request.volumeCapabilities.length > 0 ? request.volumeCapabilities : [MOUNT],
        }),
    }),
  },
  {
    id: 'create-truncates-names',
    does: 'uses the first 63 characters of a name, so that long names collide',
    handlers: ({ real }) => ({
      createVolume: (request) => real.createVolume({ ...request, name: request.name.slice(0, 63) }),
    }),
  },
  {
    id: 'create-refuses-unicode',
    does: 'refuses names with characters outside ASCII',
    handlers: ({ real }) => ({
      createVolume: (request) => {
        if (!/^[\x20-\x7e]*$/.test(request.name)) throw new CsiError('INVALID_ARGUMENT', 'invalid name')
        return real.createVolume(request)
      },
    }),
  },
  {
    id: 'create-races',
    does: 'creates two volumes if two calls with one name arrive at the same time',
    issue: 'https://github.com/kubernetes-sigs/aws-efs-csi-driver/pull/1592',
    handlers: ({ real, clock }) => {
      const running = new Map<string, number>()
      return {
        createVolume: async (request) => {
          const before = running.get(request.name) ?? 0
          running.set(request.name, before + 1)
          try {
            await sleep(clock, 20)
            return await real.createVolume(before === 0 ? request : { ...request, name: `${request.name}~${before}` })
          } finally {
            running.set(request.name, (running.get(request.name) ?? 1) - 1)
          }
        },
      }
    },
  },
  {
    id: 'create-cancelled-call-deletes',
    does: 'deletes the volume of a cancelled CreateVolume after the repeated call has returned it',
    issue: 'https://github.com/openebs/zfs-localpv/pull/588',
    handlers: ({ real, clock }) => ({
      createVolume: async (request, { signal }) => {
        const response = await real.createVolume(request)
        await sleep(clock, 50)
        if (signal.aborted) {
          const volumeId = response.volume?.volumeId ?? ''
          void sleep(clock, 100)
            .then(() => real.deleteVolume({ volumeId }))
            .catch(() => {})
        }
        return response
      },
    }),
  },
  {
    id: 'lock-outlives-cancelled-call',
    does: 'answers ABORTED for ever once a CreateVolume has been cancelled',
    issue: 'https://github.com/rook/rook/issues/4896',
    handlers: ({ real, clock }) => {
      const locked = new Set<string>()
      return {
        createVolume: async (request, { signal }) => {
          if (locked.has(request.name))
            throw new CsiError('ABORTED', `an operation with the given Volume ID ${request.name} already exists`)
          locked.add(request.name)
          await sleep(clock, 50)
          const response = await real.createVolume(request)
          if (!signal.aborted) locked.delete(request.name)
          return response
        },
      }
    },
  },
  {
    id: 'create-drops-content-source',
    does: 'creates the volume from its source, but returns no content_source',
    issue: 'https://github.com/embercsi/ember-csi/issues/139',
    handlers: ({ real }) => ({
      createVolume: async (request) => {
        const { volume } = await real.createVolume(request)
        return { volume: volume && { ...volume, contentSource: undefined } }
      },
    }),
  },
  {
    id: 'create-missing-source-has-wrong-code',
    does: 'answers INTERNAL if the source of a new volume does not exist',
    issue: 'https://github.com/kubernetes-csi/csi-driver-host-path/pull/58',
    handlers: ({ real }) => ({
      createVolume: async (request) => {
        try {
          return await real.createVolume(request)
        } catch (error) {
          if (isCsiError(error, 'NOT_FOUND')) throw new CsiError('INTERNAL', 'source volumeID does not exist')
          throw error
        }
      },
    }),
  },
  {
    id: 'create-ignores-topology',
    does: 'creates the volume at its own place, whatever accessibility_requirements says',
    issue: 'https://github.com/kubernetes-sigs/vsphere-csi-driver/issues/1137',
    handlers: ({ real }) => ({
      createVolume: (request) => real.createVolume({ ...request, accessibilityRequirements: undefined }),
    }),
  },
  {
    id: 'create-returns-no-id',
    does: 'returns a volume without volume_id',
    handlers: ({ real }) => ({
      createVolume: async (request) => {
        const { volume } = await real.createVolume(request)
        return { volume: volume && { ...volume, volumeId: '' } }
      },
    }),
  },
  {
    id: 'delete-missing-volume-fails',
    does: 'answers DeleteVolume of a missing volume with NOT_FOUND',
    issue: 'https://github.com/hetznercloud/csi-driver/issues/151',
    handlers: ({ real, hostpath }) => ({
      deleteVolume: (request) => {
        if (request.volumeId !== '' && !hostpath.volumes.find(request.volumeId))
          throw new CsiError('NOT_FOUND', `volume ${request.volumeId} not found`)
        return real.deleteVolume(request)
      },
    }),
  },
  {
    id: 'delete-foreign-id-fails',
    does: 'answers DeleteVolume of an ID in another format with INVALID_ARGUMENT',
    issue: 'https://github.com/container-storage-interface/spec/issues/249',
    handlers: ({ real }) => ({
      deleteVolume: (request) => {
        if (request.volumeId !== '' && !/^[0-9a-f-]{36}$/.test(request.volumeId))
          throw new CsiError('INVALID_ARGUMENT', 'the volume ID has an invalid format')
        return real.deleteVolume(request)
      },
    }),
  },
  {
    id: 'delete-leaks',
    does: 'reports success and keeps the volume',
    issue: 'https://github.com/fenio/tns-csi/issues/232',
    handlers: () => ({ deleteVolume: () => Promise.resolve({}) }),
  },
  {
    id: 'delete-accepts-no-id',
    does: 'reports success for DeleteVolume without volume_id',
    handlers: ({ real }) => ({
      deleteVolume: (request) => (request.volumeId === '' ? Promise.resolve({}) : real.deleteVolume(request)),
    }),
  },
  {
    id: 'delete-in-use-has-wrong-code',
    does: 'answers INTERNAL if the volume is in use',
    handlers: ({ real }) => ({
      deleteVolume: async (request) => {
        try {
          return await real.deleteVolume(request)
        } catch (error) {
          if (isCsiError(error, 'FAILED_PRECONDITION')) throw new CsiError('INTERNAL', error.detail)
          throw error
        }
      },
    }),
  },
]
