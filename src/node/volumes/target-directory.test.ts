import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { CsiError } from '../../csi/csi-error.ts'
import type { Driver } from '../../csi/index.ts'
import { bindVolume, createPod, deletePod, openVolumes, ROOT } from './testing/describe-volumes.ts'
import type { VolumesUnderTest } from './testing/describe-volumes.ts'
import { DRIVER } from './testing/ledger-driver.ts'

// The directory in which a pod has its volume: when it is deleted, and when it must not be.

const PRECIOUS = new TextEncoder().encode('precious')

/** A pod with a volume that has a file in it. */
async function openPod(
  context: TestContext,
): Promise<VolumesUnderTest & { directory: string; target: string; isMounted(): Promise<boolean> }> {
  const node = await openVolumes(context, { features: { stage: false } })
  await bindVolume(node.api, 'a')
  const { metadata } = await createPod(node.api, 'a')
  await node.settled()
  const directory = `${ROOT}/pods/${metadata.uid}/volumes/kubernetes.io~csi/a`
  const target = `${directory}/mount`
  await node.machine.files.writeFile(`${target}/file`, PRECIOUS)
  return {
    ...node,
    directory,
    target,
    isMounted: async () => (await node.machine.mounts.list()).some((mount) => mount.target === target),
  }
}
const content = (node: VolumesUnderTest): Promise<Uint8Array> => node.machine.files.readFile('/content/h-a/file')
const podPaths = (node: VolumesUnderTest): string[] => node.tree().filter((path) => path.startsWith(`${ROOT}/pods/`))

test('S3-109: the directory is there while the driver unpublishes, and is deleted once it has', async (context) => {
  const node = await openPod(context)
  const seen: boolean[] = []
  const { findStat } = node.machine.files
  node.ledger.before = async (call) =>
    void (
      call.startsWith('unpublish') &&
      seen.push((await findStat(node.target))?.kind === 'directory', await node.isMounted())
    )
  await deletePod(node.api, 'a')
  await node.settled()
  deepEqual(seen, [true, true])
  deepEqual(podPaths(node), [])
  equal(await node.pod('a'), undefined)
  deepEqual(await content(node), PRECIOUS)
})

test('S3-109: while NodeUnpublishVolume fails the directory stays, and the pod with it', async (context) => {
  const node = await openPod(context)
  let isFailing = true
  node.ledger.before = (call) => {
    if (isFailing && call.startsWith('unpublish')) throw new CsiError('INTERNAL', 'busy')
  }
  await deletePod(node.api, 'a')
  await node.advance(10_000)
  ok(podPaths(node).includes(`${node.directory}/vol_data.json`))
  deepEqual([await node.isMounted(), (await node.pod('a'))?.metadata.name], [true, 'a'])
  isFailing = false
  await node.advance(130_000)
  deepEqual([podPaths(node), await node.pod('a')], [[], undefined])
})

test('S3-109: a driver that succeeds without unmounting is not believed: the directory stays until nothing is mounted there', async (context) => {
  const node = await openPod(context)
  const driver = node.ledger.driver(node.clock)
  const careless: Driver = { ...driver, nodeUnpublishVolume: () => Promise.resolve({}) }
  node.store.register(DRIVER, careless)
  await deletePod(node.api, 'a')
  await node.settled()
  ok(podPaths(node).includes(`${node.directory}/vol_data.json`))
  equal(await node.isMounted(), true)
  match(
    String(await node.events()),
    /FailedUnmount: UnmountVolume.TearDown failed for volume "a" : .*\/mount is still mounted after NodeUnpublishVolume succeeded/,
  )
  // It is only late: the next try finds nothing mounted.
  await node.machine.mounts.unmount(node.target)
  await node.machine.files.removeDirectory(node.target)
  node.ledger.published.clear()
  await node.advance(60_000)
  deepEqual([podPaths(node), await node.pod('a')], [[], undefined])
  deepEqual(await content(node), PRECIOUS)
})

test('S3-109: what a driver left in the directory after it unmounted is nobody’s to delete', async (context) => {
  const node = await openPod(context)
  node.ledger.after = async (call) => {
    if (!call.startsWith('unpublish')) return
    await node.machine.files.makeDirectory(node.target).catch(() => {})
    await node.machine.files.writeFile(`${node.target}/left`, PRECIOUS)
  }
  await deletePod(node.api, 'a')
  await node.advance(60_000)
  deepEqual(await node.machine.files.readFile(`${node.target}/left`), PRECIOUS)
  match(String(await node.events()), /FailedUnmount/)
  node.ledger.after = () => {}
  await node.machine.files.removeFile(`${node.target}/left`)
  await node.advance(130_000)
  deepEqual([podPaths(node), await node.pod('a')], [[], undefined])
})
