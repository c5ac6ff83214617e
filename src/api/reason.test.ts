import assert from 'node:assert/strict'
import { test } from 'node:test'
import { because, defineReasons, formatReason, reason } from './reason.ts'
import type { Reason, ReasonIn } from './reason.ts'

const cases: [behaviour: string, reason: Reason, sentence: string][] = [
  ['a code alone is a sentence', { code: 'CallInFlight' }, 'Call in flight.'],
  ['a code may begin with a small letter', { code: 'callInFlight' }, 'Call in flight.'],
  ['abbreviations stay as they are', { code: 'CSINodeGone' }, 'CSI node gone.'],
  ['a single capital is no abbreviation', { code: 'WaitsForAClaim' }, 'Waits for a claim.'],
  [
    'says which object has to change',
    { code: 'VolumeUnknown', waitsFor: { kind: 'object', kindName: 'PersistentVolume', name: 'v1' } },
    'Volume unknown; waits for PersistentVolume v1.',
  ],
  [
    'names the namespace of the object',
    {
      code: 'ClaimPending',
      waitsFor: {
        kind: 'object',
        apiVersion: 'v1',
        kindName: 'PersistentVolumeClaim',
        namespace: 'default',
        name: 'data',
      },
    },
    'Claim pending; waits for PersistentVolumeClaim default/data.',
  ],
  [
    'says who has to act',
    { code: 'NotProvisioned', waitsFor: { kind: 'actor', name: 'the provisioner of hostpath.csi' } },
    'Not provisioned; waits for the provisioner of hostpath.csi.',
  ],
  [
    'gives details and the cure',
    {
      code: 'DriverNotRegistered',
      waitsFor: { kind: 'object', kindName: 'CSINode', name: 'n1' },
      detail: { driver: 'hostpath.csi', nodeName: 'n1', 'csi.storage.k8s.io/x': '1' },
      cure: 'install the driver on the node',
    },
    'Driver not registered (driver: hostpath.csi, node name: n1, csi.storage.k8s.io/x: 1); waits for CSINode n1. Install the driver on the node.',
  ],
  [
    'a message stands for code and details, as upstream writes it',
    {
      code: 'StorageClassMissing',
      message: 'storageclass.storage.k8s.io "fast" not found',
      waitsFor: { kind: 'object', kindName: 'StorageClass', name: 'fast' },
      cure: 'Create it.',
    },
    'storageclass.storage.k8s.io "fast" not found. Create it.',
  ],
  ['ends a cure once', { code: 'Full', cure: 'Free some space!' }, 'Full. Free some space!'],
  ['nothing in details is nothing', { code: 'Full', detail: {}, cure: '' }, 'Full.'],
]
for (const [behaviour, reason, sentence] of cases) test(behaviour, () => assert.equal(formatReason(reason), sentence))

const TABLE = defineReasons({
  Gone: 'the volume is gone',
  Taken: (name: string) => because(`the volume is bound to claim "${name}"`, { cure: 'Use another volume.' }),
  Elsewhere: reason('Gone', 'the volume is on another node'),
})
const isGone = ({ code }: ReasonIn<typeof TABLE>): boolean => code === 'Gone'
// @ts-expect-error A code that no reason of the table has.
const isLost = ({ code }: ReasonIn<typeof TABLE>): boolean => code === 'Lost'

test('the codes of a table are a closed union: one that is not in it does not compile', () => {
  assert.deepEqual([isGone(TABLE.Gone), isGone(TABLE.Taken('data')), isLost(TABLE.Gone)], [true, false, false])
})

test('a reason of a table has its key as its code, unless it names another', () => {
  assert.deepEqual(TABLE.Gone, { code: 'Gone', message: 'the volume is gone' })
  const taken = { code: 'Taken', message: 'the volume is bound to claim "data"', cure: 'Use another volume.' }
  assert.deepEqual(TABLE.Taken('data'), taken)
  assert.deepEqual(TABLE.Elsewhere, { code: 'Gone', message: 'the volume is on another node' })
})
