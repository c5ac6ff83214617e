import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Api } from '../../api/api.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { createSystemClock } from '../../base/clock.ts'
import { createSystemHost, makeDirectories } from '../../base/host/index.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { defaultsOf } from '../../base/options/index.ts'
import { createSystemRandom } from '../../base/random.ts'
import { createSystemSockets } from '../../csi/index.ts'
import { defineDriver } from '../../csi/kit/index.ts'
import type { CsiHandlers, RunningServer } from '../../csi/kit/index.ts'
import { serveTest } from '../../csi/testing/start-test-driver.ts'
import { connectApi } from '../../kube/client/connect-api.ts'
import { loadKubeconfig } from '../../kube/client/credentials.ts'
import { nodeRegistrarOptions, startNodeRegistrar } from '../../sidecars/node-registrar/index.ts'
import type { RunningNodeRegistrar } from '../../sidecars/node-registrar/index.ts'
import { startCommand } from './cli-under-test.ts'
import type { RunningCommand } from './cli-under-test.ts'

// What tests of commands share that have something to do with the drivers of a node.

const [clock, random, host, log] = [createSystemClock(), createSystemRandom(), createSystemHost(), createSilentLogger()]
const LONGEST_WAIT_MS = 30_000

/** Starts commands that are stopped before the directories go which the test opens later. */
export function openCommands(context: TestContext): (words: readonly string[]) => RunningCommand {
  const started: RunningCommand[] = []
  context.after(() => Promise.all(started.map((command) => command.stop())))
  return (words) => {
    const command = startCommand(context, words)
    started.push(command)
    return command
  }
}

export type NodeDriverOptions = {
  root: string
  name: string
  topology?: Readonly<Record<string, string>>
  handlers?: CsiHandlers
}

/** A driver at its place below the root of a node. */
export async function serveNodeDriver(
  context: TestContext,
  { root, name, topology = {}, handlers = {} }: NodeDriverOptions,
): Promise<RunningServer> {
  const directory = join(root, 'plugins', name)
  await makeDirectories(host.files, directory)
  const own: CsiHandlers = {
    nodeGetInfo: () =>
      Promise.resolve({
        nodeId: 'id-1',
        ...(Object.keys(topology).length > 0 ? { accessibleTopology: { segments: { ...topology } } } : {}),
      }),
    nodePublishVolume: () => Promise.resolve({}),
    nodeUnpublishVolume: () => Promise.resolve({}),
    ...handlers,
  }
  return serveTest(
    context,
    join(directory, 'csi.sock'),
    defineDriver({ name, version: '1', features: { topology: true } }, { handlers: own, log }),
  )
}

/** Its registrar, which asks again when the node agent refuses the driver. */
export async function registerNodeDriver(
  context: TestContext,
  { root, name }: Pick<NodeDriverOptions, 'root' | 'name'>,
): Promise<RunningNodeRegistrar> {
  const socket = join(root, 'plugins', name, 'csi.sock')
  const pluginRegistrationPath = join(root, 'plugins_registry')
  await makeDirectories(host.files, pluginRegistrationPath)
  const config = {
    ...defaultsOf(nodeRegistrarOptions),
    csiAddress: socket,
    kubeletRegistrationPath: socket,
    pluginRegistrationPath,
  }
  const registrar = await startNodeRegistrar(
    config,
    { files: host.files, sockets: createSystemSockets({ files: host.files, clock, random, log }), clock, random, log },
    { onRefusal: 'retry' },
  )
  context.after(() => registrar.stop())
  return registrar
}

/** The API server of a kubeconfig. */
export async function connectTo(context: TestContext, kubeconfig: string): Promise<Api> {
  const { api, close } = connectApi({
    credentials: await loadKubeconfig({ path: kubeconfig, parts: { host, clock, env: {} } }),
    clock,
    random,
    userAgent: 'test',
  })
  context.after(close)
  return api
}

/** The first object, now or later, that is so. */
export async function untilObject<T extends KubeObject>(
  api: Api,
  type: ResourceType<T>,
  isSo: (object: T) => boolean,
): Promise<T> {
  const watching = new AbortController()
  const signal = AbortSignal.any([watching.signal, AbortSignal.timeout(LONGEST_WAIT_MS)])
  try {
    for await (const event of api.watch(type, {
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowBookmarks: true,
      signal,
    })) {
      if (event.type !== 'BOOKMARK' && event.type !== 'DELETED' && isSo(event.object)) return event.object
    }
  } finally {
    watching.abort()
  }
  throw new Error(`the watch of ${type.plural} ended`)
}
