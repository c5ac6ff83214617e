import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CSI_RPCS } from '../rpc.ts'
import { MOUNT, VALID_CALLS } from '../testing/valid-calls.ts'
import { findRequestProblem } from './validate-request.ts'

type Method = keyof typeof VALID_CALLS

const problemOf = (method: Method, request: object): string | undefined => {
  const rpc = CSI_RPCS.get(method) ?? assert.fail(method)
  return findRequestProblem(rpc, rpc.requestType.fromPartial(request) as object)
}
const withChange = (method: Method, change: object): string | undefined =>
  problemOf(method, { ...VALID_CALLS[method].request, ...change })

describe('the fields that a request must have', () => {
  const required: [method: Method, fields: string[]][] = [
    ['createVolume', ['name', 'volume_capabilities']],
    ['deleteVolume', ['volume_id']],
    ['controllerPublishVolume', ['volume_id', 'node_id', 'volume_capability']],
    ['controllerUnpublishVolume', ['volume_id']],
    ['validateVolumeCapabilities', ['volume_id', 'volume_capabilities']],
    ['createSnapshot', ['name', 'source_volume_id']],
    ['deleteSnapshot', ['snapshot_id']],
    ['getSnapshot', ['snapshot_id']],
    ['controllerExpandVolume', ['volume_id', 'capacity_range']],
    ['controllerGetVolume', ['volume_id']],
    ['controllerGetVolumeHealth', ['volume_id']],
    ['controllerModifyVolume', ['volume_id']],
    ['createVolumeGroupSnapshot', ['name', 'source_volume_ids']],
    ['deleteVolumeGroupSnapshot', ['group_snapshot_id']],
    ['getVolumeGroupSnapshot', ['group_snapshot_id']],
    ['getMetadataAllocated', ['snapshot_id']],
    ['getMetadataDelta', ['base_snapshot_id', 'target_snapshot_id']],
    ['nodeStageVolume', ['volume_id', 'staging_target_path', 'volume_capability']],
    ['nodeUnstageVolume', ['volume_id', 'staging_target_path']],
    ['nodePublishVolume', ['volume_id', 'target_path', 'volume_capability']],
    ['nodeUnpublishVolume', ['volume_id', 'target_path']],
    ['nodeGetVolumeStats', ['volume_id', 'volume_path']],
    ['nodeGetVolumeHealth', ['volume_id']],
    ['nodeExpandVolume', ['volume_id', 'volume_path']],
    ['probe', []],
    ['listVolumes', []],
    ['listSnapshots', []],
    ['getCapacity', []],
    ['nodeGetInfo', []],
    ['controllerListVolumeHealth', []],
    ['nodeGetStorageHealth', []],
  ]

  it('are listed here for every call', () =>
    assert.deepEqual(required.map(([method]) => method).toSorted(), Object.keys(VALID_CALLS).toSorted()))

  for (const [method, fields] of required) {
    it(`are enough for ${method}`, () => assert.equal(problemOf(method, VALID_CALLS[method].request), undefined))
    for (const field of fields) {
      it(`are ${field} for ${method}`, () => {
        const key = field.replaceAll(/_(.)/g, (_match, letter: string) => letter.toUpperCase())
        const { [key]: _left, ...rest } = VALID_CALLS[method].request as Record<string, unknown>
        assert.equal(problemOf(method, rest), `${field} is required`)
      })
    }
  }
})

describe('a volume capability', () => {
  const mode = (number: number): object => ({ volumeCapabilities: [MOUNT, { ...MOUNT, accessMode: { mode: number } }] })
  const cases: [behaviour: string, method: Method, change: object, problem: string | undefined][] = [
    [
      'may be of a block volume',
      'nodeStageVolume',
      { volumeCapability: { ...MOUNT, accessType: { $case: 'block', value: {} } } },
      undefined,
    ],
    [
      'must say block or mount',
      'nodeStageVolume',
      { volumeCapability: { accessMode: { mode: 1 } } },
      'volume_capability: access_type is required: block or mount',
    ],
    [
      'must have a mode',
      'nodeStageVolume',
      { volumeCapability: { accessType: MOUNT.accessType } },
      'volume_capability: access_mode is required',
    ],
    ['must not have mode 0', 'createVolume', mode(0), 'volume_capability: access_mode is required'],
    ['may have the highest mode', 'createVolume', mode(7), undefined],
    ['must not have a mode that nobody knows', 'createVolume', mode(8), 'volume_capability: access_mode 8 is unknown'],
    [
      'must be right also where it may be left out',
      'getCapacity',
      mode(99),
      'volume_capability: access_mode 99 is unknown',
    ],
    [
      'must be right in an expansion',
      'nodeExpandVolume',
      { volumeCapability: {} },
      'volume_capability: access_type is required: block or mount',
    ],
  ]
  for (const [behaviour, method, change, problem] of cases)
    it(behaviour, () => assert.equal(withChange(method, change), problem))
})

describe('a capacity range', () => {
  const cases: [requiredBytes: bigint, limitBytes: bigint, problem: string | undefined][] = [
    [1n, 0n, undefined],
    [0n, 1n, undefined],
    [5n, 5n, undefined],
    [0n, 0n, 'capacity_range: required_bytes or limit_bytes must be given'],
    [-1n, 0n, 'capacity_range: bytes must not be negative'],
    [1n, -1n, 'capacity_range: bytes must not be negative'],
    [6n, 5n, 'capacity_range: required_bytes is more than limit_bytes'],
  ]
  for (const [requiredBytes, limitBytes, problem] of cases) {
    it(`from ${requiredBytes} to ${limitBytes} is ${problem ?? 'right'}`, () => {
      for (const method of ['createVolume', 'controllerExpandVolume', 'nodeExpandVolume'] as const) {
        assert.equal(withChange(method, { capacityRange: { requiredBytes, limitBytes } }), problem)
      }
    })
  }
})

describe('the source of a volume', () => {
  const cases: [type: object | undefined, problem: string | undefined][] = [
    [{ $case: 'snapshot', value: { snapshotId: 's' } }, undefined],
    [{ $case: 'volume', value: { volumeId: 'v' } }, undefined],
    [{ $case: 'snapshot', value: { snapshotId: '' } }, 'volume_content_source: snapshot_id is required'],
    [{ $case: 'volume', value: { volumeId: '' } }, 'volume_content_source: volume_id is required'],
    [undefined, 'volume_content_source: a snapshot or a volume is required'],
  ]
  for (const [type, problem] of cases) {
    it(`that is ${JSON.stringify(type) ?? 'nothing'} is ${problem ?? 'right'}`, () => {
      assert.equal(withChange('createVolume', { volumeContentSource: { type } }), problem)
    })
  }
})

describe('other numbers and sizes', () => {
  it('must not be negative', () => {
    assert.equal(withChange('listVolumes', { maxEntries: -1 }), 'max_entries must not be negative')
    assert.equal(withChange('listSnapshots', { maxEntries: -1 }), 'max_entries must not be negative')
    assert.equal(withChange('getMetadataDelta', { maxResults: -1 }), 'max_results must not be negative')
    assert.equal(withChange('listVolumes', { maxEntries: 2 ** 31 - 1 }), undefined)
  })

  it('are bounded as the specification says', () => {
    assert.equal(
      withChange('deleteVolume', { volumeId: 'x'.repeat(129) }),
      'volume_id has 129 bytes, at most 128 are allowed',
    )
    assert.equal(
      withChange('createVolume', { parameters: { a: 'x'.repeat(4096) } }),
      'parameters has 4097 bytes, at most 4096 are allowed',
    )
  })
})
