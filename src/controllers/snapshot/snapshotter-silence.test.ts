import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../api/object.ts'
import { snapshotterSilence } from './snapshotter-silence.ts'
import type { Silence } from './snapshotter-silence.ts'

const BORN = Date.UTC(2030, 0, 1)
const content = (more: object = {}, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'C',
  metadata: { name: 'c', creationTimestamp: '2030-01-01T00:00:00Z', annotations },
  ...more,
})

const cases: [behaviour: string, content: KubeObject, nowMs: number | undefined, silence: Silence][] = [
  ['waits at first', content(), BORN + 10_000, { leftMs: 50_000 }],
  ['speaks after a minute', content(), BORN + 60_000, 'long'],
  ['is quiet once a snapshotter has noted its call', content({}, { note: 'yes' }), BORN + 60_000, 'none'],
  ['is quiet once a snapshotter has reported', content({ status: {} }), BORN + 60_000, 'none'],
  ['is quiet when asked from outside', content(), undefined, 'none'],
]
for (const [behaviour, given, nowMs, silence] of cases)
  test(behaviour, () => deepEqual(snapshotterSilence(given, 'note', nowMs), silence))
