import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { PersistentVolumeSpec } from '../api/kinds/persistent-volume.ts'
import type { Volume } from '../api/kinds/pod.ts'
import { persistentVolumeKindOf, volumeKindOf } from './volume-kind.ts'

test('the kind of a volume is the name of its source, also of one that our types leave out', () => {
  equal(volumeKindOf({ name: 'data', secret: {} }), 'secret')
  equal(volumeKindOf({ name: 'data', flexVolume: { driver: 'd' } } as Volume), 'flexVolume')
})

test('a volume without a source is an emptyDir', () => equal(volumeKindOf({ name: 'data' }), 'emptyDir'))

test('the kind of a PersistentVolume is the name of its source, whatever else stands beside it', () => {
  const common: PersistentVolumeSpec = {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    claimRef: { name: 'c' },
    mountOptions: ['ro'],
    nodeAffinity: {},
    volumeMode: 'Block',
  }
  equal(persistentVolumeKindOf({ ...common, local: { path: '/srv' } }), 'local')
  equal(persistentVolumeKindOf({ ...common, rbd: { image: 'i' } } as PersistentVolumeSpec), 'rbd')
  equal(persistentVolumeKindOf(common), 'unknown')
})
