import { CsiError } from '../../../csi/csi-error.ts'
import type { Dispatcher } from '../../../csi/kit/index.ts'
import { MESSAGES } from '../../../csi/generated/message-table.ts'
import { unmountEverything } from './node-tricks.ts'
import type { Fault, Plant } from '../fault.ts'

const withUnary = (server: Dispatcher, unary: Dispatcher['unary']): Dispatcher => ({
  rpcs: server.rpcs,
  unary,
  serverStream: (path, bytes, call) => server.serverStream(path, bytes, call),
})

// The first field number of a message, encoded before each field in the wire format.
const fieldNumbers = (bytes: Uint8Array): number[] => {
  const numbers: number[] = []
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const tag = varint()
    numbers.push(Number(tag >> 3n))
    const type = Number(tag & 7n)
    if (type === 0) varint()
    else if (type === 2) at += Number(varint())
    else at += type === 1 ? 8 : 4
  }
  return numbers
}

// Volumes created by this process: what a driver knows that keeps its records in memory.
const inMemory = (plant: Plant) => {
  const known = new Set<string>()
  const createVolume: NonNullable<ReturnType<NonNullable<Fault['handlers']>>['createVolume']> = async (request) => {
    const response = await plant.real.createVolume(request)
    known.add(response.volume?.volumeId ?? '')
    return response
  }
  return { known, createVolume }
}

export const WIRE_FAULTS: readonly Fault[] = [
  {
    id: 'refuses-unusual-authority',
    does: 'refuses clients whose :authority is the path of the socket, or empty',
    issue: 'https://github.com/hashicorp/nomad/issues/8492',
    refusesAuthority: true,
  },
  {
    id: 'refuses-unknown-fields',
    does: 'refuses requests with fields of a newer version of the specification',
    server: (server) =>
      withUnary(server, (path, bytes, call) => {
        const rpc = server.rpcs.get(path)
        const known = new Set((MESSAGES[rpc?.requestName ?? ''] ?? []).map(({ number }) => number))
        if (fieldNumbers(bytes).some((number) => !known.has(number)))
          return Promise.reject(new CsiError('INVALID_ARGUMENT', 'unknown field'))
        return server.unary(path, bytes, call)
      }),
  },
  {
    id: 'errors-quote-secrets',
    does: 'quotes the whole request in its errors, with the secrets',
    issue: 'https://github.com/democratic-csi/democratic-csi/issues/515',
    server: (server) =>
      withUnary(server, async (path, bytes, call) => {
        try {
          return await server.unary(path, bytes, call)
        } catch (error) {
          const request = JSON.stringify(server.rpcs.get(path)?.requestType.decode(bytes), (_key, value: unknown) =>
            typeof value === 'bigint' ? value.toString() : value,
          )
          throw error instanceof CsiError ? new CsiError(error.code, `${error.detail}: ${request}`) : error
        }
      }),
  },
  {
    id: 'errors-without-message',
    does: 'returns errors without a message',
    issue: 'https://github.com/yandex-cloud/k8s-csi-s3/issues/178',
    server: (server) =>
      withUnary(server, async (path, bytes, call) => {
        try {
          return await server.unary(path, bytes, call)
        } catch (error) {
          throw error instanceof CsiError ? new CsiError(error.code, '') : error
        }
      }),
  },
  {
    id: 'errors-are-unknown',
    does: 'answers every refused request with the code UNKNOWN',
    issue: 'https://github.com/hwameistor/hwameistor/pull/1316',
    server: (server) =>
      withUnary(server, async (path, bytes, call) => {
        try {
          return await server.unary(path, bytes, call)
        } catch (error) {
          throw error instanceof CsiError ? new CsiError('UNKNOWN', error.detail) : error
        }
      }),
  },
  {
    id: 'hangs-on-second-call',
    does: 'does not answer a call for a volume while another one is running',
    issue: 'https://github.com/kubernetes-sigs/vsphere-csi-driver/pull/1322',
    handlers: ({ real }) => {
      const running = new Set<string>()
      return {
        createVolume: async (request, { signal }) => {
          if (running.has(request.name))
            await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
          running.add(request.name)
          try {
            return await real.createVolume(request)
          } finally {
            running.delete(request.name)
          }
        },
      }
    },
  },
  {
    id: 'restart-forgets-volumes',
    does: 'knows only the volumes that it created since its start',
    issue: 'https://github.com/intel/pmem-csi/issues/25',
    handlers: (plant) => {
      const { known, createVolume } = inMemory(plant)
      const { real } = plant
      return {
        createVolume,
        listVolumes: async (request) => {
          const { entries, nextToken } = await real.listVolumes(request)
          return { entries: entries.filter(({ volume }) => known.has(volume?.volumeId ?? '')), nextToken }
        },
        validateVolumeCapabilities: (request) => {
          if (request.volumeId !== '' && !known.has(request.volumeId))
            throw new CsiError('NOT_FOUND', 'volume does not exist in the volumes list')
          return real.validateVolumeCapabilities(request)
        },
        deleteVolume: (request) =>
          known.has(request.volumeId) || request.volumeId === '' ? real.deleteVolume(request) : Promise.resolve({}),
      }
    },
  },
  {
    id: 'restart-forgets-names',
    does: 'creates a second volume for a name that it got before its restart',
    issue: 'https://github.com/ceph/ceph-csi/issues/2887',
    handlers: (plant) => {
      const life = plant.clock.nowMs()
      return { createVolume: (request) => plant.real.createVolume({ ...request, name: `${request.name}@${life}` }) }
    },
  },
  {
    id: 'restart-forgets-mounts',
    does: 'reports success for NodeUnpublishVolume after a restart and leaves the mount',
    issue: 'https://github.com/truenas/truenas-csi/issues/55',
    handlers: ({ real }) => {
      const published = new Set<string>()
      return {
        nodePublishVolume: async (request) => {
          const response = await real.nodePublishVolume(request)
          published.add(request.targetPath)
          return response
        },
        nodeUnpublishVolume: (request) =>
          published.has(request.targetPath) || request.targetPath === '' || request.volumeId === ''
            ? real.nodeUnpublishVolume(request)
            : Promise.resolve({}),
      }
    },
  },
  {
    id: 'restart-unmounts',
    does: 'unmounts all published volumes when it starts',
    issue: 'https://github.com/hashicorp/nomad/issues/27666',
    handlers: ({ real, host, hostpath, nodeId }) => {
      const published = [...(hostpath.nodes.get(nodeId)?.records.all() ?? [])].flatMap((record) =>
        Object.keys(record.published),
      )
      const cleaned = Promise.all(published.map((path) => unmountEverything(host, path)))
      return {
        probe: async (request) => {
          await cleaned
          return real.probe(request)
        },
      }
    },
  },
]
