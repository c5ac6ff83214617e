import { deepEqual, match } from 'node:assert/strict'
import { test } from 'node:test'
import { parseTarget } from './parse-target.ts'

for (const word of ['pvc', 'pvcs', 'PVC', 'persistentvolumeclaim', 'persistentvolumeclaims', 'PersistentVolumeClaim']) {
  test(`${word} is a claim`, () =>
    deepEqual(parseTarget(`${word}/data`), { kind: 'PersistentVolumeClaim', name: 'data' }))
}

test('kind and name may be two words', () => deepEqual(parseTarget('po', 'web'), { kind: 'Pod', name: 'web' }))
test('an attachment is known by its resource with its group too', () =>
  deepEqual(parseTarget('volumeattachments.storage.k8s.io/csi-1'), { kind: 'VolumeAttachment', name: 'csi-1' }))
test('a volume has short names', () =>
  deepEqual(
    [parseTarget('pv/a'), parseTarget('va/b')],
    [
      { kind: 'PersistentVolume', name: 'a' },
      { kind: 'VolumeAttachment', name: 'b' },
    ],
  ))
test('snapshots have the short names of their CRDs', () =>
  deepEqual(
    [
      parseTarget('vs/a'),
      parseTarget('vsc/b'),
      parseTarget('volumesnapshots.snapshot.storage.k8s.io', 'c'),
      parseTarget('vgs/d'),
      parseTarget('vgsc/e'),
    ],
    [
      { kind: 'VolumeSnapshot', name: 'a' },
      { kind: 'VolumeSnapshotContent', name: 'b' },
      { kind: 'VolumeSnapshot', name: 'c' },
      { kind: 'VolumeGroupSnapshot', name: 'd' },
      { kind: 'VolumeGroupSnapshotContent', name: 'e' },
    ],
  ))

const wrong: [words: [string, string?], problem: RegExp][] = [
  [['svc/web'], /unknown kind "svc"; there are pod/],
  [['toString/web'], /unknown kind/],
  [['pvc'], /the name is missing; write for example pvc\/data/],
  [['pvc/'], /the name is missing/],
  [['pvc/a/b'], /is not one object/],
  [['pvc/a', 'b'], /"pvc\/a b" is not one object/],
]
for (const [words, problem] of wrong)
  test(`${words.join(' ')} is refused`, () =>
    match(JSON.stringify(parseTarget(...words)).replaceAll('\\"', '"'), problem))
