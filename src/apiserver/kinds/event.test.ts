import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { coreEvent, eventsV1Event } from './event.ts'
import { CREATED, kindUnderTest } from './testing/kind-under-test.ts'
import { NOT_A_QUALIFIED_NAME } from './testing/messages-under-test.ts'

const core = kindUnderTest('Event', '/v1')
const v1 = kindUnderTest('Event', 'events.k8s.io/v1')
const MICRO = '2030-01-01T00:00:00.000000Z'

const old = (more: object = {}): object => ({
  metadata: { name: 'e', namespace: 'ns' },
  involvedObject: { kind: 'Pod', namespace: 'ns', name: 'p' },
  reason: 'Attached',
  message: 'done',
  ...more,
})
const fresh = (more: object = {}): object => ({
  metadata: { name: 'e', namespace: 'ns' },
  regarding: { kind: 'Pod', namespace: 'ns', name: 'p' },
  eventTime: MICRO,
  reportingController: 'example.com/attacher',
  reportingInstance: 'attacher-1',
  action: 'Attach',
  reason: 'Attached',
  note: 'done',
  type: 'Normal',
  ...more,
})

describe('a new event of the core group', () => {
  const cases: [behaviour: string, object: object, problems: string[]][] = [
    ['is in the namespace of its object', old(), []],
    [
      'is nowhere else',
      old({ involvedObject: { kind: 'Pod', namespace: 'other' } }),
      ['involvedObject.namespace: Invalid value: "other": does not match event.namespace'],
    ],
    [
      'of an object without a namespace is in the default one',
      { ...old({ involvedObject: { kind: 'Node' } }), metadata: { name: 'e', namespace: 'default' } },
      [],
    ],
    [
      'of an object without a namespace is nowhere else',
      old({ involvedObject: { kind: 'Node' } }),
      ['involvedObject.namespace: Invalid value: "": does not match event.namespace'],
    ],
    [
      'with a time has to say more',
      old({ eventTime: MICRO }),
      [
        'reportingComponent: Required value',
        'reportingComponent: Invalid value: "": name part must be non-empty',
        `reportingComponent: Invalid value: "": ${NOT_A_QUALIFIED_NAME}`,
        'reportingInstance: Required value',
        'action: Required value',
      ],
    ],
    ['has any reason while it has no time', old({ reason: '' }), []],
  ]
  for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(core.problems(object), problems))
})

describe('a new event of events.k8s.io', () => {
  const cases: [behaviour: string, object: object, problems: string[]][] = [
    ['says everything', fresh(), []],
    ['has a time', fresh({ eventTime: null }), ['eventTime: Required value']],
    ['is normal or a warning', fresh({ type: 'Odd' }), ['type: Invalid value: "": has invalid value: Odd']],
    [
      'has a reason of at most 128 bytes',
      fresh({ reason: 'x'.repeat(129) }),
      ['reason: Invalid value: "": can have at most 128 characters'],
    ],
    [
      'has an instance of at most 128 bytes',
      fresh({ reportingInstance: 'x'.repeat(129) }),
      ['reportingInstance: Invalid value: "": can have at most 128 characters'],
    ],
    [
      'has a note of at most 1 KiB',
      fresh({ note: 'x'.repeat(1025) }),
      ['message: Invalid value: "": can have at most 1024 characters'],
    ],
    [
      'has no fields of old',
      fresh({ deprecatedCount: 1, deprecatedSource: { component: 'x' }, deprecatedFirstTimestamp: CREATED }),
      [
        'firstTimestamp: Invalid value: "": needs to be unset',
        'count: Invalid value: "": needs to be unset',
        'source: Invalid value: "": needs to be unset',
      ],
    ],
    [
      'is a series from the second on',
      fresh({ series: { count: 1, lastObservedTime: MICRO } }),
      ['series.count: Invalid value: "": should be at least 2'],
    ],
  ]
  for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(v1.problems(object), problems))

  test('may become a series later, and nothing else', () => {
    deepEqual(v1.updateProblems(fresh(), fresh({ series: { count: 2, lastObservedTime: MICRO } })), [])
    deepEqual(v1.updateProblems(fresh(), fresh({ note: 'other' })), [
      'message: Invalid value: "other": field is immutable',
    ])
  })
})

describe('an event under its other names', () => {
  test('is kept as an event of the core group', () => {
    equal(v1.definition.storage, core.definition.storage)
    equal(v1.definition.storedApiVersion, 'v1')
    deepEqual(v1.definition.toStored?.(v1.create(fresh())), {
      apiVersion: 'v1',
      metadata: { name: 'e', namespace: 'ns', creationTimestamp: CREATED },
      involvedObject: { kind: 'Pod', namespace: 'ns', name: 'p' },
      reason: 'Attached',
      message: 'done',
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      type: 'Normal',
      eventTime: MICRO,
      action: 'Attach',
      reportingComponent: 'example.com/attacher',
      reportingInstance: 'attacher-1',
    })
  })

  test('of the core group shows what it has no new name for', () => {
    const shown = eventsV1Event(
      core.create(
        old({
          count: 3,
          firstTimestamp: CREATED,
          lastTimestamp: CREATED,
          source: { component: 'attacher', host: 'n1' },
        }),
      ),
    )
    deepEqual(shown, {
      apiVersion: 'events.k8s.io/v1',
      metadata: { name: 'e', namespace: 'ns', creationTimestamp: CREATED },
      eventTime: null,
      reason: 'Attached',
      regarding: { kind: 'Pod', namespace: 'ns', name: 'p' },
      note: 'done',
      deprecatedSource: { component: 'attacher', host: 'n1' },
      deprecatedFirstTimestamp: CREATED,
      deprecatedLastTimestamp: CREATED,
      deprecatedCount: 3,
    })
  })

  test('comes back as it was', () => {
    const before = core.create(
      old({
        count: 3,
        series: { count: 2, lastObservedTime: MICRO },
        eventTime: MICRO,
        reportingComponent: 'a',
        reportingInstance: 'b',
        related: { kind: 'Node', name: 'n' },
      }),
    )
    deepEqual(coreEvent(eventsV1Event(before)), { ...before, apiVersion: 'v1' })
  })

  test('is found by its object', () => {
    equal(core.definition.fieldLabels['involvedObject.name']?.({ involvedObject: { name: 'p' } }), 'p')
    equal(v1.definition.fieldLabels['regarding.name']?.({ regarding: { name: 'p' } }), 'p')
    equal(core.definition.fieldLabels['source']?.({ reportingComponent: 'r' }), 'r')
  })
})

test('the table of events is the same under both names', () => {
  const row = {
    'Last Seen': '3m20s',
    Type: 'Normal',
    Reason: 'Attached',
    Object: 'pod/p',
    Subobject: '',
    Source: 'example.com/attacher, attacher-1',
    Message: 'done',
    'First Seen': '3m20s',
    Count: 1,
    Name: 'e',
  }
  deepEqual(v1.row(fresh()), row)
  deepEqual(core.row(coreEvent(v1.create(fresh()))), row)
  equal(core.row(old({ count: 5 }))['Count'], 5)
})
