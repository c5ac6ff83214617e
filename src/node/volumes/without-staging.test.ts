import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Driver } from '../../csi/index.ts'
import { attach, bindVolume, createPod, deletePod, openVolumes, ROOT } from './testing/describe-volumes.ts'
import type { VolumesOptions, VolumesUnderTest } from './testing/describe-volumes.ts'
import { DRIVER } from './testing/ledger-driver.ts'

// MountDevice and UnmountDevice: nothing for a driver without STAGE_UNSTAGE_VOLUME, and staging around all publishing for one that has it.

const SHARED = { spec: { accessModes: ['ReadWriteMany' as const] } }
const ofClaim = [{ name: 'data', persistentVolumeClaim: { claimName: 'a' } }]
const devicePaths = (node: VolumesUnderTest): string[] =>
  node.tree().filter((path) => path.startsWith(`${ROOT}/plugins/kubernetes.io/csi/`))

/** With a record of every call for staging, also of those that a driver without it would refuse. */
async function open(
  context: TestContext,
  options: VolumesOptions,
): Promise<VolumesUnderTest & { stagingCalls: string[] }> {
  const node = await openVolumes(context, { csiDriver: { attachRequired: true }, ...options })
  const stagingCalls: string[] = []
  const driver = node.ledger.driver(node.clock)
  const recorded: Driver = {
    ...driver,
    nodeStageVolume: (request, call) => (stagingCalls.push('stage'), driver.nodeStageVolume(request, call)),
    nodeUnstageVolume: (request, call) => (stagingCalls.push('unstage'), driver.nodeUnstageVolume(request, call)),
  }
  node.store.register(DRIVER, recorded)
  return { ...node, stagingCalls }
}

test('S3-163, H26: without the capability a volume that is attached is published at once, with nothing staged and nothing made for it', async (context) => {
  const node = await open(context, { features: { stage: false } })
  const { api, ledger } = node
  await bindVolume(api, 'a', SHARED)
  const pods = [await createPod(api, 'one', { volumes: ofClaim }), await createPod(api, 'two', { volumes: ofClaim })]
  await node.settled()
  deepEqual(ledger.calls, [], 'it is not attached yet')
  await attach(api, 'a', { metadata: { device: '/dev/7' } })
  await node.settled()
  deepEqual([node.stagingCalls, ledger.calls], [[], ['publish h-a', 'publish h-a']])
  for (const request of ledger.publishRequests)
    deepEqual([request.stagingTargetPath, request.publishContext], ['', { device: '/dev/7' }])
  deepEqual(devicePaths(node), [])
  // What was done for a pod is written down all the same.
  for (const { metadata } of pods)
    ok(node.tree().includes(`${ROOT}/pods/${metadata.uid}/volumes/kubernetes.io~csi/a/vol_data.json`))
  for (const name of ['one', 'two']) equal((await node.pod(name))?.status?.phase, 'Running')
})

test('S3-163, H26: with the capability no pod has the volume published before it is staged', async (context) => {
  const node = await open(context, {})
  const { api, ledger } = node
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  ledger.before = (call) => (call.startsWith('stage') ? held : undefined)
  await bindVolume(api, 'a', SHARED)
  for (const name of ['one', 'two']) await createPod(api, name, { volumes: ofClaim })
  await node.settled()
  await attach(api, 'a')
  await node.clock.advance(1000)
  deepEqual(ledger.calls, ['stage h-a'])
  release()
  await node.settled()
  deepEqual(ledger.calls, ['stage h-a', 'publish h-a', 'publish h-a'])
  deepEqual(node.stagingCalls, ['stage'])
})

for (const restarted of [false, true]) {
  test(`S3-165, H26: without the capability a volume is given back by unpublishing alone${restarted ? ', also by an agent that was restarted' : ''}`, async (context) => {
    const node = await open(context, { features: { stage: false } })
    const { api, ledger } = node
    await bindVolume(api, 'a', SHARED)
    for (const name of ['one', 'two']) await createPod(api, name, { volumes: ofClaim })
    await attach(api, 'a')
    await node.settled()
    if (restarted) {
      await node.stop()
      await node.start()
    }
    ledger.calls.length = 0
    for (const name of ['one', 'two']) {
      await deletePod(api, name)
      await node.settled()
      equal(await node.pod(name), undefined)
    }
    deepEqual([node.stagingCalls, ledger.calls], [[], ['unpublish h-a', 'unpublish h-a']])
    deepEqual([devicePaths(node), node.manager().devices(), await node.inUse()], [[], [], []])
  })
}

test('S3-165, H26: with the capability the volume is unstaged after the last pod has lost it, and not before', async (context) => {
  const node = await open(context, {})
  const { api, ledger } = node
  await bindVolume(api, 'a', SHARED)
  for (const name of ['one', 'two']) await createPod(api, name, { volumes: ofClaim })
  await attach(api, 'a')
  await node.settled()
  ledger.calls.length = 0
  await deletePod(api, 'one')
  await node.settled()
  deepEqual(ledger.calls, ['unpublish h-a'])
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  ledger.before = (call) => (call.startsWith('unpublish') ? held : undefined)
  await deletePod(api, 'two')
  await node.clock.advance(1000)
  deepEqual(ledger.calls, ['unpublish h-a', 'unpublish h-a'])
  release()
  await node.settled()
  deepEqual(ledger.calls, ['unpublish h-a', 'unpublish h-a', 'unstage h-a'])
  deepEqual(node.stagingCalls, ['stage', 'unstage'])
  deepEqual([node.manager().devices(), await node.inUse()], [[], []])
})
