import { createSilentLogger, createSystemClock, createSystemHost, createSystemRandom } from '../../src/base/index.ts'
import { defineDriver, serve } from '../../src/csi/kit/index.ts'

// A process of its own: null-driver.ts ENDPOINT NAME. Says yes to everything and does nothing, so that only the sidecars are measured.
const [endpoint = '', name = ''] = process.argv.slice(2)
const driver = defineDriver(
  { name, version: '1.0.0' },
  {
    handlers: {
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
    },
    log: createSilentLogger(),
  },
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
