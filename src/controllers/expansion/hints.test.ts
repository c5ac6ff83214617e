import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaimStatus } from '../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { claimOf, createBoundPair, createOn, podOf, volumeOf, volumeOfClaim } from '../../testing/objects.ts'
import { startControllersUnderTest } from '../testing/describe-controller.ts'
import { nextHintStep } from './next-hint-step.ts'
import { startExpansion } from './start-expansion.ts'

const PENDING: PersistentVolumeClaimStatus = {
  phase: 'Bound',
  capacity: { storage: '1Gi' },
  allocatedResources: { storage: '2Gi' },
  allocatedResourceStatuses: { storage: 'NodeResizePending' },
}
const userOf = (name: string, nodeName = 'n1', metadata = {}): Pod =>
  podOf(name, { volumes: [volumeOfClaim('c1', 'data')], nodeName, metadata })
const hinted = { annotations: { 'expansion.holdfast.dev/data': '2Gi' } }
const done = { ...userOf('done'), status: { phase: 'Succeeded' } } as const

const cases: [behaviour: string, status: PersistentVolumeClaimStatus, pods: readonly Pod[], step: string][] = [
  ['a pod on a node gets the size', PENDING, [userOf('a')], 'hint a expansion.holdfast.dev/data=2Gi'],
  ['one pod of each node is enough', PENDING, [userOf('a', 'n1', hinted), userOf('b')], 'NodesHinted'],
  [
    'each node is told',
    PENDING,
    [userOf('a', 'n1', hinted), userOf('b', 'n2')],
    'hint b expansion.holdfast.dev/data=2Gi',
  ],
  [
    'a hint for another size is replaced',
    { ...PENDING, allocatedResources: { storage: '3Gi' } },
    [userOf('a', 'n1', hinted)],
    'hint a expansion.holdfast.dev/data=3Gi',
  ],
  ['a pod without a node is told nothing', PENDING, [userOf('a', '')], 'NodesHinted'],
  ['a finished pod is told nothing', PENDING, [done], 'NodesHinted'],
  [
    'a pod that is being deleted is told nothing',
    PENDING,
    [userOf('a', 'n1', { deletionTimestamp: '2030-01-01T00:00:00Z' })],
    'NodesHinted',
  ],
  [
    'nothing is told before the resizer is done',
    { ...PENDING, allocatedResourceStatuses: { storage: 'ControllerResizeInProgress' } },
    [userOf('a')],
    'NodesNotAwaited',
  ],
  [
    'nothing is told while the size is infeasible on the node',
    {
      ...PENDING,
      allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' },
      conditions: [{ type: 'FileSystemResizePending', status: 'True' }],
    },
    [userOf('a')],
    'NodesNotAwaited',
  ],
  [
    'an older resizer sets only a condition',
    { phase: 'Bound', conditions: [{ type: 'FileSystemResizePending', status: 'True' }] },
    [userOf('a')],
    'hint a expansion.holdfast.dev/data=2Gi',
  ],
  ['a claim that has its size needs no node', { phase: 'Bound' }, [userOf('a')], 'NodesNotAwaited'],
]
for (const [behaviour, status, pods, expected] of cases)
  test(behaviour, () => {
    const step = nextHintStep({ seen: { claim: claimOf({ size: '2Gi', status }), pods } })
    const told =
      step.kind === 'hint' ? `hint ${step.pod.metadata.name} ${step.annotation}=${step.size}` : step.reason.code
    deepEqual(told, expected)
  })

test('an expansion costs one write for each node that has the volume, and none when nobody has it', async (context) => {
  const { api, settled, writes, advance } = await startControllersUnderTest(context, [
    (world, signal) => startExpansion({}, world, signal),
  ])
  await createBoundPair(api, { claim: claimOf({ size: '2Gi' }), volume: volumeOf({ size: '2Gi' }) })
  for (const [name, nodeName] of [
    ['a', 'n1'],
    ['b', 'n1'],
    ['c', 'n2'],
    ['d', ''],
  ] as const)
    await createOn(api, PODS, userOf(name, nodeName))
  const setStatus = (status: object) =>
    api.patch(
      PERSISTENT_VOLUME_CLAIMS,
      { namespace: 'default', name: 'c1' },
      { type: 'merge', value: { status } },
      { subresource: 'status' },
    )
  await settled()
  await setStatus({ allocatedResourceStatuses: { storage: 'ControllerResizeInProgress' } })
  await settled()
  deepEqual(writes, [])
  await setStatus(PENDING)
  await settled()
  await setStatus({ conditions: [{ type: 'FileSystemResizePending', status: 'True' }] })
  await advance(600_000)
  deepEqual(writes, ['patch pods a', 'patch pods c'])
  const hints = (await api.list(PODS)).items.map(({ metadata }) => metadata.annotations ?? {})
  deepEqual(hints, [hinted.annotations, {}, hinted.annotations, {}])
})
