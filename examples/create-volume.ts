import { createSystemClock } from 'holdfast/base'
import { AccessMode, connectDriver, CsiError, outcomeOf } from 'holdfast/csi'

const [endpoint = 'unix:///tmp/holdfast/node-1/plugins/hostpath.holdfast.dev/csi.sock', name = 'pvc-1'] =
  process.argv.slice(2)
const { driver, connection } = connectDriver({ endpoint, clock: createSystemClock() })
const singleNodeWriter = {
  accessMode: { mode: AccessMode.SINGLE_NODE_WRITER },
  accessType: { $case: 'mount', value: {} },
} as const
const request = { name, capacityRange: { requiredBytes: 1024n ** 3n }, volumeCapabilities: [singleNodeWriter] }
try {
  const { volume } = await driver.createVolume(request, { timeoutMs: 10_000 })
  process.stdout.write(`${volume?.volumeId} ${volume?.capacityBytes}\n`)
} catch (error) {
  if (!(error instanceof CsiError)) throw error
  process.stderr.write(`${outcomeOf('CreateVolume', error)}: ${error.message}\n`) // in-doubt: the volume may exist, ask again
  process.exitCode = 1
} finally {
  connection.close()
}
