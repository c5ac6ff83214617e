import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { bindVolume, createPod, openVolumes } from './testing/describe-volumes.ts'

test('a driver that reports a volume as published and mounts nothing keeps its pod from running, and the pod is told', async (context) => {
  const node = await openVolumes(context)
  const { api, ledger } = node
  ledger.publishesNothing = true
  await bindVolume(api, 'a')
  await createPod(api, 'a')
  await node.settled()
  equal((await node.pod('a'))?.status?.phase, 'Pending')
  match(
    String(await node.events()),
    /MountVolume\.SetUp failed for volume "a" : NodePublishVolume returned OK, but nothing is mounted at \/var\/lib\/kubelet\/pods\/.*: the path is a plain directory on the disk of the node/,
  )
  ledger.publishesNothing = false
  await node.advance(2000)
  equal((await node.pod('a'))?.status?.phase, 'Running')
})

test('with allowUnmounted a mock driver need not mount', async (context) => {
  const node = await openVolumes(context, { config: { allowUnmounted: true } })
  node.ledger.publishesNothing = true
  await bindVolume(node.api, 'a')
  await createPod(node.api, 'a')
  await node.settled()
  equal((await node.pod('a'))?.status?.phase, 'Running')
})

test('a call that runs for 40 s is reported while it is running', async (context) => {
  const node = await openVolumes(context)
  const { promise, resolve } = Promise.withResolvers<void>()
  context.after(() => resolve())
  node.ledger.before = (call) => (call.startsWith('publish') ? promise : undefined)
  await bindVolume(node.api, 'a')
  await createPod(node.api, 'a')
  await node.clock.advance(39_000)
  deepEqual(
    (await node.events()).filter((text) => text.includes('not answered')),
    [],
  )
  await node.clock.advance(2000)
  match(
    String(await node.events()),
    /MountVolume\.SetUp is running for volume "a" : the driver has not answered for 40 s/,
  )
  resolve()
  await node.settled()
  equal((await node.pod('a'))?.status?.phase, 'Running')
})
