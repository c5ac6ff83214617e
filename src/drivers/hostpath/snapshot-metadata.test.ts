import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BlockMetadataType } from '../../csi/generated/csi/v1/csi.ts'
import type { GetMetadataAllocatedResponse } from '../../csi/generated/csi/v1/csi.ts'
import { asBlock, fails, makeVolume, MIB, openDriver, ROOT } from './testing/hostpath-under-test.ts'

const BLOCK = 4096n

/** A device of 3 MiB, snapshots of it, and a function that writes single bytes to it, each in its own block. */
async function open() {
  const opened = await openDriver()
  const { driver, machine } = opened
  const { volumeId } = await makeVolume(driver, 'one', asBlock(), { capacityRange: { requiredBytes: 3n * MIB } })
  const content = new Uint8Array(Number(3n * MIB))
  const write = async (values: Record<number, number>): Promise<void> => {
    for (const [offset, value] of Object.entries(values)) content[Number(offset)] = value
    await machine.files.writeFile(`${ROOT}/volumes/${volumeId}/image`, content)
  }
  const snap = async (name: string): Promise<string> =>
    (await driver.createSnapshot({ name, sourceVolumeId: volumeId })).snapshot?.snapshotId ?? ''
  return { ...opened, volumeId, write, snap }
}

async function collect(stream: AsyncIterable<GetMetadataAllocatedResponse>): Promise<GetMetadataAllocatedResponse[]> {
  const messages: GetMetadataAllocatedResponse[] = []
  for await (const message of stream) messages.push(message)
  return messages
}
const offsets = async (stream: AsyncIterable<GetMetadataAllocatedResponse>): Promise<number[]> =>
  (await collect(stream))
    .flatMap(({ blockMetadata }) => blockMetadata)
    .map(({ byteOffset }) => Number(byteOffset / BLOCK))

// In the first block, in two adjacent blocks, across a read boundary (1 MiB is block 256), and in the last.
const WRITTEN = { 1: 1, 20480: 1, 24576: 1, [255 * 4096]: 1, [256 * 4096]: 1, [767 * 4096 + 4095]: 1 }
const ALLOCATED = [0, 5, 6, 255, 256, 767]

describe('GetMetadataAllocated', () => {
  test('names each block that holds anything, in order and of one size', async () => {
    const { driver, write, snap } = await open()
    await write(WRITTEN)
    const snapshotId = await snap('snap')
    deepEqual(await offsets(driver.getMetadataAllocated({ snapshotId })), ALLOCATED)
    const [message] = await collect(driver.getMetadataAllocated({ snapshotId }))
    deepEqual([message?.blockMetadataType, message?.volumeCapacityBytes], [BlockMetadataType.FIXED_LENGTH, 3n * MIB])
    deepEqual(new Set(message?.blockMetadata.map(({ sizeBytes }) => sizeBytes)), new Set([BLOCK]))
  })

  test('gives no more at once than was asked for', async () => {
    const { driver, write, snap } = await open()
    await write(WRITTEN)
    const messages = await collect(driver.getMetadataAllocated({ snapshotId: await snap('snap'), maxResults: 4 }))
    deepEqual(
      messages.map(({ blockMetadata }) => blockMetadata.length),
      [4, 2],
    )
  })

  test('goes on from any offset', async () => {
    const { driver, write, snap } = await open()
    await write(WRITTEN)
    const snapshotId = await snap('snap')
    const from = (startingOffset: bigint) => offsets(driver.getMetadataAllocated({ snapshotId, startingOffset }))
    deepEqual(await from(5n * BLOCK), [5, 6, 255, 256, 767])
    deepEqual(await from(6n * BLOCK + 17n), [6, 255, 256, 767])
    deepEqual(await from(7n * BLOCK), [255, 256, 767])
    deepEqual(await from(3n * MIB - 1n), [767])
    deepEqual(await from(3n * MIB), [])
  })

  test('has nothing to say of a device that nobody has written to', async () => {
    const { driver, snap } = await open()
    deepEqual(await offsets(driver.getMetadataAllocated({ snapshotId: await snap('snap') })), [])
  })

  test('refuses offsets out of range, unknown snapshots and file systems', async () => {
    const { driver, snap } = await open()
    const snapshotId = await snap('snap')
    await fails(collect(driver.getMetadataAllocated({ snapshotId, startingOffset: 3n * MIB + 1n })), 'OUT_OF_RANGE')
    await fails(collect(driver.getMetadataAllocated({ snapshotId, startingOffset: -1n })), 'OUT_OF_RANGE')
    await fails(collect(driver.getMetadataAllocated({ snapshotId: 'none' })), 'NOT_FOUND')
    await fails(collect(driver.getMetadataAllocated({})), 'INVALID_ARGUMENT', /snapshot_id/)
    const { volumeId } = await makeVolume(driver, 'fs')
    const { snapshot } = await driver.createSnapshot({ name: 'of-fs', sourceVolumeId: volumeId })
    await fails(
      collect(driver.getMetadataAllocated({ snapshotId: snapshot?.snapshotId ?? '' })),
      'INVALID_ARGUMENT',
      /filesystem/,
    )
  })

  test('knows the members of a group snapshot too', async () => {
    const { driver, write, volumeId } = await open()
    await write(WRITTEN)
    const { groupSnapshot } = await driver.createVolumeGroupSnapshot({ name: 'group', sourceVolumeIds: [volumeId] })
    deepEqual(
      await offsets(driver.getMetadataAllocated({ snapshotId: groupSnapshot?.snapshots[0]?.snapshotId ?? '' })),
      ALLOCATED,
    )
  })
})

describe('GetMetadataDelta', () => {
  test('names each block that has changed, by being written or by being cleared', async () => {
    const { driver, write, snap } = await open()
    await write(WRITTEN)
    const base = await snap('base')
    await write({ 1: 0, 24576: 2, [300 * 4096]: 1 })
    const target = await snap('target')
    const delta = { baseSnapshotId: base, targetSnapshotId: target }
    deepEqual(await offsets(driver.getMetadataDelta(delta)), [0, 6, 300])
    deepEqual(await offsets(driver.getMetadataDelta({ ...delta, startingOffset: BLOCK })), [6, 300])
    deepEqual(
      (await collect(driver.getMetadataDelta({ ...delta, maxResults: 2 }))).map(
        ({ blockMetadata }) => blockMetadata.length,
      ),
      [2, 1],
    )
    deepEqual(await offsets(driver.getMetadataDelta({ baseSnapshotId: base, targetSnapshotId: base })), [])
  })

  test('takes what a device has grown by as changed once it is written to', async () => {
    const { driver, machine, volumeId, snap } = await open()
    const base = await snap('base')
    await driver.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes: 4n * MIB } })
    const grown = new Uint8Array(Number(4n * MIB))
    grown[Number(3n * MIB + 5n * BLOCK)] = 1
    await machine.files.writeFile(`${ROOT}/volumes/${volumeId}/image`, grown)
    const messages = await collect(
      driver.getMetadataDelta({ baseSnapshotId: base, targetSnapshotId: await snap('target') }),
    )
    equal(messages[0]?.volumeCapacityBytes, 4n * MIB)
    deepEqual(messages[0]?.blockMetadata, [{ byteOffset: 3n * MIB + 5n * BLOCK, sizeBytes: BLOCK }])
  })

  test('refuses what can not be compared', async () => {
    const { driver, snap } = await open()
    const base = await snap('base')
    const other = await makeVolume(driver, 'other', asBlock())
    const { snapshot } = await driver.createSnapshot({ name: 'of-other', sourceVolumeId: other.volumeId })
    const ofOther = snapshot?.snapshotId ?? ''
    await fails(
      collect(driver.getMetadataDelta({ baseSnapshotId: base, targetSnapshotId: ofOther })),
      'INVALID_ARGUMENT',
      /different volumes/,
    )
    await fails(collect(driver.getMetadataDelta({ baseSnapshotId: base, targetSnapshotId: 'none' })), 'NOT_FOUND')
    await fails(collect(driver.getMetadataDelta({ baseSnapshotId: 'none', targetSnapshotId: base })), 'NOT_FOUND')
    await fails(
      collect(driver.getMetadataDelta({ baseSnapshotId: base, targetSnapshotId: base, startingOffset: 9n * MIB })),
      'OUT_OF_RANGE',
    )
  })

  test('stops reading when the caller has had enough', async () => {
    const { driver, machine, write, snap } = await open()
    await write(WRITTEN)
    const snapshotId = await snap('snap')
    let reads = 0
    machine.beforeStep = (operation) => void (operation === 'readRange' && reads++)
    for await (const _page of driver.getMetadataAllocated({ snapshotId, maxResults: 1 })) break
    ok(reads < 3, `${reads} reads`)
  })
})
