import { deepEqual, equal, ok } from 'node:assert/strict'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { Host } from '../../base/host/index.ts'
import { bindVolume, createPod, deletePod, openVolumes } from './testing/describe-volumes.ts'

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('a pod that comes while its volume is about to be unstaged waits until that is done, and has it staged again', async (context) => {
  let onLook: (() => Promise<void>) | undefined
  const hostOf = (host: Host): Host => ({
    ...host,
    mounts: {
      ...host.mounts,
      list: async (filter) => {
        const found = await host.mounts.list(filter)
        if (filter && 'root' in filter) await onLook?.()
        return found
      },
    },
  })
  const node = await openVolumes(context, { hostOf })
  const { api, ledger } = node
  await bindVolume(api, 'a')
  await createPod(api, 'a')
  await node.settled()
  // Unstaging begins with a look at who still has it, and that takes time.
  onLook = async () => {
    onLook = undefined
    await createPod(api, 'b', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'a' } }] })
    await turns(200)
  }
  await deletePod(api, 'a')
  await node.settled()
  equal((await node.pod('b'))?.status?.phase, 'Running')
  deepEqual(ledger.calls, ['stage h-a', 'publish h-a', 'unpublish h-a', 'unstage h-a', 'stage h-a', 'publish h-a'])
})

test('a block volume keeps the directory of its targets while one pod gets it and another loses it', async (context) => {
  const node = await openVolumes(context)
  const { api, ledger, machine } = node
  await bindVolume(api, 'a', { spec: { volumeMode: 'Block' } })
  await createPod(api, 'a', { asDevice: true })
  await node.settled()
  let isThere = false
  ledger.before = async (call, request) => {
    if (call !== 'publish h-a') return
    ledger.before = () => {}
    await deletePod(api, 'a')
    await turns(300)
    isThere =
      'targetPath' in request && (await machine.files.findStat(dirname(String(request.targetPath)))) !== undefined
  }
  await createPod(api, 'b', { asDevice: true, volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'a' } }] })
  await node.settled()
  ok(isThere)
  equal(await node.pod('a'), undefined)
})

test('a volume that grows while it is being published again is expanded as soon as that call has ended', async (context) => {
  const node = await openVolumes(context, {
    features: { expand: true },
    csiDriver: { attachRequired: false, requiresRepublish: true },
    config: { republishMs: 10_000, claimLookMs: 30_000 },
  })
  const { api, ledger, clock } = node
  await bindVolume(api, 'a')
  await createPod(api, 'a')
  await node.settled()
  const answer = Promise.withResolvers<void>()
  ledger.before = (call) => (call === 'publish h-a' ? answer.promise : undefined)
  await api.patch(
    PERSISTENT_VOLUMES,
    { name: 'a' },
    { type: 'merge', value: { spec: { capacity: { storage: '2Gi' } } } },
  )
  await api.patch(
    PERSISTENT_VOLUME_CLAIMS,
    { namespace: 'default', name: 'a' },
    { type: 'merge', value: { status: { conditions: [{ type: 'FileSystemResizePending', status: 'True' }] } } },
    { subresource: 'status' },
  )
  // The driver does not answer for a minute. Meanwhile the node reads the claim and sees that the volume has grown.
  for (let second = 0; second < 60; second++) {
    await clock.advance(1000)
    await turns(5)
  }
  ok(node.logged.some((line) => line.includes('"VolumeBusy"')))
  ok(!ledger.calls.includes('expand h-a'))
  answer.resolve()
  await node.settled()
  ok(ledger.calls.includes('expand h-a'))
})
