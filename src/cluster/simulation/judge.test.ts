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
  const judge = createJudge(() => 0)
  return { judge, faults, one: judge.watch('n1', driver), other: judge.watch('n2', driver) }
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
})
