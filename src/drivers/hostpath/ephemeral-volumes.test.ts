import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HostError, isHostError } from '../../base/host/index.ts'
import {
  asBlock,
  asMount,
  bytes,
  fails,
  fromVolume,
  makeVolume,
  MIB,
  openDriver,
  startMachine,
} from './testing/hostpath-under-test.ts'

const inline = (
  more: { volumeId?: string; targetPath?: string; size?: string; use?: ReturnType<typeof asMount> } = {},
) => ({
  volumeId: more.volumeId ?? 'csi-abc',
  targetPath: more.targetPath ?? '/pods/one',
  volumeCapability: more.use ?? asMount('SINGLE_NODE_MULTI_WRITER'),
  volumeContext: { 'csi.storage.k8s.io/ephemeral': 'true', ...(more.size === undefined ? {} : { size: more.size }) },
})

describe('an ephemeral volume', () => {
  for (const use of [asMount(), asBlock()]) {
    test(`is made by publishing and gone after unpublishing: ${use.accessType?.$case}`, async () => {
      const { driver, machine } = await openDriver()
      const before = machine.snapshotTree()
      await driver.nodePublishVolume(inline({ use }))
      await driver.nodePublishVolume(inline({ use }))
      equal((await machine.mounts.list()).filter(({ target }) => target === '/pods/one').length, 1)
      await driver.nodeUnpublishVolume(inline())
      await driver.nodeUnpublishVolume(inline())
      deepEqual(machine.snapshotTree(), before)
    })
  }

  test('has the size that its attribute says', async () => {
    const { driver, hostpath } = await openDriver({ capacityBytes: 8n * MIB })
    const sizes: [size: string | undefined, sizeBytes: bigint][] = [
      ['2Mi', 2n * MIB],
      ['1000', 1000n],
      [undefined, 8n * MIB],
      ['', 8n * MIB],
    ]
    for (const [size, sizeBytes] of sizes) {
      await driver.nodePublishVolume(inline(size === undefined ? {} : { size }))
      equal(hostpath.volumes.find('csi-abc')?.sizeBytes, sizeBytes)
      await driver.nodeUnpublishVolume(inline())
    }
  })

  test('is refused for a size or id that is none, and nothing is made', async () => {
    const { driver, machine } = await openDriver({ capacityBytes: 8n * MIB })
    const before = machine.snapshotTree()
    for (const size of ['much', '-1', '0', '1GB'])
      await fails(driver.nodePublishVolume(inline({ size })), 'INVALID_ARGUMENT', /size/)
    for (const volumeId of ['../x', '/etc', '.', 'a/b', '-x', 'a b'])
      await fails(driver.nodePublishVolume(inline({ volumeId })), 'INVALID_ARGUMENT', /volume_id/)
    await fails(driver.nodePublishVolume(inline({ size: '1Gi' })), 'OUT_OF_RANGE')
    deepEqual(machine.snapshotTree(), before)
  })

  test('does not take the place of a volume that is to last', async () => {
    const { driver } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one')
    await fails(driver.nodePublishVolume(inline({ volumeId })), 'ALREADY_EXISTS')
    equal((await driver.listVolumes({})).entries.length, 1)
  })

  test('is its node’s alone: neither listed, nor a source, nor to be staged', async () => {
    const { driver, machine } = await openDriver({ attach: true })
    await driver.nodePublishVolume(inline())
    const volumeId = 'csi-abc'
    deepEqual((await driver.listVolumes({})).entries, [])
    await fails(driver.controllerGetVolume({ volumeId }), 'NOT_FOUND')
    await fails(driver.createSnapshot({ name: 'snap', sourceVolumeId: volumeId }), 'NOT_FOUND')
    await fails(makeVolume(driver, 'copy', asMount(), { volumeContentSource: fromVolume(volumeId) }), 'NOT_FOUND')
    await fails(
      driver.controllerPublishVolume({ volumeId, nodeId: 'node-1', volumeCapability: asMount() }),
      'NOT_FOUND',
    )
    await fails(
      driver.nodeStageVolume({ volumeId, stagingTargetPath: '/staging', volumeCapability: asMount() }),
      'NOT_FOUND',
    )
    await fails(driver.deleteVolume({ volumeId }), 'FAILED_PRECONDITION')
    await machine.files.writeFile('/pods/one/file', bytes('x'))
    equal((await driver.nodeGetVolumeStats({ volumeId, volumePath: '/pods/one' })).volumeCondition?.abnormal, false)
  })

  test('at two targets goes with the last of them', async () => {
    const { driver, machine, hostpath } = await openDriver()
    const before = machine.snapshotTree()
    await driver.nodePublishVolume(inline({ use: asBlock('SINGLE_NODE_MULTI_WRITER') }))
    await driver.nodePublishVolume(inline({ targetPath: '/pods/two', use: asBlock('SINGLE_NODE_MULTI_WRITER') }))
    await driver.nodeUnpublishVolume(inline())
    equal((await machine.loops.list()).length, 1)
    equal(hostpath.volumes.find('csi-abc')?.ephemeral, true)
    await driver.nodeUnpublishVolume(inline({ targetPath: '/pods/two' }))
    deepEqual(machine.snapshotTree(), before)
  })

  test('is not made twice, nor half removed, by calls that come at once', async () => {
    const { driver, machine } = await openDriver()
    const before = machine.snapshotTree()
    const two = inline({ targetPath: '/pods/two' })
    const made = await Promise.allSettled([driver.nodePublishVolume(inline()), driver.nodePublishVolume(two)])
    deepEqual(
      made.map(({ status }) => status),
      ['fulfilled', 'rejected'],
    )
    await fails(Promise.reject((made[1] as PromiseRejectedResult).reason as Error), 'ABORTED')
    const mixed = await Promise.allSettled([driver.nodeUnpublishVolume(inline()), driver.nodePublishVolume(two)])
    deepEqual(
      mixed.map(({ status }) => status),
      ['fulfilled', 'rejected'],
    )
    await driver.nodePublishVolume(two)
    await machine.files.writeFile('/pods/two/file', bytes('x'))
    await driver.nodeUnpublishVolume(two)
    deepEqual(machine.snapshotTree(), before)
  })

  test('is unmade when it can not be published', async () => {
    const machine = await startMachine({ loopsAvailable: false })
    const { driver } = await openDriver({ machine })
    const before = machine.snapshotTree()
    await fails(driver.nodePublishVolume(inline({ use: asBlock() })), 'FAILED_PRECONDITION', /loop devices/)
    deepEqual(machine.snapshotTree(), before)
  })

  test('is unmade when its target can not be written down', async () => {
    const { driver, machine } = await openDriver()
    const before = machine.snapshotTree()
    machine.beforeStep = (operation, path) => {
      if (operation === 'writeFile' && path.includes('/nodes/')) throw new HostError('ENOSPC', operation, path)
    }
    await fails(driver.nodePublishVolume(inline()), 'RESOURCE_EXHAUSTED')
    machine.beforeStep = undefined
    deepEqual(machine.snapshotTree(), before)
  })

  test('that could not be removed wholly is removed when asked again, and its id can come back', async () => {
    const { driver, machine } = await openDriver()
    const before = machine.snapshotTree()
    for (const again of [() => driver.nodeUnpublishVolume(inline()), () => driver.nodePublishVolume(inline())]) {
      await driver.nodePublishVolume(inline())
      machine.beforeStep = (operation, path) => {
        if (operation === 'removeDirectory' && path.includes('.leaving')) throw new HostError('EIO', operation, path)
      }
      await fails(driver.nodeUnpublishVolume(inline()), 'INTERNAL', /EIO/)
      machine.beforeStep = undefined
      await again()
      await driver.nodeUnpublishVolume(inline())
      deepEqual(machine.snapshotTree(), before)
    }
  })

  test('is published read-only when that is asked for', async () => {
    const { driver, machine } = await openDriver()
    await driver.nodePublishVolume({ ...inline(), readonly: true })
    await machine.files.writeFile('/pods/one/file', bytes('x')).then(
      () => Promise.reject(new Error('it was written to')),
      (error: unknown) => equal(isHostError(error, 'EROFS'), true),
    )
  })
})
