import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { NODES } from '../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { PODS } from '../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import {
  createClaim,
  createPod,
  deletePod,
  DRIVER,
  getClaim,
  getPod,
  isGone,
  NAMESPACE,
  startClusterUnderTest,
  ZONE,
} from './testing/describe-cluster.ts'

describe('the way of one claim', () => {
  test('S3-1, S3-61, S3-90, S3-91, S3-93, S3-158, S3-187: from the applied claim and pod to the mounted volume, and back to nothing', async (context) => {
    const { api, until, volumes, mounted, machine, clock } = await startClusterUnderTest(context, { nodes: 2 })
    const beganMs = clock.monotonicMs()
    await createClaim(api, 'data')
    const { metadata: pod } = await createPod(api, 'web', 'data')
    await until('the pod runs', async () => (await getPod(api, 'web')).status?.phase === 'Running')
    // Everything is set off by a change: nobody waits for a clock.
    equal(clock.monotonicMs(), beganMs)

    const claim = await getClaim(api, 'data')
    equal(claim.status?.phase, 'Bound')
    equal(claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-provisioner'], DRIVER)
    const volume = await api.get(PERSISTENT_VOLUMES, { name: claim.spec.volumeName ?? '' })
    deepEqual([volume.spec.csi?.volumeHandle], await volumes())
    const { spec } = await getPod(api, 'web')
    const [attachment] = (await api.list(VOLUME_ATTACHMENTS)).items
    deepEqual(attachment?.spec, {
      attacher: DRIVER,
      nodeName: spec.nodeName,
      source: { persistentVolumeName: volume.metadata.name },
    })
    const node = spec.nodeName ?? ''
    ok(node)
    equal(JSON.stringify([volume.spec, volume.status]).includes(node), false)
    ok(
      (await mounted()).includes(
        `/cluster/${node}/pods/${pod.uid}/volumes/kubernetes.io~csi/${volume.metadata.name}/mount`,
      ),
    )
    await until(
      'the node is told',
      async () =>
        (await api.get(NODES, { name: node })).status?.volumesAttached?.[0]?.name ===
        `kubernetes.io/csi/${DRIVER}^${volume.spec.csi?.volumeHandle}`,
    )

    await deletePod(api, 'web')
    await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: 'data' })
    await until(
      'nothing is left',
      async () =>
        (await api.list(VOLUME_ATTACHMENTS)).items.length === 0 &&
        (await api.list(PERSISTENT_VOLUMES)).items.length === 0 &&
        (await isGone(getClaim(api, 'data'))),
    )
    deepEqual([await volumes(), await mounted(), await machine.files.list(`/cluster/${node}/pods`)], [[], [], []])
    equal((await api.get(NODES, { name: node })).status?.volumesAttached?.length ?? 0, 0)
    equal(clock.monotonicMs(), beganMs)
  })
  test('S3-63, S3-64: with delayed binding the pod decides where the volume is, and the volume where its next pod runs', async (context) => {
    const { api, until } = await startClusterUnderTest(context, { nodes: 3, zones: ['a', 'b', 'c'] })
    await createClaim(api, 'data')
    await createPod(api, 'first', 'data', { nodeSelector: { [ZONE]: 'b' } })
    await until('the pod has a node', async () => (await getPod(api, 'first')).spec.nodeName === 'node-2')
    const volume = await api.get(PERSISTENT_VOLUMES, { name: (await getClaim(api, 'data')).spec.volumeName ?? '' })
    deepEqual(volume.spec.nodeAffinity?.required?.nodeSelectorTerms?.[0]?.matchExpressions, [
      { key: ZONE, operator: 'In', values: ['b'] },
    ])
    await deletePod(api, 'first')
    await createPod(api, 'second', 'data')
    await until('the next pod follows the volume', async () => (await getPod(api, 'second')).spec.nodeName === 'node-2')
  })
  test('a claim that is used is not deleted under its pod; it goes with the last one', async (context) => {
    const { api, until, advance } = await startClusterUnderTest(context, {})
    await createClaim(api, 'data')
    await createPod(api, 'web', 'data')
    await until('the pod has a node', async () => (await getPod(api, 'web')).spec.nodeName !== undefined)
    await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: 'data' })
    await advance(60_000)
    ok((await getClaim(api, 'data')).metadata.deletionTimestamp)
    await deletePod(api, 'web')
    await until('the claim is gone', () => isGone(getClaim(api, 'data')))
  })
  test('S1-4, S1-13: a driver that needs no attaching gets none', async (context) => {
    const { api, until, advance } = await startClusterUnderTest(context, {})
    await api.create(CSI_DRIVERS, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: DRIVER },
      spec: { attachRequired: false },
    })
    await createClaim(api, 'data')
    await createPod(api, 'web', 'data')
    await until('the pod has a node', async () => (await getPod(api, 'web')).spec.nodeName !== undefined)
    await advance(10_000)
    deepEqual((await api.list(VOLUME_ATTACHMENTS)).items, [])
  })
  test('S1-12: one that says so, or says nothing, is attached', async (context) => {
    const { api, until } = await startClusterUnderTest(context, {})
    await api.create(CSI_DRIVERS, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: DRIVER },
      spec: { attachRequired: true },
    })
    await createClaim(api, 'data')
    await createPod(api, 'web', 'data')
    await until(
      'the volume is attached',
      async () => (await api.list(VOLUME_ATTACHMENTS)).items[0]?.status?.attached === true,
    )
  })
  test('fifty claims with their pods at once', async (context) => {
    const { api, until, volumes, mounted } = await startClusterUnderTest(context, { nodes: 3 })
    for (let number = 0; number < 50; number++) {
      await createClaim(api, `data-${number}`)
      await createPod(api, `web-${number}`, `data-${number}`)
    }
    await until(
      'all run',
      async () => (await api.list(PODS)).items.filter(({ status }) => status?.phase === 'Running').length === 50,
    )
    equal((await volumes()).length, 50)
    for (let number = 0; number < 50; number++) {
      await deletePod(api, `web-${number}`)
      await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: `data-${number}` })
    }
    await until(
      'nothing is left',
      async () =>
        (await api.list(PERSISTENT_VOLUMES)).items.length === 0 &&
        (await api.list(VOLUME_ATTACHMENTS)).items.length === 0,
    )
    deepEqual([await volumes(), await mounted()], [[], []])
  })
})

test('a cluster in which nothing happens writes the leases of its nodes, and the state of a node every five minutes', async (context) => {
  const { api, until, advance } = await startClusterUnderTest(context, { nodes: 2 })
  await createClaim(api, 'data')
  await createPod(api, 'web', 'data')
  await until('the pod runs', async () => (await getPod(api, 'web')).status?.phase === 'Running')
  await advance(60_000)
  const revision = async (): Promise<number> => Number((await api.list(PODS)).resourceVersion)
  const before = await revision()
  await advance(600_000)
  const nodes = 2
  equal((await revision()) - before, nodes * (60 + 2))
})
