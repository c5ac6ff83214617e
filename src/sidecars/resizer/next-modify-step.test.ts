import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ModifyVolumeStatus, PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { VolumeAttributesClass } from '../../api/kinds/volume-attributes-class.ts'
import { claimOf, volumeOf } from '../../testing/objects.ts'
import type { ModifyHeld, ModifyMemory, ModifyView } from './modify-view.ts'
import { readModifyView } from './modify-view.ts'
import { nextModifyStep } from './next-modify-step.ts'
import type { ModifyStep } from './next-modify-step.ts'

const DRIVER = 'test.holdfast.dev'

type Given = {
  wanted?: string
  current?: string
  /** `InProgress gold`: the state of the last modification. */
  last?: `${ModifyVolumeStatus['status']} ${string}`
  conditions?: readonly string[]
  classes?: readonly string[]
  volume?: Parameters<typeof volumeOf>[0]
  phase?: 'Bound' | 'Pending'
  held?: Partial<ModifyHeld>
}

function viewOf({ wanted, current, last, conditions = [], classes = ['gold', 'silver'], ...given }: Given): ModifyView {
  const [status, target] = (last ?? '').split(' ') as [ModifyVolumeStatus['status'], string | undefined]
  const claim: PersistentVolumeClaim = claimOf({
    spec: { volumeName: 'v1', ...(wanted === undefined ? {} : { volumeAttributesClassName: wanted }) },
    status: {
      phase: given.phase ?? 'Bound',
      conditions: conditions.map((type) => ({ type, status: 'True' })),
      ...(current === undefined ? {} : { currentVolumeAttributesClassName: current }),
      ...(target === undefined ? {} : { modifyVolumeStatus: { status, targetVolumeAttributesClassName: target } }),
    },
  })
  const findClass = (name: string): VolumeAttributesClass | undefined => {
    const driverName = name === 'foreign' ? 'other.example.com' : DRIVER
    return classes.includes(name)
      ? { apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttributesClass', metadata: { name }, driverName }
      : undefined
  }
  const seen = readModifyView(claim, () => volumeOf(given.volume), findClass, DRIVER)
  if (!seen) throw new Error('the claim does not concern this driver')
  return { seen, held: { nowMs: 1000, ...given.held } }
}

const failed = (
  target: string,
  outcome: Extract<ModifyMemory, { kind: 'failed' }>['outcome'],
  retryAtMs = 0,
): { memory: ModifyMemory } => ({
  memory: { kind: 'failed', target, outcome, message: 'no', count: 1, retryAtMs },
})
const summarize = (step: ModifyStep): string => {
  switch (step.kind) {
    case 'wait':
      return `wait ${step.reason.code}${step.retryInMs === undefined ? '' : ` ${step.retryInMs}`}`
    case 'mark-pending':
      return `mark-pending ${step.reason.code}`
    case 'refuse':
      return `refuse ${step.reason.code}`
    case 'modify':
      return `modify ${step.attributesClass.metadata.name}`
    case 'begin':
    case 'record-volume':
    case 'record-claim':
      return `${step.kind} ${step.className}`
    case 'read-secret':
      return `read-secret ${step.ref.namespace}/${step.ref.name}`
    case 'cancel':
      return step.kind
  }
}

const secret = { controllerExpandSecretRef: { namespace: 'vault', name: 'expand' } }
const csi = { driver: DRIVER, volumeHandle: 'h', ...secret }
const cases: Record<string, [behaviour: string, given: Given, step: string][]> = {
  'whether there is anything to do': [
    ['a claim that is not bound waits', { wanted: 'gold', phase: 'Pending' }, 'wait NotBound'],
    ['a claim that requests no class waits', {}, 'wait Modified'],
    ['a claim with the class that it requests waits', { wanted: 'gold', current: 'gold' }, 'wait Modified'],
    [
      'a class that was withdrawn after a failure is canceled',
      { last: 'Infeasible gold', conditions: ['ModifyingVolume'] },
      'cancel',
    ],
    ['a class that was withdrawn needs to be canceled once only', { last: 'Infeasible gold' }, 'wait ModifyCanceled'],
  ],
  'a class that is not there': [
    ['is marked as pending', { wanted: 'bronze' }, 'mark-pending VolumeAttributesClassMissing'],
    ['is waited for afterwards', { wanted: 'bronze', last: 'Pending bronze' }, 'wait VolumeAttributesClassMissing'],
    ['is begun once it is there', { wanted: 'gold', last: 'Pending gold' }, 'begin gold'],
    [
      'is waited for if its modification has begun',
      { wanted: 'bronze', last: 'InProgress bronze' },
      'wait VolumeAttributesClassMissing',
    ],
  ],
  'the class to ask for': [
    ['is saved before the call', { wanted: 'gold', current: 'silver' }, 'begin gold'],
    ['is the one that was begun', { wanted: 'gold', last: 'InProgress gold' }, 'modify gold'],
    [
      'stays the one that was begun while its outcome is unknown',
      { wanted: 'silver', last: 'InProgress gold' },
      'modify gold',
    ],
    [
      'stays the one that was begun while it is in doubt',
      { wanted: 'silver', last: 'InProgress gold', held: failed('gold', 'in-doubt') },
      'modify gold',
    ],
    ['stays the one that was begun even if it was withdrawn', { last: 'InProgress gold' }, 'modify gold'],
    [
      'changes after the last call has surely failed',
      { wanted: 'silver', last: 'InProgress gold', held: failed('gold', 'final') },
      'begin silver',
    ],
    [
      'changes after an infeasible one',
      { wanted: 'silver', last: 'Infeasible gold', held: failed('gold', 'infeasible', 9000) },
      'begin silver',
    ],
    [
      'is begun again after an infeasible one, when it is time',
      { wanted: 'gold', last: 'Infeasible gold', held: failed('gold', 'infeasible') },
      'begin gold',
    ],
    [
      'is not asked for before its time',
      { wanted: 'gold', last: 'Infeasible gold', held: failed('gold', 'infeasible', 9000) },
      'wait ModifyInfeasible 8000',
    ],
    [
      'is not repeated before its time',
      { wanted: 'gold', last: 'InProgress gold', held: failed('gold', 'final', 9000) },
      'wait RetryingExpansion 8000',
    ],
    [
      'is repeated when it is time',
      { wanted: 'gold', last: 'InProgress gold', held: failed('gold', 'final') },
      'modify gold',
    ],
    [
      'is not repeated before its time while it is in doubt',
      { wanted: 'gold', last: 'InProgress gold', held: failed('gold', 'in-doubt', 9000) },
      'wait RetryingExpansion 8000',
    ],
    [
      'is repeated if it was withdrawn, because the modification has begun',
      { last: 'InProgress gold', held: failed('gold', 'final') },
      'modify gold',
    ],
    [
      'is reported as one of another driver only when it is time',
      {
        wanted: 'foreign',
        classes: ['foreign'],
        last: 'InProgress foreign',
        held: failed('foreign', 'in-doubt', 9000),
      },
      'wait RetryingExpansion 8000',
    ],
    [
      'must be one of the driver',
      { wanted: 'foreign', classes: ['foreign'], last: 'InProgress foreign' },
      'refuse VolumeAttributesClassOfOther',
    ],
  ],
  'the secret': [
    [
      'is the one for expansions',
      { wanted: 'gold', last: 'InProgress gold', volume: { spec: { csi } } },
      'read-secret vault/expand',
    ],
    [
      'is the one for modifications where the provisioner noted one',
      {
        wanted: 'gold',
        last: 'InProgress gold',
        volume: {
          spec: { csi },
          metadata: {
            annotations: {
              'volume.kubernetes.io/controller-modify-secret-name': 'modify',
              'volume.kubernetes.io/controller-modify-secret-namespace': 'vault',
            },
          },
        },
      },
      'read-secret vault/modify',
    ],
    ...['name', 'namespace'].map((half): [string, Given, string] => [
      `is the one for expansions where only the ${half} was noted`,
      {
        wanted: 'gold',
        last: 'InProgress gold',
        volume: {
          spec: { csi },
          metadata: { annotations: { [`volume.kubernetes.io/controller-modify-secret-${half}`]: 'half' } },
        },
      },
      'read-secret vault/expand',
    ]),
    [
      'is enough once it was read',
      {
        wanted: 'gold',
        last: 'InProgress gold',
        volume: { spec: { csi } },
        held: { secret: { kind: 'read', values: {} } },
      },
      'modify gold',
    ],
    [
      'is reported if it is missing',
      { wanted: 'gold', last: 'InProgress gold', volume: { spec: { csi } }, held: { secret: { kind: 'missing' } } },
      'refuse SecretMissing',
    ],
  ],
  'after the call': [
    [
      'the volume is recorded first',
      { wanted: 'gold', last: 'InProgress gold', held: { memory: { kind: 'done', target: 'gold' } } },
      'record-volume gold',
    ],
    [
      'then the claim',
      {
        wanted: 'gold',
        last: 'InProgress gold',
        volume: { spec: { volumeAttributesClassName: 'gold' } },
        held: { memory: { kind: 'done', target: 'gold' } },
      },
      'record-claim gold',
    ],
    [
      'another class than the one that was asked for is not recorded',
      { wanted: 'silver', last: 'InProgress silver', held: { memory: { kind: 'done', target: 'gold' } } },
      'modify silver',
    ],
    [
      'nothing is recorded that the status does not show as begun',
      { wanted: 'gold', last: 'Infeasible gold', held: { memory: { kind: 'done', target: 'gold' } } },
      'begin gold',
    ],
    ['then the class that is requested by now', { wanted: 'silver', current: 'gold' }, 'begin silver'],
  ],
}
for (const [topic, table] of Object.entries(cases))
  describe(topic, () => {
    for (const [behaviour, given, step] of table)
      test(behaviour, () => equal(summarize(nextModifyStep(viewOf(given))), step))
  })

test('a volume of another driver does not concern this one', () => {
  equal(
    readModifyView(
      claimOf({ spec: { volumeName: 'v1' } }),
      () => volumeOf(),
      () => undefined,
      'other.example.com',
    ),
    undefined,
  )
})
