import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CSI_RPCS } from '../rpc.ts'
import { VALID_CALLS } from '../testing/valid-calls.ts'
import { createLockTable } from './lock-table.ts'
import { LOCKS_OF } from './locks-of.ts'

type Method = keyof typeof LOCKS_OF
type Call = [method: Method, request?: object, node?: string]

/** Whether the second call may begin while the first is pending. */
function together(first: Call, second: Call): boolean {
  const table = createLockTable()
  const results = [first, second].map(([method, request = {}, node = '']) => {
    const rpc = CSI_RPCS.get(method) ?? assert.fail(method)
    const complete: unknown = rpc.requestType.fromPartial({ ...VALID_CALLS[method].request, ...request })
    // Each function accepts the request of its own method, which this is.
    const locksOf = LOCKS_OF[method] as
      | ((request: unknown, node: string) => Parameters<typeof table.tryAcquire>[0])
      | undefined
    return table.tryAcquire(locksOf?.(complete, node) ?? [])
  })
  assert.ok('release' in (results[0] ?? {}), 'the first call must get its locks')
  return 'release' in (results[1] ?? {})
}

const fromVolume = { volumeContentSource: { type: { $case: 'volume', value: { volumeId: 'v' } } } }
const fromSnapshot = { volumeContentSource: { type: { $case: 'snapshot', value: { snapshotId: 's' } } } }

describe('LOCKS_OF', () => {
  const apart: [why: string, first: Call, second: Call][] = [
    ['the same call twice', ['createVolume'], ['createVolume']],
    ['making one snapshot twice', ['createSnapshot'], ['createSnapshot']],
    ['deleting one volume twice', ['deleteVolume'], ['deleteVolume']],
    ['deleting a volume that is being cloned', ['createVolume', fromVolume], ['deleteVolume']],
    ['deleting a snapshot that is being restored', ['createVolume', fromSnapshot], ['deleteSnapshot']],
    ['deleting a volume of which a snapshot is taken', ['createSnapshot'], ['deleteVolume']],
    ['deleting a volume that is being attached', ['controllerPublishVolume'], ['deleteVolume']],
    ['deleting a volume that is being published', ['nodePublishVolume'], ['deleteVolume']],
    ['expanding a volume that is being modified', ['controllerModifyVolume'], ['controllerExpandVolume']],
    [
      'attaching a volume to two nodes',
      ['controllerPublishVolume', { nodeId: 'a' }],
      ['controllerPublishVolume', { nodeId: 'b' }],
    ],
    ['detaching a volume that is being attached', ['controllerPublishVolume'], ['controllerUnpublishVolume']],
    [
      'staging a volume twice on a node',
      ['nodeStageVolume', { stagingTargetPath: '/a' }],
      ['nodeStageVolume', { stagingTargetPath: '/b' }],
    ],
    ['publishing a volume that is being staged', ['nodeStageVolume'], ['nodePublishVolume']],
    ['unstaging a volume that is being published', ['nodePublishVolume'], ['nodeUnstageVolume']],
    ['expanding on the node a volume that is being published', ['nodePublishVolume'], ['nodeExpandVolume']],
    ['publishing to one target twice', ['nodePublishVolume'], ['nodePublishVolume']],
    [
      'publishing two volumes to one target',
      ['nodePublishVolume', { volumeId: 'v' }],
      ['nodePublishVolume', { volumeId: 'w' }],
    ],
    ['unpublishing a target that is being published', ['nodePublishVolume'], ['nodeUnpublishVolume']],
    [
      'deleting a snapshot of a group that is being deleted',
      ['deleteVolumeGroupSnapshot', { snapshotIds: ['s'] }],
      ['deleteSnapshot'],
    ],
    [
      'deleting a volume of which a group snapshot is taken',
      ['createVolumeGroupSnapshot', { sourceVolumeIds: ['u', 'v'] }],
      ['deleteVolume'],
    ],
  ]
  for (const [why, first, second] of apart) it(`keeps apart ${why}`, () => assert.equal(together(first, second), false))

  const allowed: [why: string, first: Call, second: Call][] = [
    ['volumes of different names', ['createVolume', { name: 'a' }], ['createVolume', { name: 'b' }]],
    [
      'two clones of one volume',
      ['createVolume', { ...fromVolume, name: 'a' }],
      ['createVolume', { ...fromVolume, name: 'b' }],
    ],
    ['two snapshots of one volume', ['createSnapshot', { name: 'a' }], ['createSnapshot', { name: 'b' }]],
    [
      'publishing to two targets',
      ['nodePublishVolume', { targetPath: '/a' }],
      ['nodePublishVolume', { targetPath: '/b' }],
    ],
    ['staging one volume on two nodes', ['nodeStageVolume', {}, 'n1'], ['nodeStageVolume', {}, 'n2']],
    ['publishing to the same target on two nodes', ['nodePublishVolume', {}, 'n1'], ['nodePublishVolume', {}, 'n2']],
    ['attaching and taking a snapshot', ['controllerPublishVolume'], ['createSnapshot']],
    ['work on different volumes', ['deleteVolume', { volumeId: 'a' }], ['deleteVolume', { volumeId: 'b' }]],
    ['a volume and a snapshot of the same name', ['createVolume', { name: 'n' }], ['createSnapshot', { name: 'n' }]],
  ]
  for (const [why, first, second] of allowed)
    it(`lets go on side by side ${why}`, () => assert.equal(together(first, second), true))

  it('asks for no lock twice, also when a request names something twice', () => {
    assert.equal(together(['createVolumeGroupSnapshot', { sourceVolumeIds: ['v', 'v'] }], ['nodePublishVolume']), true)
    assert.equal(together(['deleteVolumeGroupSnapshot', { snapshotIds: ['s', 's'] }], ['nodePublishVolume']), true)
  })
})
