import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HostError } from '../../base/host/index.ts'
import type { SimulatedHost } from '../../base/host/index.ts'
import type { Driver } from '../../csi/index.ts'
import {
  asBlock,
  asMount,
  bytes,
  fails,
  fromSnapshot,
  fromVolume,
  GIB,
  makeVolume,
  openDriver,
  ROOT,
  startMachine,
} from './testing/hostpath-under-test.ts'

/** Makes each step of this type fail at matching paths. */
function failSteps(machine: SimulatedHost, operation: string, code: string, at = /./): void {
  machine.beforeStep = (name, path) => {
    if (name === operation && at.test(path)) throw new HostError(code, name, path)
  }
}

async function openFilled() {
  const opened = await openDriver({ machine: await startMachine({ capacityBytes: GIB }) })
  const { driver, machine } = opened
  const fs = await makeVolume(driver, 'fs')
  const block = await makeVolume(driver, 'block', asBlock())
  const data = `${ROOT}/volumes/${fs.volumeId}/data`
  for (const name of ['a', 'b', 'c']) await machine.files.writeFile(`${data}/${name}`, new Uint8Array(3 * 4096).fill(1))
  await machine.files.writeFile(`${ROOT}/volumes/${block.volumeId}/image`, new Uint8Array(1024 * 1024).fill(1))
  const { snapshot } = await driver.createSnapshot({ name: 'snap', sourceVolumeId: fs.volumeId })
  return { ...opened, fs, block, snapshotId: snapshot?.snapshotId ?? '' }
}
type Filled = Awaited<ReturnType<typeof openFilled>>

const makers: [what: string, make: (driver: Driver, filled: Filled) => Promise<unknown>][] = [
  ['a volume', (driver) => makeVolume(driver, 'new')],
  ['a block volume', (driver) => makeVolume(driver, 'new', asBlock())],
  [
    'a clone',
    (driver, { fs }) => makeVolume(driver, 'new', asMount(), { volumeContentSource: fromVolume(fs.volumeId) }),
  ],
  [
    'a clone of a device',
    (driver, { block }) => makeVolume(driver, 'new', asBlock(), { volumeContentSource: fromVolume(block.volumeId) }),
  ],
  [
    'a restore',
    (driver, { snapshotId }) => makeVolume(driver, 'new', asMount(), { volumeContentSource: fromSnapshot(snapshotId) }),
  ],
  ['a snapshot', (driver, { fs }) => driver.createSnapshot({ name: 'new', sourceVolumeId: fs.volumeId })],
  [
    'a snapshot of a device',
    (driver, { block }) => driver.createSnapshot({ name: 'new', sourceVolumeId: block.volumeId }),
  ],
  [
    'a group snapshot',
    (driver, { fs, block }) =>
      driver.createVolumeGroupSnapshot({ name: 'new', sourceVolumeIds: [fs.volumeId, block.volumeId] }),
  ],
]

describe('a disk that fills up in the middle of', () => {
  for (const [what, make] of makers) {
    test(`${what} leaves nothing half made, wherever it was`, async () => {
      const filled = await openFilled()
      const { driver, machine } = filled
      const { availableBytes: room, usedBytes: used } = await machine.files.usage('/')
      const free = (await driver.getCapacity({})).availableCapacity
      const before = machine.snapshotTree()
      let refused = 0
      // One more block each time, until it fits.
      for (let blocks = 0n; ; blocks++) {
        machine.setCapacity(used + blocks * 4096n)
        const made = await make(driver, filled).catch(async (error: unknown) => {
          await fails(Promise.reject(error as Error), 'RESOURCE_EXHAUSTED', /ENOSPC/)
          deepEqual(machine.snapshotTree(), before, `with ${blocks} blocks`)
          equal((await driver.getCapacity({})).availableCapacity, free)
          refused++
        })
        if (made !== undefined) break
      }
      ok(refused > 0)
      machine.setCapacity(room + used)
      await make(driver, filled)
    })
  }

  test('changing a record leaves the old one', async () => {
    const { driver, machine, hostpath, fs } = await openFilled()
    const before = machine.snapshotTree()
    machine.setCapacity(0n)
    await fails(
      driver.controllerModifyVolume({ volumeId: fs.volumeId, mutableParameters: { iops: '5' } }),
      'RESOURCE_EXHAUSTED',
    )
    await fails(
      driver.controllerExpandVolume({ volumeId: fs.volumeId, capacityRange: { requiredBytes: GIB / 2n } }),
      'RESOURCE_EXHAUSTED',
    )
    deepEqual(machine.snapshotTree(), before)
    deepEqual(hostpath.volumes.find(fs.volumeId)?.mutableParameters, {})
  })

  test('nothing keeps volumes and snapshots from being deleted', async () => {
    const { driver, machine, fs, block, snapshotId } = await openFilled()
    machine.setCapacity(0n)
    for (const { volumeId } of [fs, block]) await driver.deleteVolume({ volumeId })
    await driver.deleteSnapshot({ snapshotId })
    deepEqual(
      machine.snapshotTree().filter(({ path }) => /(volumes|snapshots)[.\w]*\/./.test(path)),
      [],
    )
  })
})

describe('when the last sync fails', () => {
  test('a volume is there, but is not answered for until a sync has succeeded', async () => {
    const { driver, machine } = await openDriver()
    failSteps(machine, 'sync', 'EIO', /\/volumes$/)
    await fails(makeVolume(driver, 'one'), 'INTERNAL', /EIO/)
    await fails(makeVolume(driver, 'one'), 'INTERNAL', /EIO/)
    machine.beforeStep = undefined
    const { volumeId } = await makeVolume(driver, 'one')
    machine.losePower()
    const again = await openDriver({ machine })
    equal((await again.driver.listVolumes({})).entries[0]?.volume?.volumeId, volumeId)
  })

  test('the sync of one volume does not answer for another whose own has failed', async () => {
    const { driver, machine } = await openDriver()
    // The first sync is in progress while the second volume is renamed into place.
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    let syncs = 0
    machine.afterStep = async (operation, path) => {
      if (operation !== 'sync' || !path.endsWith('/volumes')) return
      syncs++
      if (syncs === 1) await held
    }
    const first = makeVolume(driver, 'first')
    await driver.probe({})
    while (syncs === 0) await driver.probe({})
    failSteps(machine, 'sync', 'EIO', /\/volumes$/)
    await fails(makeVolume(driver, 'second'), 'INTERNAL', /EIO/)
    release()
    await first
    await fails(makeVolume(driver, 'second'), 'INTERNAL', /EIO/)
    machine.beforeStep = undefined
    await makeVolume(driver, 'second')
    machine.losePower()
    equal((await (await openDriver({ machine })).driver.listVolumes({})).entries.length, 2)
  })

  test('a volume is gone, but that is not answered for until a sync has succeeded', async () => {
    const { driver, machine } = await openDriver()
    const before = machine.snapshotTree()
    const { volumeId } = await makeVolume(driver, 'one')
    failSteps(machine, 'sync', 'EIO', /\/volumes$/)
    await fails(driver.deleteVolume({ volumeId }), 'INTERNAL', /EIO/)
    await fails(driver.deleteVolume({ volumeId }), 'INTERNAL', /EIO/)
    machine.beforeStep = undefined
    await driver.deleteVolume({ volumeId })
    machine.losePower()
    await openDriver({ machine })
    deepEqual(machine.snapshotTree(), before)
  })

  test('an attachment is not answered for either', async () => {
    const { driver, machine } = await openDriver({ attach: true })
    const made = await makeVolume(driver, 'one')
    const attach = () => driver.controllerPublishVolume({ ...made, nodeId: 'node-1' })
    failSteps(machine, 'sync', 'EIO', new RegExp(`/${made.volumeId}$`))
    await fails(attach(), 'INTERNAL', /EIO/)
    await fails(attach(), 'INTERNAL', /EIO/)
    machine.beforeStep = undefined
    await attach()
    machine.losePower()
    const again = await openDriver({ machine, attach: true })
    deepEqual((await again.driver.controllerGetVolume(made)).status?.publishedNodeIds, ['node-1'])
  })
})

test('a volume that could not be removed wholly is removed when asked again', async () => {
  const { driver, machine } = await openDriver()
  const before = machine.snapshotTree()
  const { volumeId } = await makeVolume(driver, 'one')
  await machine.files.writeFile(`${ROOT}/volumes/${volumeId}/data/file`, bytes('x'))
  failSteps(machine, 'removeFile', 'EIO')
  await fails(driver.deleteVolume({ volumeId }), 'INTERNAL')
  equal((await driver.listVolumes({})).entries.length, 0)
  machine.beforeStep = undefined
  await driver.deleteVolume({ volumeId })
  deepEqual(machine.snapshotTree(), before)
})

test('something mounted in a volume keeps it from being removed', async () => {
  const { driver, machine } = await openDriver()
  const before = machine.snapshotTree()
  const { volumeId } = await makeVolume(driver, 'one')
  const inner = `${ROOT}/volumes/${volumeId}/data/inner`
  await machine.files.makeDirectory(inner)
  await machine.mounts.bind('/pods', inner, { readOnly: false })
  await machine.files.writeFile('/pods/file', bytes('precious'))
  await fails(driver.deleteVolume({ volumeId }), 'FAILED_PRECONDITION', /mounted/)
  equal((await machine.files.findStat('/pods/file'))?.kind, 'file')
  const [mount] = (await machine.mounts.list()).filter(({ target }) => target.startsWith(ROOT))
  await machine.mounts.unmount(mount?.target ?? '')
  await driver.deleteVolume({ volumeId })
  await machine.files.removeFile('/pods/file')
  deepEqual(machine.snapshotTree(), before)
})
