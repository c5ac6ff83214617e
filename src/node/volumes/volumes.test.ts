import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { bindVolume, createPod, deletePod, openVolumes, ROOT } from './describe-volumes.ts'

test('S3-2, S3-108, S3-109, S3-163, S3-164, S3-166: a pod gets its volume staged and published at a path of its own, and gives it back when it goes', async (context) => {
  const node = await openVolumes(context)
  const { api, ledger } = node
  await bindVolume(api, 'a')
  const { metadata } = await createPod(api, 'a')
  await node.settled()
  deepEqual(ledger.calls, ['stage h-a', 'publish h-a'])
  const target = `${ROOT}/pods/${metadata.uid}/volumes/kubernetes.io~csi/a/mount`
  deepEqual([...ledger.published], [[target, 'h-a']])
  const pod = await node.pod('a')
  equal(pod?.status?.phase, 'Running')
  deepEqual(
    pod.status.conditions?.filter(({ status }) => status === 'True').map(({ type }) => type).sort(),
    ['ContainersReady', 'Initialized', 'PodReadyToStartContainers', 'PodScheduled', 'Ready'],
  )
  ok(pod.status.containerStatuses?.[0]?.state?.running)

  await deletePod(api, 'a')
  await node.settled()
  deepEqual(ledger.calls, ['stage h-a', 'publish h-a', 'unpublish h-a', 'unstage h-a'])
  equal(await node.pod('a'), undefined)
  deepEqual(node.tree().filter((path) => /[0-9a-f]{64}|pods\//.test(path)), [])
  match(String(node.tree()), /plugins/)
  deepEqual(node.writes, ['patch pods/status a', 'delete pods a'])
})
