import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HostError, makeDirectories, removeTree } from '../../base/host/index.ts'
import type { SimulatedHost } from '../../base/host/index.ts'
import { VolumeUsage_Unit as Unit } from '../../csi/generated/csi/v1/csi.ts'
import {
  asBlock,
  asMount,
  bytes,
  fails,
  makeVolume,
  MIB,
  openDriver,
  readText,
  releaseVolume,
  ROOT,
  stagingOf,
  startMachine,
  useVolume,
} from './testing/hostpath-under-test.ts'

const mountsOf = async (machine: SimulatedHost): Promise<string[]> =>
  (await machine.mounts.list()).map(({ target }) => target).filter((path) => path !== '/')

async function openStaged(use = asMount()) {
  const opened = await openDriver()
  const made = await makeVolume(opened.driver, 'one', use)
  const before = opened.machine.snapshotTree()
  const staging = await stagingOf(opened.machine, made)
  await opened.driver.nodeStageVolume(staging)
  return { ...opened, made, staging, before }
}

describe('the way of a volume on a node', () => {
  test('is stage, publish, unpublish, unstage, each of which may be repeated', async () => {
    const { driver, machine } = await openDriver()
    const made = await makeVolume(driver, 'one')
    const staging = await stagingOf(machine, made)
    const before = machine.snapshotTree()
    const publish = { ...staging, targetPath: '/pods/one' }
    for (let times = 0; times < 2; times++) await driver.nodeStageVolume(staging)
    for (let times = 0; times < 2; times++) await driver.nodePublishVolume(publish)
    deepEqual(await mountsOf(machine), [staging.stagingTargetPath, '/pods/one'])
    await machine.files.writeFile('/pods/one/file', bytes('written'))
    equal(await readText(machine, `${staging.stagingTargetPath}/file`), 'written')
    await machine.files.removeFile('/pods/one/file')
    for (let times = 0; times < 2; times++) await driver.nodeUnpublishVolume(publish)
    for (let times = 0; times < 2; times++) await driver.nodeUnstageVolume(staging)
    deepEqual(machine.snapshotTree(), before)
  })

  test('keeps what was written when the volume moves on', async () => {
    const { driver, machine } = await openDriver()
    const made = await makeVolume(driver, 'one')
    await machine.files.writeFile(`${await useVolume(driver, machine, made, '/pods/one')}/file`, bytes('kept'))
    await releaseVolume(driver, made, '/pods/one')
    equal(await readText(machine, `${await useVolume(driver, machine, made, '/pods/two')}/file`), 'kept')
  })

  test('can not be taken in another order', async () => {
    const { driver, machine } = await openDriver()
    const made = await makeVolume(driver, 'one')
    const staging = await stagingOf(machine, made)
    const publish = { ...staging, targetPath: '/pods/one' }
    await fails(driver.nodePublishVolume(publish), 'FAILED_PRECONDITION', /NodeStageVolume first/)
    await fails(
      driver.nodePublishVolume({ ...publish, stagingTargetPath: '' }),
      'FAILED_PRECONDITION',
      /staging_target_path/,
    )
    await driver.nodeStageVolume(staging)
    await makeDirectories(machine.files, '/staging/other')
    await fails(
      driver.nodePublishVolume({ ...publish, stagingTargetPath: '/staging/other' }),
      'FAILED_PRECONDITION',
      /not staged at/,
    )
    await fails(
      driver.nodeStageVolume({ ...staging, stagingTargetPath: '/staging/other' }),
      'FAILED_PRECONDITION',
      /is staged at/,
    )
    await fails(
      driver.nodeUnstageVolume({ ...staging, stagingTargetPath: '/staging/other' }),
      'FAILED_PRECONDITION',
      /is staged at/,
    )
    await driver.nodePublishVolume(publish)
    await fails(driver.nodeUnstageVolume(staging), 'FAILED_PRECONDITION', /still published at \/pods\/one/)
  })

  test('begins with staging again after the node has lost its power', async () => {
    const { driver, machine, made, staging } = await openStaged()
    await driver.nodePublishVolume({ ...staging, targetPath: '/pods/one' })
    machine.losePower()
    const again = await openDriver({ machine })
    await fails(
      again.driver.nodePublishVolume({ ...staging, targetPath: '/pods/one' }),
      'FAILED_PRECONDITION',
      /NodeStageVolume first/,
    )
    await useVolume(again.driver, machine, made, '/pods/one')
    deepEqual(await mountsOf(machine), [staging.stagingTargetPath, '/pods/one'])
  })

  test('has nothing to undo for volumes that are gone or never were there', async () => {
    const { driver } = await openDriver()
    await driver.nodeUnpublishVolume({ volumeId: 'none', targetPath: '/pods/one' })
    await driver.nodeUnstageVolume({ volumeId: 'none', stagingTargetPath: '/staging/one' })
    await driver.nodeUnpublishVolume({ volumeId: '../../..', targetPath: '/pods/one' })
  })
})

describe('NodeStageVolume', () => {
  test('refuses unknown volumes, the other mode and another capability', async () => {
    const { driver, staging } = await openStaged()
    await fails(driver.nodeStageVolume({ ...staging, volumeId: 'none' }), 'NOT_FOUND')
    await fails(
      driver.nodeStageVolume({ ...staging, volumeCapability: asBlock() }),
      'FAILED_PRECONDITION',
      /file system/,
    )
    await fails(
      driver.nodeStageVolume({ ...staging, volumeCapability: asMount('SINGLE_NODE_MULTI_WRITER') }),
      'ALREADY_EXISTS',
    )
    await fails(
      driver.nodeStageVolume({ ...staging, volumeCapability: asMount('SINGLE_NODE_WRITER', 'xfs') }),
      'ALREADY_EXISTS',
    )
  })

  test('refuses the place of another volume', async () => {
    const { driver, staging } = await openStaged()
    const other = await makeVolume(driver, 'other')
    await fails(driver.nodeStageVolume({ ...staging, ...other }), 'FAILED_PRECONDITION', /in use by volume/)
  })

  test('leaves nothing behind when it fails', async () => {
    const { driver, machine } = await openDriver()
    const made = await makeVolume(driver, 'one')
    const before = machine.snapshotTree()
    await fails(
      driver.nodeStageVolume({ ...made, stagingTargetPath: '/staging/missing' }),
      'FAILED_PRECONDITION',
      /missing/,
    )
    deepEqual(machine.snapshotTree(), before)
    await driver.deleteVolume(made)
  })
})

describe('NodePublishVolume', () => {
  test('makes a read-only volume that can not be written to, beside a writable one', async () => {
    const { driver, machine, staging } = await openStaged(asMount('SINGLE_NODE_MULTI_WRITER'))
    await driver.nodePublishVolume({ ...staging, targetPath: '/pods/one' })
    await driver.nodePublishVolume({ ...staging, targetPath: '/pods/two', readonly: true })
    await machine.files.writeFile('/pods/one/file', bytes('x'))
    equal(await readText(machine, '/pods/two/file'), 'x')
    await machine.files.writeFile('/pods/two/file', bytes('y')).then(
      () => ok(false, 'it was written to'),
      (error: unknown) => equal(error instanceof HostError && error.code, 'EROFS'),
    )
  })

  test('takes an access mode for readers as read-only', async () => {
    const { driver, machine, staging } = await openStaged(asMount('SINGLE_NODE_READER_ONLY'))
    await driver.nodePublishVolume({ ...staging, targetPath: '/pods/one' })
    equal((await machine.mounts.list()).find(({ target }) => target === '/pods/one')?.readOnly, true)
  })

  test('refuses to publish with different parameters at the same target', async () => {
    const { driver, staging } = await openStaged()
    const publish = { ...staging, targetPath: '/pods/one' }
    await driver.nodePublishVolume(publish)
    await fails(driver.nodePublishVolume({ ...publish, readonly: true }), 'ALREADY_EXISTS')
    await fails(
      driver.nodePublishVolume({ ...publish, volumeCapability: asMount('SINGLE_NODE_MULTI_WRITER') }),
      'ALREADY_EXISTS',
    )
    await fails(driver.nodePublishVolume({ ...publish, volumeCapability: asBlock() }), 'FAILED_PRECONDITION')
    await fails(driver.nodePublishVolume({ ...publish, volumeId: 'none' }), 'NOT_FOUND')
  })

  test('keeps a single writer single', async () => {
    const { driver, staging } = await openStaged(asMount('SINGLE_NODE_SINGLE_WRITER'))
    await driver.nodePublishVolume({ ...staging, targetPath: '/pods/one' })
    await driver.nodePublishVolume({ ...staging, targetPath: '/pods/one' })
    await fails(
      driver.nodePublishVolume({ ...staging, targetPath: '/pods/two' }),
      'FAILED_PRECONDITION',
      /single writer at \/pods\/one/,
    )
    await driver.nodeUnpublishVolume({ ...staging, targetPath: '/pods/one' })
    await driver.nodePublishVolume({ ...staging, targetPath: '/pods/two' })
  })

  test('serves two pods at once, and forgets neither', async () => {
    const { driver, machine, staging, before } = await openStaged(asMount('SINGLE_NODE_MULTI_WRITER'))
    const targets = ['/pods/one', '/pods/two', '/pods/three']
    await Promise.all(targets.map((targetPath) => driver.nodePublishVolume({ ...staging, targetPath })))
    const again = await openDriver({ machine })
    await fails(again.driver.nodeUnstageVolume(staging), 'FAILED_PRECONDITION')
    await Promise.all(targets.map((targetPath) => again.driver.nodeUnpublishVolume({ ...staging, targetPath })))
    await again.driver.nodeUnstageVolume(staging)
    await machine.files.removeDirectory(staging.stagingTargetPath)
    deepEqual(machine.snapshotTree(), before)
  })

  test('lets only one of two single writers at once have it', async () => {
    const { driver, machine, staging } = await openStaged(asMount('SINGLE_NODE_SINGLE_WRITER'))
    const results = await Promise.allSettled(
      ['/pods/one', '/pods/two'].map((targetPath) => driver.nodePublishVolume({ ...staging, targetPath })),
    )
    deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected'],
    )
    deepEqual(await mountsOf(machine), [staging.stagingTargetPath, '/pods/one'])
  })

  test('refuses the target of another volume, whose content would be taken for its own', async () => {
    const { driver, machine, staging } = await openStaged()
    await driver.nodePublishVolume({ ...staging, targetPath: '/pods/one' })
    const other = await makeVolume(driver, 'other')
    const otherStaging = await stagingOf(machine, other)
    await driver.nodeStageVolume(otherStaging)
    await fails(
      driver.nodePublishVolume({ ...otherStaging, targetPath: '/pods/one' }),
      'FAILED_PRECONDITION',
      /in use by volume/,
    )
    await fails(
      driver.nodePublishVolume({ ...otherStaging, targetPath: otherStaging.stagingTargetPath }),
      'FAILED_PRECONDITION',
      /in use by volume/,
    )
  })

  test('leaves nothing behind when it fails, so that nobody has to come back for it', async () => {
    const { driver, machine, staging } = await openStaged()
    const before = machine.snapshotTree()
    const failing = new HostError('EIO', 'bind', '/pods/one')
    machine.beforeStep = (operation, path) => {
      if (operation === 'bind' && path === '/pods/one') throw failing
    }
    await fails(driver.nodePublishVolume({ ...staging, targetPath: '/pods/one' }), 'INTERNAL', /EIO/)
    machine.beforeStep = undefined
    deepEqual(machine.snapshotTree(), before)
    await driver.nodeUnstageVolume(staging)
  })

  test('does not undo an earlier success when it fails once it is repeated', async () => {
    const { driver, machine, staging } = await openStaged()
    await driver.nodePublishVolume({ ...staging, targetPath: '/pods/one' })
    const before = machine.snapshotTree()
    machine.beforeStep = (operation) => {
      if (operation === 'makeDirectory') throw new HostError('EIO', operation, '/pods/one')
    }
    await fails(driver.nodePublishVolume({ ...staging, targetPath: '/pods/one' }), 'INTERNAL')
    deepEqual(machine.snapshotTree(), before)
  })

  test('makes a mount read-only that a crash has left writable', async () => {
    const { driver, machine, staging } = await openStaged()
    const publish = { ...staging, targetPath: '/pods/one', readonly: true }
    await driver.nodePublishVolume(publish)
    // The state after a kill between the two steps of a read-only bind.
    await machine.mounts.unmount('/pods/one')
    await machine.mounts.bind(`${ROOT}/volumes/${staging.volumeId}/data`, '/pods/one', { readOnly: false })
    await driver.nodePublishVolume(publish)
    deepEqual(
      (await machine.mounts.list()).filter(({ target }) => target === '/pods/one').map(({ readOnly }) => readOnly),
      [true],
    )
  })

  test('mounts over an empty directory that the caller has made, and not over a file or link', async () => {
    const { driver, machine, staging } = await openStaged()
    const { files } = machine
    await files.makeDirectory('/pods/one')
    await driver.nodePublishVolume({ ...staging, targetPath: '/pods/one' })
    await files.writeFile('/pods/file', bytes('precious'))
    await files.makeSymlink('/pods', '/pods/link')
    const before = machine.snapshotTree()
    for (const targetPath of ['/pods/file', '/pods/link']) {
      await fails(driver.nodePublishVolume({ ...staging, targetPath }), 'FAILED_PRECONDITION', /must be a directory/)
      await driver.nodeUnpublishVolume({ ...staging, targetPath })
    }
    deepEqual(machine.snapshotTree(), before)
  })
})

describe('paths', () => {
  const wrong = [
    'relative',
    '/',
    '/pods/../data',
    '/pods/..',
    '/pods/./one',
    '/pods//one',
    '/pods/one/',
    ROOT,
    `${ROOT}/volumes/x`,
    '/data',
    '/alias/volumes/x',
  ]
  for (const path of wrong) {
    test(`${path} is refused for staging, publishing and undoing`, async () => {
      const { driver, machine, staging } = await openStaged()
      await machine.files.makeSymlink(ROOT, '/alias')
      await machine.files.makeDirectory(`${ROOT}/volumes/${staging.volumeId}/x`)
      const before = machine.snapshotTree()
      await fails(
        driver.nodeStageVolume({ ...staging, stagingTargetPath: path }),
        'INVALID_ARGUMENT',
        /staging_target_path/,
      )
      await fails(driver.nodePublishVolume({ ...staging, targetPath: path }), 'INVALID_ARGUMENT', /target_path/)
      await fails(driver.nodeUnpublishVolume({ ...staging, targetPath: path }), 'INVALID_ARGUMENT', /target_path/)
      await fails(
        driver.nodeUnstageVolume({ ...staging, stagingTargetPath: path }),
        'INVALID_ARGUMENT',
        /staging_target_path/,
      )
      deepEqual(machine.snapshotTree(), before)
    })
  }

  test('may lead through links, also for the mount table', async () => {
    const { driver, machine } = await openDriver()
    await machine.files.makeSymlink('/pods', '/linked')
    const made = await makeVolume(driver, 'one')
    await useVolume(driver, machine, made, '/linked/one')
    await useVolume(driver, machine, made, '/linked/one')
    deepEqual(await mountsOf(machine), [`/staging/${made.volumeId}`, '/pods/one'])
    await releaseVolume(driver, made, '/linked/one')
    deepEqual(await mountsOf(machine), [])
  })
})

describe('a block volume', () => {
  test('appears as a device of its size, and its device goes with it', async () => {
    const { driver, machine, made, staging, before } = await openStaged(asBlock())
    await driver.nodePublishVolume({ ...staging, targetPath: '/pods/one' })
    await driver.nodePublishVolume({ ...staging, targetPath: '/pods/one' })
    const [device, ...more] = await machine.loops.list()
    deepEqual([device?.backingFile, device?.readOnly, more], [`${ROOT}/volumes/${made.volumeId}/image`, false, []])
    equal(machine.findLoopSizeBytes(device?.device ?? ''), MIB)
    equal((await machine.files.findStat('/pods/one'))?.kind, 'block-device')
    await driver.nodeUnpublishVolume({ ...staging, targetPath: '/pods/one' })
    await driver.nodeUnstageVolume(staging)
    await machine.files.removeDirectory(staging.stagingTargetPath)
    deepEqual(machine.snapshotTree(), before)
  })

  test('published read-only is a device that refuses writes', async () => {
    const { driver, machine, staging } = await openStaged(asBlock('SINGLE_NODE_MULTI_WRITER'))
    await driver.nodePublishVolume({ ...staging, targetPath: '/pods/one', readonly: true })
    const target = (await machine.mounts.list()).find((mount) => mount.target === '/pods/one')
    equal((await machine.loops.list()).find(({ device }) => device === target?.root)?.readOnly, true)
    await driver.nodeUnpublishVolume({ ...staging, targetPath: '/pods/one' })
    await driver.nodeUnstageVolume(staging)
    deepEqual(await machine.loops.list(), [])
  })

  test('grows while it is in use', async () => {
    const { driver, machine, made, staging } = await openStaged(asBlock())
    await driver.nodePublishVolume({ ...staging, targetPath: '/pods/one' })
    const expand = { volumeId: made.volumeId, capacityRange: { requiredBytes: 2n * MIB } }
    await fails(
      driver.nodeExpandVolume({ ...expand, volumePath: '/pods/one' }),
      'OUT_OF_RANGE',
      /ControllerExpandVolume first/,
    )
    await driver.controllerExpandVolume(expand)
    deepEqual(await driver.nodeExpandVolume({ ...expand, volumePath: '/pods/one' }), { capacityBytes: 2n * MIB })
    const [device] = await machine.loops.list()
    equal(machine.findLoopSizeBytes(device?.device ?? ''), 2n * MIB)
    await fails(driver.nodeExpandVolume({ ...expand, volumePath: '/pods/two' }), 'NOT_FOUND')
    await fails(driver.nodeExpandVolume({ ...expand, volumeId: 'none', volumePath: '/pods/one' }), 'NOT_FOUND')
  })

  test('keeps its device while another node of the machine uses it', async () => {
    const { driver, machine, on } = await openDriver({ nodes: [{ id: 'node-1' }, { id: 'node-2' }] })
    const made = await makeVolume(driver, 'one', asBlock('MULTI_NODE_MULTI_WRITER'))
    const first = await stagingOf(machine, made)
    const second = { ...first, stagingTargetPath: '/staging/second' }
    await makeDirectories(machine.files, second.stagingTargetPath)
    await on('node-1').nodeStageVolume(first)
    await on('node-2').nodeStageVolume(second)
    await on('node-2').nodePublishVolume({ ...second, targetPath: '/pods/two' })
    await on('node-1').nodeUnstageVolume(first)
    equal((await machine.loops.list()).length, 1)
    await on('node-2').nodeUnpublishVolume({ ...second, targetPath: '/pods/two' })
    // Concurrently: neither may rely on the other to detach the device.
    await on('node-1').nodeStageVolume(first)
    const both = await Promise.allSettled([
      on('node-1').nodeUnstageVolume(first),
      on('node-2').nodeUnstageVolume(second),
    ])
    if (both.some(({ status }) => status === 'rejected'))
      await Promise.all([on('node-1').nodeUnstageVolume(first), on('node-2').nodeUnstageVolume(second)])
    deepEqual(await machine.loops.list(), [])
  })

  test('loses its device on unstaging also when its image is gone', async () => {
    const { driver, machine, made, staging } = await openStaged(asBlock())
    await machine.files.removeFile(`${ROOT}/volumes/${made.volumeId}/image`)
    await driver.nodeUnstageVolume(staging)
    deepEqual(await machine.loops.list(), [])
  })

  test('is refused, with nothing left behind, where there are no loop devices', async () => {
    const machine = await startMachine({ loopsAvailable: false })
    const { driver } = await openDriver({ machine })
    const made = await makeVolume(driver, 'one', asBlock())
    const staging = await stagingOf(machine, made)
    const before = machine.snapshotTree()
    await fails(driver.nodeStageVolume(staging), 'FAILED_PRECONDITION', /loop devices/)
    deepEqual(machine.snapshotTree(), before)
    await driver.deleteVolume(made)
  })
})

describe('NodeGetVolumeStats', () => {
  test('counts what lies in a file system', async () => {
    const { driver, machine, made, staging } = await openStaged()
    await driver.nodePublishVolume({ ...staging, targetPath: '/pods/one' })
    await machine.files.makeDirectory('/pods/one/inner')
    await machine.files.writeFile('/pods/one/inner/file', new Uint8Array(5000))
    const { usage, volumeCondition } = await driver.nodeGetVolumeStats({
      volumeId: made.volumeId,
      volumePath: '/pods/one',
    })
    const [space, inodes] = usage
    // Two directories and two blocks of the file.
    deepEqual(
      [space?.unit, space?.total, space?.used, space?.available],
      [Unit.BYTES, MIB, 4n * 4096n, MIB - 4n * 4096n],
    )
    deepEqual([inodes?.unit, inodes?.used], [Unit.INODES, 3n])
    equal(volumeCondition?.abnormal, false)
  })

  test('has no less than nothing to offer when more was written than was asked for', async () => {
    const { driver, machine, made, staging } = await openStaged()
    await machine.files.writeFile(`${staging.stagingTargetPath}/file`, new Uint8Array(Number(2n * MIB)))
    const { usage } = await driver.nodeGetVolumeStats({
      volumeId: made.volumeId,
      volumePath: staging.stagingTargetPath,
    })
    equal(usage[0]?.available, 0n)
  })

  test('tells the size of a device, and that content is missing', async () => {
    const { driver, machine, made, staging } = await openStaged(asBlock())
    const request = { volumeId: made.volumeId, volumePath: staging.stagingTargetPath }
    const { usage } = await driver.nodeGetVolumeStats(request)
    deepEqual(
      usage.map(({ unit, total }) => ({ unit, total })),
      [{ unit: Unit.BYTES, total: MIB }],
    )
    await removeTree(machine, `${ROOT}/volumes/${made.volumeId}/image`)
    const { volumeCondition } = await driver.nodeGetVolumeStats(request)
    equal(volumeCondition?.abnormal, true)
    match(volumeCondition?.message ?? '', /missing/)
  })

  test('does not know volumes, or paths at which they are not', async () => {
    const { driver, made, staging } = await openStaged()
    await fails(driver.nodeGetVolumeStats({ volumeId: 'none', volumePath: staging.stagingTargetPath }), 'NOT_FOUND')
    await fails(driver.nodeGetVolumeStats({ volumeId: made.volumeId, volumePath: '/pods/one' }), 'NOT_FOUND')
    await fails(driver.nodeGetVolumeStats({ volumeId: made.volumeId }), 'INVALID_ARGUMENT')
  })
})
