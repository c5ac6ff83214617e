import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { ControllerServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import { findHealthCalls } from './health-calls.ts'
import { reportOfCondition, reportOfHealth } from './health-report.ts'
import { entryOf } from './testing/health-monitor-under-test.ts'

test('a condition without a message is abnormal all the same', () => {
  deepEqual(reportOfCondition({ abnormal: true, message: '' }), {
    kind: 'abnormal',
    message: 'The driver reports an abnormal volume condition without a message',
  })
  deepEqual(reportOfCondition({ abnormal: false, message: 'all is well' }), { kind: 'normal' })
  equal(reportOfCondition(undefined), undefined)
})

test('a health report names each problem once, in an order that does not depend on the driver', () => {
  const [slow, lost] = [entryOf('slow'), entryOf('gone', 3, 'Lost')]
  const expected = { kind: 'abnormal', message: 'DataLoss (Lost): gone; Degraded (BadDisk): slow' }
  deepEqual(reportOfHealth({ healthStatuses: [slow, lost, slow] }), expected)
  deepEqual(reportOfHealth({ healthStatuses: [lost, slow] }), expected)
  deepEqual(reportOfHealth({ healthStatuses: [] }), { kind: 'normal' })
})

test('whatever a driver leaves out, the event says something', () => {
  deepEqual(reportOfHealth({ healthStatuses: [entryOf('', 2, '')] }), { kind: 'abnormal', message: 'Inaccessible' })
  deepEqual(reportOfHealth({ healthStatuses: [entryOf('odd', 77 as 1, 'Odd')] }), {
    kind: 'abnormal',
    message: 'Unknown (Odd): odd',
  })
})

test('a driver with a thousand problems gets sixteen of them into the event', () => {
  const healthStatuses = Array.from({ length: 1000 }, (_, index) => entryOf(`problem ${index}`))
  const report = reportOfHealth({ healthStatuses })
  equal(report.kind === 'abnormal' && report.message.split('; ').length, 16)
})

const { VOLUME_CONDITION, LIST_VOLUMES, GET_VOLUME, LIST_VOLUME_HEALTH, GET_VOLUME_HEALTH } = Capability
const namesOf = new Map(Object.entries(Capability).map(([name, value]) => [value, name]))
const choices: [capabilities: Capability[], call: string | undefined][] = [
  [[LIST_VOLUME_HEALTH, GET_VOLUME_HEALTH, VOLUME_CONDITION, LIST_VOLUMES], 'ControllerListVolumeHealth'],
  [[GET_VOLUME_HEALTH, VOLUME_CONDITION, LIST_VOLUMES], 'ControllerGetVolumeHealth'],
  [[VOLUME_CONDITION, LIST_VOLUMES, GET_VOLUME], 'ListVolumes'],
  [[VOLUME_CONDITION, GET_VOLUME], 'ControllerGetVolume'],
  [[LIST_VOLUMES, GET_VOLUME], undefined],
  [[VOLUME_CONDITION], undefined],
]
for (const [capabilities, call] of choices)
  test(`a driver with ${capabilities.map((each) => namesOf.get(each)).join(', ')} is asked with ${call ?? 'nothing'}`, () =>
    equal(findHealthCalls(new Set(capabilities))?.name, call))
