import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { removeTree } from '../../base/host/index.ts'
import {
  StorageHealthErrorType as StorageHealth,
  VolumeHealthErrorType as VolumeHealth,
} from '../../csi/generated/csi/v1/csi.ts'
import { fails, makeVolume, openDriver, ROOT, useVolume } from './testing/hostpath-under-test.ts'

const MISSING = {
  status: VolumeHealth.DATA_LOSS,
  reason: 'ContentMissing',
  message: 'the content of the volume is missing',
}

describe('the health of a volume', () => {
  test('is good as long as its content is there, for controller and node', async () => {
    const { driver, machine } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one')
    const healthy = { volumeHealth: { volumeId, healthStatuses: [] } }
    deepEqual(await driver.controllerGetVolumeHealth({ volumeId }), healthy)
    deepEqual(await driver.nodeGetVolumeHealth({ volumeId }), healthy)
    await removeTree(machine, `${ROOT}/volumes/${volumeId}/data`)
    const lost = { volumeHealth: { volumeId, healthStatuses: [MISSING] } }
    deepEqual(await driver.controllerGetVolumeHealth({ volumeId }), lost)
    deepEqual(await driver.nodeGetVolumeHealth({ volumeId }), lost)
  })

  test('is listed for volumes that have a problem, in pages', async () => {
    const { driver, machine } = await openDriver()
    const ids: string[] = []
    for (const name of ['one', 'two', 'three']) ids.push((await makeVolume(driver, name)).volumeId)
    deepEqual((await driver.controllerListVolumeHealth({})).entries, [])
    for (const id of ids.slice(0, 2)) await removeTree(machine, `${ROOT}/volumes/${id}/data`)
    const seen: string[] = []
    let startingToken = ''
    do {
      const page = await driver.controllerListVolumeHealth({ maxEntries: 1, startingToken })
      for (const { volumeId, healthStatuses } of page.entries) {
        deepEqual(healthStatuses, [MISSING])
        seen.push(volumeId)
      }
      startingToken = page.nextToken
    } while (startingToken !== '')
    deepEqual(seen.sort(), ids.slice(0, 2).sort())
    await fails(driver.controllerListVolumeHealth({ startingToken: 'mine' }), 'ABORTED')
  })

  test('is bad on a node that lost the mount', async () => {
    const { driver, machine } = await openDriver()
    const made = await makeVolume(driver, 'one')
    await useVolume(driver, machine, made, '/pods/one')
    const healthOf = async () => (await driver.nodeGetVolumeHealth(made)).volumeHealth?.healthStatuses
    deepEqual(await healthOf(), [])
    const path = `/staging/${made.volumeId}`
    await machine.mounts.unmount(path)
    const message = `the volume is no longer staged at ${path}`
    deepEqual(await healthOf(), [{ status: VolumeHealth.INACCESSIBLE, reason: 'NotStaged', message }])
    deepEqual((await driver.controllerGetVolumeHealth(made)).volumeHealth?.healthStatuses, [])
  })

  test('is not known of what does not exist', async () => {
    const { driver } = await openDriver()
    await fails(driver.controllerGetVolumeHealth({ volumeId: 'none' }), 'NOT_FOUND')
    await fails(driver.nodeGetVolumeHealth({ volumeId: 'none' }), 'NOT_FOUND')
  })
})

test('the storage of a node is unreachable without its data directory', async () => {
  const { driver, machine } = await openDriver()
  deepEqual((await driver.nodeGetStorageHealth({})).backendHealth, [])
  await removeTree(machine, ROOT)
  const [backend, ...others] = (await driver.nodeGetStorageHealth({})).backendHealth
  deepEqual([backend?.status, backend?.reason], [StorageHealth.STORAGE_UNREACHABLE, 'DataDirectoryMissing'])
  equal(others.length, 0)
})
