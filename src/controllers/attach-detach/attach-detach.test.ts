import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Api } from '../../api/api.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import {
  attach,
  attachedTo,
  createAttachment,
  createBound,
  createDriver,
  createNode,
  createPod,
  deletePod,
  eventsOf,
  failAttach,
  findAttachment,
  listAttachments,
  nameOf,
  release,
  setInUse,
  setReady,
  startAttached,
  startUnderTest,
  uniqueNameOf,
} from './testing/describe-attach-detach.ts'

describe('the way of one volume', () => {
  test('S3-111, S3-112, S3-115, S3-125, H35: a scheduled pod has its volume attached, and the node is told, with two writes', async (context) => {
    const { api, writes, settled } = await startUnderTest(context)
    await createBound(api, 'v1')
    await createPod(api, 'web', { node: 'node-1', claims: ['v1'] })
    await settled()
    const attachment = await findAttachment(api, nameOf('v1', 'node-1'))
    deepEqual(attachment?.spec, {
      attacher: 'test.holdfast.dev',
      nodeName: 'node-1',
      source: { persistentVolumeName: 'v1' },
    })
    deepEqual(await attachedTo(api, 'node-1'), [])
    await attach(api, 'v1', 'node-1')
    await settled()
    deepEqual((await api.get(NODES, { name: 'node-1' })).status?.volumesAttached, [
      { name: 'kubernetes.io/csi/test.holdfast.dev^handle-v1', devicePath: '' },
    ])
    deepEqual(writes, [`create volumeattachments ${nameOf('v1', 'node-1')}`, 'patch nodes/status node-1'])
    deepEqual(await eventsOf(api), [
      'Normal SuccessfulAttachVolume Pod/web: AttachVolume.Attach succeeded for volume "v1" ',
    ])
  })

  test('S3-111, S3-120, S3-123: a pod that is gone has its volume detached with two writes, the node told first', async (context) => {
    const { api, writes, settled } = await startUnderTest(context)
    await createBound(api, 'v1')
    await createPod(api, 'web', { node: 'node-1', claims: ['v1'] })
    await settled()
    await attach(api, 'v1', 'node-1')
    await settled()
    writes.length = 0
    await deletePod(api, 'web')
    await settled()
    deepEqual(writes, ['patch nodes/status node-1', `delete volumeattachments ${nameOf('v1', 'node-1')}`])
    deepEqual(await attachedTo(api, 'node-1'), [])
    match((await findAttachment(api, nameOf('v1', 'node-1')))?.metadata.deletionTimestamp ?? '', /^2030/)
    await release(api, 'v1', 'node-1')
    await settled()
    deepEqual(await listAttachments(api), [])
    equal(writes.length, 2)
  })

  test('several volumes of a node cost one write of its status, attaching and detaching', async (context) => {
    const { api, writes, settled, advance } = await startUnderTest(context)
    const volumes = ['v1', 'v2', 'v3']
    for (const name of volumes) await createBound(api, name)
    await createPod(api, 'web', { node: 'node-1', claims: volumes })
    await settled()
    for (const name of volumes) await attach(api, name, 'node-1')
    await settled()
    deepEqual(await attachedTo(api, 'node-1'), volumes)
    deepEqual(
      writes.filter((write) => write.startsWith('patch')),
      ['patch nodes/status node-1'],
    )
    writes.length = 0
    await deletePod(api, 'web')
    await advance(50)
    deepEqual(
      writes.map((write) => write.split(' ').slice(0, 2).join(' ')),
      ['patch nodes/status', ...volumes.map(() => 'delete volumeattachments')],
    )
  })

  test('a volume that takes long does not keep the others of its node waiting for more than a moment', async (context) => {
    const { api, settled, advance } = await startUnderTest(context)
    for (const name of ['v1', 'v2']) await createBound(api, name)
    await createPod(api, 'web', { node: 'node-1', claims: ['v1', 'v2'] })
    await settled()
    await attach(api, 'v1', 'node-1')
    await advance(50)
    deepEqual(await attachedTo(api, 'node-1'), ['v1'])
    await failAttach(api, 'v2', 'node-1', 'no room')
    await settled()
    await attach(api, 'v2', 'node-1')
    await settled()
    deepEqual(await attachedTo(api, 'node-1'), ['v1', 'v2'])
  })
})

describe('who gets a volume attached', () => {
  test('S3-111: a pod without a node, one that is over, and one being deleted without a running container want nothing', async (context) => {
    const { api, settled } = await startUnderTest(context)
    for (const name of ['v1', 'v2', 'v3']) await createBound(api, name)
    await createPod(api, 'waiting', { claims: ['v1'] })
    await createPod(api, 'over', { node: 'node-1', claims: ['v2'] })
    await api.patch(
      PODS,
      { namespace: 'default', name: 'over' },
      { type: 'merge', value: { status: { phase: 'Succeeded' } } },
      { subresource: 'status' },
    )
    const metadata = { finalizers: ['example.com/hold'] }
    await createPod(api, 'leaving', { node: 'node-1', claims: ['v3'], metadata })
    await deletePod(api, 'leaving')
    await settled()
    deepEqual(await listAttachments(api), [])
    await api.createSubresource(PODS, { namespace: 'default', name: 'waiting' }, 'binding', {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'waiting' },
      target: { kind: 'Node', name: 'node-2' },
    })
    await settled()
    deepEqual(await listAttachments(api), ['v1 node-2'])
  })

  test('S3-111: a pod that ends has its volume detached though it is still there', async (context) => {
    const { api, settled } = await startAttached(context)
    await api.patch(
      PODS,
      { namespace: 'default', name: 'web' },
      { type: 'merge', value: { status: { phase: 'Failed' } } },
      { subresource: 'status' },
    )
    await settled()
    await release(api, 'v1', 'node-1')
    deepEqual(await listAttachments(api), [])
  })

  test('a claim that is bound later, and a volume that appears later, are attached then', async (context) => {
    const { api, settled } = await startUnderTest(context)
    await createPod(api, 'web', { node: 'node-1', claims: ['v1'] })
    await settled()
    deepEqual(await listAttachments(api), [])
    await createBound(api, 'v1')
    await settled()
    deepEqual(await listAttachments(api), ['v1 node-1'])
  })

  test('a generic ephemeral volume is attached, unless its claim was made for somebody else', async (context) => {
    const { api, settled } = await startUnderTest(context)
    const template = { spec: { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } } }
    await createBound(api, 'web-scratch')
    const pod = await createPod(api, 'web', {
      node: 'node-1',
      volumes: [{ name: 'scratch', ephemeral: { volumeClaimTemplate: template } }],
    })
    await settled()
    deepEqual(await listAttachments(api), [])
    match(
      (await eventsOf(api)).join(),
      /Warning FailedAttachVolume Pod\/web: PVC \S+ was not created for pod \S+ \(pod is not owner\)/,
    )
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'web', uid: pod.metadata.uid, controller: true }]
    await api.patch(
      PERSISTENT_VOLUME_CLAIMS,
      { namespace: 'default', name: 'web-scratch' },
      { type: 'merge', value: { metadata: { ownerReferences } } },
    )
    await settled()
    deepEqual(await listAttachments(api), ['web-scratch node-1'])
  })

  test('S1-10, S1-12, S1-13, S1-4, H13, S3-130: a driver that needs no attaching gets no VolumeAttachment, one that says nothing does', async (context) => {
    const { api, settled } = await startUnderTest(context)
    await createDriver(api, { attachRequired: false })
    await createBound(api, 'v1')
    await createPod(api, 'web', { node: 'node-1', claims: ['v1'] })
    await createBound(api, 'v2', { csi: { driver: 'other.holdfast.dev' } })
    await createPod(api, 'db', { node: 'node-1', claims: ['v2'] })
    await settled()
    deepEqual(await listAttachments(api), ['v2 node-1'])
  })

  test('S1-11: a CSIDriver that does not say so has its volumes attached', async (context) => {
    const { api, settled } = await startUnderTest(context)
    await createDriver(api, {})
    await createBound(api, 'v1')
    await createPod(api, 'web', { node: 'node-1', claims: ['v1'] })
    await settled()
    deepEqual(await listAttachments(api), ['v1 node-1'])
  })

  test('H10: without the gate CSISkipAttach every volume is attached', async (context) => {
    const { api, settled } = await startUnderTest(context, { config: { skipAttach: false } })
    await createDriver(api, { attachRequired: false })
    await createBound(api, 'v1')
    await createPod(api, 'web', { node: 'node-1', claims: ['v1'] })
    await settled()
    deepEqual(await listAttachments(api), ['v1 node-1'])
  })

  test('S1-13: a driver that stops needing attaching has its volumes detached once they are not in use', async (context) => {
    const { api, settled } = await startAttached(context)
    await setInUse(api, 'node-1', 'v1')
    await createDriver(api, { attachRequired: false })
    await settled()
    equal((await findAttachment(api, nameOf('v1', 'node-1')))?.metadata.deletionTimestamp, undefined)
    deepEqual(await attachedTo(api, 'node-1'), ['v1'])
    await setInUse(api, 'node-1')
    await settled()
    await release(api, 'v1', 'node-1')
    deepEqual(await listAttachments(api), [])
  })

  test('a node that is not ours to manage is left alone until it is', async (context) => {
    const { api, settled } = await startUnderTest(context)
    await createNode(api, 'node-9', {})
    await createBound(api, 'v1')
    await createPod(api, 'web', { node: 'node-9', claims: ['v1'] })
    await createAttachment(api, 'foreign', { nodeName: 'node-9', source: { persistentVolumeName: 'v9' } })
    await settled()
    deepEqual(await listAttachments(api), ['v9 node-9'])
    await api.patch(
      NODES,
      { name: 'node-9' },
      {
        type: 'merge',
        value: { metadata: { annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': '' } } },
      },
    )
    await settled()
    deepEqual(await listAttachments(api), ['v1 node-9', 'v9 node-9'])
  })

  test('a volume that is being deleted is not attached anew, and stays where it is', async (context) => {
    const { api, settled } = await startAttached(context)
    await createBound(api, 'v2')
    for (const name of ['v1', 'v2']) await api.delete(PERSISTENT_VOLUMES, { name })
    await createPod(api, 'late', { node: 'node-2', claims: ['v2'] })
    await settled()
    deepEqual(await listAttachments(api), ['v1 node-1'])
    match(
      (await eventsOf(api)).at(-1) ?? '',
      /Pod\/late: AttachVolume.Attach failed for volume "v2" : PersistentVolume "v2" is marked for deletion/,
    )
  })
})

describe('what is known only from the API', () => {
  test('a restart writes nothing when all is as it should be', async (context) => {
    const { api, writes, settled, stop, start, advance } = await startAttached(context)
    await stop()
    writes.length = 0
    await start()
    await settled()
    await advance(120_000)
    deepEqual(writes, [])
    equal((await eventsOf(api)).length, 1)
  })

  test('reads nothing while nothing happens, however many volumes are attached', async (context) => {
    const reads: string[] = []
    const countReads = (api: Api): Api => ({
      ...api,
      get: (type, ref, options) => (reads.push(`get ${type.plural} ${ref.name}`), api.get(type, ref, options)),
      list: (type, options) => (reads.push(`list ${type.plural}`), api.list(type, options)),
      watch: (type, options) => {
        reads.push(`${options?.sendInitialEvents ? 'stream' : 'resume'} ${type.plural}`)
        return api.watch(type, options)
      },
    })
    const { api, settled, advance } = await startUnderTest(context, { apiOf: countReads })
    const volumes = Array.from({ length: 20 }, (_, index) => `v${index}`)
    for (const name of volumes) await createBound(api, name)
    await createPod(api, 'web', { node: 'node-1', claims: volumes })
    await settled()
    for (const name of volumes) await attach(api, name, 'node-1')
    await settled()
    equal((await attachedTo(api, 'node-1')).length, 20)
    ok(reads.includes('stream volumeattachments'), 'the reads of the start are counted')
    reads.length = 0
    await advance(600_000)
    // The server ends a watch after some minutes, and it goes on from there: once for each of the six kinds.
    equal(reads.filter((read) => read.startsWith('resume ')).length, 6)
    equal(reads.length, 6, reads.join(', '))
  })

  test('S3-111: pods that moved while it was away have their volumes moved', async (context) => {
    const { api, settled, stop, start } = await startAttached(context)
    await stop()
    await deletePod(api, 'web')
    await createPod(api, 'web', { node: 'node-2', claims: ['v1'] })
    await start()
    await settled()
    deepEqual(await listAttachments(api), ['v1 node-1'])
    await release(api, 'v1', 'node-1')
    await settled()
    deepEqual(await listAttachments(api), ['v1 node-2'])
    deepEqual(await attachedTo(api, 'node-1'), [])
  })

  for (const [moment, prepare] of [
    ['the attachment was made', async () => {}],
    [
      'it was attached',
      async ({ api, settled }) => {
        await attach(api, 'v1', 'node-1')
        await settled()
      },
    ],
  ] as [string, (under: Awaited<ReturnType<typeof startUnderTest>>) => Promise<void>][]) {
    test(`a pod that went while it was away leaves nothing behind, when that was after ${moment}`, async (context) => {
      const under = await startUnderTest(context)
      const { api, settled, stop, start } = under
      await createBound(api, 'v1')
      await createPod(api, 'web', { node: 'node-1', claims: ['v1'] })
      await settled()
      await prepare(under)
      await stop()
      await deletePod(api, 'web')
      await start()
      await settled()
      const left = await findAttachment(api, nameOf('v1', 'node-1'))
      if (left?.metadata.finalizers) await release(api, 'v1', 'node-1')
      deepEqual(await listAttachments(api), [])
      deepEqual(await attachedTo(api, 'node-1'), [])
    })
  }

  test('what the node still reports without an attachment is taken out, and what is not of a CSI driver stays', async (context) => {
    const volumesAttached = [
      { name: 'kubernetes.io/nfs/other', devicePath: '' },
      { name: uniqueNameOf('gone'), devicePath: '' },
    ]
    const { api } = await startUnderTest(context, {
      before: async ({ api }) =>
        void (await api.patch(
          NODES,
          { name: 'node-1' },
          { type: 'merge', value: { status: { volumesAttached } } },
          { subresource: 'status' },
        )),
    })
    deepEqual(await attachedTo(api, 'node-1'), ['kubernetes.io/nfs/other'])
  })

  test('an attachment whose volume is gone is deleted as soon as the node does not use it', async (context) => {
    const { api, settled } = await startAttached(context)
    await setInUse(api, 'node-1', 'v1')
    await settled()
    await api.patch(PERSISTENT_VOLUMES, { name: 'v1' }, { type: 'merge', value: { metadata: { finalizers: null } } })
    await api.delete(PERSISTENT_VOLUMES, { name: 'v1' })
    await deletePod(api, 'web')
    await settled()
    equal((await findAttachment(api, nameOf('v1', 'node-1')))?.metadata.deletionTimestamp, undefined)
    await setInUse(api, 'node-1')
    await settled()
    await release(api, 'v1', 'node-1')
    deepEqual(await listAttachments(api), [])
    deepEqual(await attachedTo(api, 'node-1'), [])
  })

  test('H35: an attachment under another name is known by its spec: kept while it is wanted, deleted afterwards', async (context) => {
    const { api, settled } = await startUnderTest(context)
    await createBound(api, 'v1')
    await createPod(api, 'web', { node: 'node-1', claims: ['v1'] })
    await createAttachment(api, 'pv-legacy', { nodeName: 'node-1', source: { persistentVolumeName: 'v1' } })
    await settled()
    deepEqual(await listAttachments(api), ['v1 node-1', 'v1 node-1'])
    await deletePod(api, 'web')
    await settled()
    deepEqual(await listAttachments(api), [])
  })

  test('an attachment that somebody deletes under a running pod is made again, and the node does not count on it meanwhile', async (context) => {
    const { api, settled } = await startAttached(context)
    await api.delete(VOLUME_ATTACHMENTS, { name: nameOf('v1', 'node-1') })
    await settled()
    deepEqual(await attachedTo(api, 'node-1'), [])
    await release(api, 'v1', 'node-1')
    await settled()
    deepEqual(await listAttachments(api), ['v1 node-1'])
    await attach(api, 'v1', 'node-1')
    await settled()
    deepEqual(await attachedTo(api, 'node-1'), ['v1'])
  })

  test('a list that somebody else has spoilt is put right: what is missing comes back, what nothing stands for goes', async (context) => {
    const { api, settled } = await startAttached(context)
    for (const volumesAttached of [
      [],
      [
        { name: uniqueNameOf('v1'), devicePath: '' },
        { name: uniqueNameOf('gone'), devicePath: '' },
      ],
    ]) {
      await api.patch(
        NODES,
        { name: 'node-1' },
        { type: 'merge', value: { status: { volumesAttached } } },
        { subresource: 'status' },
      )
      await settled()
      deepEqual(await attachedTo(api, 'node-1'), ['v1'])
    }
  })

  test('a list that somebody else wrote meanwhile is not overwritten by what we thought it was', async (context) => {
    const { api, settled } = await startAttached(context)
    const volumesAttached = [
      { name: 'kubernetes.io/nfs/other', devicePath: '' },
      { name: uniqueNameOf('v1'), devicePath: '' },
    ]
    await api.patch(
      NODES,
      { name: 'node-1' },
      { type: 'merge', value: { status: { volumesAttached } } },
      { subresource: 'status' },
    )
    await deletePod(api, 'web')
    await settled()
    deepEqual(await attachedTo(api, 'node-1'), ['kubernetes.io/nfs/other'])
  })
})

describe('forced detach', () => {
  test('S3-111: a volume in use stays as long as the node is healthy, however long', async (context) => {
    const { api, settled, advance } = await startAttached(context)
    await setInUse(api, 'node-1', 'v1')
    await deletePod(api, 'web')
    await settled()
    await advance(3_600_000)
    equal((await findAttachment(api, nameOf('v1', 'node-1')))?.metadata.deletionTimestamp, undefined)
    deepEqual(await attachedTo(api, 'node-1'), ['v1'])
  })

  for (const [what, disableForceDetachOnTimeout] of [
    ['after six minutes', false],
    ['never, where that is switched off', true],
  ] as const) {
    test(`a dead node loses a volume that nobody wants ${what}`, async (context) => {
      const { api, settled, advance } = await startAttached(context, { config: { disableForceDetachOnTimeout } })
      await setInUse(api, 'node-1', 'v1')
      await setReady(api, 'node-1', false)
      await settled()
      await deletePod(api, 'web')
      await settled()
      await createPod(api, 'web', { node: 'node-2', claims: ['v1'] })
      await advance(359_000)
      equal((await findAttachment(api, nameOf('v1', 'node-1')))?.metadata.deletionTimestamp, undefined)
      await advance(1000)
      equal(
        (await findAttachment(api, nameOf('v1', 'node-1')))?.metadata.deletionTimestamp === undefined,
        disableForceDetachOnTimeout,
      )
      if (disableForceDetachOnTimeout) return
      deepEqual(await attachedTo(api, 'node-1'), [])
      // The driver has the last word: only when it has let go the volume may go elsewhere.
      deepEqual(await listAttachments(api), ['v1 node-1'])
      await release(api, 'v1', 'node-1')
      await settled()
      deepEqual(await listAttachments(api), ['v1 node-2'])
    })
  }

  test('a node that recovers in time keeps its volume', async (context) => {
    const { api, settled, advance } = await startAttached(context)
    await setInUse(api, 'node-1', 'v1')
    await setReady(api, 'node-1', false)
    await deletePod(api, 'web')
    await advance(300_000)
    await setReady(api, 'node-1', true)
    await advance(3_600_000)
    equal((await findAttachment(api, nameOf('v1', 'node-1')))?.metadata.deletionTimestamp, undefined)
    await setReady(api, 'node-1', false)
    await settled()
    match((await findAttachment(api, nameOf('v1', 'node-1')))?.metadata.deletionTimestamp ?? '', /./)
  })

  test('a node that is out of service loses it at once', async (context) => {
    const { api, settled } = await startAttached(context)
    await setInUse(api, 'node-1', 'v1')
    await deletePod(api, 'web')
    await settled()
    await api.patch(
      NODES,
      { name: 'node-1' },
      {
        type: 'merge',
        value: { spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] } },
      },
    )
    await settled()
    match((await findAttachment(api, nameOf('v1', 'node-1')))?.metadata.deletionTimestamp ?? '', /./)
  })

  test('a node object that was deleted: at once what it did not use, after six minutes what it used', async (context) => {
    const { api, settled, advance } = await startAttached(context)
    await createBound(api, 'v2')
    await createPod(api, 'db', { node: 'node-1', claims: ['v2'] })
    await settled()
    await attach(api, 'v2', 'node-1')
    await setInUse(api, 'node-1', 'v1')
    await advance(50)
    await api.delete(NODES, { name: 'node-1' })
    await deletePod(api, 'web')
    await deletePod(api, 'db')
    await settled()
    equal((await findAttachment(api, nameOf('v1', 'node-1')))?.metadata.deletionTimestamp, undefined)
    match((await findAttachment(api, nameOf('v2', 'node-1')))?.metadata.deletionTimestamp ?? '', /./)
    await advance(360_000)
    match((await findAttachment(api, nameOf('v1', 'node-1')))?.metadata.deletionTimestamp ?? '', /./)
  })
})
