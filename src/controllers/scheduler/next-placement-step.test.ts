import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Pod } from '../../api/kinds/pod.ts'
import type { Reason } from '../../api/reason.ts'
import { ALPHA_SELECTED_NODE, NO_PROVISIONER, SELECTED_NODE } from '../../storage/names.ts'
import { claimOf, classOf, podOf, reservedFor, volumeOf } from '../../testing/objects.ts'
import {
  allowedIn,
  attachmentOf,
  boundClaim,
  capacityOf,
  clusterOf,
  csiNodeOf,
  DRIVER,
  driverOf,
  inZone,
  lateClaim,
  lateClass,
  nodeOf,
  ZONE,
} from './testing/describe-scheduler.ts'
import type { SchedulerObject } from './testing/describe-scheduler.ts'
import { nextPlacementStep } from './next-placement-step.ts'
import type { PlacementHeld, PlacementStep } from './next-placement-step.ts'
import { REASONS } from './reasons.ts'
import { segmentOf } from './refusals.ts'
import type { Reservation } from './reservations.ts'

// What the scheduler has written about the claim of a pod with a reservation.
const SELECTED_C1: Reservation['claims'] = new Map([['default/c1', { isWritten: true }]])
const MATCHED_C1: Reservation['claims'] = new Map([['default/c1', { volume: 'v1', isWritten: true }]])

const HELD: PlacementHeld = { nowMs: 1000, schedulerName: 'default-scheduler', startAt: 0 }

function stepFor(pod: Pod, objects: readonly SchedulerObject[], held?: Partial<PlacementHeld>): PlacementStep {
  return nextPlacementStep({
    seen: { pod, world: clusterOf(pod, ...objects) },
    ...(held ? { held: { ...HELD, ...held } } : {}),
  })
}

/** `place n1`, `reserve n1 v1 for c1, select c2`, or the message. */
function outcomeOf(step: PlacementStep): string {
  switch (step.kind) {
    case 'reserve':
      return `reserve ${step.node} ${[...step.matches.map(({ claim, volume }) => `${volume.metadata.name} for ${claim.metadata.name}`), ...step.select.map(({ metadata }) => `select ${metadata.name}`)].join(', ')}`
    case 'place':
      return `place ${step.node}`
    case 'await-volumes':
      return `await ${step.node}: ${step.reason.code}`
    case 'unschedulable':
      return step.message
    case 'await-binding':
      return `await binding for ${step.retryInMs}: ${step.reason.code}`
    case 'back-off':
      return `back off ${step.retryInMs}`
    case 'give-up':
      return `give up: ${step.reason.message}`
    case 'wait':
      return `wait: ${step.reason.code}`
  }
}

const AFFINITY = (values: string[]): Pod['spec'] => ({
  containers: [],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values }] }],
      },
    },
  },
})
const NO_MATCH = "node(s) didn't find available persistent volumes to bind"
const AWAY = 'node(s) had volume node affinity conflict'
const free = (name: string, more: Parameters<typeof volumeOf>[0] = {}) =>
  volumeOf({ name, ...more, spec: { storageClassName: 'late', ...more.spec } })
const bound = (name: string, claim: string, more: Parameters<typeof volumeOf>[0] = {}) =>
  free(name, { phase: 'Bound', ...more, spec: { claimRef: reservedFor(claim, `uid-${claim}`), ...more.spec } })
const notInZone = (zone: string): ReturnType<typeof inZone> => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'NotIn', values: [zone] }] }] },
})
const byHand = lateClass({ provisioner: NO_PROVISIONER })
const withClaim = podOf('p1', { claims: ['c1'] })

const nodes: [behaviour: string, pod: Pod, objects: SchedulerObject[], outcome: string][] = [
  ['a pod that asks for nothing goes anywhere', podOf(), [nodeOf()], 'place n1'],
  ['without nodes there is nowhere to go', podOf(), [], 'no nodes available to schedule pods'],
  [
    'the node with the least on it is taken',
    podOf(),
    [nodeOf('n1'), nodeOf('n2'), podOf('x', { spec: { nodeName: 'n1' } })],
    'place n2',
  ],
  [
    'pods that have ended do not count',
    podOf(),
    [
      nodeOf('n1'),
      nodeOf('n2'),
      podOf('x', { spec: { nodeName: 'n1' }, status: { phase: 'Succeeded' } }),
      podOf('y', { spec: { nodeName: 'n2' } }),
    ],
    'place n1',
  ],
  [
    'a cordoned node is left out',
    podOf(),
    [nodeOf('n1', { spec: { unschedulable: true } })],
    '0/1 nodes are available: 1 node(s) were unschedulable.',
  ],
  [
    'unless the pod stands that',
    podOf('p1', { spec: { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] } }),
    [nodeOf('n1', { spec: { unschedulable: true } })],
    'place n1',
  ],
  [
    'a taint is in the way',
    podOf(),
    [nodeOf('n1', { spec: { taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] } })],
    '0/1 nodes are available: 1 node(s) had untolerated taint {a: b}.',
  ],
  [
    'a node that is not ready counts as tainted',
    podOf(),
    [nodeOf('n1', { status: { conditions: [{ type: 'Ready', status: 'False' }] } })],
    '0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }.',
  ],
  [
    'and so does one that nobody hears from',
    podOf(),
    [nodeOf('n1', { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } })],
    '0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }.',
  ],
  [
    'an unwelcome node is taken last',
    podOf(),
    [
      nodeOf('n1', { spec: { taints: [{ key: 'a', effect: 'PreferNoSchedule' }] } }),
      nodeOf('n2'),
      podOf('x', { spec: { nodeName: 'n2' } }),
    ],
    'place n2',
  ],
  [
    'a node selector chooses',
    podOf('p1', { spec: { nodeSelector: { [ZONE]: 'b' } } }),
    [nodeOf('n1'), nodeOf('n2', { zone: 'b' })],
    'place n2',
  ],
  [
    'no node with the label',
    podOf('p1', { spec: { nodeSelector: { [ZONE]: 'x' } } }),
    [nodeOf('n1'), nodeOf('n2')],
    "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.",
  ],
  [
    'an affinity chooses',
    podOf('p1', { spec: AFFINITY(['b', 'c']) }),
    [nodeOf('n1'), nodeOf('n2', { zone: 'c' })],
    'place n2',
  ],
  [
    'a preference counts more than what is on the node',
    podOf('p1', {
      spec: {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, preference: { matchExpressions: [{ key: ZONE, operator: 'In', values: ['b'] }] } },
            ],
          },
        },
      },
    }),
    [nodeOf('n1'), nodeOf('n2', { zone: 'b' }), podOf('x', { spec: { nodeName: 'n2' } })],
    'place n2',
  ],
  [
    'what nodes lack is counted, in order',
    podOf('p1', { requests: { cpu: '2', memory: '2Gi' } }),
    [
      nodeOf('n1', { status: { allocatable: { cpu: '1', memory: '1Gi', pods: '0' } } }),
      nodeOf('n2', { status: { allocatable: { cpu: '1500m', memory: '4Gi' } } }),
      nodeOf('n3', { spec: { unschedulable: true } }),
    ],
    '0/3 nodes are available: 1 Insufficient memory, 1 Too many pods, 1 node(s) were unschedulable, 2 Insufficient cpu.',
  ],
  [
    'a node that says nothing of its resources takes all',
    podOf('p1', { requests: { cpu: '200' } }),
    [nodeOf('n1')],
    'place n1',
  ],
  [
    'what other pods ask for is taken',
    podOf('p1', { requests: { cpu: '600m' } }),
    [
      nodeOf('n1', { status: { allocatable: { cpu: '1' } } }),
      podOf('x', { requests: { cpu: '500m' }, spec: { nodeName: 'n1' } }),
    ],
    '0/1 nodes are available: 1 Insufficient cpu.',
  ],
]

const volumes: [behaviour: string, pod: Pod, objects: SchedulerObject[], outcome: string][] = [
  [
    'S3-64: the pod goes where its volume is',
    withClaim,
    [
      nodeOf('n1'),
      nodeOf('n2', { zone: 'b' }),
      lateClass(),
      boundClaim('c1', 'v1'),
      bound('v1', 'c1', { spec: { nodeAffinity: inZone('b') } }),
    ],
    'place n2',
  ],
  [
    'S3-64: any of the terms will do',
    withClaim,
    [
      nodeOf('n1', { zone: 'c' }),
      lateClass(),
      boundClaim('c1', 'v1'),
      bound('v1', 'c1', { spec: { nodeAffinity: inZone('b', 'c') } }),
    ],
    'place n1',
  ],
  [
    'S3-64: nowhere near the volume',
    withClaim,
    [
      nodeOf('n1'),
      nodeOf('n2', { spec: { unschedulable: true } }),
      lateClass(),
      boundClaim('c1', 'v1'),
      bound('v1', 'c1', { spec: { nodeAffinity: inZone('b') } }),
    ],
    `0/2 nodes are available: 1 ${AWAY}, 1 node(s) were unschedulable.`,
  ],
  [
    'S3-64: two volumes that never meet',
    podOf('p1', { claims: ['c1', 'c2'] }),
    [
      nodeOf('n1'),
      nodeOf('n2', { zone: 'b' }),
      lateClass(),
      boundClaim('c1', 'v1'),
      boundClaim('c2', 'v2'),
      bound('v1', 'c1', { spec: { nodeAffinity: inZone('a') } }),
      bound('v2', 'c2', { spec: { nodeAffinity: inZone('b') } }),
    ],
    `0/2 nodes are available: 2 ${AWAY}.`,
  ],
  [
    'S3-64: a volume may also say where it is not',
    withClaim,
    [
      nodeOf('n1'),
      nodeOf('n2', { zone: 'b' }),
      lateClass(),
      boundClaim('c1', 'v1'),
      bound('v1', 'c1', { spec: { nodeAffinity: notInZone('a') } }),
    ],
    'place n2',
  ],
  [
    'S3-64: also one that is still free',
    withClaim,
    [
      nodeOf('n1'),
      nodeOf('n2', { zone: 'b' }),
      byHand,
      lateClaim(),
      free('v1', { spec: { nodeAffinity: notInZone('a') } }),
    ],
    'reserve n2 v1 for c1',
  ],
  [
    'a volume that is gone is missed everywhere',
    withClaim,
    [nodeOf('n1'), lateClass(), boundClaim('c1', 'v1')],
    '0/1 nodes are available: 1 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s).',
  ],
  [
    'S3-63: a volume is to be made where the class allows it',
    withClaim,
    [nodeOf('n1'), nodeOf('n2', { zone: 'b' }), lateClass({ allowedTopologies: allowedIn('b') }), lateClaim()],
    'reserve n2 select c1',
  ],
  [
    'S3-63: allowed nowhere',
    withClaim,
    [nodeOf('n1'), lateClass({ allowedTopologies: allowedIn('b') }), lateClaim()],
    `0/1 nodes are available: 1 ${NO_MATCH}.`,
  ],
  [
    'S3-63: an empty term of a class allows nothing',
    withClaim,
    [nodeOf('n1'), lateClass({ allowedTopologies: [{}] }), lateClaim()],
    `0/1 nodes are available: 1 ${NO_MATCH}.`,
  ],
  [
    'volumes are made where the driver runs, if it runs anywhere',
    withClaim,
    [nodeOf('n1'), nodeOf('n2'), csiNodeOf('n2'), podOf('x', { spec: { nodeName: 'n2' } }), lateClass(), lateClaim()],
    'reserve n2 select c1',
  ],
  [
    'a selected node leaves no choice',
    withClaim,
    [
      nodeOf('n1'),
      nodeOf('n2'),
      lateClass(),
      lateClaim('c1', { metadata: { annotations: { [SELECTED_NODE]: 'n2' } } }),
    ],
    'await n2: VolumesPending',
  ],
  [
    'H58: the old name of the selected node counts',
    withClaim,
    [
      nodeOf('n1'),
      nodeOf('n2'),
      lateClass(),
      lateClaim('c1', { metadata: { annotations: { [ALPHA_SELECTED_NODE]: 'n2' } } }),
    ],
    'await n2: VolumesPending',
  ],
  [
    'H58: the new name goes before the old',
    withClaim,
    [
      nodeOf('n1'),
      nodeOf('n2'),
      lateClass(),
      lateClaim('c1', { metadata: { annotations: { [ALPHA_SELECTED_NODE]: 'n2', [SELECTED_NODE]: 'n1' } } }),
    ],
    'await n1: VolumesPending',
  ],
  [
    'a selected node that is gone',
    withClaim,
    [nodeOf('n1'), lateClass(), lateClaim('c1', { metadata: { annotations: { [SELECTED_NODE]: 'n9' } } })],
    `0/1 nodes are available: 1 ${NO_MATCH}.`,
  ],
  [
    'a volume that is there is taken before one is made',
    withClaim,
    [nodeOf('n1'), lateClass(), lateClaim(), free('v1')],
    'reserve n1 v1 for c1',
  ],
  [
    'the smallest that is large enough',
    withClaim,
    [
      nodeOf('n1'),
      lateClass(),
      lateClaim(),
      free('v1', { size: '3Gi' }),
      free('v2', { size: '2Gi' }),
      free('v3', { size: '512Mi' }),
    ],
    'reserve n1 v2 for c1',
  ],
  [
    'the smallest of those near the node and of those everywhere',
    withClaim,
    [
      nodeOf('n1'),
      byHand,
      lateClaim(),
      free('v1', { size: '3Gi', spec: { nodeAffinity: inZone('a') } }),
      free('v2', { size: '2Gi' }),
      free('v3', { spec: { nodeAffinity: inZone('b') } }),
    ],
    'reserve n1 v2 for c1',
  ],
  [
    'only nodes near a volume, where none can be made',
    withClaim,
    [
      nodeOf('n1'),
      nodeOf('n2', { zone: 'b' }),
      byHand,
      lateClaim(),
      free('v1', { spec: { nodeAffinity: inZone('b') } }),
    ],
    'reserve n2 v1 for c1',
  ],
  [
    'none is there and none can be made',
    withClaim,
    [nodeOf('n1'), byHand, lateClaim(), free('v1', { size: '1Mi' })],
    `0/1 nodes are available: 1 ${NO_MATCH}.`,
  ],
  [
    'two claims get two volumes, the smaller claim first',
    podOf('p1', { claims: ['c1', 'c2'] }),
    [
      nodeOf('n1'),
      byHand,
      lateClaim('c1', { size: '5Gi' }),
      lateClaim('c2'),
      free('v1', { size: '6Gi' }),
      free('v2', { size: '5Gi' }),
    ],
    'reserve n1 v2 for c2, v1 for c1',
  ],
  [
    'two claims and one volume: the other one is made',
    podOf('p1', { claims: ['c1', 'c2'] }),
    [nodeOf('n1'), lateClass(), lateClaim('c1', { size: '2Gi' }), lateClaim('c2'), free('v1', { size: '6Gi' })],
    'reserve n1 v1 for c2, select c1',
  ],
  [
    'a volume kept for the claim by a person is completed',
    withClaim,
    [
      nodeOf('n1'),
      nodeOf('n2', { zone: 'b' }),
      byHand,
      lateClaim(),
      free('v1', { spec: { claimRef: reservedFor('c1'), nodeAffinity: inZone('b') } }),
    ],
    'reserve n2 v1 for c1',
  ],
  [
    'a volume that has the claim already is only waited for',
    withClaim,
    [nodeOf('n1'), byHand, lateClaim(), free('v1', { spec: { claimRef: reservedFor('c1', 'uid-c1') } })],
    'await n1: VolumesPending',
  ],
  [
    'another claim of that name is another claim',
    withClaim,
    [nodeOf('n1'), byHand, lateClaim(), free('v1', { spec: { claimRef: reservedFor('c1', 'uid-of-before') } })],
    `0/1 nodes are available: 1 ${NO_MATCH}.`,
  ],
  [
    'no room is asked for unless the driver tells of it',
    withClaim,
    [nodeOf('n1'), driverOf(), lateClass(), lateClaim()],
    'reserve n1 select c1',
  ],
  [
    'room is where the capacity is',
    withClaim,
    [
      nodeOf('n1'),
      nodeOf('n2', { zone: 'b' }),
      driverOf({ storageCapacity: true }),
      lateClass(),
      lateClaim(),
      capacityOf('a', '1Mi'),
      capacityOf('b', '2Gi'),
    ],
    'reserve n2 select c1',
  ],
  [
    'the largest single volume counts more than all room',
    withClaim,
    [
      nodeOf('n1'),
      driverOf({ storageCapacity: true }),
      lateClass(),
      lateClaim(),
      capacityOf('a', '9Gi', { maximumVolumeSize: '512Mi' }),
    ],
    '0/1 nodes are available: 1 node(s) did not have enough free storage.',
  ],
  [
    'room of another class is no room',
    withClaim,
    [
      nodeOf('n1'),
      driverOf({ storageCapacity: true }),
      lateClass(),
      lateClaim(),
      capacityOf('a', '9Gi', { storageClassName: 'other' }),
    ],
    '0/1 nodes are available: 1 node(s) did not have enough free storage.',
  ],
  [
    'room without a place is nowhere, room with an empty one everywhere',
    withClaim,
    [
      nodeOf('n1'),
      driverOf({ storageCapacity: true }),
      lateClass(),
      lateClaim(),
      { ...capacityOf('x', '9Gi'), nodeTopology: {} },
    ],
    'reserve n1 select c1',
  ],
  [
    'room is not asked for again once the node is selected',
    withClaim,
    [
      nodeOf('n1'),
      driverOf({ storageCapacity: true }),
      lateClass(),
      lateClaim('c1', { metadata: { annotations: { [SELECTED_NODE]: 'n1' } } }),
    ],
    'await n1: VolumesPending',
  ],
]

const claims: [behaviour: string, pod: Pod, objects: SchedulerObject[], outcome: string][] = [
  ['a claim that is missing', withClaim, [nodeOf()], '0/1 nodes are available: persistentvolumeclaim "c1" not found.'],
  [
    'a claim that is being deleted',
    withClaim,
    [nodeOf(), lateClass(), lateClaim('c1', { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } })],
    '0/1 nodes are available: persistentvolumeclaim "c1" is being deleted.',
  ],
  [
    'a claim that has lost its volume',
    withClaim,
    [nodeOf(), lateClaim('c1', { spec: { volumeName: 'v1' }, status: { phase: 'Lost' } })],
    '0/1 nodes are available: persistentvolumeclaim "c1" bound to non-existent persistentvolume "v1".',
  ],
  [
    'a claim that does not wait for pods',
    withClaim,
    [nodeOf(), classOf(), claimOf({ spec: { storageClassName: 'fast' } })],
    '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
  ],
  [
    'a claim of a class that is not there',
    withClaim,
    [nodeOf(), claimOf({ spec: { storageClassName: 'nothing' } })],
    '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
  ],
  [
    'a claim that names its volume and is not bound yet',
    withClaim,
    [nodeOf(), lateClass(), lateClaim('c1', { spec: { volumeName: 'v1' } }), free('v1')],
    '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
  ],
  [
    'a claim of the pod that is not made yet',
    podOf('p1', { volumes: [{ name: 'tmp', ephemeral: {} }] }),
    [nodeOf()],
    '0/1 nodes are available: waiting for ephemeral volume controller to create the persistentvolumeclaim "p1-tmp".',
  ],
  [
    'a claim of that name which is not the pod’s',
    podOf('p1', { volumes: [{ name: 'tmp', ephemeral: {} }] }),
    [nodeOf(), lateClass(), lateClaim('p1-tmp')],
    '0/1 nodes are available: PVC default/p1-tmp was not created for pod default/p1 (pod is not owner).',
  ],
  [
    'the pod’s own claim',
    podOf('p1', { volumes: [{ name: 'tmp', ephemeral: {} }] }),
    [
      nodeOf(),
      lateClass(),
      lateClaim('p1-tmp', {
        metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p1', uid: 'uid-p1', controller: true }] },
      }),
    ],
    'reserve n1 select p1-tmp',
  ],
  [
    'a claim for one pod that another one uses',
    withClaim,
    [
      nodeOf(),
      lateClass(),
      boundClaim('c1', 'v1', { modes: ['ReadWriteOncePod'] }),
      bound('v1', 'c1'),
      podOf('x', { claims: ['c1'], spec: { nodeName: 'n7' } }),
    ],
    '0/1 nodes are available: 1 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode.',
  ],
  [
    'a claim for one pod that the other one has finished with',
    withClaim,
    [
      nodeOf(),
      lateClass(),
      boundClaim('c1', 'v1', { modes: ['ReadWriteOncePod'] }),
      bound('v1', 'c1'),
      podOf('x', { claims: ['c1'], spec: { nodeName: 'n7' }, status: { phase: 'Failed' } }),
    ],
    'place n1',
  ],
]

const full = '0/1 nodes are available: 1 node(s) exceed max volume count.'
const onNode = (name: string, ...names: string[]): Pod => podOf(name, { claims: names, spec: { nodeName: 'n1' } })
const has = (claim: string, volume = claim.replace('c', 'v')): SchedulerObject[] => [
  boundClaim(claim, volume),
  bound(volume, claim),
]
const limits: [behaviour: string, pod: Pod, objects: SchedulerObject[], outcome: string][] = [
  [
    'as many as the driver can',
    withClaim,
    [nodeOf(), csiNodeOf('n1', 2), lateClass(), ...has('c1'), ...has('c2'), onNode('x', 'c2')],
    'place n1',
  ],
  [
    'one too many',
    withClaim,
    [nodeOf(), csiNodeOf('n1', 1), lateClass(), ...has('c1'), ...has('c2'), onNode('x', 'c2')],
    full,
  ],
  ['no volume at all', withClaim, [nodeOf(), csiNodeOf('n1', 0), lateClass(), ...has('c1')], full],
  [
    'a volume that two pods share counts once',
    withClaim,
    [nodeOf(), csiNodeOf('n1', 1), lateClass(), ...has('c1'), onNode('x', 'c1')],
    'place n1',
  ],
  [
    'two claims of one volume handle count once',
    podOf('p1', { claims: ['c1', 'c2'] }),
    [
      nodeOf(),
      csiNodeOf('n1', 1),
      lateClass(),
      ...has('c1'),
      boundClaim('c2', 'v2'),
      bound('v2', 'c2', { spec: { csi: { driver: DRIVER, volumeHandle: 'v1' } } }),
    ],
    'place n1',
  ],
  [
    'volumes that are still attached count',
    withClaim,
    [nodeOf(), csiNodeOf('n1', 1), lateClass(), ...has('c1'), free('v9'), attachmentOf('n1', 'v9')],
    full,
  ],
  [
    'volumes that are attached and used count once',
    withClaim,
    [
      nodeOf(),
      csiNodeOf('n1', 2),
      lateClass(),
      ...has('c1'),
      ...has('c2'),
      onNode('x', 'c2'),
      attachmentOf('n1', 'v2'),
      attachmentOf('n1', 'v1'),
    ],
    'place n1',
  ],
  [
    'volumes that are not made yet count',
    withClaim,
    [nodeOf(), csiNodeOf('n1', 1), lateClass(), lateClaim(), lateClaim('c2'), onNode('x', 'c2')],
    full,
  ],
  [
    'volumes that are given to claims count, whatever their class says',
    withClaim,
    [nodeOf(), csiNodeOf('n1', 1), byHand, lateClaim(), free('v1'), ...has('c2'), onNode('x', 'c2')],
    full,
  ],
  [
    'and do so until they are bound',
    withClaim,
    [
      nodeOf(),
      csiNodeOf('n1', 1),
      byHand,
      lateClass({}, 'other'),
      lateClaim('c1', { spec: { storageClassName: 'other' } }),
      lateClaim('c2'),
      free('v2', { spec: { claimRef: reservedFor('c2', 'uid-c2') } }),
      onNode('x', 'c2'),
    ],
    full,
  ],
  [
    'in-line volumes that are made on the node don’t count',
    withClaim,
    [
      nodeOf(),
      csiNodeOf('n1', 1),
      lateClass(),
      ...has('c1'),
      podOf('x', { volumes: [{ name: 'v', csi: { driver: DRIVER } }], spec: { nodeName: 'n1' } }),
    ],
    'place n1',
  ],
  [
    'in-line volumes with a handle count',
    withClaim,
    [
      nodeOf(),
      csiNodeOf('n1', 1),
      lateClass(),
      ...has('c1'),
      podOf('x', { volumes: [{ name: 'v', csi: { driver: DRIVER, volumeHandle: 'h' } }], spec: { nodeName: 'n1' } }),
    ],
    full,
  ],
  [
    'a driver without a limit has none',
    podOf('p1', { claims: ['c1'] }),
    [nodeOf(), csiNodeOf('n1'), lateClass(), ...has('c1')],
    'place n1',
  ],
  [
    'another driver’s limit is its own',
    withClaim,
    [nodeOf(), csiNodeOf('n1', 0, 'other.holdfast.dev'), lateClass(), ...has('c1')],
    'place n1',
  ],
  [
    'pods that have ended hold no volume',
    withClaim,
    [
      nodeOf(),
      csiNodeOf('n1', 1),
      lateClass(),
      ...has('c1'),
      ...has('c2'),
      { ...onNode('x', 'c2'), status: { phase: 'Succeeded' } },
    ],
    'place n1',
  ],
]

for (const [title, cases] of Object.entries({ nodes, volumes, claims, limits })) {
  describe(`where a pod may go: ${title}`, () => {
    for (const [behaviour, pod, objects, outcome] of cases)
      test(behaviour, () => equal(outcomeOf(stepFor(pod, objects)), outcome))
  })
}

test('among many nodes the one with the driver is found, wherever the search begins', () => {
  const many = Array.from({ length: 400 }, (_, index) => nodeOf(`n${index}`))
  for (const startAt of [0, 100, 399])
    equal(
      outcomeOf(stepFor(withClaim, [...many, csiNodeOf('n321'), lateClass(), lateClaim()], { startAt })),
      'reserve n321 select c1',
    )
})

describe('what there is nothing to do about', () => {
  const cases: [behaviour: string, pod: Pod, code: string][] = [
    ['a pod that has a node', podOf('p1', { spec: { nodeName: 'n1' } }), 'Placed'],
    ['a pod that has ended', podOf('p1', { status: { phase: 'Failed' } }), 'Finished'],
    [
      'a pod that is being deleted',
      podOf('p1', { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } }),
      'PodLeaving',
    ],
    ['a pod of another scheduler', podOf('p1', { spec: { schedulerName: 'mine' } }), 'OtherScheduler'],
    ['a pod behind a gate', podOf('p1', { spec: { schedulingGates: [{ name: 'g' }] } }), 'Gated'],
  ]
  for (const [behaviour, pod, code] of cases)
    test(behaviour, () => equal(outcomeOf(stepFor(pod, [nodeOf()])), `wait: ${code}`))

  test('an empty scheduler name means the default one', () =>
    equal(outcomeOf(stepFor(podOf('p1', { spec: { schedulerName: '' } }), [nodeOf()], {})), 'place n1'))
})

describe('why a pod has no node', () => {
  test('each node has its reason as data', () => {
    const step = stepFor(withClaim, [
      nodeOf('n1'),
      nodeOf('n2', { spec: { unschedulable: true } }),
      lateClass(),
      boundClaim('c1', 'v1'),
      bound('v1', 'c1', { spec: { nodeAffinity: inZone('b') } }),
    ])
    ok(step.kind === 'unschedulable')
    deepEqual(
      step.verdicts.map(({ node, obstacles }) => `${node} ${obstacles.map(({ code }) => code).join()}`).sort(),
      ['n1 VolumeNodeAffinityConflict', 'n2 NodeUnschedulable'],
    )
    deepEqual(step.verdicts.find(({ node }) => node === 'n1')?.obstacles[0]?.detail, {
      claim: 'default/c1',
      volume: 'v1',
    })
  })

  test('what all nodes have in common is the reason', () => {
    const step = stepFor(withClaim, [
      nodeOf('n1'),
      nodeOf('n2'),
      lateClass({ allowedTopologies: allowedIn('b') }),
      lateClaim(),
    ])
    ok(step.kind === 'unschedulable')
    deepEqual(step.reason.detail, { claim: 'default/c1', class: 'late' })
    equal(step.reason.code, 'TopologyNotAllowed')
  })

  test('a claim that is waited for is named', () => {
    const step = stepFor(withClaim, [nodeOf('n1')])
    ok(step.kind === 'unschedulable')
    deepEqual(step.reason.waitsFor, {
      kind: 'object',
      apiVersion: 'v1',
      kindName: 'PersistentVolumeClaim',
      namespace: 'default',
      name: 'c1',
    })
  })
})

describe('a node that was chosen', () => {
  const reservation = (more: Partial<Reservation> = {}): Reservation => ({
    node: 'n2',
    untilMs: 5000,
    claims: new Map(),
    isPlaced: false,
    ...more,
  })
  const two = [nodeOf('n1'), nodeOf('n2'), lateClass()]
  const selected = lateClaim('c1', { metadata: { annotations: { [SELECTED_NODE]: 'n2' } } })
  const cases: [behaviour: string, objects: SchedulerObject[], held: Partial<PlacementHeld>, outcome: string][] = [
    [
      'stays chosen while its volumes are made',
      [...two, selected],
      { reservation: reservation({ claims: SELECTED_C1 }) },
      'await n2: VolumesPending',
    ],
    [
      'gets the pod, though another would do too',
      [...two, boundClaim('c1', 'v1'), bound('v1', 'c1'), podOf('x', { spec: { nodeName: 'n2' } })],
      { reservation: reservation() },
      'place n2',
    ],
    ['gets what was not written yet', [...two, lateClaim()], { reservation: reservation() }, 'reserve n2 select c1'],
    [
      'is given up when the provisioner takes its name off the claim',
      [...two, lateClaim()],
      { reservation: reservation({ claims: SELECTED_C1 }) },
      'give up: binding volumes: provisioning failed for PVC "c1"',
    ],
    [
      'is given up when the volume came elsewhere',
      [...two, boundClaim('c1', 'v1'), bound('v1', 'c1', { spec: { nodeAffinity: inZone('b') } })],
      { reservation: reservation() },
      `give up: ${AWAY}`,
    ],
    [
      'is given up when the volume was given to another claim',
      [...two, lateClaim(), free('v1', { spec: { claimRef: reservedFor('other') } })],
      { reservation: reservation({ claims: MATCHED_C1 }) },
      'give up: binding volumes: ClaimRef got reset for pv "v1"',
    ],
    [
      'is given up when another one is selected',
      [...two, lateClaim('c1', { metadata: { annotations: { [SELECTED_NODE]: 'n1' } } })],
      { reservation: reservation({ claims: SELECTED_C1 }) },
      `give up: ${NO_MATCH}`,
    ],
    [
      'is given up when it is gone',
      [nodeOf('n1'), lateClass(), selected],
      { reservation: reservation() },
      'give up: node "n2" not found',
    ],
    [
      'is given up when a claim is leaving',
      [...two, lateClaim('c1', { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } })],
      { reservation: reservation() },
      'give up: persistentvolumeclaim "c1" is being deleted',
    ],
    [
      'is given up when volumes take too long',
      [...two, selected],
      { reservation: reservation({ untilMs: 1000 }) },
      'give up: binding volumes: timed out waiting for the condition',
    ],
    [
      'is told once',
      [...two, boundClaim('c1', 'v1'), bound('v1', 'c1')],
      { reservation: reservation({ isPlaced: true }) },
      'wait: Placed',
    ],
  ]
  for (const [behaviour, objects, held, outcome] of cases)
    test(behaviour, () => equal(outcomeOf(stepFor(withClaim, objects, held)), outcome))
})

describe('a provisioner that gave a node back', () => {
  const world = [
    nodeOf('n1'),
    nodeOf('n2'),
    nodeOf('n3', { zone: 'b' }),
    csiNodeOf('n1'),
    csiNodeOf('n2'),
    csiNodeOf('n3'),
    podOf('x', { spec: { nodeName: 'n3' } }),
    lateClass(),
    lateClaim(),
  ]
  const { nodeTable } = clusterOf(...world)
  const segments = (...names: string[]): Set<string> =>
    new Set(names.flatMap((name) => nodeTable.find(name) ?? []).map((node) => segmentOf(DRIVER, node)))

  test('is not asked for nodes of the same zone', () =>
    equal(
      outcomeOf(
        stepFor(withClaim, world, { refusal: { segments: segments('n1'), claim: 'default/c1', untilMs: 2000 } }),
      ),
      'reserve n3 select c1',
    ))
  test('is left alone for a while when there is nothing else', () =>
    equal(
      outcomeOf(
        stepFor(withClaim, world, { refusal: { segments: segments('n1', 'n3'), claim: 'default/c1', untilMs: 3000 } }),
      ),
      'back off 2000',
    ))
  test('is asked again after that', () =>
    ok(
      outcomeOf(
        stepFor(withClaim, world, { refusal: { segments: segments('n1', 'n3'), claim: 'default/c1', untilMs: 1000 } }),
      ).startsWith('reserve'),
    ))
})

describe('all of a decision', () => {
  const leaving = { deletionTimestamp: '2030-01-01T00:00:00Z' }
  const gates = { schedulingGates: [{ name: 'g' }, { name: 'h' }] }
  const reservation = (more: Partial<Reservation> = {}): Reservation => ({
    node: 'n2',
    untilMs: 5000,
    claims: new Map(),
    isPlaced: false,
    ...more,
  })
  const selected = lateClaim('c1', { metadata: { annotations: { [SELECTED_NODE]: 'n2' } } })
  const two = [nodeOf('n1'), nodeOf('n2'), lateClass()]

  const waits: [behaviour: string, pod: Pod, reason: object][] = [
    [
      'a node counts before the end',
      podOf('p1', { spec: { nodeName: 'n1' }, status: { phase: 'Failed' } }),
      REASONS.Placed('n1'),
    ],
    [
      'the end counts before leaving',
      podOf('p1', { metadata: leaving, status: { phase: 'Failed' } }),
      REASONS.Finished,
    ],
    [
      'leaving counts before another scheduler',
      podOf('p1', { metadata: leaving, spec: { schedulerName: 'mine' } }),
      REASONS.PodLeaving,
    ],
    [
      'another scheduler counts before gates',
      podOf('p1', { spec: { schedulerName: 'mine', ...gates } }),
      REASONS.OtherScheduler('mine'),
    ],
    ['all gates are named', podOf('p1', { spec: gates }), REASONS.Gated('g, h')],
  ]
  for (const [behaviour, pod, reason] of waits)
    test(behaviour, () => deepEqual(stepFor(pod, [nodeOf()]), { kind: 'wait', reason }))

  test('no gate is left', () =>
    equal(outcomeOf(stepFor(podOf('p1', { spec: { schedulingGates: [] } }), [nodeOf()])), 'place n1'))

  test('a scheduler of another name leaves pods without one alone', () => {
    deepEqual(stepFor(podOf(), [nodeOf()], { schedulerName: 'mine' }), {
      kind: 'wait',
      reason: REASONS.OtherScheduler(''),
    })
    equal(
      outcomeOf(stepFor(podOf('p1', { spec: { schedulerName: 'mine' } }), [nodeOf()], { schedulerName: 'mine' })),
      'place n1',
    )
  })

  test('without nodes the reason is that, and the plan is told', () => {
    const step = stepFor(podOf(), [])
    ok(step.kind === 'unschedulable')
    deepEqual([step.reason, step.visited, step.plan === undefined], [REASONS.NoNodes, 0, false])
  })

  test('a claim that keeps a pod off is told without looking at nodes', () => {
    const step = stepFor(withClaim, [nodeOf()])
    ok(step.kind === 'unschedulable')
    deepEqual([step.verdicts, step.visited], [[], 0])
  })

  test('reasons in common have the same words and the same code on all nodes', () => {
    const reasonFor = (...objects: SchedulerObject[]): Reason => {
      const step = stepFor(podOf(), objects)
      ok(step.kind === 'unschedulable')
      return step.reason
    }
    const tainted = (name: string, value: string) =>
      nodeOf(name, { spec: { taints: [{ key: 'a', value, effect: 'NoSchedule' }] } })
    const cordoned = (name: string) => nodeOf(name, { spec: { unschedulable: true } })
    equal(reasonFor(cordoned('n1'), cordoned('n2')).code, 'NodeUnschedulable')
    equal(reasonFor(cordoned('n1')).code, 'NodeUnschedulable')
    deepEqual(reasonFor(cordoned('n1'), tainted('n2', 'b')), REASONS.Unschedulable('2'))
    deepEqual(reasonFor(tainted('n1', 'b'), tainted('n2', 'c')), REASONS.Unschedulable('2'))
    deepEqual(reasonFor(tainted('n1', 'b'), tainted('n2', 'b'), tainted('n3', 'c')), REASONS.Unschedulable('3'))
  })

  test('volumes that are waited for have a time limit only on a node that was chosen', () => {
    const pending = { kind: 'await-volumes', node: 'n2', reason: REASONS.VolumesPending('default/c1', 'n2') }
    const { visited, ...free2 } = stepFor(withClaim, [...two, selected]) as Extract<
      PlacementStep,
      { kind: 'await-volumes' }
    >
    deepEqual(free2, pending)
    ok(visited > 0)
    deepEqual(stepFor(withClaim, [...two, selected], { reservation: reservation() }), {
      ...pending,
      visited: 0,
      retryInMs: 4000,
    })
  })

  const givenUp: [behaviour: string, objects: SchedulerObject[], more: Partial<Reservation>, code: string][] = [
    ['a node that is gone counts before the claims', [nodeOf('n1')], {}, 'NodeGone'],
    [
      'what keeps volumes off the node is the reason',
      [...two, boundClaim('c1', 'v1'), bound('v1', 'c1', { spec: { nodeAffinity: inZone('b') } })],
      {},
      'VolumeNodeAffinityConflict',
    ],
    [
      'a volume that was given away',
      [...two, lateClaim(), free('v1', { spec: { claimRef: reservedFor('other') } })],
      { claims: MATCHED_C1 },
      'VolumeTaken',
    ],
    ['a volume that is gone', [...two, lateClaim()], { claims: MATCHED_C1 }, 'VolumeTaken'],
    ['volumes that are too slow', [...two, selected], { untilMs: 1000 }, 'VolumesTooSlow'],
  ]
  for (const [behaviour, objects, more, code] of givenUp) {
    test(`a node is given up: ${behaviour}`, () => {
      const step = stepFor(withClaim, objects, { reservation: reservation(more) })
      deepEqual([step.kind, 'reason' in step && step.reason.code, 'refused' in step], ['give-up', code, false])
    })
  }

  test('a volume that is still for the claim keeps the node', () => {
    equal(
      outcomeOf(
        stepFor(withClaim, [...two, lateClaim(), free('v1', { spec: { claimRef: reservedFor('c1', 'uid-c1') } })], {
          reservation: reservation({ claims: MATCHED_C1 }),
        }),
      ),
      'await n2: VolumesPending',
    )
  })

  test('volumes that are all there are not too slow, however late it is', () => {
    equal(
      outcomeOf(
        stepFor(withClaim, [...two, boundClaim('c1', 'v1'), bound('v1', 'c1')], {
          reservation: reservation({ untilMs: 0 }),
        }),
      ),
      'place n2',
    )
  })

  test('a provisioner that gives a node back is told with claim and place', () => {
    const step = stepFor(withClaim, [...two, lateClaim()], {
      reservation: reservation({ claims: SELECTED_C1 }),
    })
    const node = clusterOf(...two).nodeTable.find('n2')
    ok(step.kind === 'give-up' && node)
    deepEqual(step.refused, { claim: 'default/c1', segment: segmentOf(DRIVER, node) })
  })

  test('a claim that was refused everywhere is named', () => {
    const world = [nodeOf('n1'), csiNodeOf('n1'), lateClass(), lateClaim()]
    const node = clusterOf(...world).nodeTable.find('n1')
    ok(node)
    const step = stepFor(withClaim, world, {
      refusal: { segments: new Set([segmentOf(DRIVER, node)]), claim: 'default/c1', untilMs: 3000 },
    })
    ok(step.kind === 'back-off')
    deepEqual(
      [step.reason, step.reason.message, step.retryInMs],
      [REASONS.RefusedEverywhere('default/c1'), 'binding volumes: provisioning failed for PVC "c1"', 2000],
    )
  })

  test('one driver of two that refused is enough to leave a place out', () => {
    const other = lateClass({ provisioner: 'other.holdfast.dev' }, 'other')
    const pod = podOf('p1', { claims: ['c1', 'c2'] })
    const world = [
      nodeOf('n1'),
      lateClass(),
      other,
      lateClaim(),
      lateClaim('c2', { spec: { storageClassName: 'other' } }),
    ]
    const node = clusterOf(...world).nodeTable.find('n1')
    ok(node)
    equal(
      stepFor(pod, world, {
        refusal: { segments: new Set([segmentOf(DRIVER, node)]), claim: 'default/c1', untilMs: 3000 },
      }).kind,
      'back-off',
    )
  })

  describe('the search', () => {
    const visited = (objects: readonly SchedulerObject[], held: Partial<PlacementHeld> = {}, pod = podOf()): number => {
      const step = stepFor(pod, objects, held)
      return 'visited' in step ? step.visited : -1
    }
    const on = (node: string, pod: string): Pod => podOf(pod, { spec: { nodeName: node } })
    const names = ['n0', 'n1', 'n2', 'n3', 'n4']
    const even = names.map((name) => nodeOf(name))
    // An empty node that the pod cannot use: all others have more on them than the least loaded one.
    const busy = [
      ...even,
      ...names.map((name) => on(name, `on-${name}`)),
      nodeOf('x', { spec: { unschedulable: true } }),
    ]

    test('ends when enough nodes are good', () => {
      // One of the three is the cordoned node.
      deepEqual([visited(busy, { enough: 2 }), visited(busy)], [3, 6])
    })
    test('ends at a node that no other can beat', () => equal(visited(even), 1))
    test('goes on where the last one ended', () => {
      const nodes = new Set(names.map((_, startAt) => outcomeOf(stepFor(podOf(), even, { startAt }))))
      equal(nodes.size, 5)
    })
    test('goes on when another node may be preferred', () => {
      const preference = { matchExpressions: [{ key: ZONE, operator: 'In', values: ['b'] }] } as const
      const preferred = [{ weight: 1, preference }]
      const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } }
      const pod = podOf('p1', { spec: { affinity } })
      equal(visited(even, {}, pod), 5)
      equal(outcomeOf(stepFor(pod, [...even, nodeOf('n5', { zone: 'b' })], {})), 'place n5')
    })
    test('goes on when another node may be more welcome, or have the driver', () => {
      const unwelcome = names.map((name) =>
        nodeOf(name, { spec: { taints: [{ key: 'a', effect: 'PreferNoSchedule' }] } }),
      )
      const withVolume = [lateClass(), lateClaim()]
      deepEqual([visited(unwelcome), visited([...even, ...withVolume], {}, withClaim)], [5, 5])
    })
  })
})

describe('a pod whose claim is about to be bound', () => {
  const world = [nodeOf(), classOf(), claimOf({ spec: { storageClassName: 'fast' } })]
  test('is not reported in its first second', () =>
    equal(outcomeOf(stepFor(withClaim, world, { firstMs: 1 })), 'await binding for 1: ClaimUnbound'))
  test('is reported after that', () =>
    ok(outcomeOf(stepFor(withClaim, world, { firstMs: 0 })).includes('unbound immediate')))
  test('is reported at once if its claim does not exist', () =>
    ok(outcomeOf(stepFor(withClaim, [nodeOf()], { firstMs: 1000 })).includes('not found')))
})
