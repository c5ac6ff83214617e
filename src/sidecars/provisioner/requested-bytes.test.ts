import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { requestedBytes } from './create-volume-request.ts'
import { testClaim } from './testing/objects.ts'

const cases: [storage: string, bytes: bigint][] = [
  ['1Gi', 1073741824n],
  ['1500m', 2n],
  ['1G', 1000000000n],
  ['9223372036854775807', 9223372036854775807n],
]
for (const [storage, bytes] of cases) {
  test(`S3-42: a claim for ${storage} asks for ${bytes} bytes`, () => {
    deepEqual(requestedBytes(testClaim({ resources: { requests: { storage } } })), { kind: 'ok', value: bytes })
  })
}
test('a claim without a size asks for nothing', () =>
  deepEqual(requestedBytes(testClaim({ resources: {} })), { kind: 'ok', value: 0n }))
test('a size that is none, or too large, is refused', () => {
  equal(requestedBytes(testClaim({ resources: { requests: { storage: 'big' } } })).kind, 'refuse')
  equal(requestedBytes(testClaim({ resources: { requests: { storage: '99E' } } })).kind, 'refuse')
})
