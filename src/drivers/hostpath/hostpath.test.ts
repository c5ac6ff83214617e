import { deepEqual, equal, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { makeDirectories, removeTree } from '../../base/host/index.ts'
import type { SimulatedHost } from '../../base/host/index.ts'
import {
  asBlock,
  asMount,
  bytes,
  makeVolume,
  openDriver,
  ROOT,
  startMachine,
  useVolume,
} from './testing/hostpath-under-test.ts'
import { stateOf } from './testing/state-under-test.ts'

/** Creates one object of every type that has a record. */
async function filledMachine(): Promise<{
  machine: SimulatedHost
  state: unknown
  paths: Record<'volume' | 'snapshot' | 'group' | 'node', string>
}> {
  const { driver, machine, hostpath } = await openDriver()
  const made = await makeVolume(driver, 'one')
  await makeVolume(driver, 'two', asBlock())
  await useVolume(driver, machine, made, '/pods/one')
  const { snapshot } = await driver.createSnapshot({ name: 'snap', sourceVolumeId: made.volumeId })
  const { groupSnapshot } = await driver.createVolumeGroupSnapshot({ name: 'group', sourceVolumeIds: [made.volumeId] })
  const paths = {
    volume: `${ROOT}/volumes/${made.volumeId}/record.json`,
    snapshot: `${ROOT}/snapshots/${snapshot?.snapshotId}/record.json`,
    group: `${ROOT}/groups/${groupSnapshot?.groupSnapshotId}/record.json`,
    node: `${ROOT}/nodes/node-1/${made.volumeId}.json`,
  }
  return { machine, state: stateOf(hostpath, machine), paths }
}

/** Opening fails with this message and changes nothing. */
async function refuses(machine: SimulatedHost, message: RegExp): Promise<void> {
  const before = machine.snapshotTree()
  await rejects(openDriver({ machine }), message)
  deepEqual(machine.snapshotTree(), before)
}

describe('a data directory', () => {
  test('is made with all above it when it is missing, for its owner alone', async () => {
    const { machine } = await openDriver()
    equal((await machine.files.findStat(ROOT))?.mode, 0o700)
    for (const { name } of await machine.files.list(ROOT))
      equal(((await machine.files.findStat(`${ROOT}/${name}`))?.mode ?? 0) & 0o077, 0, name)
  })

  test('opened again is as it was left', async () => {
    const { machine, state } = await filledMachine()
    const { hostpath } = await openDriver({ machine })
    deepEqual(stateOf(hostpath, machine), state)
  })

  test('that holds something else is left untouched', async () => {
    const machine = await startMachine()
    await makeDirectories(machine.files, `${ROOT}/photos`)
    await machine.files.writeFile(`${ROOT}/photos/1.jpg`, bytes('x'))
    await refuses(machine, /\/data\/driver contains photos but no data of this driver: choose an empty directory/)
  })

  test('of a newer version is left untouched', async () => {
    const { machine } = await filledMachine()
    await machine.files.writeFile(`${ROOT}/holdfast-hostpath.json`, bytes('{"format":2}'))
    await refuses(machine, /\/data\/driver was written in format 2, this version knows 1/)
  })

  for (const content of ['', '{', '{}', 'null', '{"format":"1"}']) {
    test(`with a marker that holds ${JSON.stringify(content)} is left untouched`, async () => {
      const { machine } = await filledMachine()
      await machine.files.writeFile(`${ROOT}/holdfast-hostpath.json`, bytes(content))
      await refuses(machine, /holdfast-hostpath\.json is damaged/)
    })
  }

  test('that is a file is refused', async () => {
    const machine = await startMachine()
    await makeDirectories(machine.files, '/data')
    await machine.files.writeFile(ROOT, bytes('x'))
    await refuses(machine, /EEXIST/)
  })

  test('left by a first start that was cut short can be used', async () => {
    const machine = await startMachine()
    await makeDirectories(machine.files, ROOT)
    await machine.files.writeFile(`${ROOT}/.holdfast-tmp-0123456789abcdef`, bytes('{"for'))
    await openDriver({ machine })
    equal(await machine.files.findStat(`${ROOT}/.holdfast-tmp-0123456789abcdef`), undefined)
  })

  for (const kind of ['volume', 'snapshot', 'group', 'node'] as const) {
    for (const content of ['', '{"id":', '[]', '{"id":"x","volumeId":"x"}', 'null']) {
      test(`with a damaged ${kind} record is left untouched: ${JSON.stringify(content)}`, async () => {
        const { machine, paths } = await filledMachine()
        await machine.files.writeFile(paths[kind], bytes(content))
        await refuses(machine, new RegExp(`${paths[kind]} is damaged: .*restore it from a backup`))
      })
    }
  }

  test('with a volume that has lost its record is left untouched', async () => {
    const { machine, paths } = await filledMachine()
    await machine.files.removeFile(paths.volume)
    await refuses(machine, /record\.json is missing: restore it, or remove/)
    await removeTree(machine, paths.volume.replace('/record.json', ''))
    await openDriver({ machine })
  })

  test('with a volume that somebody has copied is left untouched', async () => {
    const { machine, paths } = await filledMachine()
    await machine.files.makeDirectory(`${ROOT}/volumes/copy`)
    await machine.files.copyFile(paths.volume, `${ROOT}/volumes/copy/record.json`)
    await refuses(machine, /volumes\/copy\/record\.json is the record of .*: it may have been copied/)
  })

  test('with something mounted in what is to be cleared away can be used all the same', async () => {
    const { machine, state } = await filledMachine()
    await makeDirectories(machine.files, `${ROOT}/volumes.leaving/old/data`)
    await machine.mounts.bind('/pods', `${ROOT}/volumes.leaving/old/data`, { readOnly: false })
    const { driver } = await openDriver({ machine })
    equal((await driver.listVolumes({})).entries.length, 2)
    await machine.mounts.unmount(`${ROOT}/volumes.leaving/old/data`)
    const { hostpath } = await openDriver({ machine })
    deepEqual(stateOf(hostpath, machine), state)
  })

  test('serves nodes whose names are no file names', async () => {
    const ids = ['..', '.', 'a/b', 'ümlaut', '%2e%2e']
    const nodes = ids.map((id) => ({ id }))
    const { machine, driver, on } = await openDriver({ nodes })
    for (const [index, id] of ids.entries()) {
      const made = await makeVolume(driver, `volume-${index}`, asMount())
      await useVolume(on(id), machine, made, `/pods/${index}`)
    }
    const again = await openDriver({ machine, nodes })
    for (const id of ids) equal([...(again.hostpath.nodes.get(id)?.records.all() ?? [])].length, 1, id)
    deepEqual((await machine.files.list(`${ROOT}/nodes`)).length, ids.length)
  })
})
