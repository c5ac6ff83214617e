import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { CSI_STORAGE_CAPACITIES } from '../../api/kinds/csi-storage-capacity.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { ALPHA_SELECTED_NODE, BOUND_BY_CONTROLLER, NO_PROVISIONER } from '../../storage/names.ts'
import { claimOf, createOn, podOf, volumeOf } from '../../testing/objects.ts'
import { binderOptions, startBinder } from '../binder/index.ts'
import type { RoleWorld } from '../../kube/process/role-world.ts'
import { defaultsOf } from '../../base/options/index.ts'
import {
  allowedIn,
  attachmentOf,
  bindClaim,
  capacityOf,
  createNodes,
  csiNodeOf,
  driverOf,
  inZone,
  lateClaim,
  lateClass,
  nodeOf,
  provision,
  refuse,
  startUnderTest,
  ZONE,
} from './testing/describe-scheduler.ts'

// The binder writes it.
const withoutStatus = <T extends { status?: unknown }>({ status: _status, ...rest }: T): Omit<T, 'status'> => rest

describe('the scheduler', () => {
  test('pods without volumes are spread over the nodes, and each is told', async (context) => {
    const { api, create, nodeOfPod, settled, said } = await startUnderTest(context)
    await createNodes(api, { n1: 'a', n2: 'a', n3: 'b' })
    for (const name of ['p1', 'p2', 'p3']) await create(PODS, podOf(name))
    await settled()
    const nodes = await Promise.all(['p1', 'p2', 'p3'].map(nodeOfPod))
    deepEqual(nodes.toSorted(), ['n1', 'n2', 'n3'])
    ok((await said()).includes(`Scheduled p1: Successfully assigned default/p1 to ${nodes[0]}`))
  })

  test('pods of other schedulers, with gates, or with a node already are left alone', async (context) => {
    const { api, create, nodeOfPod, settled } = await startUnderTest(context)
    await createNodes(api, { n1: 'a' })
    await create(PODS, podOf('other', { spec: { schedulerName: 'somebody-else' } }))
    await create(PODS, podOf('gated', { spec: { schedulingGates: [{ name: 'example.com/wait' }] } }))
    await create(PODS, podOf('fixed', { spec: { nodeName: 'n9' } }))
    await settled()
    deepEqual(await Promise.all(['other', 'gated', 'fixed'].map(nodeOfPod)), ['', '', 'n9'])
    await api.patch(
      PODS,
      { namespace: 'default', name: 'gated' },
      { type: 'merge', value: { spec: { schedulingGates: null } } },
    )
    await settled()
    equal(await nodeOfPod('gated'), 'n1')
  })

  test('S3-61, S3-63, S3-64: a claim that waits for its pod gets a node in an allowed zone, then its volume, and the pod follows', async (context) => {
    const { api, create, nodeOfPod, selectedNode, settled, writes } = await startUnderTest(context)
    await createNodes(api, { n1: 'a', n2: 'b', n3: 'b', n4: 'c' })
    await create(STORAGE_CLASSES, lateClass({ allowedTopologies: allowedIn('c') }))
    await create(PERSISTENT_VOLUME_CLAIMS, lateClaim())
    await create(PODS, podOf('p1', { claims: ['c1'] }))
    await settled()
    equal(await selectedNode(), 'n4')
    equal(await nodeOfPod(), '', 'no pod before its volume')
    await provision(api, 'c1', inZone('c'))
    await settled()
    equal(await nodeOfPod(), 'n4')
    deepEqual(writes, ['patch persistentvolumeclaims c1'], 'one write beside the binding')
  })

  test('S3-64: a pod goes where its volume can be reached, and is told when that is nowhere', async (context) => {
    const { api, create, nodeOfPod, settled, unschedulable, said } = await startUnderTest(context)
    await createNodes(api, { n1: 'a', n2: 'a', n3: 'b' })
    await create(STORAGE_CLASSES, lateClass())
    await create(PERSISTENT_VOLUME_CLAIMS, lateClaim())
    await provision(api, 'c1', inZone('z'))
    await create(PODS, podOf('p1', { claims: ['c1'] }))
    await settled()
    equal(await unschedulable(), '0/3 nodes are available: 3 node(s) had volume node affinity conflict.')
    deepEqual(await said(), [
      'FailedScheduling p1: 0/3 nodes are available: 3 node(s) had volume node affinity conflict.',
    ])
    await createNodes(api, { n4: 'z' })
    await settled()
    equal(await nodeOfPod(), 'n4', 'a new node is reason enough to look again')
    equal(await unschedulable(), undefined)
  })

  test('S3-155, H56: when the provisioner gives the node back, another part of the cluster is tried at once', async (context) => {
    const { api, create, nodeOfPod, selectedNode, settled, said } = await startUnderTest(context)
    await createNodes(api, { n1: 'a', n2: 'a', n3: 'a', n4: 'b' })
    await create(STORAGE_CLASSES, lateClass())
    await create(PERSISTENT_VOLUME_CLAIMS, lateClaim())
    await create(
      PODS,
      podOf('p1', {
        claims: ['c1'],
        spec: {
          affinity: {
            nodeAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                { weight: 5, preference: inZone('a').required?.nodeSelectorTerms[0] ?? {} },
              ],
            },
          },
        },
      }),
    )
    await settled()
    match(await selectedNode(), /^n[123]$/)
    await refuse(api)
    await settled()
    equal(await selectedNode(), 'n4', 'the other nodes of the zone are no better')
    ok((await said()).some((text) => text.includes('provisioning failed for PVC "c1"')))
    await provision(api, 'c1', inZone('b'))
    await settled()
    equal(await nodeOfPod(), 'n4')
  })

  test('S3-155: refused everywhere, it waits longer and longer, and does not ask the provisioner without end', async (context) => {
    const { api, create, selectedNode, settled, advance, unschedulable, writes } = await startUnderTest(context)
    await createNodes(api, { n1: 'a', n2: 'b' })
    await create(STORAGE_CLASSES, lateClass())
    await create(PERSISTENT_VOLUME_CLAIMS, lateClaim())
    await create(PODS, podOf('p1', { claims: ['c1'] }))
    await settled()
    const refuseAll = async (): Promise<void> => {
      for (let zones = 0; zones < 2; zones++) {
        notEqual(await selectedNode(), '')
        await refuse(api)
        await settled()
      }
      equal(await selectedNode(), '')
    }
    await refuseAll()
    match((await unschedulable()) ?? '', /provisioning failed for PVC "c1"/)
    await advance(999)
    equal(await selectedNode(), '')
    await advance(1)
    await refuseAll()
    await advance(1999)
    equal(await selectedNode(), '', 'twice as long')
    await advance(1)
    notEqual(await selectedNode(), '')
    ok(writes.length < 10, writes.join('\n'))
  })

  test('H58: a node that was selected under the old name counts', async (context) => {
    const { api, create, nodeOfPod, settled, unschedulable, writes } = await startUnderTest(context)
    await createNodes(api, { n1: 'a', n2: 'a', n3: 'a' })
    await create(STORAGE_CLASSES, lateClass())
    await create(
      PERSISTENT_VOLUME_CLAIMS,
      lateClaim('c1', { metadata: { annotations: { [ALPHA_SELECTED_NODE]: 'n2' } } }),
    )
    await create(PODS, podOf('p1', { claims: ['c1'] }))
    await settled()
    deepEqual(writes, [], 'nothing is left to be selected')
    equal(await unschedulable(), undefined)
    await provision(api, 'c1')
    await settled()
    equal(await nodeOfPod(), 'n2')
  })

  test('a volume that is there is given to the claim, before any is made, and to one claim only', async (context) => {
    const { api, create, nodeOfPod, settled, unschedulable } = await startUnderTest(context)
    await createNodes(api, { n1: 'a', n2: 'b' })
    await create(STORAGE_CLASSES, lateClass({ provisioner: NO_PROVISIONER }))
    await create(
      PERSISTENT_VOLUMES,
      volumeOf({ name: 'v1', spec: { storageClassName: 'late', nodeAffinity: inZone('b') } }),
    )
    for (const name of ['c1', 'c2']) await create(PERSISTENT_VOLUME_CLAIMS, lateClaim(name))
    await create(PODS, podOf('p1', { claims: ['c1'] }))
    await create(PODS, podOf('p2', { claims: ['c2'] }))
    await settled()
    const { spec, metadata } = await api.get(PERSISTENT_VOLUMES, { name: 'v1' })
    const [winner, loser] = spec.claimRef?.name === 'c1' ? ['1', '2'] : ['2', '1']
    ok(spec.claimRef?.uid, 'this very claim')
    equal(metadata.annotations?.[BOUND_BY_CONTROLLER], 'yes')
    equal(
      await unschedulable(`p${loser}`),
      "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind.",
    )
    await bindClaim(api, `c${winner}`, 'v1')
    await settled()
    equal(await nodeOfPod(`p${winner}`), 'n2')

    await create(
      PERSISTENT_VOLUMES,
      volumeOf({ name: 'v2', spec: { storageClassName: 'late', nodeAffinity: inZone('a') } }),
    )
    await settled()
    equal(
      (await api.get(PERSISTENT_VOLUMES, { name: 'v2' })).spec.claimRef?.name,
      `c${loser}`,
      'a new volume is reason enough to look again',
    )
  })

  test('S3-61, S3-64: with the binder beside it a pod comes to a volume that is there, without a person’s hand', async (context) => {
    const beside = [(world: RoleWorld, signal: AbortSignal) => startBinder(defaultsOf(binderOptions), world, signal)]
    const { api, create, nodeOfPod, settled } = await startUnderTest(context, { beside })
    await createNodes(api, { n1: 'a', n2: 'b' })
    await create(STORAGE_CLASSES, lateClass({ provisioner: NO_PROVISIONER }))
    for (const [name, zone] of [
      ['v1', 'a'],
      ['v2', 'b'],
    ] as const)
      await create(
        PERSISTENT_VOLUMES,
        withoutStatus(volumeOf({ name, spec: { storageClassName: 'late', nodeAffinity: inZone(zone) } })),
      )
    for (const name of ['c1', 'c2']) await create(PERSISTENT_VOLUME_CLAIMS, withoutStatus(lateClaim(name)))
    await create(PODS, podOf('p1', { claims: ['c1'], spec: { nodeSelector: { [ZONE]: 'b' } } }))
    await create(PODS, podOf('p2', { claims: ['c2'] }))
    await settled()
    deepEqual(await Promise.all(['p1', 'p2'].map(nodeOfPod)), ['n2', 'n1'])
    const volumeOfClaim = async (name: string) =>
      (await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name })).spec.volumeName
    deepEqual([await volumeOfClaim('c1'), await volumeOfClaim('c2')], ['v2', 'v1'])
  })

  test('the limit of a driver on a node counts what pods have, what is attached, and what is only chosen', async (context) => {
    const { api, create, nodeOfPod, selectedNode, settled, unschedulable } = await startUnderTest(context)
    await createNodes(api, { n1: 'a' }, 2)
    await create(STORAGE_CLASSES, lateClass())
    for (const name of ['c1', 'c2', 'c3']) await create(PERSISTENT_VOLUME_CLAIMS, lateClaim(name))
    await create(PERSISTENT_VOLUMES, volumeOf({ name: 'left-over' }))
    await create(VOLUME_ATTACHMENTS, attachmentOf('n1', 'left-over'))
    await create(PODS, podOf('p1', { claims: ['c1'] }))
    await settled()
    await create(PODS, podOf('p2', { claims: ['c2'] }))
    await settled()
    equal(
      await unschedulable('p2'),
      '0/1 nodes are available: 1 node(s) exceed max volume count.',
      'the volume of c1 is not even made yet',
    )
    await create(PODS, podOf('p3', { claims: ['c1'] }))
    await settled()
    equal(await unschedulable('p3'), undefined, 'the same volume once more is not one more')

    await api.delete(VOLUME_ATTACHMENTS, { name: 'a-n1-left-over' })
    await settled()
    equal(await selectedNode('c2'), 'n1', 'what is detached makes room')
    match((await unschedulable('p2')) ?? '', /exceed max volume count/, 'it says so until it has a node')
    await provision(api, 'c2')
    await settled()
    equal(await nodeOfPod('p2'), 'n1')

    await create(PODS, podOf('p4', { claims: ['c3'] }))
    await settled()
    match((await unschedulable('p4')) ?? '', /exceed max volume count/)
    await api.update(CSI_NODES, { ...(await api.get(CSI_NODES, { name: 'n1' })), spec: csiNodeOf('n1', 3).spec })
    await settled()
    equal(await selectedNode('c3'), 'n1', 'the driver can take more')
  })

  test('many pods at once never go over the limit', async (context) => {
    const { api, create, nodeOfPod, settled } = await startUnderTest(context)
    await createNodes(api, { n1: 'a', n2: 'a', n3: 'a' }, 2)
    await create(STORAGE_CLASSES, lateClass())
    const names = Array.from({ length: 9 }, (_, index) => `${index}`)
    for (const name of names) await create(PERSISTENT_VOLUME_CLAIMS, lateClaim(`c${name}`))
    for (const name of names) await create(PODS, podOf(`p${name}`, { claims: [`c${name}`] }))
    await settled()
    for (const name of names)
      if ((await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name: `c${name}` })).metadata.annotations)
        await provision(api, `c${name}`)
    await settled()
    const placed = (await Promise.all(names.map((name) => nodeOfPod(`p${name}`)))).filter((node) => node !== '')
    deepEqual(placed.toSorted(), ['n1', 'n1', 'n2', 'n2', 'n3', 'n3'])
  })

  test('storage capacity keeps a pod off nodes without room, and room that comes back brings it on', async (context) => {
    const { api, create, selectedNode, settled, unschedulable } = await startUnderTest(context)
    await createNodes(api, { n1: 'a', n2: 'b' })
    await create(CSI_DRIVERS, driverOf({ storageCapacity: true }))
    await create(STORAGE_CLASSES, lateClass())
    const room = await create(CSI_STORAGE_CAPACITIES, capacityOf('b', '512Mi'))
    await create(PERSISTENT_VOLUME_CLAIMS, lateClaim())
    await create(PODS, podOf('p1', { claims: ['c1'] }))
    await settled()
    equal(await unschedulable(), '0/2 nodes are available: 2 node(s) did not have enough free storage.')
    await api.update(CSI_STORAGE_CAPACITIES, { ...room, capacity: '1Gi' })
    await settled()
    equal(await selectedNode(), 'n2')
  })

  test('claims that are missing, unbound, lost or leaving are named, and waited for', async (context) => {
    const { api, create, nodeOfPod, settled, advance, unschedulable } = await startUnderTest(context)
    await createNodes(api, { n1: 'a', n2: 'a' })
    await create(PODS, podOf('p1', { claims: ['c1'] }))
    await create(
      PODS,
      podOf('p2', { volumes: [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: claimOf().spec } } }] }),
    )
    await settled()
    equal(await unschedulable('p1'), '0/2 nodes are available: persistentvolumeclaim "c1" not found.')
    equal(
      await unschedulable('p2'),
      '0/2 nodes are available: waiting for ephemeral volume controller to create the persistentvolumeclaim "p2-scratch".',
    )
    await create(PERSISTENT_VOLUME_CLAIMS, claimOf({ name: 'p2-scratch' }))
    await create(PERSISTENT_VOLUME_CLAIMS, claimOf())
    await settled()
    await advance(1000)
    equal(await unschedulable('p1'), '0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.')
    match(
      (await unschedulable('p2')) ?? '',
      /PVC default\/p2-scratch was not created for pod default\/p2 \(pod is not owner\)/,
    )
    await provision(api, 'c1')
    await settled()
    notEqual(await nodeOfPod('p1'), '')

    await create(PODS, podOf('p3', { claims: ['c1'], spec: { nodeSelector: { nowhere: 'yes' } } }))
    await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name: 'c1' })
    await settled()
    equal(await unschedulable('p3'), '0/2 nodes are available: persistentvolumeclaim "c1" is being deleted.')
  })

  test('a pod that waits for the same thing, however often it is looked at, says so in one write', async (context) => {
    const { api, create, settled, advance, unschedulable, writes } = await startUnderTest(context)
    await createNodes(api, { n1: 'a' })
    await create(PERSISTENT_VOLUME_CLAIMS, claimOf())
    await create(PODS, podOf('p1', { claims: ['c1'] }))
    await settled()
    await advance(1000)
    for (const change of ['one', 'two', 'three']) {
      await api.patch(
        PERSISTENT_VOLUME_CLAIMS,
        { namespace: 'default', name: 'c1' },
        { type: 'merge', value: { metadata: { annotations: { change } } } },
      )
      await settled()
    }
    equal(await unschedulable(), '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.')
    deepEqual(writes, ['patch pods/status p1'])
  })

  test('a pod whose claim is bound within a second never says that it was waiting', async (context) => {
    const { api, create, nodeOfPod, settled, advance, unschedulable, writes, said } = await startUnderTest(context)
    await createNodes(api, { n1: 'a' })
    await create(PERSISTENT_VOLUME_CLAIMS, claimOf())
    await create(PODS, podOf('p1', { claims: ['c1'] }))
    await advance(999)
    equal(await unschedulable(), undefined)
    await provision(api, 'c1')
    await settled()
    equal(await nodeOfPod('p1'), 'n1')
    await advance(60_000)
    deepEqual(writes, [])
    deepEqual(await said(), ['Scheduled p1: Successfully assigned default/p1 to n1'])
  })

  test('a ReadWriteOncePod claim serves one pod at a time, the one that is only on its way too', async (context) => {
    const { api, create, nodeOfPod, settled, unschedulable } = await startUnderTest(context)
    await createNodes(api, { n1: 'a', n2: 'a' })
    await create(STORAGE_CLASSES, lateClass())
    await create(PERSISTENT_VOLUME_CLAIMS, lateClaim('c1', { modes: ['ReadWriteOncePod'] }))
    await create(PODS, podOf('p1', { claims: ['c1'] }))
    await settled()
    await create(PODS, podOf('p2', { claims: ['c1'] }))
    await settled()
    match(
      (await unschedulable('p2')) ?? '',
      /^0\/2 nodes are available: 2 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode\.$/,
    )
    await provision(api, 'c1')
    await settled()
    notEqual(await nodeOfPod('p1'), '')
    equal(await nodeOfPod('p2'), '')
    await api.delete(PODS, { namespace: 'default', name: 'p1' }, { gracePeriodSeconds: 0 })
    await settled()
    notEqual(await nodeOfPod('p2'), '')
  })

  test('pods that share a claim choose one node for it, and nothing of their own is made elsewhere', async (context) => {
    const { api, create, selectedNode, settled } = await startUnderTest(context)
    await createNodes(api, { n1: 'a', n2: 'b' })
    await create(STORAGE_CLASSES, lateClass())
    for (const number of [1, 2, 3]) {
      await create(PERSISTENT_VOLUME_CLAIMS, lateClaim(`own-${number}`))
      await create(PODS, podOf(`p${number}`, { claims: [`own-${number}`, 'shared'] }))
    }
    await settled()
    // All of them have waited for this one, and are looked at together.
    await createOn(api, PERSISTENT_VOLUME_CLAIMS, lateClaim('shared', { modes: ['ReadWriteMany'] }))
    await settled()
    const node = await selectedNode('shared')
    notEqual(node, '')
    for (const number of [1, 2, 3]) equal(await selectedNode(`own-${number}`), node)
  })

  test('a pod that is deleted while its volume is made leaves its place to others', async (context) => {
    const { api, create, settled, selectedNode, unschedulable } = await startUnderTest(context)
    await createNodes(api, { n1: 'a' }, 1)
    await create(STORAGE_CLASSES, lateClass())
    for (const name of ['c1', 'c2']) await create(PERSISTENT_VOLUME_CLAIMS, lateClaim(name))
    await create(PODS, podOf('p1', { claims: ['c1'] }))
    await settled()
    await create(PODS, podOf('p2', { claims: ['c2'] }))
    await settled()
    match((await unschedulable('p2')) ?? '', /exceed max volume count/)
    await api.delete(PODS, { namespace: 'default', name: 'p1' }, { gracePeriodSeconds: 0 })
    await settled()
    equal(await selectedNode('c2'), 'n1')
  })

  test('a node that goes while volumes are made for it: the pod waits for the provisioner, then goes elsewhere', async (context) => {
    const { api, create, nodeOfPod, settled, selectedNode, unschedulable } = await startUnderTest(context)
    await createNodes(api, { n1: 'a' })
    await create(STORAGE_CLASSES, lateClass())
    await create(PERSISTENT_VOLUME_CLAIMS, lateClaim())
    await create(PODS, podOf('p1', { claims: ['c1'] }))
    await settled()
    await createNodes(api, { n2: 'a' })
    await api.delete(NODES, { name: 'n1' })
    await settled()
    equal(await unschedulable(), "0/1 nodes are available: 1 node(s) didn't find available persistent volumes to bind.")
    await refuse(api)
    await settled()
    equal(await selectedNode(), 'n2')
    await provision(api, 'c1', inZone('a'))
    await settled()
    equal(await nodeOfPod(), 'n2')
  })

  test('started again it goes on where it was, without a second choice', async (context) => {
    const { api, create, nodeOfPod, settled, selectedNode, start, stop, writes } = await startUnderTest(context)
    await createNodes(api, { n1: 'a', n2: 'a', n3: 'a' })
    await create(STORAGE_CLASSES, lateClass())
    await create(PERSISTENT_VOLUME_CLAIMS, lateClaim())
    await create(PODS, podOf('p1', { claims: ['c1'] }))
    await settled()
    const selected = await selectedNode()
    await stop()
    await start()
    equal(await selectedNode(), selected)
    await provision(api, 'c1')
    await settled()
    equal(await nodeOfPod(), selected, 'though its volume could be anywhere')
    equal(writes.length, 1)
  })

  test('volumes that take too long: the pod gives its place back for a moment and says so', async (context) => {
    const { api, create, settled, advance, selectedNode, said, nodeOfPod } = await startUnderTest(context, {
      config: { bindTimeoutMs: 60_000 },
    })
    await createNodes(api, { n1: 'a' })
    await create(STORAGE_CLASSES, lateClass())
    await create(PERSISTENT_VOLUME_CLAIMS, lateClaim())
    await create(PODS, podOf('p1', { claims: ['c1'] }))
    await settled()
    await advance(59_999)
    deepEqual(await said(), [])
    await advance(1)
    ok((await said()).some((text) => /^FailedScheduling p1: .*timed out waiting for the condition/.test(text)))
    equal(await selectedNode(), 'n1')
    await provision(api, 'c1')
    await settled()
    equal(await nodeOfPod(), 'n1')
  })

  test('a node that becomes ready, loses its taint or is uncordoned takes what waits', async (context) => {
    const { api, create, nodeOfPod, settled, unschedulable } = await startUnderTest(context)
    await create(
      NODES,
      nodeOf('n1', {
        spec: { taints: [{ key: 'dedicated', value: 'db', effect: 'NoExecute' }] },
        status: { conditions: [{ type: 'Ready', status: 'Unknown' }] },
      }),
    )
    await create(PODS, podOf())
    await settled()
    equal(await unschedulable(), '0/1 nodes are available: 1 node(s) had untolerated taint {dedicated: db}.')
    const change = async (value: object, subresource?: string): Promise<void> => {
      await api.patch(NODES, { name: 'n1' }, { type: 'merge', value }, subresource ? { subresource } : {})
      await settled()
    }
    await change({ spec: { taints: null, unschedulable: true } })
    equal(await nodeOfPod(), '')
    await change({ spec: { unschedulable: null } })
    equal(await nodeOfPod(), '', 'nothing is known of the node')
    await change({ status: { conditions: [{ type: 'Ready', status: 'True' }] } }, 'status')
    equal(await nodeOfPod(), 'n1')
  })
})
