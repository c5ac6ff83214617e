import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AccessMode, CsiError } from '../../csi/index.ts'
import type { Driver } from '../../csi/index.ts'
import { createJudge } from './testing/judge.ts'

const volumeId = 'v'
const capability = {
  accessMode: { mode: AccessMode.SINGLE_NODE_WRITER },
  accessType: { $case: 'mount' as const, value: {} },
}
const onNode = (nodeId: string) => ({ volumeId, nodeId, volumeCapability: capability })
const target = { volumeId, targetPath: '/t' }

/** A driver that agrees to everything, or to nothing. */
function openJudge() {
  const faults = { fails: false }
  const answer = (): Promise<object> =>
    faults.fails ? Promise.reject(new CsiError('UNAVAILABLE', 'gone')) : Promise.resolve({})
  const driver = new Proxy({} as Driver, { get: () => answer, ownKeys: () => [] })
  const cluster = { expandedTo: 0n, retained: '' }
  const judge = createJudge(() => 0, {
    hasExpansion: (_id, bytes) => Promise.resolve(bytes <= cluster.expandedTo),
    isRetained: (id) => Promise.resolve(id === cluster.retained),
  })
  return { judge, faults, cluster, one: judge.watch('n1', driver), other: judge.watch('n2', driver) }
}
const broken = ({ violations }: { violations: readonly string[] }): string[] => violations.map((line) => line.slice(2))

describe('what must never be asked of a driver', () => {
  test('the whole way there and back is as it should be', async () => {
    const { judge, one } = openJudge()
    await one.controllerPublishVolume(onNode('n1'))
    await one.nodeStageVolume({ volumeId })
    await one.nodePublishVolume(target)
    await one.nodeUnpublishVolume(target)
    await one.nodeUnstageVolume({ volumeId })
    await one.controllerUnpublishVolume(onNode('n1'))
    await one.deleteVolume({ volumeId })
    deepEqual(broken(judge), [])
  })
  test('steps that are left out are seen', async () => {
    const { judge, one } = openJudge()
    await one.nodeStageVolume({ volumeId })
    await one.controllerPublishVolume(onNode('n1'))
    await one.nodePublishVolume(target)
    await one.nodeUnstageVolume({ volumeId })
    await one.nodePublishVolume(target)
    await one.controllerUnpublishVolume(onNode('n1'))
    await one.controllerPublishVolume(onNode('n1'))
    await one.deleteVolume({ volumeId })
    deepEqual(broken(judge), [
      'NodeStageVolume v on n1 while it is not attached',
      'NodeUnstageVolume v on n1 while it is published',
      'NodePublishVolume v on n1 while it is not staged',
      'ControllerUnpublishVolume v on n1 while the node uses it',
      'DeleteVolume v while it is attached to n1',
      'DeleteVolume v while a node uses it',
    ])
  })
  test('a volume for one node on two is seen, also when the first may only perhaps have it', async () => {
    const { judge, faults, one, other } = openJudge()
    faults.fails = true
    await one.controllerPublishVolume(onNode('n1')).catch(() => {})
    faults.fails = false
    await other.controllerPublishVolume(onNode('n2'))
    await one.nodeStageVolume({ volumeId })
    deepEqual(broken(judge), [
      'ControllerPublishVolume v on n2 while it is attached to n1',
      'NodeStageVolume v on n1 while it is not attached',
    ])
  })
  test('an unpublish without an answer leaves it perhaps published; without power nothing is', async () => {
    const { judge, faults, one } = openJudge()
    await one.controllerPublishVolume(onNode('n1'))
    await one.nodeStageVolume({ volumeId })
    await one.nodePublishVolume(target)
    faults.fails = true
    await one.nodeUnpublishVolume(target).catch(() => {})
    faults.fails = false
    await one.nodeUnstageVolume({ volumeId })
    judge.powerLost()
    await one.controllerUnpublishVolume(onNode('n1'))
    deepEqual(broken(judge), ['NodeUnstageVolume v on n1 while it is published'])
  })
  test('an expansion that the claim already shows is seen, and that of a volume that no node has staged', async () => {
    const { judge, cluster, one } = openJudge()
    const expand = (requiredBytes: bigint) => one.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes } })
    await expand(5n)
    // The first answer may have been lost.
    await expand(5n)
    cluster.expandedTo = 5n
    await expand(6n)
    await expand(5n)
    await one.nodeExpandVolume({ volumeId })
    deepEqual(broken(judge), [
      'ControllerExpandVolume v to 5 bytes, which it has',
      'NodeExpandVolume v on n1 while it is not staged',
    ])
  })
  test('the deletion of a snapshot that is to be retained is seen', async () => {
    const { judge, cluster, one } = openJudge()
    cluster.retained = 's1'
    await one.deleteSnapshot({ snapshotId: 's2' })
    await one.deleteSnapshot({ snapshotId: 's1' })
    deepEqual(broken(judge), ['DeleteSnapshot s1, which is to be retained'])
  })
  test('parameters that were applied are known, those of a call that failed are not', async () => {
    const { judge, faults, one } = openJudge()
    await one.controllerModifyVolume({ volumeId, mutableParameters: { iops: '1', tier: 'gold' } })
    await one.controllerModifyVolume({ volumeId, mutableParameters: { iops: '2' } })
    faults.fails = true
    await one.controllerModifyVolume({ volumeId, mutableParameters: { iops: '3' } }).catch(() => {})
    deepEqual(judge.attributesOf(volumeId), { iops: '2', tier: 'gold' })
  })
})
