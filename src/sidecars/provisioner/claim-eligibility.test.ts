import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { judgeClaim } from './claim-eligibility.ts'
import { REASONS } from './reasons.ts'
import type { EligibilityQuestion } from './claim-eligibility.ts'
import {
  ALPHA_SELECTED_NODE,
  BETA_STORAGE_CLASS,
  BETA_STORAGE_PROVISIONER,
  classNameOf,
  MIGRATED_TO,
  SELECTED_NODE,
  STORAGE_PROVISIONER,
} from '../../storage/names.ts'
import { DRIVER, testClaim, testClass } from './testing/objects.ts'

const late = testClass({ volumeBindingMode: 'WaitForFirstConsumer' })
const { volumeBindingMode: _, ...modeless } = testClass()
const marked = { [STORAGE_PROVISIONER]: DRIVER }
const ownNode = { name: 'n1', segments: { zone: 'a' }, immediateBinding: true }
const allowing = (zone: string) =>
  testClass({ allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: [zone] }] }] })

const cases: [behaviour: string, question: Partial<EligibilityQuestion>, verdict: string][] = [
  ['S3-159: a claim marked for the driver, with a class of the driver, is ours', {}, 'ours'],
  ['S3-40: it has to have a class of ours', { class: testClass({ provisioner: 'other' }) }, 'ClassOfOtherProvisioner'],
  [
    'S3-39: the provisioner of the class is the name of the driver, to the letter',
    { class: testClass({ provisioner: DRIVER.toUpperCase() }) },
    'ClassOfOtherProvisioner',
  ],
  [
    'S3-158: the old name of the mark is enough',
    { claim: testClaim({}, { annotations: { [BETA_STORAGE_PROVISIONER]: DRIVER } }) },
    'ours',
  ],
  [
    'H58: the new name of the mark wins',
    { claim: testClaim({}, { annotations: { [STORAGE_PROVISIONER]: 'other', [BETA_STORAGE_PROVISIONER]: DRIVER } }) },
    'OtherProvisioner',
  ],
  [
    'an empty mark under the new name hides the old one',
    { claim: testClaim({}, { annotations: { [STORAGE_PROVISIONER]: '', [BETA_STORAGE_PROVISIONER]: DRIVER } }) },
    'OtherProvisioner',
  ],
  ['a claim that nobody marked waits for the binder', { claim: testClaim({}, { annotations: {} }) }, 'ClaimNotMarked'],
  ['a claim that names its volume is never provisioned', { claim: testClaim({ volumeName: 'v' }) }, 'ClaimHasVolume'],
  ['an empty volume name is none', { claim: testClaim({ volumeName: '' }) }, 'ours'],
  ['a class that is not there is waited for', { class: undefined }, 'StorageClassUnknown'],
  ['without a binding mode the volume is made at once', { class: modeless }, 'ours'],
  ['S3-45: delayed binding waits for the scheduler', { class: late }, 'NoNodeSelected'],
  [
    'S3-44: delayed binding goes on once a node is picked',
    { class: late, claim: testClaim({}, { annotations: { ...marked, [SELECTED_NODE]: 'n1' } }) },
    'ours',
  ],
  [
    'S3-44: the old name of the picked node is read too',
    { class: late, claim: testClaim({}, { annotations: { ...marked, [ALPHA_SELECTED_NODE]: 'n1' } }) },
    'ours',
  ],
  [
    'a picked node that is empty is none',
    { class: late, claim: testClaim({}, { annotations: { ...marked, [SELECTED_NODE]: '' } }) },
    'NoNodeSelected',
  ],
  ['a block volume is left to the driver to judge', { claim: testClaim({ volumeMode: 'Block' }) }, 'ours'],
  [
    'a claim that is leaving is still provisioned',
    { claim: testClaim({}, { annotations: marked, deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    'ours',
  ],
  [
    'a claim of an in-tree plugin that moved to the driver is refused',
    { claim: testClaim({}, { annotations: { [STORAGE_PROVISIONER]: 'kubernetes.io/disk', [MIGRATED_TO]: DRIVER } }) },
    'MigrationNotSupported',
  ],
  [
    'on each node: a claim of this node is ours',
    { ownNode, claim: testClaim({}, { annotations: { ...marked, [SELECTED_NODE]: 'n1' } }) },
    'ours',
  ],
  [
    'on each node: a claim of another node is not',
    { ownNode, claim: testClaim({}, { annotations: { ...marked, [SELECTED_NODE]: 'n2' } }) },
    'OtherNode',
  ],
  ['on each node: an unplaced claim is contended for', { ownNode }, 'contend'],
  [
    'on each node: an unplaced claim is left alone when that is asked',
    { ownNode: { ...ownNode, immediateBinding: false } },
    'NoNodeSelected',
  ],
  ['on each node: a class that allows this place is contended for', { ownNode, class: allowing('a') }, 'contend'],
  [
    'on each node: a class that allows other places only is not',
    { ownNode, class: allowing('b') },
    'TopologyNotAllowed',
  ],
]
for (const [behaviour, question, verdict] of cases) {
  test(behaviour, () => {
    const answer = judgeClaim({ driverName: DRIVER, claim: testClaim(), class: testClass(), ...question })
    equal('reason' in answer ? answer.reason.code : answer.kind, verdict)
  })
}

test('a claim of an in-tree plugin is told so, all others are left in silence', () => {
  const migrated = testClaim(
    {},
    { annotations: { [STORAGE_PROVISIONER]: 'kubernetes.io/disk', [MIGRATED_TO]: DRIVER } },
  )
  equal(judgeClaim({ driverName: DRIVER, claim: migrated, class: testClass() }).kind, 'refuse')
  equal(judgeClaim({ driverName: 'other', claim: testClaim(), class: testClass() }).kind, 'wait')
})

test('says which class it waits for', () => {
  const answer = judgeClaim({ driverName: DRIVER, claim: testClaim({ storageClassName: 'slow' }), class: undefined })
  deepEqual('reason' in answer && answer.reason, REASONS.StorageClassUnknown('slow'))
})

test('the annotation from before the field says the class', () => {
  equal(classNameOf(testClaim({}, { annotations: { [BETA_STORAGE_CLASS]: 'old' } })), 'old')
  equal(classNameOf(testClaim({})), 'fast')
})
