import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findLeaks, stillThere } from './find-leaks.ts'
import type { ClusterSide, DriverSide, KnownAttachment, Leak } from './find-leaks.ts'
import { formatLeaks } from './format-leaks.ts'

const volume = (...nodeIds: string[]) => ({ sizeBytes: 2 ** 30, nodeIds })
const known = (name: string, isLeaving = false) => ({ name, isLeaving })
const attachment = (more: Partial<KnownAttachment> = {}): KnownAttachment => ({
  name: 'va-1',
  volumeHandle: 'v1',
  nodeName: 'n1',
  isAttached: true,
  isLeaving: false,
  ...more,
})

const DRIVER: DriverSide = {
  volumes: new Map([['v1', volume('id-1')]]),
  listsNodes: true,
  snapshots: new Map([['s1', { sizeBytes: 5 }]]),
}
const CLUSTER: ClusterSide = {
  volumes: new Map([['v1', known('pv-1')]]),
  attachments: [attachment()],
  snapshots: new Map([['s1', known('content-1')]]),
  nodes: new Map([['id-1', 'n1']]),
}

const cases: [behaviour: string, driver: Partial<DriverSide>, cluster: Partial<ClusterSide>, leaks: Leak[]][] = [
  ['two sides that agree', {}, {}, []],
  [
    'a volume that no PersistentVolume has',
    { volumes: new Map([...(DRIVER.volumes ?? []), ['v2', volume()]]) },
    {},
    [{ kind: 'volume-without-object', handle: 'v2', sizeBytes: 2 ** 30 }],
  ],
  [
    'a PersistentVolume whose volume is gone',
    { volumes: new Map() },
    { attachments: [] },
    [{ kind: 'object-without-volume', handle: 'v1', object: 'PersistentVolume/pv-1' }],
  ],
  [
    'but not one that is being deleted',
    { volumes: new Map() },
    { attachments: [], volumes: new Map([['v1', known('pv-1', true)]]) },
    [],
  ],
  [
    'a node that only the driver has attached',
    { volumes: new Map([['v1', volume('id-1', 'id-2')]]) },
    {},
    [{ kind: 'attached-without-object', handle: 'v1', node: 'id-2' }],
  ],
  [
    'an attachment that the driver does not have',
    { volumes: new Map([['v1', volume()]]) },
    {},
    [{ kind: 'object-without-attachment', handle: 'v1', node: 'n1', object: 'VolumeAttachment/va-1' }],
  ],
  [
    'but not one that is not attached yet',
    { volumes: new Map([['v1', volume()]]) },
    { attachments: [attachment({ isAttached: false })] },
    [],
  ],
  [
    'but not one that is being detached',
    { volumes: new Map([['v1', volume()]]) },
    { attachments: [attachment({ isLeaving: true })] },
    [],
  ],
  [
    'no attachments of a driver that does not list nodes',
    { listsNodes: false, volumes: new Map([['v1', volume()]]) },
    {},
    [],
  ],
  [
    'a snapshot that no content has',
    { snapshots: new Map([...(DRIVER.snapshots ?? []), ['s2', { sizeBytes: 7 }]]) },
    {},
    [{ kind: 'snapshot-without-object', handle: 's2', sizeBytes: 7 }],
  ],
  [
    'a content whose snapshot is gone',
    { snapshots: new Map() },
    {},
    [{ kind: 'object-without-snapshot', handle: 's1', object: 'VolumeSnapshotContent/content-1' }],
  ],
]

describe('the sweep finds', () => {
  for (const [behaviour, driver, cluster, leaks] of cases)
    test(behaviour, () => deepEqual(findLeaks({ ...DRIVER, ...driver }, { ...CLUSTER, ...cluster }), leaks))

  test('nothing of a driver that lists nothing, and says so', () => {
    const side: DriverSide = { listsNodes: false }
    deepEqual(findLeaks(side, CLUSTER), [])
    deepEqual(
      formatLeaks('d', [], side),
      'Driver d and the cluster agree: nothing is left over.\n\nNot compared: volumes and attachments (the driver has no LIST_VOLUMES); snapshots (the driver has no LIST_SNAPSHOTS).\n',
    )
  })

  test('only what is there both times', () => {
    const leak = (handle: string): Leak => ({ kind: 'volume-without-object', handle })
    deepEqual(stillThere([leak('a'), leak('b')], [leak('b'), leak('c')]), [leak('b')])
  })
})
