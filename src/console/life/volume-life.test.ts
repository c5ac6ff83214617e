import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { CallInfo } from '../protocol.ts'
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
  volume: { metadata: created('volume') } as unknown as PersistentVolume,
  attachments: [{ metadata: created('attachment'), spec: { nodeName: 'n1' } } as unknown as VolumeAttachment],
  pods: [{ metadata: created('pod'), spec: { nodeName: 'n1' } } as unknown as Pod],
}

/** `claim bound` → milliseconds after the start. */
function partsOf(seen: Readonly<Record<string, number>>, calls: readonly CallInfo[] = []): LifeParts {
  return {
    ...OBJECTS,
    calls,
    recorder: {
      seen: (uid: string | undefined, milestone: Milestone) => {
        const ms = seen[`${uid} ${milestone}`]
        return ms === undefined ? undefined : START + ms
      },
    },
  }
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
    deepEqual([slowest, note], [5, undefined])
  })

  test('has the calls below their step, oldest first, and never as the slowest step', () => {
    const call = (method: string, startMs: number, error?: string): CallInfo => ({
      method,
      by: 'sidecars',
      startMs: START + startMs,
      tookMs: 500,
      code: error ? 'INTERNAL' : 'OK',
      ...(error ? { error } : {}),
    })
    const newestFirst = [
      call('CreateVolume', 20),
      call('CreateVolume', 12, 'array is busy'),
      call('NodeUnpublishVolume', 5),
    ]
    const { steps, slowest } = lifeOf(partsOf(WHOLE, newestFirst))
    deepEqual(
      steps.slice(1, 4).map(({ title, isCall = false, error }) => [title, isCall, error]),
      [
        ['Volume created', false, undefined],
        ['CreateVolume', true, 'array is busy'],
        ['CreateVolume', true, undefined],
      ],
    )
    equal(steps[slowest ?? 0]?.title, 'Attached')
  })

  test('that nobody watched has only what objects say, and says so', () => {
    const { steps, note } = lifeOf(partsOf({}))
    deepEqual(
      steps.map(({ title, source }) => [title, source]),
      [
        ['Volume created', 'object'],
        ['Attachment requested', 'object'],
      ],
    )
    equal(note, 'Some times come from the timestamps of objects, which have whole seconds.')
  })

  test('leaves out a step that is not over', () => {
    const { 'pod running': _, ...unfinished } = WHOLE
    equal(lifeOf(partsOf(unfinished)).steps.at(-1)?.title, 'Attached')
  })
})
