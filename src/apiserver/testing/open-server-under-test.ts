import type { Api, WatchEvent } from '../../api/api.ts'
import type { KubeObject } from '../../api/object.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { createSeededRandom } from '../../base/random.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import type { SimulatedClock } from '../../base/simulated-clock.ts'
import { createSigningKey } from '../authentication/token-key.ts'
import type { Core } from '../core/core.ts'
import { SYSTEM_USER } from '../core/user.ts'
import { openServer } from '../open-server.ts'
import type { OpenServer, ServerOptions } from '../open-server.ts'
import { createMemoryBackend } from '../storage/memory-backend.ts'

/** A server without network, of which only what matters to a test has to be said: in memory, and open to everybody. */
export const openMemoryServer = async (
  options: Partial<ServerOptions> & Pick<ServerOptions, 'clock'>,
): Promise<OpenServer> =>
  openServer({
    backend: createMemoryBackend(),
    random: createSeededRandom(1),
    log: createSilentLogger(),
    authorizationMode: 'AlwaysAllow',
    signingKey: await createSigningKey(),
    rootCaPem: 'test',
    ...options,
  })

/** Such a server, whose clock stands still until it is told to move. */
export interface ServerUnderTest extends AsyncDisposable {
  readonly core: Core
  readonly clock: SimulatedClock
  /** As somebody who may do everything. */
  readonly api: Api
  /** Resolves when the server's own jobs have nothing to do, and watches have brought what there is. */
  settled(): Promise<void>
  close(): Promise<void>
}

export async function openServerUnderTest(
  options: Partial<ServerOptions> & { clock?: SimulatedClock } = {},
): Promise<ServerUnderTest> {
  const clock = options.clock ?? createSimulatedClock()
  const { core, idle, close } = await openMemoryServer({ ...options, clock })
  const settled = async (): Promise<void> => {
    await idle()
    await clock.advance(0)
  }
  return { core, clock, api: core.as(SYSTEM_USER, { userAgent: 'test' }), settled, close, [Symbol.asyncDispose]: close }
}

/** What a watch has brought so far. */
export interface RecordedWatch<T extends KubeObject> extends Disposable {
  readonly events: readonly WatchEvent<T>[]
  /** Resolves with undefined when the server has ended the stream, with the error when it failed or was stopped. */
  readonly ended: Promise<unknown>
  /** `ADDED x`, `BOOKMARK`, in order. */
  texts(): string[]
  stop(): void
}

/** Takes all events of a watch as they come. */
export function recordWatch<T extends KubeObject>(
  open: (signal: AbortSignal) => AsyncIterable<WatchEvent<T>>,
): RecordedWatch<T> {
  const stopping = new AbortController()
  const events: WatchEvent<T>[] = []
  const run = async (): Promise<void> => {
    for await (const event of open(stopping.signal)) events.push(event)
  }
  const ended = run().then(
    () => undefined,
    (error: unknown) => error,
  )
  const stop = (): void => stopping.abort(new Error('stopped'))
  const texts = (): string[] =>
    events.map((event) => (event.type === 'BOOKMARK' ? event.type : `${event.type} ${event.object.metadata.name}`))
  return { events, ended, texts, stop, [Symbol.dispose]: stop }
}
