import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { Pod, Volume } from '../../api/kinds/pod.ts'
import { ownerReferenceTo } from '../../api/owner-references.ts'
import { claimOf, podOf as plainPodOf } from '../../testing/objects.ts'
import type { PodParts } from '../../testing/objects.ts'
import { nextEphemeralStep, REASONS } from './next-ephemeral-step.ts'
import type { EphemeralStep } from './next-ephemeral-step.ts'

const { spec } = claimOf()
const ephemeral = (
  name: string,
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> },
): Volume => ({ name, ephemeral: { volumeClaimTemplate: { ...(metadata ? { metadata } : {}), spec } } })
const podOf = (volumes: Volume[], parts: PodParts = {}): Pod =>
  plainPodOf('web', { namespace: 'team', volumes, ...parts })
const ownerReferences = [ownerReferenceTo(podOf([]), { controller: true, blockOwnerDeletion: true })]
const made = (name: string, metadata: object = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'team', name, ...metadata, ownerReferences },
  spec,
})
const foreign = (name: string): PersistentVolumeClaim => claimOf({ name })
const inTheWay = (podVolumeName: string) => REASONS.ClaimInTheWay(podOf([]), podVolumeName, `web-${podVolumeName}`)

const cases: [behaviour: string, pod: Pod, claims: PersistentVolumeClaim[], step: EphemeralStep][] = [
  [
    'a claim is made from its template, without what the template leaves out',
    podOf([ephemeral('tmp')]),
    [],
    { kind: 'make-claims', claims: [made('web-tmp')], obstacles: [] },
  ],
  [
    'labels and annotations of the template are taken over',
    podOf([ephemeral('tmp', { labels: { a: 'b' }, annotations: { c: 'd' } })]),
    [],
    { kind: 'make-claims', claims: [made('web-tmp', { labels: { a: 'b' }, annotations: { c: 'd' } })], obstacles: [] },
  ],
  [
    'claims that are there are not made again',
    podOf([ephemeral('tmp'), ephemeral('log')]),
    [made('web-tmp'), made('web-log')],
    { kind: 'wait', reason: REASONS.ClaimsMade },
  ],
  [
    'a pod without ephemeral volumes needs nothing',
    podOf([{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }]),
    [],
    { kind: 'wait', reason: REASONS.ClaimsMade },
  ],
  [
    'a claim that is not the pod’s is an obstacle',
    podOf([ephemeral('tmp')]),
    [foreign('web-tmp')],
    { kind: 'make-claims', claims: [], obstacles: [inTheWay('tmp')] },
  ],
  [
    'an obstacle keeps no other claim from being made',
    podOf([ephemeral('tmp'), ephemeral('log')]),
    [foreign('web-tmp')],
    { kind: 'make-claims', claims: [made('web-log')], obstacles: [inTheWay('tmp')] },
  ],
  [
    'a pod that is leaving gets nothing',
    podOf([ephemeral('tmp')], { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } }),
    [],
    { kind: 'wait', reason: REASONS.PodLeaving },
  ],
  [
    'a pod that has ended gets nothing',
    podOf([ephemeral('tmp')], { status: { phase: 'Failed' } }),
    [],
    { kind: 'wait', reason: REASONS.PodLeaving },
  ],
]
for (const [behaviour, pod, claims, step] of cases)
  test(behaviour, () => deepEqual(nextEphemeralStep({ seen: { pod, claims } }), step))

test('an obstacle names the claim and the volume in the words of upstream, and what to do', () => {
  const { cure, ...rest } = inTheWay('tmp')
  deepEqual(rest, {
    code: 'ClaimInTheWay',
    message: 'ephemeral volume tmp: PVC team/web-tmp was not created for pod team/web (pod is not owner)',
    waitsFor: {
      kind: 'object',
      apiVersion: 'v1',
      kindName: 'PersistentVolumeClaim',
      namespace: 'team',
      name: 'web-tmp',
    },
    detail: { volume: 'tmp' },
  })
  ok(cure)
})
