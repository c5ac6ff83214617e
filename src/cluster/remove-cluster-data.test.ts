import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSimulatedHost, makeDirectories } from '../base/host/index.ts'
import { createSeededRandom } from '../base/random.ts'
import { findClusterData, removeClusterData } from './remove-cluster-data.ts'

const OURS = [
  'cluster.json',
  'apiserver/state.db',
  'apiserver/pki/ca.key',
  'volumes/holdfast-hostpath.json',
  'volumes/volumes/v1/data/f',
  'node-1/pods/p1/f',
  'node-12/plugins/d/f',
]

async function open(...paths: string[]) {
  const host = createSimulatedHost({ random: createSeededRandom(1) })
  const write = async (path: string): Promise<void> => {
    await makeDirectories(host.files, `/data/${path}`.replace(/\/[^/]*$/, ''))
    await host.files.writeFile(`/data/${path}`, new TextEncoder().encode('{}'))
  }
  for (const path of paths) await write(path)
  const names = async (): Promise<string[]> => (await host.files.list('/data')).map(({ name }) => name)
  return { host, names }
}

describe('the data of a cluster', () => {
  test('is told from what else lies there, by its content and not by its names', async () => {
    const { host } = await open(...OURS)
    deepEqual(await findClusterData(host.files, '/data'), {
      own: ['apiserver', 'cluster.json', 'node-1', 'node-12', 'volumes'],
      foreign: [],
    })
    const { host: mixed } = await open(
      'cluster.json',
      'thesis.txt',
      'kubeconfig',
      'volumes/mine',
      'apiserver/mine',
      'node-1/mine',
      'node-x/pods/f',
      'node-01/pods/f',
    )
    deepEqual(await findClusterData(mixed.files, '/data'), {
      own: ['cluster.json'],
      foreign: ['apiserver', 'kubeconfig', 'node-01', 'node-1', 'node-x', 'thesis.txt', 'volumes'],
    })
  })

  test('is none without proof', async () => {
    const { host } = await open('kubeconfig', 'node-1/pods/f', 'volumes/mine', 'thesis.txt')
    equal(await findClusterData(host.files, '/data'), undefined)
  })

  test('is removed with what is mounted in it, and the directory with the last of it', async () => {
    const { host } = await open(...OURS)
    await makeDirectories(host.files, '/data/node-1/pods/p1/mount')
    await host.mounts.bind('/data/volumes/volumes/v1/data', '/data/node-1/pods/p1/mount', { readOnly: false })
    await removeClusterData(host, '/data', (await findClusterData(host.files, '/data'))?.own ?? [])
    equal(await host.files.findStat('/data'), undefined)
    deepEqual(
      (await host.mounts.list()).filter(({ target }) => target.startsWith('/data')),
      [],
    )
  })

  test('leaves alone what is not its own, mounts too', async () => {
    const { host, names } = await open(...OURS, 'mine/f')
    await makeDirectories(host.files, '/data/mine/mount')
    await host.mounts.bind('/data/mine', '/data/mine/mount', { readOnly: false })
    await removeClusterData(host, '/data', (await findClusterData(host.files, '/data'))?.own ?? [])
    deepEqual(await names(), ['mine'])
    equal((await host.mounts.list()).filter(({ target }) => target === '/data/mine/mount').length, 1)
  })

  test('that was removed half way is still known to be that of a cluster, and removed by the next try', async () => {
    const { host } = await open(...OURS)
    for (let steps = 1; await host.files.findStat('/data'); steps++) {
      const data = await findClusterData(host.files, '/data')
      // Only the empty directory itself may be left without proof.
      if (!data) break
      deepEqual(data.foreign, [])
      let left = steps
      host.beforeStep = () => {
        if (left-- === 0) throw new Error('interrupted')
      }
      await removeClusterData(host, '/data', data.own).catch(() => {})
      host.beforeStep = undefined
    }
    deepEqual(await host.files.list('/data').catch(() => []), [])
  })
})
