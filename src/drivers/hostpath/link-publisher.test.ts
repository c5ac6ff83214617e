import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { makeDirectories } from '../../base/host/index.ts'
import {
  asBlock,
  asMount,
  bytes,
  fails,
  makeVolume,
  openDriver,
  readText,
  releaseVolume,
  ROOT,
  stagingOf,
  startMachine,
  useVolume,
} from './testing/hostpath-under-test.ts'

/** A machine on which the process may neither mount nor create devices. */
const open = async () => openDriver({ machine: await startMachine({ mountsAvailable: false, loopsAvailable: false }) })

describe('without the right to mount', () => {
  for (const use of [asMount(), asBlock()]) {
    test(`a ${use.accessType?.$case} volume is published as a link, which goes with it`, async () => {
      const { driver, machine } = await open()
      const made = await makeVolume(driver, 'one', use)
      const staging = await stagingOf(machine, made)
      const before = machine.snapshotTree()
      await useVolume(driver, machine, made, '/pods/one')
      await useVolume(driver, machine, made, '/pods/one')
      const content = `${ROOT}/volumes/${made.volumeId}/${use.accessType?.$case === 'block' ? 'image' : 'data'}`
      equal(await machine.files.readSymlink('/pods/one'), content)
      await fails(driver.nodeUnstageVolume(staging), 'FAILED_PRECONDITION')
      await releaseVolume(driver, made, '/pods/one')
      await releaseVolume(driver, made, '/pods/one')
      deepEqual(machine.snapshotTree(), before)
    })
  }

  test('what is written through the link lands in the volume', async () => {
    const { driver, machine } = await open()
    const made = await makeVolume(driver, 'one')
    await useVolume(driver, machine, made, '/pods/one')
    await machine.files.writeFile('/pods/one/file', bytes('x'))
    equal(await readText(machine, `${ROOT}/volumes/${made.volumeId}/data/file`), 'x')
  })

  test('an empty directory at the target makes way for the link', async () => {
    const { driver, machine } = await open()
    const made = await makeVolume(driver, 'one')
    await machine.files.makeDirectory('/pods/one')
    await useVolume(driver, machine, made, '/pods/one')
    equal((await machine.files.findStat('/pods/one'))?.kind, 'symlink')
  })

  test('what was there before is neither replaced nor removed', async () => {
    const { driver, machine } = await open()
    const made = await makeVolume(driver, 'one')
    const { files } = machine
    const staging = await stagingOf(machine, made)
    await driver.nodeStageVolume(staging)
    await makeDirectories(files, '/pods/full/inner')
    await files.writeFile('/pods/file', bytes('precious'))
    await files.makeSymlink('/elsewhere', '/pods/link')
    const before = machine.snapshotTree()
    for (const target of ['/pods/full', '/pods/file', '/pods/link']) {
      await driver.nodePublishVolume({ ...staging, targetPath: target }).then(
        () => Promise.reject(new Error(`published over ${target}`)),
        () => {},
      )
    }
    deepEqual(machine.snapshotTree(), before)
    await driver.nodeUnstageVolume(staging)
  })

  test('an ephemeral volume comes and goes', async () => {
    const { driver, machine } = await open()
    const before = machine.snapshotTree()
    const request = {
      volumeId: 'csi-abc',
      targetPath: '/pods/one',
      volumeCapability: asMount(),
      volumeContext: { 'csi.storage.k8s.io/ephemeral': 'true' },
    }
    await driver.nodePublishVolume(request)
    await machine.files.writeFile('/pods/one/file', bytes('x'))
    await driver.nodeUnpublishVolume(request)
    deepEqual(machine.snapshotTree(), before)
  })
})

test('a link that was published before the process was allowed to mount can be unpublished by one that is', async () => {
  const machine = await startMachine()
  const linked = await openDriver({ machine, publish: 'link' })
  const made = await makeVolume(linked.driver, 'one')
  const before = machine.snapshotTree()
  await useVolume(linked.driver, machine, made, '/pods/one')
  const bound = await openDriver({ machine, publish: 'bind' })
  await releaseVolume(bound.driver, made, '/pods/one')
  await machine.files.removeDirectory(`/staging/${made.volumeId}`)
  deepEqual(machine.snapshotTree(), before)
})
