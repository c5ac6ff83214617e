import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ClaimResourceStatus, PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { claimOf, reservedFor, volumeOf } from '../../testing/objects.ts'
import type { ExpandHeld, ExpandMemory, ExpandView } from './expand-view.ts'
import { nextExpandStep } from './next-expand-step.ts'
import type { ExpandStep } from './next-expand-step.ts'

type Given = {
  /** What the claim requests. */
  request?: string
  /** What the claim's status says that it has. */
  present?: string
  /** What the volume has. */
  capacity?: string
  status?: ClaimResourceStatus
  allocated?: string
  conditions?: readonly string[]
  claimAnnotations?: Record<string, string>
  volumeAnnotations?: Record<string, string>
  secret?: boolean
  claim?: Partial<PersistentVolumeClaim['spec']>
  phase?: 'Bound' | 'Lost' | 'Pending'
  boundTo?: string
  volume?: false
  held?: Partial<ExpandHeld>
}

const HELD: ExpandHeld = { nowMs: 1000, isNodeOnly: false, avoidsUsedVolumes: true, annotatesFsResize: true }

function viewOf(given: Given): ExpandView {
  const { request = '2Gi', present = '1Gi', capacity = present, status, allocated, conditions = [], held = {} } = given
  const claim = claimOf({
    uid: 'u1',
    size: request,
    metadata: { annotations: given.claimAnnotations ?? {} },
    spec: { volumeName: 'v1', ...given.claim },
    status: {
      phase: given.phase ?? 'Bound',
      capacity: { storage: present },
      conditions: conditions.map((type) => ({ type, status: 'True' })),
      ...(allocated ? { allocatedResources: { storage: allocated } } : {}),
      ...(status ? { allocatedResourceStatuses: { storage: status } } : {}),
    },
  })
  const controllerExpandSecretRef = { namespace: 'vault', name: 'pass' }
  const volume = volumeOf({
    size: capacity,
    metadata: { annotations: given.volumeAnnotations ?? {} },
    spec: {
      claimRef: reservedFor('c1', given.boundTo ?? 'u1'),
      csi: { driver: 'd', volumeHandle: 'h', ...(given.secret ? { controllerExpandSecretRef } : {}) },
    },
  })
  return { seen: { claim, ...(given.volume === false ? {} : { volume }) }, held: { ...HELD, ...held } }
}

const failed = (
  target: string,
  outcome: Extract<ExpandMemory, { kind: 'failed' }>['outcome'],
  retryAtMs = 0,
): { memory: ExpandMemory } => ({
  memory: { kind: 'failed', target, outcome, message: 'no', count: 1, retryAtMs },
})
const summarize = (step: ExpandStep): string => {
  switch (step.kind) {
    case 'wait':
      return `wait ${step.reason.code}${step.retryInMs === undefined ? '' : ` ${step.retryInMs}`}`
    case 'begin':
      return `begin ${step.target}${step.isNewTarget ? '' : ' again'}`
    case 'refuse':
      return `refuse ${step.reason.code}`
    case 'expand':
      return `expand ${step.target}`
    case 'record-volume':
    case 'record-claim':
      return `${step.kind} ${step.size}${step.needsNode ? ' for the node' : ''}`
    default:
      return step.kind
  }
}

const marked = { conditions: ['Resizing'] }
const cases: Record<string, [behaviour: string, given: Given, step: string][]> = {
  'whether there is anything to do': [
    ['a claim that is not bound waits', { phase: 'Pending' }, 'wait NotBound'],
    ['a claim without a volume waits', { claim: { volumeName: '' } }, 'wait NotBound'],
    ['a volume that is not known yet is waited for', { volume: false }, 'wait VolumeMissing'],
    ['a claim that has what it requests waits', { request: '1Gi' }, 'wait LargeEnough'],
    ['a claim that has more than it requests waits', { request: '1Gi', present: '2Gi' }, 'wait LargeEnough'],
    ['a volume of another claim is left alone', { boundTo: 'u2' }, 'wait VolumeOfOther'],
    [
      'the previous size is dropped once the claim has all that the volume has',
      { request: '1Gi', volumeAnnotations: { 'volume.alpha.kubernetes.io/pre-resize-capacity': '1Gi' } },
      'drop-previous-size',
    ],
    [
      'the previous size is kept until then',
      {
        capacity: '2Gi',
        status: 'NodeResizePending',
        allocated: '2Gi',
        volumeAnnotations: { 'volume.alpha.kubernetes.io/pre-resize-capacity': '1Gi' },
      },
      'wait NodeResizePending',
    ],
    [
      'without the gate the previous size is not touched',
      {
        request: '1Gi',
        volumeAnnotations: { 'volume.alpha.kubernetes.io/pre-resize-capacity': '1Gi' },
        held: { annotatesFsResize: false },
      },
      'wait LargeEnough',
    ],
  ],
  'the size to ask for, while the volume is smaller than the request': [
    ['is the request at first', {}, 'begin 2Gi'],
    [
      'is the request again after an infeasible size',
      { status: 'ControllerResizeInfeasible', allocated: '5Gi', ...marked },
      'begin 2Gi',
    ],
    [
      'is what was begun while its outcome is unknown',
      { status: 'ControllerResizeInProgress', allocated: '5Gi', ...marked },
      'expand 5Gi',
    ],
    [
      'is what was begun while the last outcome is in doubt',
      { status: 'ControllerResizeInProgress', allocated: '5Gi', ...marked, held: failed('5Gi', 'in-doubt') },
      'expand 5Gi',
    ],
    [
      'is the request once the last call has surely failed',
      { status: 'ControllerResizeInProgress', allocated: '5Gi', ...marked, held: failed('5Gi', 'final') },
      'begin 2Gi',
    ],
    [
      'is what the node could not do, to confirm it',
      { status: 'NodeResizeInfeasible', allocated: '3Gi', ...marked },
      'expand 3Gi',
    ],
    [
      'is what was begun if the volume never got it',
      { status: 'NodeResizePending', allocated: '3Gi', ...marked },
      'expand 3Gi',
    ],
    [
      'is nothing while the node has the last step before it',
      { request: '5Gi', capacity: '3Gi', status: 'NodeResizePending', allocated: '3Gi' },
      'wait NodeResizePending',
    ],
  ],
  'the size to ask for, once the volume is as large as the request': [
    [
      'is nothing while it is the node’s turn',
      { capacity: '2Gi', status: 'NodeResizeInProgress', allocated: '2Gi' },
      'wait NodeResizePending',
    ],
    [
      'is what was begun, to finish the records',
      { capacity: '2Gi', status: 'ControllerResizeInProgress', allocated: '2Gi', ...marked },
      'expand 2Gi',
    ],
    [
      'is what was begun also after an infeasible size',
      { capacity: '5Gi', status: 'ControllerResizeInfeasible', allocated: '5Gi', ...marked },
      'expand 5Gi',
    ],
    [
      'is what the node could not do, where the controller expands',
      { capacity: '5Gi', status: 'NodeResizeInfeasible', allocated: '5Gi', ...marked },
      'expand 5Gi',
    ],
    [
      'is the request, where only the node expands',
      { capacity: '5Gi', status: 'NodeResizeInfeasible', allocated: '5Gi', ...marked, held: { isNodeOnly: true } },
      'begin 2Gi',
    ],
    [
      'is what is recorded, with a server that has no statuses',
      { capacity: '2Gi', allocated: '2Gi', ...marked },
      'expand 2Gi',
    ],
    [
      'is nothing if the condition says that it is the node’s turn',
      { capacity: '2Gi', conditions: ['FileSystemResizePending'] },
      'wait NodeResizePending',
    ],
    ['is the request otherwise', { capacity: '2Gi' }, 'begin 2Gi'],
  ],
  'the way to the call': [
    [
      'the target is saved before the call',
      { status: 'ControllerResizeInProgress', allocated: '2Gi' },
      'begin 2Gi again',
    ],
    [
      'a mark of the last expansion is removed before the call',
      { allocated: '2Gi', ...marked, claimAnnotations: { 'volume.kubernetes.io/node-expansion-not-required': 'true' } },
      'begin 2Gi again',
    ],
    [
      'a failure is not repeated before its time',
      { allocated: '2Gi', ...marked, held: failed('2Gi', 'final', 4000) },
      'wait RetryingExpansion 3000',
    ],
    [
      'a size that cannot be had is not asked for before its time',
      { status: 'ControllerResizeInfeasible', allocated: '2Gi', ...marked, held: failed('2Gi', 'infeasible', 4000) },
      'wait ExpansionInfeasible 3000',
    ],
    [
      'another size is asked for at once',
      {
        request: '3Gi',
        status: 'ControllerResizeInfeasible',
        allocated: '5Gi',
        ...marked,
        held: failed('5Gi', 'infeasible', 4000),
      },
      'begin 3Gi',
    ],
    [
      'the same size in other words is the same size',
      { request: '2048Mi', allocated: '2Gi', ...marked, held: failed('2Gi', 'final', 4000) },
      'wait RetryingExpansion 3000',
    ],
    [
      'after a volume was in use, its users are found first',
      { allocated: '2Gi', ...marked, held: failed('2Gi', 'in-use') },
      'find-users',
    ],
    [
      'a volume that is still in use is left alone',
      { allocated: '2Gi', ...marked, held: { ...failed('2Gi', 'in-use'), users: ['default/p'] } },
      'refuse VolumeInUse',
    ],
    [
      'a volume that is no longer in use is expanded',
      { allocated: '2Gi', ...marked, held: { ...failed('2Gi', 'in-use'), users: [] } },
      'expand 2Gi',
    ],
    [
      'without that option nobody looks for users',
      { allocated: '2Gi', ...marked, held: { ...failed('2Gi', 'in-use'), avoidsUsedVolumes: false } },
      'expand 2Gi',
    ],
    ['the secret is read first', { allocated: '2Gi', ...marked, secret: true }, 'read-secret'],
    [
      'a secret that was read is enough',
      { allocated: '2Gi', ...marked, secret: true, held: { secret: { kind: 'read', values: {} } } },
      'expand 2Gi',
    ],
    [
      'a missing secret is reported',
      { allocated: '2Gi', ...marked, secret: true, held: { secret: { kind: 'missing' } } },
      'refuse SecretMissing',
    ],
    [
      'a secret that may not be read is reported',
      { allocated: '2Gi', ...marked, secret: true, held: { secret: { kind: 'forbidden' } } },
      'refuse SecretForbidden',
    ],
    [
      'a secret that is not text is reported',
      { allocated: '2Gi', ...marked, secret: true, held: { secret: { kind: 'not-text', key: 'k' } } },
      'refuse SecretNotText',
    ],
    [
      'a driver that expands on the node needs no secret here',
      { allocated: '2Gi', ...marked, secret: true, held: { isNodeOnly: true } },
      'expand 2Gi',
    ],
  ],
  'after the call': [
    [
      'the volume is recorded first',
      {
        allocated: '2Gi',
        ...marked,
        held: { memory: { kind: 'done', target: '2Gi', size: '3Gi', needsNode: false } },
      },
      'record-volume 3Gi',
    ],
    [
      'then the claim',
      {
        capacity: '3Gi',
        allocated: '2Gi',
        ...marked,
        held: { memory: { kind: 'done', target: '2Gi', size: '3Gi', needsNode: false } },
      },
      'record-claim 3Gi',
    ],
    [
      'for the node the previous size is kept on the volume',
      {
        capacity: '3Gi',
        allocated: '2Gi',
        ...marked,
        held: { memory: { kind: 'done', target: '2Gi', size: '3Gi', needsNode: true } },
      },
      'record-volume 3Gi for the node',
    ],
    [
      'unless the gate is off',
      {
        capacity: '3Gi',
        allocated: '2Gi',
        ...marked,
        held: { annotatesFsResize: false, memory: { kind: 'done', target: '2Gi', size: '3Gi', needsNode: true } },
      },
      'record-claim 3Gi for the node',
    ],
    [
      'an answer for another size does not count',
      {
        request: '4Gi',
        allocated: '4Gi',
        ...marked,
        held: { memory: { kind: 'done', target: '2Gi', size: '3Gi', needsNode: false } },
      },
      'expand 4Gi',
    ],
  ],
}
for (const [topic, table] of Object.entries(cases))
  describe(topic, () => {
    for (const [behaviour, given, step] of table)
      test(behaviour, () => equal(summarize(nextExpandStep(viewOf(given))), step))
  })

test('asked from outside, without what the resizer remembers, it says what comes next', () => {
  const { seen } = viewOf({ status: 'ControllerResizeInProgress', allocated: '5Gi', ...marked })
  deepEqual(summarize(nextExpandStep({ seen })), 'expand 5Gi')
})
