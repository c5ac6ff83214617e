import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { Span } from '../../base/tracing/index.ts'
import type { Milestone } from './life-recorder.ts'
import { lifeOf } from './volume-life.ts'
import type { LifeParts } from './volume-life.ts'

const created = (uid: string, more: object = {}) => ({
  name: uid,
  uid,
  creationTimestamp: '2030-01-01T00:00:00Z',
  ...more,
})
const START = Date.parse('2030-01-01T00:00:00Z')

const OBJECTS = {
  claim: {
    metadata: created('claim', { annotations: { 'volume.kubernetes.io/selected-node': 'n1' } }),
    status: { phase: 'Bound' },
  } as unknown as PersistentVolumeClaim,
  volume: {
    metadata: created('volume'),
    spec: { csi: { driver: 'csi.example.com', volumeHandle: 'v1' } },
  } as unknown as PersistentVolume,
  attachments: [{ metadata: created('attachment'), spec: { nodeName: 'n1' } } as unknown as VolumeAttachment],
  pods: [{ metadata: created('pod'), spec: { nodeName: 'n1' } } as unknown as Pod],
}

/** `claim bound` → milliseconds after the start. */
function partsOf(seen: Readonly<Record<string, number>>, more: Partial<LifeParts> = {}): LifeParts {
  return {
    ...OBJECTS,
    spans: [],
    events: [],
    recorder: {
      seen: (uid: string | undefined, milestone: Milestone) => {
        const ms = seen[`${uid} ${milestone}`]
        return ms === undefined ? undefined : START + ms
      },
      leftAtMs: () => undefined,
    },
    ...more,
  }
}

/** A step with one call, which takes all its time. */
const step = (
  part: string,
  name: string,
  fromMs: number,
  toMs: number,
  more: Partial<Span> & { call: string },
): Span[] => {
  const { call, ...rest } = more
  const id = `${part}${name}${fromMs}`
  const shared = { traceId: 'a'.repeat(32), part, startMs: START + fromMs, endMs: START + toMs }
  return [
    { ...shared, spanId: id, parentSpanId: undefined, kind: 'step', name, attributes: {}, ...rest },
    { ...shared, spanId: `${id} call`, parentSpanId: id, kind: 'client', name: call, attributes: {}, ...rest },
  ]
}

const WHOLE = {
  'claim created': 0,
  'claim node-chosen': 10,
  'volume created': 40,
  'claim bound': 45,
  'pod scheduled': 50,
  'attachment created': 52,
  'attachment attached': 152,
  'pod running': 170,
}

describe('the life of a volume', () => {
  test('is one step after the other, with who spent the time, and the slowest marked', () => {
    const { steps, slowest, note } = lifeOf(partsOf(WHOLE))
    deepEqual(
      steps.map(({ title, who, startMs, endMs = 0 }) => [title, who, startMs - START, endMs - START]),
      [
        ['Node chosen', 'scheduler', 0, 10],
        ['Volume created', 'provisioner', 10, 40],
        ['Bound', 'binder', 40, 45],
        ['Pod scheduled', 'scheduler', 45, 50],
        ['Attachment requested', 'attach/detach controller', 50, 52],
        ['Attached', 'attacher', 52, 152],
        ['Mounted', 'node n1', 152, 170],
      ],
    )
    equal(slowest, 5)
    equal(
      note,
      'Seen in the API, not measured by the part itself: Node chosen, Volume created, Bound, Pod scheduled, Attachment requested, Attached, Mounted.',
    )
  })

  test('uses the spans of the parts, with their calls below each step, never as the slowest', () => {
    const spans = [
      ...step('provisioner', 'create', 12, 18, { call: 'CreateVolume', error: 'array is busy' }),
      ...step('provisioner', 'create', 20, 30, { call: 'CreateVolume' }),
      ...step('provisioner', 'store', 30, 38, {
        call: 'create PersistentVolume',
        attributes: { 'k8s.verb': 'create' },
      }),
      ...step('provisioner', 'delete-volume', 900, 990, { call: 'DeleteVolume' }),
    ]
    const { steps, slowest, note } = lifeOf(partsOf(WHOLE, { spans }))
    deepEqual(
      steps
        .slice(1, 5)
        .map(({ title, who, endMs = 0, isCall = false, error }) => [title, who, endMs - START, isCall, error]),
      [
        ['Volume created', 'provisioner', 38, false, undefined],
        ['CreateVolume', 'driver', 18, true, 'array is busy'],
        ['CreateVolume', 'driver', 30, true, undefined],
        ['create PersistentVolume', 'API server', 38, true, undefined],
      ],
    )
    equal(steps[5]?.title, 'Bound')
    equal(steps[slowest ?? 0]?.title, 'Attached')
    equal(
      note,
      'Seen in the API, not measured by the part itself: Node chosen, Bound, Pod scheduled, Attachment requested, Attached, Mounted.',
    )
  })

  test('does not take the spans of an earlier pod for those of the present one', () => {
    const spans = [
      ...step('n1', 'report-running', 1, 2, { call: 'patch Pod', attributes: { 'holdfast.key': 'earlier' } }),
      ...step('n1', 'report-running', 160, 165, { call: 'patch Pod', attributes: { 'holdfast.key': 'pod' } }),
    ]
    const mounted = lifeOf(partsOf(WHOLE, { spans })).steps.find(({ title }) => title === 'Mounted')
    equal((mounted?.endMs ?? 0) - START, 165)
  })

  /** The steps of the node that mounts the volume, as titles and times, with their calls. */
  const nodeStepsOf = (spans: readonly Span[], seen: Readonly<Record<string, number>> = WHOLE): unknown[] =>
    lifeOf(partsOf(seen, { spans }))
      .steps.filter(({ who, isCall = false }) => who === 'node n1' || isCall)
      .map(({ title, source, startMs, endMs }) => [
        title,
        source,
        startMs - START,
        endMs === undefined ? undefined : endMs - START,
      ])
  const staging = (fromMs: number, toMs: number, error?: string): Span[] => {
    const attributes = { 'holdfast.key': 'kubernetes.io/csi/csi.example.com^v1' }
    return step('n1', 'stage', fromMs, toMs, { call: 'NodeStageVolume', attributes, ...(error ? { error } : {}) })
  }
  const publishing = (fromMs: number, toMs: number, podUid = 'pod'): Span[] => {
    const attributes = { 'holdfast.key': `${podUid}/volume` }
    return step('n1', 'publish', fromMs, toMs, { call: 'NodePublishVolume', attributes })
  }

  test('has staging and publishing as steps of their own if the node measured them', () => {
    deepEqual(nodeStepsOf([...staging(153, 160), ...publishing(161, 168)]), [
      ['Staged', 'span', 152, 160],
      ['NodeStageVolume', 'span', 153, 160],
      ['Published', 'span', 160, 168],
      ['NodePublishVolume', 'span', 161, 168],
    ])
  })

  test('has only publishing if the driver does not stage volumes', () => {
    deepEqual(nodeStepsOf(publishing(161, 168)), [
      ['Published', 'span', 152, 168],
      ['NodePublishVolume', 'span', 161, 168],
    ])
  })

  test('shows that staging was tried and is not done yet', () => {
    const { 'pod running': _, ...unfinished } = WHOLE
    deepEqual(nodeStepsOf(staging(153, 160, 'disk on fire'), unfinished), [
      ['Staged', 'seen', 152, undefined],
      ['NodeStageVolume', 'span', 153, 160],
    ])
  })

  test('does not take the publishing for an earlier pod for that of the present one', () => {
    deepEqual(nodeStepsOf([...publishing(155, 158, 'earlier'), ...publishing(161, 168)]), [
      ['Published', 'span', 152, 168],
      ['NodePublishVolume', 'span', 161, 168],
    ])
  })

  test('has one step if the node called the driver again only after the pod was running', () => {
    deepEqual(nodeStepsOf([...staging(5000, 5010), ...publishing(5010, 5020)]), [['Mounted', 'seen', 152, 170]])
  })

  test('that nobody watched has only what objects and events say, and says so', () => {
    const [pod] = OBJECTS.pods
    const conditions = [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2030-01-01T00:00:03Z' }]
    const { steps, note } = lifeOf(
      partsOf(
        {},
        {
          pods: [{ ...pod, status: { phase: 'Running', conditions } } as Pod],
          events: [
            { reason: 'SuccessfulAttachVolume', lastTime: '2030-01-01T00:00:05Z', count: 1 },
            { reason: 'Started', lastTime: '2030-01-01T00:00:09Z', count: 3 },
          ],
        },
      ),
    )
    deepEqual(
      steps.map(({ title, source, endMs = 0 }) => [title, source, endMs - START]),
      [
        ['Volume created', 'object', 0],
        ['Pod scheduled', 'object', 3000],
        ['Attached', 'object', 5000],
      ],
    )
    equal(
      note,
      'From timestamps of objects and events, which have whole seconds: Volume created, Pod scheduled, Attached.',
    )
  })

  test('shows what was tried for a step that is not done yet', () => {
    const spans = step('provisioner', 'create', 12, 18, { call: 'CreateVolume', error: 'array is busy' })
    const { steps } = lifeOf(partsOf({ 'claim created': 0 }, { volume: undefined, attachments: [], pods: [], spans }))
    deepEqual(
      steps.map(({ title, endMs, error }) => [title, endMs === undefined, error]),
      [
        ['Volume created', true, undefined],
        ['CreateVolume', false, 'array is busy'],
      ],
    )
  })

  test('leaves out a step that is not over', () => {
    const { 'pod running': _, ...unfinished } = WHOLE
    equal(lifeOf(partsOf(unfinished)).steps.at(-1)?.title, 'Attached')
  })
})
