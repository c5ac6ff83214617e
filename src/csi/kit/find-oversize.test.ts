import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findOversize } from './find-oversize.ts'

const bytes = (count: number): string => 'x'.repeat(count)
const tokens = 'csi.storage.k8s.io/serviceAccount.tokens'

describe('findOversize', () => {
  const cases: [what: string, message: string, right: object, wrong: object, problem: string][] = [
    [
      'a string',
      'DeleteVolumeRequest',
      { volumeId: bytes(128) },
      { volumeId: bytes(129) },
      'volume_id has 129 bytes, at most 128 are allowed',
    ],
    [
      'bytes, not characters',
      'DeleteVolumeRequest',
      { volumeId: 'ü'.repeat(64) },
      { volumeId: 'ü'.repeat(65) },
      'volume_id has 130 bytes, at most 128 are allowed',
    ],
    [
      'the id of a node',
      'NodeGetInfoResponse',
      { nodeId: bytes(256) },
      { nodeId: bytes(257) },
      'node_id has 257 bytes, at most 256 are allowed',
    ],
    [
      'the nodes of a volume',
      'ListVolumesResponse',
      { entries: [{ status: { publishedNodeIds: [bytes(256)] } }] },
      { entries: [{ status: { publishedNodeIds: ['n', bytes(257)] } }] },
      'entries: status: published_node_ids has 257 bytes, at most 256 are allowed',
    ],
    [
      'a path',
      'NodeUnpublishVolumeRequest',
      { targetPath: bytes(4096) },
      { targetPath: bytes(4097) },
      'target_path has 4097 bytes, at most 4096 are allowed',
    ],
    [
      'a map, with its keys',
      'DeleteVolumeRequest',
      { secrets: { ab: bytes(4094) } },
      { secrets: { abc: bytes(4094) } },
      'secrets has 4097 bytes, at most 4096 are allowed',
    ],
    [
      'a list of ids, each by itself',
      'CreateVolumeGroupSnapshotRequest',
      { sourceVolumeIds: Array.from({ length: 100 }, () => bytes(128)) },
      { sourceVolumeIds: ['v', bytes(129)] },
      'source_volume_ids has 129 bytes, at most 128 are allowed',
    ],
    [
      'mount flags, all together',
      'NodePublishVolumeRequest',
      { volumeCapability: { accessType: { $case: 'mount', value: { mountFlags: [bytes(2048), bytes(2048)] } } } },
      { volumeCapability: { accessType: { $case: 'mount', value: { mountFlags: [bytes(2048), bytes(2049)] } } } },
      'volume_capability: mount: mount_flags has 4097 bytes, at most 4096 are allowed',
    ],
    [
      'what is deep inside',
      'CreateVolumeRequest',
      { accessibilityRequirements: { requisite: [{ segments: { zone: bytes(4092) } }] } },
      { accessibilityRequirements: { requisite: [{ segments: {} }, { segments: { zone: bytes(4093) } }] } },
      'accessibility_requirements: requisite: segments has 4097 bytes, at most 4096 are allowed',
    ],
  ]
  for (const [what, message, right, wrong, problem] of cases) {
    it(`measures ${what}`, () => {
      assert.equal(findOversize(`csi.v1.${message}`, right), undefined)
      assert.equal(findOversize(`csi.v1.${message}`, wrong), problem)
    })
  }

  it('does not measure what is for people, nor the tokens that Kubernetes adds', () => {
    assert.equal(findOversize('csi.v1.ListVolumesRequest', { startingToken: bytes(9999) }), undefined)
    const entries = [{ status: { volumeCondition: { message: bytes(9999) } } }]
    assert.equal(findOversize('csi.v1.ListVolumesResponse', { nextToken: bytes(9999), entries }), undefined)
    assert.equal(
      findOversize('csi.v1.NodePublishVolumeRequest', { volumeContext: { [tokens]: bytes(9999), a: bytes(4095) } }),
      undefined,
    )
  })

  it('takes members that are no text', () => {
    assert.equal(
      findOversize('csi.v1.GetCapacityResponse', { availableCapacity: 1n, maximumVolumeSize: 5n }),
      undefined,
    )
    assert.equal(
      findOversize('csi.v1.CreateSnapshotResponse', { snapshot: { creationTime: { seconds: 1n, nanos: 0 } } }),
      undefined,
    )
  })
})
