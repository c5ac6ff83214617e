import { deepEqual, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { createSystemClock } from '../base/clock.ts'
import { createSystemHost } from '../base/host/index.ts'
import { createSilentLogger } from '../base/logger.ts'
import { createSystemRandom } from '../base/random.ts'
import { openClusterDirectory } from './describe-up.ts'
import { startCluster } from './start-cluster.ts'

const host = createSystemHost()
const parts = { host, clock: createSystemClock(), random: createSystemRandom(), log: createSilentLogger(), version: 'test' }

test('a start that is given up ends with the reason, and serves no socket any more', { timeout: 20_000 }, async (context) => {
  const dataDirectory = await openClusterDirectory(context)
  await rejects(startCluster(parts, { dataDirectory, nodes: 2, signal: AbortSignal.abort(new Error('enough')) }), /enough/)
  const sockets = async (node: string): Promise<string[]> => (await host.files.list(`${dataDirectory}/${node}/plugins_registry`)).map(({ name }) => name)
  deepEqual([await sockets('node-1'), await sockets('node-2')], [[], []])
})

test('a node that can’t start takes those before it along', { timeout: 20_000 }, async (context) => {
  const dataDirectory = await openClusterDirectory(context)
  await host.files.makeDirectory(`${dataDirectory}/node-2`)
  await host.files.writeFile(`${dataDirectory}/node-2/pods`, new Uint8Array())
  await rejects(startCluster(parts, { dataDirectory, nodes: 2 }), /node-2\/pods/)
  deepEqual((await host.files.list(`${dataDirectory}/node-1/plugins_registry`)).map(({ name }) => name), [])
})
