import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CSINode } from '../api/kinds/csi-node.ts'
import type { Node } from '../api/kinds/node.ts'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import type { Pod } from '../api/kinds/pod.ts'
import type { VolumeAttachment } from '../api/kinds/volume-attachment.ts'
import { keyOf } from '../api/object-key.ts'
import type { KubeObject } from '../api/object.ts'
import { createSimulatedClock } from '../base/simulated-clock.ts'
import { CSI_RPCS } from '../csi/rpc.ts'
import type { Caches } from './caches.ts'
import { createCallLog } from './call-log.ts'
import { driverPage } from './driver-page.ts'
import { leakRows } from './leak-table.ts'
import { nodePage } from './node-page.ts'
import { unusedSince } from './unused-since.ts'

const DRIVER = 'csi.example.com'
const object = (kind: string, name: string, more: object, namespace = ''): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata: { name, namespace, uid: name }, ...more }) as KubeObject

const node = object('Node', 'node-1', {
  status: {
    conditions: [{ type: 'Ready', status: 'True' }],
    volumesInUse: [`kubernetes.io/csi/${DRIVER}^v1`, `kubernetes.io/csi/${DRIVER}^gone`],
  },
}) as Node
const csiNode = object('CSINode', 'node-1', {
  spec: { drivers: [{ name: DRIVER, nodeID: 'i-1', allocatable: { count: 25 } }] },
}) as CSINode
const claim = object(
  'PersistentVolumeClaim',
  'data',
  { spec: { volumeName: 'pv-1' } },
  'default',
) as PersistentVolumeClaim
const volume = object('PersistentVolume', 'pv-1', {
  spec: { csi: { driver: DRIVER, volumeHandle: 'v1' } },
}) as PersistentVolume
const pod = object(
  'Pod',
  'web',
  {
    spec: { nodeName: 'node-1', volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }] },
    status: { phase: 'Running' },
  },
  'default',
) as Pod
const attachment = object('VolumeAttachment', 'va-1', {
  spec: { attacher: DRIVER, nodeName: 'node-1', source: { persistentVolumeName: 'pv-1' } },
  status: { attached: true },
}) as VolumeAttachment

const cacheOf = <T extends KubeObject>(...objects: T[]) => ({
  get: (key: string) => objects.find((each) => keyOf(each) === key),
  all: () => objects.values(),
  size: () => objects.length,
})

const CACHES = {
  nodes: cacheOf(node),
  csiNodes: cacheOf(csiNode),
  claims: cacheOf(claim),
  volumes: cacheOf(volume),
  pods: cacheOf(pod),
  attachments: cacheOf(attachment),
  drivers: cacheOf(),
  classes: cacheOf(),
  capacities: cacheOf(),
  snapshots: cacheOf(),
  contents: cacheOf(),
  podsOfNode: () => [pod],
  podsOfClaim: () => [pod],
  attachmentsOfNode: () => [attachment],
  attachmentsOfVolume: () => [attachment],
  volumesOfDriver: () => [volume],
} as unknown as Caches

describe('the page of a node', () => {
  test('has what is attached against the limit, and each mount with its owner', () => {
    const page = nodePage('node-1', CACHES)
    const [drivers, mounts] = page?.lists ?? []
    deepEqual(drivers?.rows, [[{ text: DRIVER, target: `driver/${DRIVER}` }, 'i-1', '1', '25', '']])
    deepEqual(mounts?.rows, [
      [
        { text: 'default/data', target: 'pvc/default/data' },
        { text: 'default/web', target: 'pod/default/web' },
        'mounted',
        { text: 'pv-1', target: 'pv/pv-1' },
      ],
      ['', 'no pod', 'still in use', `kubernetes.io/csi/${DRIVER}^gone`],
    ])
  })
  test('of a node that does not exist is none', () => equal(nodePage('node-9', CACHES), undefined))
})

describe('the page of a driver', () => {
  const calls = createCallLog(createSimulatedClock())
  const observe = calls.observe('sidecars', DRIVER)
  const call = (key: string, tookMs: number, more: object = {}): void => {
    const rpc = CSI_RPCS.get(key)
    ok(rpc, key)
    observe({ rpc, request: {}, response: undefined, code: 'OK', error: undefined, tookMs, ...more })
  }
  call('createVolume', 10)
  call('createVolume', 30, { code: 'INTERNAL' })
  call('controllerGetCapabilities', 1, {
    response: { capabilities: [{ type: { $case: 'rpc', value: { type: 1 } } }] },
  })

  test('has its nodes, its capabilities, and error rate, p50 and p99 of each call', () => {
    const page = driverPage(DRIVER, CACHES, calls)
    const [methods, nodes] = page?.lists ?? []
    deepEqual(nodes?.rows, [[{ text: 'node-1', target: 'node/node-1' }, 'i-1', '1', '25']])
    deepEqual(methods?.rows, [
      ['CreateVolume', '2', '1', '50.0 %', '30.0 ms', '30.0 ms'],
      ['ControllerGetCapabilities', '1', '0', '0.0 %', '1.0 ms', '1.0 ms'],
    ])
    deepEqual(Object.fromEntries(page?.facts ?? [])['Capabilities'], ['CREATE_DELETE_VOLUME'])
    equal(page?.calls?.length, 3)
  })
  test('says where to look if other processes make the calls', () => {
    match(driverPage(DRIVER, CACHES, undefined)?.lists[0]?.note ?? '', /csi_sidecar_operations_seconds/)
  })
})

describe('a volume is unused', () => {
  const never = { leftAtMs: () => undefined }
  const TIME = '2030-01-01T00:00:00Z'
  test('not while a pod uses it', () => deepEqual(unusedSince({ claim, volume, pods: [pod] }, never), { kind: 'used' }))
  test('since its last pod was seen to end', () =>
    deepEqual(unusedSince({ claim, volume, pods: [] }, { leftAtMs: () => 7 }), { kind: 'unused', sinceMs: 7 }))
  test('since its claim says so', () => {
    const status = { conditions: [{ type: 'Unused', status: 'True', lastTransitionTime: TIME }] }
    const unused = { ...claim, status } as PersistentVolumeClaim
    deepEqual(unusedSince({ claim: unused, volume, pods: [] }, never), { kind: 'unused', sinceMs: Date.parse(TIME) })
  })
  test('since it was released', () => {
    const status = { phase: 'Released', lastPhaseTransitionTime: TIME }
    const released = { ...volume, status } as PersistentVolume
    const use = { claim: undefined, volume: released, pods: [] }
    deepEqual(unusedSince(use, never), { kind: 'unused', sinceMs: Date.parse(TIME) })
  })
  test('since an unknown time otherwise', () =>
    deepEqual(unusedSince({ claim, volume, pods: [] }, never), { kind: 'unused', sinceMs: undefined }))
})

test('a leak is a row that says what it is in words', () => {
  const [row] = leakRows([{ driver: DRIVER, kind: 'volume-without-object', handle: 'v9', sizeBytes: 5 }])
  deepEqual(row?.cells, ['volume without object', DRIVER, 'v9', 5, '', ''])
})
