import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { VolumeCapability_AccessMode_Mode as CsiMode } from '../../csi/generated/csi/v1/csi.ts'
import type { AccessMode } from '../../api/kinds/persistent-volume.ts'
import { volumeCapabilities } from './create-volume-request.ts'
import { testClaim } from './testing/objects.ts'

function findCsiAccessMode(mode: string, { singleNodeMultiWriter }: { singleNodeMultiWriter: boolean }) {
  const claim = testClaim({ accessModes: [mode as AccessMode] })
  const decision = volumeCapabilities(claim, [], { defaultFstype: 'xfs', singleNodeMultiWriter })
  return decision.kind === 'ok' ? decision.value[0]?.accessMode?.mode : undefined
}

const cases: [mode: string, plain: CsiMode | undefined, finer: CsiMode | undefined][] = [
  ['ReadWriteOnce', CsiMode.SINGLE_NODE_WRITER, CsiMode.SINGLE_NODE_MULTI_WRITER],
  ['ReadWriteOncePod', CsiMode.SINGLE_NODE_WRITER, CsiMode.SINGLE_NODE_SINGLE_WRITER],
  ['ReadOnlyMany', CsiMode.MULTI_NODE_READER_ONLY, CsiMode.MULTI_NODE_READER_ONLY],
  ['ReadWriteMany', CsiMode.MULTI_NODE_MULTI_WRITER, CsiMode.MULTI_NODE_MULTI_WRITER],
  ['ReadWriteSometimes', undefined, undefined],
  ['toString', undefined, undefined],
]
for (const [mode, plain, finer] of cases) {
  test(`${mode} for a driver that counts writers on a node, and for one that does not`, () => {
    equal(findCsiAccessMode(mode, { singleNodeMultiWriter: false }), plain)
    equal(findCsiAccessMode(mode, { singleNodeMultiWriter: true }), finer)
  })
}
