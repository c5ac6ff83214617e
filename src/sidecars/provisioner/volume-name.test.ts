import { equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { CLAIM_UID } from './testing/objects.ts'
import { volumeNameOf } from './names.ts'

test('S3-41: a volume is called pvc and the uid of its claim', () => equal(volumeNameOf(CLAIM_UID), `pvc-${CLAIM_UID}`))
test('S3-41: the prefix can be another', () =>
  equal(volumeNameOf(CLAIM_UID, { volumeNamePrefix: 'kube', volumeNameUuidLength: -1 }), `kube-${CLAIM_UID}`))
test('S3-41: the uid can be cut, and then has no dashes', () =>
  equal(volumeNameOf(CLAIM_UID, { volumeNamePrefix: 'v', volumeNameUuidLength: 10 }), 'v-5d1f0e1c7b'))
test('all 32 characters may be kept without dashes', () =>
  equal(
    volumeNameOf(CLAIM_UID, { volumeNamePrefix: 'v', volumeNameUuidLength: 32 }),
    `v-${CLAIM_UID.replaceAll('-', '')}`,
  ))
test('there is no name without uid or prefix', () => {
  throws(() => volumeNameOf(''), /without uid/)
  throws(() => volumeNameOf('u', { volumeNamePrefix: '', volumeNameUuidLength: -1 }), /prefix/)
})
