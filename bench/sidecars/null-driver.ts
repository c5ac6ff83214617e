import { createSilentLogger, createSystemClock, createSystemHost, createSystemRandom } from '../../src/base/index.ts'
import { defineDriver, serve } from '../../src/csi/kit/index.ts'
import type { CsiHandlers } from '../../src/csi/kit/index.ts'

// A process of its own: null-driver.ts ENDPOINT NAME [changes]. Says yes to everything and does nothing, so that only the sidecars are
// measured. With `changes` it expands volumes and takes snapshots too.
const [endpoint = '', name = '', extent = ''] = process.argv.slice(2)
const volumes: CsiHandlers = {
  createVolume: async ({ name: volumeId, capacityRange }) => ({
    volume: {
      volumeId,
      capacityBytes: capacityRange?.requiredBytes ?? 0n,
      volumeContext: {},
      contentSource: undefined,
      accessibleTopology: [],
    },
  }),
  deleteVolume: async () => ({}),
  controllerPublishVolume: async () => ({ publishContext: {} }),
  controllerUnpublishVolume: async () => ({}),
}
const TAKEN_AT = { seconds: BigInt(Math.floor(Date.now() / 1000)), nanos: 0 }
const changes: CsiHandlers = {
  controllerExpandVolume: async ({ capacityRange }) => ({
    capacityBytes: capacityRange?.requiredBytes ?? 0n,
    nodeExpansionRequired: false,
  }),
  createSnapshot: async ({ name: snapshotId, sourceVolumeId }) => ({
    snapshot: { snapshotId, sourceVolumeId, sizeBytes: 1n << 30n, creationTime: TAKEN_AT, readyToUse: true },
  }),
  deleteSnapshot: async () => ({}),
}

const driver = defineDriver(
  { name, version: '1.0.0' },
  { handlers: extent === 'changes' ? { ...volumes, ...changes } : volumes, log: createSilentLogger() },
)
await serve({
  endpoint,
  servers: [driver],
  files: createSystemHost().files,
  random: createSystemRandom(),
  clock: createSystemClock(),
  log: createSilentLogger(),
})
process.stdout.write('ready\n')
process.on('SIGTERM', () => process.exit(0))
