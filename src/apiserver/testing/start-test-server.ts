import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSystemClock } from '../../base/clock.ts'
import { createSystemHost } from '../../base/host/index.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { createSystemRandom } from '../../base/random.ts'
import { startApiServer } from '../start-apiserver.ts'
import type { ApiServerOptions, RunningApiServer } from '../start-apiserver.ts'

export type TestServer = RunningApiServer & AsyncDisposable & { directory: string; kubeconfigPath: string }

/** A real server on a free port of loopback, in memory unless told otherwise, with the kubeconfig of an administrator. */
export async function startTestServer(options: Partial<ApiServerOptions> = {}): Promise<TestServer> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-apiserver-'))
  const parts = {
    machine: createSystemHost(),
    clock: createSystemClock(),
    random: createSystemRandom(),
    log: createSilentLogger(),
    version: '0.0.0-test',
  }
  const server = await startApiServer({ port: 0, authorizationMode: 'Node,RBAC', ...options }, parts)
  const kubeconfigPath = join(directory, 'kubeconfig')
  await writeFile(kubeconfigPath, await server.kubeconfigFor('admin', ['system:masters']), { mode: 0o600 })
  return {
    ...server,
    directory,
    kubeconfigPath,
    [Symbol.asyncDispose]: async () => {
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
