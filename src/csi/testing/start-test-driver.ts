import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createSystemClock } from '../../base/clock.ts'
import { createSystemHost } from '../../base/host/index.ts'
import { createSilentLogger } from '../../base/logger.ts'
import type { Logger } from '../../base/logger.ts'
import { createSystemRandom } from '../../base/random.ts'
import { connectDriver } from '../connect-driver.ts'
import type { Connection, DriverConnectionOptions } from '../index.ts'
import { defineDriver, serve } from '../kit/index.ts'
import type { CsiHandlers, Dispatcher, RunningServer, ServeOptions } from '../kit/index.ts'
import type { Driver } from '../rpc.ts'
import { openTestDirectory } from './open-test-directory.ts'

export type TestDriver = { driver: Driver; connection: Connection; server: RunningServer; path: string }

/** A driver with a name and these handlers, without its socket. */
export function defineTestDriver(handlers: CsiHandlers, log: Logger = createSilentLogger()): Dispatcher {
  return defineDriver({ name: 'test.holdfast.dev', version: '1' }, { handlers, log })
}

/** Serves on a socket until the running test ends. */
export async function serveTest(
  test: TestContext,
  path: string,
  server: Dispatcher,
  options: Partial<ServeOptions> = {},
): Promise<RunningServer> {
  const clock = createSystemClock()
  const { files } = createSystemHost()
  const running = await serve({
    endpoint: path,
    servers: [server],
    files,
    random: createSystemRandom(),
    clock,
    log: createSilentLogger(),
    ...options,
  })
  test.after(() => running.stop({ graceMs: 0 }))
  return running
}

/** A client of the socket, closed when the running test ends. */
export function connectTest(
  test: TestContext,
  path: string,
  options: Partial<DriverConnectionOptions> = {},
): { driver: Driver; connection: Connection } {
  const connected = connectDriver({ endpoint: path, clock: createSystemClock(), ...options })
  test.after(() => connected.connection.close())
  return connected
}

/** A driver on a real socket and its client, both stopped after the running test. */
export async function startTestDriver(
  test: TestContext,
  handlers: CsiHandlers | Dispatcher,
  options: { serve?: Partial<ServeOptions>; connect?: Partial<DriverConnectionOptions> } = {},
): Promise<TestDriver> {
  const path = join(await openTestDirectory(test), 'csi.sock')
  const server = await serveTest(test, path, 'rpcs' in handlers ? handlers : defineTestDriver(handlers), options.serve)
  return { ...connectTest(test, path, options.connect), server, path }
}
