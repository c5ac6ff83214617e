import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import { claimUidOf } from './life-of.ts'

const UID = '4bf92f35-77b3-4da6-a3ce-929d0e0e4736'
const volume = (name: string, claimUid?: string): PersistentVolume =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: claimUid === undefined ? {} : { claimRef: { uid: claimUid } },
  }) as PersistentVolume

describe('the life that work on a volume belongs to', () => {
  test('is that of the claim which the volume is bound to', () => equal(claimUidOf(volume('by-hand', UID)), UID))
  test('is that of the claim which a volume without an object was created for', () =>
    equal(claimUidOf(undefined, `pvc-${UID}`), UID))
  test('is unknown for a volume without a claim', () => equal(claimUidOf(volume('by-hand')), undefined))
  test('is that of its present claim, also if the volume was created for another', () =>
    equal(claimUidOf(volume(`pvc-${UID}`, 'other')), 'other'))
})
