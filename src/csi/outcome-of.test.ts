import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CODES } from './codes.ts'
import type { Code } from './codes.ts'
import { CsiError } from './csi-error.ts'
import { outcomeOf } from './outcome-of.ts'
import type { Outcome } from './outcome-of.ts'
import { CSI_RPCS } from './rpc.ts'
import type { CsiRpc } from './rpc.ts'

// The names of CSI_RPCS are those of the definitions from which CsiRpc is derived.
const RPCS = Array.from(CSI_RPCS.values(), ({ name }) => name as CsiRpc)
const UNDOING: CsiRpc[] = [
  'DeleteVolume',
  'ControllerUnpublishVolume',
  'DeleteSnapshot',
  'DeleteVolumeGroupSnapshot',
  'NodeUnpublishVolume',
  'NodeUnstageVolume',
]

const of = (rpc: CsiRpc, code: Code | undefined): Outcome => outcomeOf(rpc, new CsiError(code, ''))

describe('outcomeOf', () => {
  it('knows every call and every code', () => {
    assert.equal(RPCS.length, 36)
    for (const rpc of RPCS) {
      for (const code of CODES)
        assert.match(of(rpc, code), /^(done|failed|later|in-doubt|reschedule)$/, `${rpc} ${code}`)
      assert.equal(of(rpc, 'OK'), 'done')
    }
  })

  it('is in doubt about whatever may still be running, for every call that changes something', () => {
    const exceptions = new Set([
      'CreateVolume RESOURCE_EXHAUSTED',
      'ListVolumes ABORTED',
      'ListSnapshots ABORTED',
      'ControllerListVolumeHealth ABORTED',
    ])
    for (const rpc of RPCS) {
      for (const code of [
        'CANCELLED',
        'DEADLINE_EXCEEDED',
        'UNAVAILABLE',
        'ABORTED',
        'RESOURCE_EXHAUSTED',
        undefined,
      ] as const) {
        if (!exceptions.has(`${rpc} ${code}`)) assert.equal(of(rpc, code), 'in-doubt', `${rpc} ${code}`)
      }
    }
  })

  it('never gives up undoing', () => {
    for (const rpc of UNDOING) {
      for (const code of CODES) assert.notEqual(of(rpc, code), 'failed', `${rpc} ${code}`)
      assert.equal(of(rpc, 'NOT_FOUND'), 'later')
      assert.equal(of(rpc, 'INVALID_ARGUMENT'), 'later')
    }
  })

  const cases: [behaviour: string, rpc: CsiRpc, code: Code, outcome: Outcome][] = [
    ['tries another place for a volume that has no room here', 'CreateVolume', 'RESOURCE_EXHAUSTED', 'reschedule'],
    ['does not repeat a volume that can not be made', 'CreateVolume', 'INVALID_ARGUMENT', 'failed'],
    ['does not repeat a volume whose name is taken by another', 'CreateVolume', 'ALREADY_EXISTS', 'failed'],
    ['waits for the source of a volume', 'CreateVolume', 'NOT_FOUND', 'later'],
    ['repeats a volume after a failure inside the driver', 'CreateVolume', 'INTERNAL', 'later'],
    ['does not forget a snapshot that may have been taken', 'CreateSnapshot', 'RESOURCE_EXHAUSTED', 'in-doubt'],
    [
      'does not forget a group snapshot that may have been taken',
      'CreateVolumeGroupSnapshot',
      'RESOURCE_EXHAUSTED',
      'in-doubt',
    ],
    ['waits for a volume that is in use elsewhere', 'ControllerPublishVolume', 'FAILED_PRECONDITION', 'later'],
    ['can not expand a volume that is gone', 'ControllerExpandVolume', 'NOT_FOUND', 'failed'],
    ['waits for pods to go before it expands', 'ControllerExpandVolume', 'FAILED_PRECONDITION', 'later'],
    ['can not expand beyond what is possible', 'ControllerExpandVolume', 'OUT_OF_RANGE', 'failed'],
    [
      'does not expand again what can not grow while it is mounted',
      'NodeExpandVolume',
      'FAILED_PRECONDITION',
      'failed',
    ],
    ['can not expand on the node what is gone', 'NodeExpandVolume', 'NOT_FOUND', 'failed'],
    ['has nothing to expand on a node whose driver does not do that', 'NodeExpandVolume', 'UNIMPLEMENTED', 'done'],
    ['begins a list of volumes anew', 'ListVolumes', 'ABORTED', 'later'],
    ['begins a list of snapshots anew', 'ListSnapshots', 'ABORTED', 'later'],
    ['begins a list of unhealthy volumes anew', 'ControllerListVolumeHealth', 'ABORTED', 'later'],
  ]
  for (const [behaviour, rpc, code, outcome] of cases) it(behaviour, () => assert.equal(of(rpc, code), outcome))
})
