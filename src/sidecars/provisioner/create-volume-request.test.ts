import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createVolumeRequest } from './create-volume-request.ts'
import type { RequestParts } from './create-volume-request.ts'
import { testClaim, testClass } from './testing/objects.ts'

const parts: RequestParts = {
  volumeName: 'pvc-1',
  claim: testClaim(),
  class: testClass({ parameters: { type: 'ssd', 'csi.storage.k8s.io/fstype': 'xfs' }, mountOptions: ['noatime'] }),
  fsType: 'xfs',
  requestedBytes: 5n,
  singleNodeMultiWriter: false,
  extraMetadata: false,
}

test('S3-159 S3-41 S3-42 S3-43: name, size, parameters and capabilities come from class and claim', () => {
  deepEqual(createVolumeRequest(parts), {
    kind: 'ok',
    value: {
      name: 'pvc-1',
      capacityRange: { requiredBytes: 5n, limitBytes: 0n },
      volumeCapabilities: [
        {
          accessType: { $case: 'mount', value: { fsType: 'xfs', mountFlags: ['noatime'], volumeMountGroup: '' } },
          accessMode: { mode: 1 },
        },
      ],
      parameters: { type: 'ssd' },
      secrets: {},
      volumeContentSource: undefined,
      accessibilityRequirements: undefined,
      mutableParameters: {},
    },
  })
})
test('S3-173: the values of the secret go along, and source, topology and mutable parameters', () => {
  const contentSource = { type: { $case: 'snapshot' as const, value: { snapshotId: 's' } } }
  const topology = { requisite: [{ segments: { zone: 'a' } }], preferred: [] }
  const decision = createVolumeRequest({
    ...parts,
    secrets: { user: 'ann' },
    contentSource,
    topology,
    mutableParameters: { iops: '1' },
  })
  if (decision.kind !== 'ok') throw new Error(decision.reason.code)
  const { secrets, volumeContentSource, accessibilityRequirements, mutableParameters } = decision.value
  deepEqual(
    { secrets, volumeContentSource, accessibilityRequirements, mutableParameters },
    {
      secrets: { user: 'ann' },
      volumeContentSource: contentSource,
      accessibilityRequirements: topology,
      mutableParameters: { iops: '1' },
    },
  )
})
test('extra metadata is added when it is asked for', () => {
  const decision = createVolumeRequest({ ...parts, extraMetadata: true })
  deepEqual(decision.kind === 'ok' && decision.value.parameters, {
    type: 'ssd',
    'csi.storage.k8s.io/pvc/name': 'data',
    'csi.storage.k8s.io/pvc/namespace': 'shop',
    'csi.storage.k8s.io/pv/name': 'pvc-1',
  })
})
test('what class or claim have wrong is refused', () => {
  equal(
    createVolumeRequest({ ...parts, class: testClass({ parameters: { 'csi.storage.k8s.io/x': '' } }) }).kind,
    'refuse',
  )
  equal(createVolumeRequest({ ...parts, claim: testClaim({ accessModes: ['x' as 'ReadWriteOnce'] }) }).kind, 'refuse')
})
