import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { testClaim } from './testing/objects.ts'
import { volumeCapabilities } from './create-volume-request.ts'

const options = { defaultFstype: 'xfs', singleNodeMultiWriter: false }
const mount = { $case: 'mount', value: { fsType: 'xfs', mountFlags: ['noatime'], volumeMountGroup: '' } }

test('each access mode becomes a capability of its own, in the order of the claim', () => {
  const claim = testClaim({ accessModes: ['ReadOnlyMany', 'ReadWriteOnce'] })
  deepEqual(volumeCapabilities(claim, ['noatime'], options), {
    kind: 'ok',
    value: [
      { accessType: mount, accessMode: { mode: 3 } },
      { accessType: mount, accessMode: { mode: 1 } },
    ],
  })
})
test('a claim without a volume mode asks for a file system', () => {
  const { volumeMode: _, ...spec } = testClaim().spec
  deepEqual(volumeCapabilities({ ...testClaim(), spec }, ['noatime'], options), {
    kind: 'ok',
    value: [{ accessType: mount, accessMode: { mode: 1 } }],
  })
})
test('a block volume has neither file system nor mount options', () => {
  const claim = testClaim({ volumeMode: 'Block' })
  deepEqual(volumeCapabilities(claim, ['noatime'], options), {
    kind: 'ok',
    value: [{ accessType: { $case: 'block', value: {} }, accessMode: { mode: 1 } }],
  })
})
test('an access mode that nobody knows is refused', () => {
  const claim = testClaim({ accessModes: ['ReadWriteOnce', 'Whatever' as 'ReadWriteOnce'] })
  equal(volumeCapabilities(claim, ['noatime'], options).kind, 'refuse')
})
