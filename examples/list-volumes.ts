// Lists the volumes of any CSI driver: list-volumes.ts unix:///path/to/csi.sock
import { createSystemClock } from 'holdfast/base'
import { connectDriver, isCsiError } from 'holdfast/csi'

const [endpoint] = process.argv.slice(2)
if (endpoint === undefined) throw new Error('usage: list-volumes.ts SOCKET')

const { driver, connection } = connectDriver({ endpoint, clock: createSystemClock(), timeoutMs: 5_000 })
try {
  const { name, vendorVersion } = await driver.getPluginInfo({})
  process.stdout.write(`${name} ${vendorVersion}\n`)
  let startingToken = ''
  do {
    const { entries, nextToken } = await driver.listVolumes({ maxEntries: 100, startingToken })
    for (const { volume } of entries) process.stdout.write(`${volume?.volumeId}  ${volume?.capacityBytes} bytes\n`)
    startingToken = nextToken
  } while (startingToken !== '')
} catch (error) {
  // A driver that can't list says so with a code; so does a socket that nobody serves.
  process.stderr.write(
    isCsiError(error, 'UNIMPLEMENTED') ? 'this driver does not list its volumes\n' : `${String(error)}\n`,
  )
  process.exitCode = 1
} finally {
  connection.close()
}
