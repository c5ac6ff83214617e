import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { makeDirectories, removeTree } from '../../base/host/index.ts'
import type { Driver } from '../../csi/index.ts'
import {
  asBlock,
  asMount,
  bytes,
  fails,
  fromSnapshot,
  makeVolume,
  MIB,
  openDriver,
  readText,
  ROOT,
} from './testing/hostpath-under-test.ts'

const dataOf = (volumeId: string): string => `${ROOT}/volumes/${volumeId}/data`
const snap = async (driver: Driver, name: string, sourceVolumeId: string): Promise<string> =>
  (await driver.createSnapshot({ name, sourceVolumeId })).snapshot?.snapshotId ?? ''
const restore = async (driver: Driver, name: string, snapshotId: string, use = asMount()): Promise<string> =>
  (await makeVolume(driver, name, use, { volumeContentSource: fromSnapshot(snapshotId) })).volumeId
const listIds = async (driver: Driver, request: Parameters<Driver['listSnapshots']>[0] = {}): Promise<string[]> =>
  (await driver.listSnapshots(request)).entries.map(({ snapshot }) => snapshot?.snapshotId ?? '')
const allBytes = (text: string): Uint8Array => bytes(text.padEnd(Number(MIB), '.'))

describe('CreateSnapshot', () => {
  test('tells all about the snapshot, and the same when it is asked again', async () => {
    const { driver, clock } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one')
    const { snapshot } = await driver.createSnapshot({ name: 'snap', sourceVolumeId: volumeId })
    const { snapshotId, creationTime, ...rest } = snapshot ?? {}
    deepEqual(rest, {
      sizeBytes: MIB,
      sourceVolumeId: volumeId,
      readyToUse: true,
      groupSnapshotId: '',
      accessibleTopology: [],
    })
    equal(creationTime?.seconds, BigInt(clock.nowMs() / 1000))
    await clock.advance(5000)
    deepEqual((await driver.createSnapshot({ name: 'snap', sourceVolumeId: volumeId })).snapshot, snapshot)
    deepEqual((await driver.getSnapshot({ snapshotId: snapshotId ?? '' })).snapshot, snapshot)
  })

  test('tells each place from which volumes can be restored, unless the caller named it, and refuses others', async () => {
    const nodes = ['a', 'b', 'a'].map((zone, index) => ({ id: `node-${index}`, topology: { zone } }))
    const { driver } = await openDriver({ nodes })
    const { volumeId } = await makeVolume(driver, 'one')
    const request = (zone: string) => ({
      name: zone,
      sourceVolumeId: volumeId,
      accessibilityRequirements: { requisite: [{ segments: { zone } }] },
    })
    const { snapshot: asked } = await driver.createSnapshot(request('b'))
    deepEqual(asked?.accessibleTopology, [])
    const { snapshot } = await driver.createSnapshot({ name: 'b', sourceVolumeId: volumeId })
    deepEqual(snapshot?.accessibleTopology, [{ segments: { zone: 'a' } }, { segments: { zone: 'b' } }])
    await fails(driver.createSnapshot(request('c')), 'RESOURCE_EXHAUSTED', /zone/)
    deepEqual(await listIds(driver), [snapshot.snapshotId])
  })

  test('refuses the name of a snapshot of another volume', async () => {
    const { driver } = await openDriver()
    const [one, two] = [await makeVolume(driver, 'one'), await makeVolume(driver, 'two')]
    await snap(driver, 'snap', one.volumeId)
    await fails(driver.createSnapshot({ name: 'snap', sourceVolumeId: two.volumeId }), 'ALREADY_EXISTS')
    equal((await listIds(driver)).length, 1)
  })

  test('needs a volume, and room', async () => {
    const { driver } = await openDriver({ capacityBytes: 2n * MIB - 1n })
    const { volumeId } = await makeVolume(driver, 'one')
    await fails(driver.createSnapshot({ name: 'snap', sourceVolumeId: 'none' }), 'NOT_FOUND')
    await fails(driver.createSnapshot({ name: 'snap', sourceVolumeId: volumeId }), 'RESOURCE_EXHAUSTED')
    await fails(driver.createSnapshot({ sourceVolumeId: volumeId }), 'INVALID_ARGUMENT', /name/)
    deepEqual(await listIds(driver), [])
  })
})

describe('a restored snapshot', () => {
  test('holds what the volume held then: files, links, modes and owners', async () => {
    const { driver, machine } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one')
    const { files } = machine
    await makeDirectories(files, `${dataOf(volumeId)}/inner`, { mode: 0o711 })
    await files.writeFile(`${dataOf(volumeId)}/inner/file`, bytes('then'), { mode: 0o4640 })
    await files.setOwner(`${dataOf(volumeId)}/inner/file`, 1000, 2000)
    await files.makeSymlink('inner/file', `${dataOf(volumeId)}/link`)
    const snapshotId = await snap(driver, 'snap', volumeId)
    await removeTree(machine, `${dataOf(volumeId)}/inner`)
    await files.writeFile(`${dataOf(volumeId)}/new`, bytes('now'))

    const restored = dataOf(await restore(driver, 'restored', snapshotId))
    deepEqual(
      (await files.list(restored)).map(({ name }) => name),
      ['inner', 'link'],
    )
    equal(await readText(machine, `${restored}/link`), 'then')
    const { mode, uid, gid } = (await files.findStat(`${restored}/inner/file`)) ?? {}
    deepEqual({ mode, uid, gid }, { mode: 0o4640, uid: 1000, gid: 2000 })
    equal((await files.findStat(`${restored}/inner`))?.mode, 0o711)
  })

  test('of a device holds its bytes, grown by zeros', async () => {
    const { driver, machine } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one', asBlock())
    await machine.files.writeFile(`${ROOT}/volumes/${volumeId}/image`, allBytes('then'))
    const snapshotId = await snap(driver, 'snap', volumeId)
    await machine.files.writeFile(`${ROOT}/volumes/${volumeId}/image`, allBytes('now'))
    const large = { volumeContentSource: fromSnapshot(snapshotId), capacityRange: { requiredBytes: 2n * MIB } }
    const restored = await makeVolume(driver, 'restored', asBlock(), large)
    const image = `${ROOT}/volumes/${restored.volumeId}/image`
    match(await readText(machine, image), /^then/)
    equal((await machine.files.findStat(image))?.sizeBytes, 2n * MIB)
    deepEqual(await machine.files.readRange(image, MIB, 3), new Uint8Array(3))
  })

  test('outlives both volume and snapshot', async () => {
    const { driver, machine } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one')
    await machine.files.writeFile(`${dataOf(volumeId)}/file`, bytes('x'))
    const snapshotId = await snap(driver, 'snap', volumeId)
    await driver.deleteVolume({ volumeId })
    const restored = await restore(driver, 'restored', snapshotId)
    await driver.deleteSnapshot({ snapshotId })
    equal(await readText(machine, `${dataOf(restored)}/file`), 'x')
    equal(
      (
        await driver.createVolume({
          name: 'restored',
          volumeCapabilities: [asMount()],
          volumeContentSource: fromSnapshot(snapshotId),
        })
      ).volume?.volumeId,
      restored,
    )
  })

  test('can be neither of the other mode nor smaller', async () => {
    const { driver } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one')
    const snapshotId = await snap(driver, 'snap', volumeId)
    await fails(restore(driver, 'restored', snapshotId, asBlock()), 'INVALID_ARGUMENT', /mode/)
    const small = { volumeContentSource: fromSnapshot(snapshotId), capacityRange: { limitBytes: MIB - 1n } }
    await fails(makeVolume(driver, 'restored', asMount(), small), 'OUT_OF_RANGE')
  })
})

describe('DeleteSnapshot', () => {
  test('removes it, and may be repeated', async () => {
    const { driver, machine } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one')
    const before = machine.snapshotTree()
    const snapshotId = await snap(driver, 'snap', volumeId)
    await driver.deleteSnapshot({ snapshotId })
    await driver.deleteSnapshot({ snapshotId })
    deepEqual(machine.snapshotTree(), before)
    await fails(driver.getSnapshot({ snapshotId }), 'NOT_FOUND')
  })

  test('waits for a restore that reads it', async () => {
    const { driver } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one')
    const snapshotId = await snap(driver, 'snap', volumeId)
    const restored = restore(driver, 'restored', snapshotId)
    await fails(driver.deleteSnapshot({ snapshotId }), 'ABORTED')
    await restored
    await driver.deleteSnapshot({ snapshotId })
  })
})

describe('ListSnapshots', () => {
  test('finds by id and by volume, in pages, and finds nothing for what is gone', async () => {
    const { driver } = await openDriver()
    const [one, two] = [await makeVolume(driver, 'one'), await makeVolume(driver, 'two')]
    const ofOne = [await snap(driver, 'a', one.volumeId), await snap(driver, 'b', one.volumeId)].sort()
    const ofTwo = await snap(driver, 'c', two.volumeId)
    const { groupSnapshot } = await driver.createVolumeGroupSnapshot({ name: 'g', sourceVolumeIds: [two.volumeId] })
    const member = groupSnapshot?.snapshots[0]?.snapshotId ?? ''
    deepEqual(await listIds(driver), [...ofOne, ofTwo, member].sort())
    deepEqual(await listIds(driver, { sourceVolumeId: one.volumeId }), ofOne)
    deepEqual(await listIds(driver, { snapshotId: member }), [member])
    deepEqual(await listIds(driver, { snapshotId: 'none' }), [])
    deepEqual(await listIds(driver, { sourceVolumeId: 'none' }), [])
    const page = await driver.listSnapshots({ maxEntries: 3 })
    await driver.deleteSnapshot({ snapshotId: ofOne[0] ?? '' })
    const rest = await driver.listSnapshots({ startingToken: page.nextToken })
    deepEqual([page.entries.length, rest.entries.length, rest.nextToken], [3, 1, ''])
    await fails(driver.listSnapshots({ startingToken: 'mine' }), 'ABORTED')
  })
})

describe('a group snapshot', () => {
  const open = async () => {
    const opened = await openDriver()
    const [one, two] = [await makeVolume(opened.driver, 'one'), await makeVolume(opened.driver, 'two', asBlock())]
    await opened.machine.files.writeFile(`${dataOf(one.volumeId)}/file`, bytes('then'))
    const request = { name: 'group', sourceVolumeIds: [one.volumeId, two.volumeId], parameters: { kind: 'a' } }
    return { ...opened, one, two, request }
  }

  test('has a snapshot of each volume, which can be restored', async () => {
    const { driver, machine, one, two, request } = await open()
    const { groupSnapshot } = await driver.createVolumeGroupSnapshot(request)
    equal(groupSnapshot?.readyToUse, true)
    deepEqual(
      groupSnapshot?.snapshots.map(({ sourceVolumeId }) => sourceVolumeId),
      [one.volumeId, two.volumeId],
    )
    deepEqual(
      new Set(groupSnapshot?.snapshots.map(({ groupSnapshotId }) => groupSnapshotId)),
      new Set([groupSnapshot?.groupSnapshotId]),
    )
    const [first, second] = groupSnapshot?.snapshots ?? []
    await machine.files.writeFile(`${dataOf(one.volumeId)}/file`, bytes('now'))
    equal(await readText(machine, `${dataOf(await restore(driver, 'r1', first?.snapshotId ?? ''))}/file`), 'then')
    await restore(driver, 'r2', second?.snapshotId ?? '', asBlock())
  })

  test('asked for again, is the same, whatever the order of its volumes', async () => {
    const { driver, machine, request } = await open()
    const made = await driver.createVolumeGroupSnapshot(request)
    deepEqual(
      await driver.createVolumeGroupSnapshot({ ...request, sourceVolumeIds: request.sourceVolumeIds.toReversed() }),
      made,
    )
    const again = await openDriver({ machine })
    deepEqual(
      await again.driver.getVolumeGroupSnapshot({ groupSnapshotId: made.groupSnapshot?.groupSnapshotId ?? '' }),
      made,
    )
  })

  test('of other volumes, or with other parameters, can not have the same name', async () => {
    const { driver, one, request } = await open()
    await driver.createVolumeGroupSnapshot(request)
    await fails(
      driver.createVolumeGroupSnapshot({ ...request, sourceVolumeIds: [one.volumeId] }),
      'ALREADY_EXISTS',
      /other volumes/,
    )
    await fails(
      driver.createVolumeGroupSnapshot({ ...request, parameters: { kind: 'b' } }),
      'ALREADY_EXISTS',
      /different parameters/,
    )
  })

  test('is not made at all when one of its volumes is missing', async () => {
    const { driver, machine, request } = await open()
    const before = machine.snapshotTree()
    await fails(
      driver.createVolumeGroupSnapshot({ ...request, sourceVolumeIds: [...request.sourceVolumeIds, 'none'] }),
      'NOT_FOUND',
    )
    deepEqual(machine.snapshotTree(), before)
  })

  test('keeps its members together: none is deleted alone', async () => {
    const { driver, request } = await open()
    const { groupSnapshot } = await driver.createVolumeGroupSnapshot(request)
    for (const { snapshotId } of groupSnapshot?.snapshots ?? []) {
      await fails(driver.deleteSnapshot({ snapshotId }), 'INVALID_ARGUMENT', /belongs to group snapshot/)
      await driver.getSnapshot({ snapshotId })
    }
  })

  test('goes as a whole, and only for a caller that means the same members', async () => {
    const { driver, machine, request } = await open()
    const before = machine.snapshotTree()
    const { groupSnapshot } = await driver.createVolumeGroupSnapshot(request)
    const groupSnapshotId = groupSnapshot?.groupSnapshotId ?? ''
    const snapshotIds = groupSnapshot?.snapshots.map(({ snapshotId }) => snapshotId) ?? []
    await fails(
      driver.deleteVolumeGroupSnapshot({ groupSnapshotId, snapshotIds: [...snapshotIds, 'none'] }),
      'INVALID_ARGUMENT',
      /not in group/,
    )
    await fails(
      driver.deleteVolumeGroupSnapshot({ groupSnapshotId, snapshotIds: snapshotIds.slice(1) }),
      'INVALID_ARGUMENT',
      /has 2 snapshots/,
    )
    await fails(driver.getVolumeGroupSnapshot({ groupSnapshotId, snapshotIds: ['none'] }), 'INVALID_ARGUMENT')
    await driver.deleteVolumeGroupSnapshot({ groupSnapshotId, snapshotIds })
    await driver.deleteVolumeGroupSnapshot({ groupSnapshotId, snapshotIds })
    deepEqual(machine.snapshotTree(), before)
    await fails(driver.getVolumeGroupSnapshot({ groupSnapshotId }), 'NOT_FOUND')
  })

  test('stays while one of its members is being restored, also when the caller names none', async () => {
    const { driver, machine, request } = await open()
    const { groupSnapshot } = await driver.createVolumeGroupSnapshot(request)
    const groupSnapshotId = groupSnapshot?.groupSnapshotId ?? ''
    const restored = restore(driver, 'restored', groupSnapshot?.snapshots[0]?.snapshotId ?? '')
    await fails(driver.deleteVolumeGroupSnapshot({ groupSnapshotId }), 'ABORTED')
    equal(await readText(machine, `${dataOf(await restored)}/file`), 'then')
    await driver.deleteVolumeGroupSnapshot({ groupSnapshotId })
  })
})
