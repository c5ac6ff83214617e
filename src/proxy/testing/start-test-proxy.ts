import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createSystemClock } from '../../base/clock.ts'
import { createSystemHost } from '../../base/host/index.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { createSystemRandom } from '../../base/random.ts'
import type { Connection, Driver, DriverConnectionOptions } from '../../csi/index.ts'
import type { Dispatcher, RunningServer } from '../../csi/kit/index.ts'
import { connectTest, serveTest } from '../../csi/testing/start-test-driver.ts'
import { openTestDirectory } from '../../csi/testing/open-test-directory.ts'
import { createFaultChooser, createRecorder, parseFaults, startProxy } from '../index.ts'
import type { FaultChooser, RecordedCall, RunningProxy } from '../index.ts'

export type TestProxy = {
  /** A client of the proxy. */
  driver: Driver
  connection: Connection
  proxy: RunningProxy
  faults: FaultChooser
  server: RunningServer
  directory: string
  /** The calls that were recorded so far, in the order of their ends. */
  recorded(): RecordedCall[]
}

/** A driver on a real socket, a proxy in front of it with the faults of this YAML, and a client of the proxy. Stopped with the test. */
export async function startTestProxy(
  test: TestContext,
  server: Dispatcher,
  { faults = '', connect = {}, showSecrets = false }: TestProxyOptions = {},
): Promise<TestProxy> {
  const directory = await openTestDirectory(test)
  const to = join(directory, 'driver.sock')
  const running = await serveTest(test, to, server)
  const lines: string[] = []
  const clock = createSystemClock()
  const { seed = 0, faults: given } = parseFaults(faults === '' ? 'faults: []' : faults, 'faults.yaml')
  const chooser = createFaultChooser({ seed, faults: given })
  const proxy = await startProxy({
    listen: join(directory, 'proxy.sock'),
    to,
    faults: chooser,
    recorder: createRecorder({ clock, write: (line) => void lines.push(line), showSecrets }),
    clock,
    random: createSystemRandom(),
    files: createSystemHost().files,
    log: createSilentLogger(),
  })
  test.after(() => proxy.stop())
  const recorded = (): RecordedCall[] => lines.slice(1).map((line) => JSON.parse(line) as RecordedCall)
  return { ...connectTest(test, proxy.path, connect), proxy, faults: chooser, server: running, directory, recorded }
}

export type TestProxyOptions = { faults?: string; connect?: Partial<DriverConnectionOptions>; showSecrets?: boolean }
