import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { ephemeralHandle } from '../../storage/in-line-volume.ts'
import { podOf, volumeOf } from '../../testing/objects.ts'
import { findLeaks } from './find-leaks.ts'
import type { DriverSide } from './read-driver-side.ts'
import { formatLeaks } from './format-leaks.ts'
import { stillThere } from './leak.ts'
import type { Leak } from './leak.ts'
import type { ClusterSide } from './read-cluster-side.ts'

const DRIVER = 'test.holdfast.dev'
const volume = (...nodeIds: string[]) => ({ sizeBytes: 2 ** 30, nodeIds })
const attachment = (more: Partial<VolumeAttachment> = {}): VolumeAttachment => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name: 'va-1' },
  spec: { attacher: DRIVER, nodeName: 'n1', source: { persistentVolumeName: 'v1' } },
  status: { attached: true },
  ...more,
})
const claimRef = { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'c1' }
const LEAVING = '2030-01-01T00:00:00Z'

// Every kind of leak is planted by the simulation in src/cluster/simulation; here is what must not be taken for one.
const SIDE: DriverSide = {
  volumes: new Map([['v1', volume('id-1')]]),
  listsNodes: true,
  snapshots: new Map([['s1', { sizeBytes: 5 }]]),
}
const CLUSTER: ClusterSide = {
  driverName: DRIVER,
  volumes: [volumeOf({ name: 'v1', phase: 'Bound', spec: { claimRef } })],
  attachments: [attachment()],
  pods: [podOf('p1', { nodeName: 'n1', claims: ['c1'] })],
  nodes: [{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }],
  csiNodes: [
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: 'n1' },
      spec: { drivers: [{ name: DRIVER, nodeID: 'id-1', topologyKeys: [] }] },
    },
  ],
  contents: [
    {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotContent',
      metadata: { name: 'content-1' },
      spec: {
        driver: DRIVER,
        deletionPolicy: 'Delete',
        source: { snapshotHandle: 's1' },
        volumeSnapshotRef: { namespace: 'default', name: 'later' },
      },
    },
  ],
  ...{ claims: [], snapshots: [], snapshotClasses: [], groups: [], groupContents: [], classes: [], capacities: [] },
}
const inLine = podOf('p2', { volumes: [{ name: 'scratch', csi: { driver: DRIVER } }] })

const cases: [behaviour: string, driver: Partial<DriverSide>, cluster: Partial<ClusterSide>, leaks: Leak[]][] = [
  ['two sides that agree', {}, {}, []],
  [
    'an inline volume of a pod',
    { volumes: new Map([...(SIDE.volumes ?? []), [ephemeralHandle('uid-p2', 'scratch'), volume()]]) },
    { pods: [...CLUSTER.pods, inLine] },
    [],
  ],
  [
    'an object that is being deleted',
    { volumes: new Map() },
    {
      volumes: [volumeOf({ name: 'v1', metadata: { deletionTimestamp: LEAVING }, spec: { claimRef } })],
      attachments: [attachment({ metadata: { name: 'va-1', deletionTimestamp: LEAVING } })],
    },
    [],
  ],
  [
    'a released volume that the provisioner deletes',
    { volumes: new Map() },
    {
      volumes: [volumeOf({ phase: 'Released', spec: { claimRef, persistentVolumeReclaimPolicy: 'Delete' } })],
      attachments: [],
    },
    [],
  ],
  [
    'an attachment that is not attached yet',
    { volumes: new Map([['v1', volume()]]) },
    { attachments: [attachment({ status: { attached: false } })] },
    [],
  ],
  [
    'attachments of a driver that does not list nodes',
    { listsNodes: false, volumes: new Map([['v1', volume()]]) },
    {},
    [],
  ],
  [
    'a volume of another cluster on a node of another cluster; only its existence is reported',
    { volumes: new Map([...(SIDE.volumes ?? []), ['theirs', volume('id-9')]]) },
    {},
    [{ kind: 'volume-without-object', handle: 'theirs', sizeBytes: 2 ** 30 }],
  ],
  [
    'objects of another driver',
    {},
    { volumes: [...CLUSTER.volumes, volumeOf({ name: 'x', spec: { csi: { driver: 'other', volumeHandle: 'x' } } })] },
    [],
  ],
]

describe('the sweep does not take for a leak', () => {
  for (const [behaviour, driver, cluster, leaks] of cases)
    test(behaviour, () => deepEqual(findLeaks({ ...SIDE, ...driver }, { ...CLUSTER, ...cluster }), leaks))

  test('anything of a driver that lists nothing, and says so', () => {
    const side: DriverSide = { listsNodes: false }
    deepEqual(findLeaks(side, CLUSTER), [])
    deepEqual(
      formatLeaks('d', [], side),
      'Driver d and the cluster agree: nothing is left over.\n\nNot compared: volumes and attachments (the driver has no LIST_VOLUMES); snapshots (the driver has no LIST_SNAPSHOTS).\n',
    )
  })

  test('what is there only once', () => {
    const leak = (handle: string): Leak => ({ kind: 'volume-without-object', handle })
    deepEqual(stillThere([leak('a'), leak('b')], [leak('b'), leak('c')]), [leak('b')])
  })
})
