import { deepEqual, doesNotMatch, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { createSystemClock } from '../base/clock.ts'
import { createSystemHost } from '../base/host/index.ts'
import { createSilentLogger } from '../base/logger.ts'
import { createSystemRandom } from '../base/random.ts'
import { CsiError } from '../csi/index.ts'
import { defineDriver } from '../csi/kit/index.ts'
import { serveTest } from '../csi/testing/start-test-driver.ts'
import { openClusterDirectory } from './testing/describe-up.ts'
import { startCluster } from './start-cluster.ts'

const host = createSystemHost()
const parts = {
  host,
  clock: createSystemClock(),
  random: createSystemRandom(),
  log: createSilentLogger(),
  version: 'test',
}

test(
  'a start that is given up ends with the reason, and serves no socket any more',
  { timeout: 20_000 },
  async (context) => {
    const dataDirectory = await openClusterDirectory(context)
    await rejects(
      startCluster(parts, { dataDirectory, nodes: 2, signal: AbortSignal.abort(new Error('enough')) }),
      /enough/,
    )
    const sockets = async (node: string): Promise<string[]> =>
      (await host.files.list(`${dataDirectory}/${node}/plugins_registry`)).map(({ name }) => name)
    deepEqual([await sockets('node-1'), await sockets('node-2')], [[], []])
  },
)

test('a node that can’t start takes those before it along', { timeout: 20_000 }, async (context) => {
  const dataDirectory = await openClusterDirectory(context)
  await host.files.makeDirectory(`${dataDirectory}/node-2`)
  await host.files.writeFile(`${dataDirectory}/node-2/pods`, new Uint8Array())
  await rejects(startCluster(parts, { dataDirectory, nodes: 2 }), /node-2\/pods/)
  deepEqual(
    (await host.files.list(`${dataDirectory}/node-1/plugins_registry`)).map(({ name }) => name),
    [],
  )
})

test(
  'a driver whose NodeGetInfo fails is shown as not registered, with its error, and does not hold up the others',
  { timeout: 20_000 },
  async (context) => {
    const dataDirectory = await openClusterDirectory(context)
    const path = `${dataDirectory}/broken.sock`
    const broken = defineDriver(
      { name: 'broken.example.com', version: '1' },
      {
        handlers: {
          nodeGetInfo: () => Promise.reject(new CsiError('FAILED_PRECONDITION', 'no instance metadata')),
          nodePublishVolume: () => Promise.resolve({}),
          nodeUnpublishVolume: () => Promise.resolve({}),
        },
        log: createSilentLogger(),
      },
    )
    await serveTest(context, path, broken)
    await using cluster = await startCluster(parts, {
      dataDirectory,
      drivers: [{ node: 'node-1', endpoint: `unix://${path}` }],
    })
    const shown = cluster.started
      .filter(({ name }) => name.startsWith('driver '))
      .map(({ name, detail }) => [name, detail.replaceAll(dataDirectory, '')])
    deepEqual(shown, [
      ['driver hostpath.holdfast.dev on node-1', shown[0]?.[1]],
      [
        'driver broken.example.com on node-1',
        'unix:///broken.sock NOT REGISTERED: NodeGetInfo: FailedPrecondition: no instance metadata',
      ],
    ])
    doesNotMatch(String(shown[0]?.[1]), /NOT REGISTERED/)
  },
)
